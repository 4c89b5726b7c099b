/* lab.h -- the commands of coterie-lab: baselines on pooled data, and measurements for the tables
 * of docs/results. argv[0] is the command's name. Each command returns the exit status. */
#ifndef LAB_LAB_H
#define LAB_LAB_H

#include "cli/args/args.h"

args_command agc_main, gcc_main, spectral_main, fedgcn_local_main, kmeans_main, sc_main, dsc_main,
    deepwalk_main, fedwalk_main, classify_main, neighbours_main, privacy_main, noise_main;

/* For commands that read a job: handles --seed, --clusters (-k) and --set. Returns false for other
 * keys. */
bool lab_override(int key, const char *text, struct overrides *set);

#endif
