/* points.h -- commands that cluster pooled rows: the baselines of FedSC. */
#ifndef CLI_POOLED_POINTS_H
#define CLI_POOLED_POINTS_H

int kmeans_main(int argc, char **argv);
int sc_main(int argc, char **argv);
int dsc_main(int argc, char **argv);

#endif
