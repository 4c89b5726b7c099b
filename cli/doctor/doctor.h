/* doctor.h -- coterie doctor: checks the prerequisites of a daemon without a job. */
#ifndef CLI_DOCTOR_DOCTOR_H
#define CLI_DOCTOR_DOCTOR_H

#include "common/base/err.h"
#include "common/job/daemon.h"
#include "proto/tls.h"

#include <stdbool.h>
#include <stddef.h>

enum verdict {
	FINE,
	NOTE,  /* information only; the daemon works */
	WRONG, /* the daemon would fail, at once or soon */
};

struct checkup {
	struct finding {
		enum verdict verdict;
		const char *check, *advice; /* static texts; advice is "" if none is needed */
		char found[ERR_DETAIL_MAX];
	} * item; /* owned */
	size_t n;
};

void checkup_add(struct checkup *c, enum verdict verdict, const char *check, const char *advice,
		 const char *fmt, ...) PRINTF(5, 6);
/* If e is an error, adds it and its message as a WRONG finding. Returns e != ERR_OK. */
bool checkup_failed(struct checkup *c, enum err e, const char *check, const char *advice);

/* ---- doctor_host.c: host, certificates, keys, directories ---- */

/* files: number of descriptors that the daemon needs. */
void doctor_host(struct checkup *c, const struct daemon_common *common, enum tls_role role,
		 size_t files);
/* Checks a directory that the daemon writes to. The directory may not exist yet. */
void doctor_directory(struct checkup *c, const char *check, const char *path);
/* A certificate and its key to check, and the names of the checks. */
struct doctor_identity {
	struct identity_files files;
	const char *name; /* name that the certificate must have; NULL: any */
	enum tls_role role;
	const char *key, *chain, *certificate; /* names of the checks */
	const char *remedy;                    /* advice if the CA did not sign the certificate */
};
void doctor_identity(struct checkup *c, const struct doctor_identity *of);
double doctor_memory_available(void); /* in bytes; 0 if it is unknown */
/* Checks whether a time service sets the clock, according to the kernel. */
void doctor_clock(struct checkup *c);

/* ---- doctor_listen.c: listening addresses ---- */

/* A port on which a daemon listens. text: the value of the configuration key. */
struct doctor_port {
	const char *check, *key, *text; /* text NULL: the key is not set */
	const struct endpoint *at;
};
/* Checks that each of n ports is free, and that no two ports are the same. */
void doctor_ports(struct checkup *c, const struct doctor_port *port, size_t n);
/* Return the ports that users connect to: that of api.listen, and that of http.listen. */
struct doctor_port doctor_port_api(const struct api_settings *api);
struct doctor_port doctor_port_dashboard(const struct http_settings *http);
/* Checks who can read the dashboard at http.listen, if that is set. */
void doctor_dashboard(struct checkup *c, const struct http_settings *http);
/* Checks api.listen, if it is set: whether other hosts reach it, the roles of its users, and the
 * names and key type of the certificate. */
void doctor_api(struct checkup *c, const struct api_settings *api, const char *certificate);

/* ---- the two daemons ---- */

void doctor_coordinator(struct checkup *c, const struct coordinator_config *config);
void doctor_party(struct checkup *c, const struct party_config *config);

/* doctor_peer.c: checks a party's coordinator: name, TCP, TLS, identity, versions and clock. Takes
 * at most 30 s. */
void doctor_peer(struct checkup *c, const struct party_config *config);

#endif
