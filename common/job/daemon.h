/* daemon.h -- contents of coordinator.json and party.json. One table each, in daemon.c.
 *
 * Relative paths start from the directory of the configuration file.
 */
#ifndef COMMON_JOB_DAEMON_H
#define COMMON_JOB_DAEMON_H

#include "common/base/buf.h"
#include "common/base/config.h"
#include "common/base/err.h"
#include "common/base/identity.h"
#include "common/base/log.h"
#include "common/data/reading.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	DAEMON_TEXT_MAX = 1 << 20,
	HOST_MAX = 255
}; /* bytes of a configuration file, of a host name */
/* Connections that look in by common/http/http.h, and the descriptors for them. */
enum { HTTP_CONNECTIONS_MAX = 256, HTTP_FILES = HTTP_CONNECTIONS_MAX + 16 };

/* "hub.example.org:7431", "0.0.0.0:0", "[::1]:7431". */
struct endpoint {
	char host[HOST_MAX + 1]; /* without the brackets */
	uint16_t port;
};

/* Users of this host with rights at the control socket, and its path: proto/control.h. */
struct control_settings {
	char *socket; /* NULL: control.socket in the output directory */
	/* users and @groups; a party has viewers alone */
	struct config_strings viewers, submitters, operators;
};

/* The window for people and monitoring, common/http/http.h. */
struct http_settings {
	char *listen;                /* NULL: there is none */
	struct endpoint at;          /* unless it is a path, http_listen_path() */
	bool anywhere;               /* not only on a loopback address */
	struct config_strings hosts; /* names by which browsers may ask for it, besides */
};

/* The same window for people elsewhere, behind TLS; of a coordinator that serves. */
struct api_settings {
	char *listen;            /* NULL: there is none */
	char *certificate, *key; /* of a party, which has them for this; NULL: none */
	struct endpoint at;
	struct config_map roles; /* the name of a certificate -> role_name */
};

/* Settings of both daemons. */
struct daemon_common {
	/* Its source, for daemon_reload_level(): file and overrides are borrowed. */
	const struct config_table *table;
	const char *path;
	char *const *set;
	char *name;
	struct identity_files identity;
	char *output;       /* directory of run.json, labels.csv, ... */
	unsigned keep_days; /* results older than that go; 0: none for their age */
	double keep_gib;    /* the oldest go until the rest takes at most this; 0: none */
	unsigned heartbeat_s;
	unsigned reconnect_s; /* 0: a lost connection ends the job */
	unsigned rejoin_s;    /* 0: no other attempt after a crash */
	unsigned step_timeout_s, job_timeout_s;
	unsigned threads;    /* 0: as many as there are cores */
	char *numbering_key; /* a file, see crypto/numbering.h; NULL: none */
	enum log_level log_level;
	bool sandbox;     /* see confine.h */
	bool example;     /* as installed, and not edited yet: is refused */
	const char *role; /* "coordinator" or "party" */
	char *on_event;   /* the program that is run then, see hook.h; NULL: none */
	struct control_settings control;
	struct http_settings http;
};

struct coordinator_config {
	struct daemon_common common;
	char *listen_text;
	struct endpoint listen;
	struct config_strings parties; /* names; sorted bytewise here */
	unsigned max_attempts;
	uint64_t max_memory;     /* bytes; 0: no bound */
	struct config_map pins;  /* party -> "sha256:..." of its public key; none: the CA decides */
	unsigned join_timeout_s; /* how long all parties are awaited */
	char *ready_file;        /* written with the bound port once listening; NULL: none */
	struct api_settings api;
	unsigned max_running; /* jobs at a time */
};

struct party_config {
	struct daemon_common common;
	char *coordinator_text;
	struct endpoint coordinator;
	char *proxy_text; /* NULL: the coordinator is dialled directly */
	struct endpoint proxy;
	struct api_settings api;
	struct config_map peers; /* coordinator and other parties -> "sha256:...", and the path of
				    the key that is shared with a party, if there is one */
	struct {
		/* of the data set, independent of its contents; budgets are counted by it */
		char *name;
		char *features,
		    *edges;     /* one of them may be NULL: jobs that need it are declined */
		char *ids;      /* NULL: row numbers are the ids */
		char *vertices; /* fedwalk: ids of those that this party hosts; with edges alone */
		char *graphs;   /* many graphs in TU format, for jobs of kind fedgcn; or NULL */
		struct reading read; /* how features and edges that are tables are read */
	} data;
	struct {
		struct config_strings jobs;      /* kinds allowed */
		struct config_strings methods;   /* methods allowed; none given: all */
		struct config_strings exchanges; /* exchanges allowed; none given: all */
		struct config_strings align;     /* how rows may be matched */
		unsigned min_common;  /* rows that all parties have, where they are matched */
		unsigned min_parties; /* members of each sum */
		unsigned min_cluster; /* rows behind any sum of rows */
		bool profile;         /* joint profiles of clusters may be made */
		bool require_noise;   /* in sums that all parties see */
		double max_eps;       /* 0: none is asked for */
		double max_delta;     /* counts with max_eps */
		/* least job.noise.colluders, for noise in sums */
		unsigned min_colluders;
		double max_eps_total;   /* of all jobs over a data set; 0: no bound */
		double max_delta_total; /* at which that is */
		bool allow_single;
		struct config_strings coordinators; /* of the peers; none given: any of them */
		struct config_strings submitters;   /* of jobs; none given: any */
		unsigned min_cell;                  /* nodes of each cell */
		/* For each coordinator and data, as the ledger counts; 0: no bound. */
		unsigned max_attempts; /* at one job; always a bound */
		/* fewest parties of an attempt without others; 0: refuses jobs with dropout */
		unsigned allow_loss;
		uint64_t max_memory; /* bytes; 0: no bound */
		unsigned max_jobs;
		uint64_t max_words;
		bool allow_subsets; /* of the parties of earlier jobs over the same data */
		bool confirm;       /* a person must say yes to each job */
	} policy;
	unsigned confirm_s; /* how long that may take */
	struct {
		/* processes of coterie-worker that hold the data (party/ranks/mpirun.h); 0: this
		 * process does */
		unsigned n;
		char *hostfile; /* mpirun's; NULL: all on this host */
	} ranks;
	char *state;      /* directory of state that survives restarts; output/state if not given */
	unsigned retry_s; /* how long to keep dialling; 0: for ever */
};

/* set: NULL-terminated "path=value", may be NULL. ERR_INPUT. Nothing is opened but the file. */
enum err coordinator_config_read(struct coordinator_config *c, const char *path,
				 char *const *set) MUST_CHECK;
enum err party_config_read(struct party_config *c, const char *path, char *const *set) MUST_CHECK;
void coordinator_config_release(struct coordinator_config *c);
void party_config_release(struct party_config *c);

/* Returns the path of a daemon's control socket; owned by the caller. */
char *daemon_control_path(const struct daemon_common *c);

/* Takes the log level that the file names now; a running process can change nothing else. Logs a
 * warning and changes nothing if anything in the file is wrong. */
void daemon_reload_level(const struct daemon_common *c);

/* The table for people. */
void coordinator_config_describe(struct buf *text);
void party_config_describe(struct buf *text);

/* "unix:/run/coterie/party.http": the path; NULL: it is an address. */
const char *http_listen_path(const char *listen);

bool endpoint_parse(const char *text, struct endpoint *e);
bool endpoint_is_loopback(const struct endpoint *e); /* by its address, or as "localhost" */

#endif
