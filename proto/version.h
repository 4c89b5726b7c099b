/* version.h -- which release this process is of, for --version, HELLO and WELCOME. */
#ifndef PROTO_VERSION_H
#define PROTO_VERSION_H

/* A program's main says first of which version it was built (scripts/version build):
 * COTERIE_BUILD is known to files called main.c alone, so that a commit compiles no others. */
void version_set(const char *build);

const char *version_build(void);    /* "0.2.0+git20261128143000.0123456789ab" */
const char *version_software(void); /* "coterie " before it: at most MSG_NAME_MAX bytes */
/* "party (coterie) 0.2.0+git..., protocol 7 to 7", static. program: "party (coterie)". */
const char *version_line(const char *program);

#endif
