/* doctor.h -- coterie doctor: what a daemon will need, looked at without a job. */
#ifndef CLI_DOCTOR_DOCTOR_H
#define CLI_DOCTOR_DOCTOR_H

#include "common/base/err.h"
#include "common/job/daemon.h"
#include "proto/tls.h"

#include <stdbool.h>
#include <stddef.h>

enum verdict {
	FINE,
	NOTE,  /* a person may want to know; all is well all the same */
	WRONG, /* the daemon would not work, or not for long */
};

struct checkup {
	struct finding {
		enum verdict verdict;
		const char *check, *advice; /* static; advice "" where there is nothing to do */
		char found[ERR_DETAIL_MAX];
	} * item; /* owned */
	size_t n;
};

void checkup_add(struct checkup *c, enum verdict verdict, const char *check, const char *advice,
		 const char *fmt, ...) PRINTF(5, 6);
/* e and its sentence as what was found, WRONG; nothing if e is ERR_OK. Returns whether it was not. */
bool checkup_failed(struct checkup *c, enum err e, const char *check, const char *advice);

/* ---- doctor_host.c: this host; certificates, keys, directories ---- */

/* files: descriptors that the daemon will need. */
void doctor_host(struct checkup *c, const struct daemon_common *common, enum tls_role role, size_t files);
/* A directory that the daemon writes to, made or not yet. */
void doctor_directory(struct checkup *c, const struct daemon_common *common, const char *check,
		      const char *path);
double doctor_memory_available(void); /* bytes; 0: the system does not say */
void doctor_clock(struct checkup *c); /* does anything set it, as far as the kernel knows? */

/* ---- doctor_listen.c: where it listens ---- */

/* key: of the configuration, whose value is text. */
void doctor_listen(struct checkup *c, const char *check, const char *key, const char *text, const struct endpoint *at);
/* http.listen; nothing where there is none. config: whose other ports it must not be; NULL of a party. */
void doctor_window(struct checkup *c, const struct http_settings *http, const struct coordinator_config *config);
/* api.listen: its port, who may come, and by which names they find it; nothing where there is none. */
void doctor_api(struct checkup *c, const struct coordinator_config *config);

/* ---- the two daemons ---- */

void doctor_coordinator(struct checkup *c, const struct coordinator_config *config);
void doctor_party(struct checkup *c, const struct party_config *config);

/* doctor_peer.c: a party's coordinator: its name, TCP, TLS, who it is, its versions and its clock. Half a minute at
 * most. */
void doctor_peer(struct checkup *c, const struct party_config *config);

#endif
