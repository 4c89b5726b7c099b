/* version.h -- the release of this process, for --version, HELLO and WELCOME. */
#ifndef PROTO_VERSION_H
#define PROTO_VERSION_H

/* Sets the build (scripts/version build); a program's main() calls it first. Only files called
 * main.c get COTERIE_BUILD, so that a commit recompiles no others. */
void version_set(const char *build);

/* Returns the build, such as "0.2.0+git20261128143000.0123456789ab". */
const char *version_build(void);
/* Returns "coterie " and the release, at most MSG_NAME_MAX bytes. */
const char *version_software(void);
/* Returns a static text, such as "party (coterie) 0.2.0+git..., protocol 7 to 7". program: "party
 * (coterie)". */
const char *version_line(const char *program);

#endif
