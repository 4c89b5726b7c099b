/* version.h -- the release of this process, for --version, HELLO and WELCOME. */
#ifndef PROTO_VERSION_H
#define PROTO_VERSION_H

/* Sets the build (scripts/version build); a program's main() calls it first. Only files called
 * main.c get COTERIE_BUILD, so that a commit recompiles no others. */
void version_set(const char *build);

const char *version_build(void);    /* "0.2.0+git20261128143000.0123456789ab" */
const char *version_software(void); /* "coterie " and the release, at most MSG_NAME_MAX bytes */
/* "party (coterie) 0.2.0+git..., protocol 7 to 7", static. program: "party (coterie)". */
const char *version_line(const char *program);

#endif
