/* pki.h -- `coterie pki ...`: a certificate authority, keys and certificates for the daemons. */
#ifndef CLI_AUDIT_PKI_H
#define CLI_AUDIT_PKI_H

/* argv[0] is "pki", what follows its arguments. Results go to stdout, sentences to stderr.
 * Returns the exit status. */
int pki_main(int argc, char **argv);

#endif
