/* daemon.h -- contents of coordinator.json and party.json. Each has one table in daemon.c.
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
#include "common/job/endpoint.h"

#include <stdbool.h>
#include <stdint.h>

enum { DAEMON_TEXT_MAX = 1 << 20 }; /* bytes of a configuration file */
/* Maximum number of connections at a time to the server of common/http/http.h, and of file
 * descriptors that it needs. */
enum { HTTP_CONNECTIONS_MAX = 256, HTTP_FILES = HTTP_CONNECTIONS_MAX + 16 };

/* Users of this host with rights at the control socket, and its path: proto/control.h. */
struct control_settings {
	char *socket; /* NULL: control.socket in the output directory */
	/* users and @groups; submitters and operators only at a coordinator */
	struct config_strings viewers, submitters, operators;
};

/* The status API and dashboard for this host, common/http/http.h. */
struct http_settings {
	char *listen;                /* NULL: no status API */
	struct endpoint at;          /* unset if listen is a path: http_listen_path() */
	bool anywhere;               /* may listen on other addresses than loopback */
	struct config_strings hosts; /* further names that browsers may use for this host */
};

/* The API endpoint for users on other hosts, over TLS; common/http/http.h. */
struct api_settings {
	char *listen;            /* NULL: no API endpoint */
	char *certificate, *key; /* of a party, for this endpoint only; NULL at a coordinator, which
				  * uses its identity */
	struct endpoint at;
	struct config_map roles; /* name in a user's certificate -> one of role_name (roles.h) */
};

/* Settings of both daemons. */
struct daemon_common {
	/* Source of these settings, for daemon_reload_level(). The file's path and the overrides
	 * are borrowed. */
	const struct config_table *table;
	const char *path;
	char *const *set;
	char *name;
	struct identity_files identity;
	char *output; /* directory of run.json, labels.csv, ... */
	/* group that may read results (share.h); NULL: only the daemon's user may */
	char *results_group;
	/* older results, and at a party models and offers, are removed; 0: no limit of age */
	unsigned keep_days;
	/* the oldest results are removed until the remaining ones take at most this; 0: no limit */
	double keep_gib;
	unsigned heartbeat_s;
	unsigned reconnect_s; /* 0: a lost connection ends the job */
	unsigned rejoin_s;    /* 0: a job is not attempted again after a crash */
	unsigned step_timeout_s, job_timeout_s;
	unsigned threads;    /* 0: one per core */
	char *numbering_key; /* a file, see crypto/numbering.h; NULL: none */
	enum log_level log_level;
	bool sandbox;     /* see confine.h */
	bool example;     /* the installed example, not edited yet; the daemon refuses it */
	const char *role; /* "coordinator" or "party" */
	char *on_event;   /* program to run on events, see hook.h; NULL: none */
	struct control_settings control;
	struct http_settings http;
};

struct coordinator_config {
	struct daemon_common common;
	char *listen_text;
	struct endpoint listen;
	struct config_strings parties; /* names of the parties, sorted bytewise after reading */
	unsigned max_attempts;
	uint64_t max_memory; /* bytes; 0: no bound */
	/* party -> "sha256:..." of its public key; none: the CA's signature suffices */
	struct config_map pins;
	unsigned join_timeout_s; /* how long the coordinator waits for all parties */
	char *ready_file;        /* written with the bound port once listening; NULL: none */
	struct api_settings api;
	unsigned max_running; /* jobs that may run at a time */
};

struct party_config {
	struct daemon_common common;
	char *coordinator_text;
	struct endpoint coordinator;
	char *proxy_text; /* NULL: the party connects directly to the coordinator */
	struct endpoint proxy;
	struct api_settings api;
	/* peer (coordinator or party) -> "sha256:..." of its public key, and the path of the key
	 * shared with a party, if any */
	struct config_map peers;
	struct {
		/* name of the data set, independent of its contents; budgets are counted per
		 * name */
		char *name;
		char *features,
		    /* `features` and `edges` may be NULL; a job that needs a missing file is
		     * declined */
		    *edges;
		char *ids; /* NULL: row numbers are the ids */
		/* fedwalk: file with ids of the vertices that this party hosts; needs edges */
		char *vertices;
		/* directory of graphs in TU format, for jobs of kind fedgcn; or NULL */
		char *graphs;
		struct reading read; /* how features and edges that are tables are read */
	} data;
	struct {
		/* values of job_permission() (job.h) that are accepted */
		struct config_strings jobs;
		struct config_strings methods;   /* methods allowed; none given: all */
		struct config_strings exchanges; /* exchanges allowed; none given: all */
		/* ways to match rows (job.align) that are allowed */
		struct config_strings align;
		unsigned min_common;  /* least job.min_common, if rows are matched */
		unsigned min_parties; /* fewest parties whose terms a sum adds */
		unsigned min_cluster; /* least job.min_cluster: rows (fedgcn: graphs) in a sum */
		bool profile;         /* joint profiles of clusters are allowed */
		bool require_noise;   /* sums that all parties see must have noise */
		double max_eps;   /* largest eps that a job may claim; 0: no claim is required */
		double max_delta; /* applies if max_eps is set */
		/* least job.noise.colluders, for noise in sums */
		unsigned min_colluders;
		double max_eps_total;   /* limit for all jobs on a data set together; 0: none */
		double max_delta_total; /* the delta of max_eps_total */
		bool allow_single;
		struct config_strings coordinators; /* names of peers; none given: any of them */
		struct config_strings submitters;   /* users who submit jobs; none given: any */
		/* least job.min_cell: nodes in a cell (kcagc) */
		unsigned min_cell;
		unsigned max_attempts; /* maximum number of attempts at one job */
		/* least number of parties with which an attempt may continue after a dropout; 0:
		 * the party refuses jobs that continue */
		unsigned allow_loss;
		uint64_t max_memory; /* bytes; 0: no bound */
		/* Limits for each coordinator and data set, by the ledger; 0: no limit. max_jobs:
		 * attempts that sent numbers derived from data. max_words: such numbers, masked or
		 * not. */
		unsigned max_jobs;
		uint64_t max_words;
		/* true: accepts jobs on the same data with other parties than in earlier jobs */
		bool allow_subsets;
		bool confirm; /* a user must approve each job */
	} policy;
	unsigned confirm_s; /* how long a user may take to approve */
	struct {
		/* number of processes of coterie-worker that hold the data (party/ranks/mpirun.h);
		 * 0: this process holds them */
		unsigned n;
		char *hostfile; /* hostfile of mpirun; NULL: all processes on this host */
	} ranks;
	char *state;      /* directory of state that survives restarts; default: output/state */
	unsigned retry_s; /* how long to keep connecting; 0: for ever */
};

/* Reads the configuration file at path; opens no other file. set: NULL-terminated list of
 * "path=value", may be NULL. ERR_INPUT. */
enum err coordinator_config_read(struct coordinator_config *c, const char *path,
				 char *const *set) MUST_CHECK;
enum err party_config_read(struct party_config *c, const char *path, char *const *set) MUST_CHECK;
void coordinator_config_release(struct coordinator_config *c);
void party_config_release(struct party_config *c);

/* Returns the path of a daemon's control socket; owned by the caller. */
char *daemon_control_path(const struct daemon_common *c);

/* Reads the configuration file again and applies its log level. No other setting can change in a
 * running process. If the file has an error, logs a warning and changes nothing. */
void daemon_reload_level(const struct daemon_common *c);

/* Describes the table of parameters for users. */
void coordinator_config_describe(struct buf *text);
void party_config_describe(struct buf *text);

#endif
