#include "common/job/daemon.h"
#include "common/base/sort.h"
#include "common/job/kinds.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/json.h"
#include "common/job/record.h"
#include "common/job/removed.h"
#include "common/job/roles.h"
#include "common/kind/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_S 86400
enum { RANKS_CONFIG_MAX = 1024 };

/* ---- checks of single values ---- */

static const char *check_listen(const char *text)
{
	struct endpoint e;

	return endpoint_parse(text, &e) ? NULL : "an address to listen on, like \"0.0.0.0:7431\"";
}

static const char *check_http(const char *text)
{
	const char *path = http_listen_path(text);
	struct endpoint e;

	return (path ? *path == '/' : endpoint_parse(text, &e))
		   ? NULL
		   : "an address to listen on, like \"127.0.0.1:7440\", or \"unix:\" and an "
		     "absolute path";
}

static const char *check_host(const char *text)
{
	return *text && !text[strspn(
			    text,
			    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_")]
		   ? NULL
		   : "the name of a host, without a port";
}

static const char *check_dial(const char *text)
{
	struct endpoint e;

	return endpoint_parse(text, &e) && e.port
		   ? NULL
		   : "the coordinator's address, like \"hub.example.org:7431\"";
}

static const char *check_pin(const char *text)
{
	uint8_t fp[32];

	return !strncmp(text, "sha256:", 7) && hex_read(text + 7, fp, sizeof(fp))
		   ? NULL
		   : "\"sha256:\" and 64 hexadecimal digits, as coterie pki fingerprint prints";
}

/* NULL if text is one of the names, else the expectation: "a method: "tree", "flat" or "gcc"". */
static const char *one_of(const char *text, const char *const *names, const char *what)
{
	static _Thread_local char expected[512];
	size_t n = 0;

	for (size_t i = 0; names[i]; i++)
		if (!strcmp(text, names[i]))
			return NULL;
	n += (size_t)snprintf(expected, sizeof(expected), "%s", what);
	for (size_t i = 0; names[i] && n < sizeof(expected); i++)
		n += (size_t)snprintf(expected + n, sizeof(expected) - n, "%s\"%s\"",
				      !i             ? ": "
				      : names[i + 1] ? ", "
						     : " or ",
				      names[i]);
	return expected;
}

static const char *check_kind(const char *text)
{
	return one_of(text, kind_permissions(), "a kind of job");
}

static const char *check_method(const char *text)
{
	return one_of(text, kind_words("method"), "a method");
}

static const char *daemon_config_check_align(const char *text)
{
	return one_of(text, kind_words("align"), "a way to match rows");
}

static const char *check_exchange(const char *text)
{
	return one_of(text, kind_words("exchange"), "an exchange");
}

/* ---- the tables ---- */

static const char *const on_off[] = { "off", "on", NULL };
static const char *const peer_names[] = { "fingerprint", "psk", NULL };

/* clang-format off */
#define COMMON_ROWS(T) \
	{ "name", CONFIG_STRING, offsetof(T, common.name), 1, 64, .check = config_check_name, \
	  .help = "name of this daemon, as in its certificate" }, \
	{ "identity.certificate", CONFIG_PATH, offsetof(T, common.identity.certificate), \
	  .help = "certificate of this daemon (PEM)" }, \
	{ "identity.key", CONFIG_PATH, offsetof(T, common.identity.key), \
	  .help = "private key of this daemon (PEM), readable by its user only" }, \
	{ "identity.ca", CONFIG_PATH, offsetof(T, common.identity.ca), \
	  .help = "certificate of the authority that signs the certificates of all daemons " \
		  "(PEM)" }, \
	{ "identity.crl", CONFIG_PATH, offsetof(T, common.identity.crl), .standard = "", \
	  .help = "revocation list of that authority (PEM), checked at each handshake" }, \
	{ "identity.passphrase", CONFIG_PATH, offsetof(T, common.identity.passphrase), \
	  .standard = "", \
	  .help = "file with the passphrase of an encrypted private key, readable by the " \
		  "daemon's user only" }, \
	{ "output", CONFIG_PATH, offsetof(T, common.output), .standard = "out", \
	  .help = "directory of results; created if absent" }, \
	{ "results_group", CONFIG_STRING, offsetof(T, common.results_group), 1, 64, "", \
	  .check = config_check_name, \
	  .help = "group of this host that may read run.json, labels, profiles and " \
		  "reports of finished jobs; if not set, only the daemon's user" }, \
	{ "keep_days", CONFIG_UNSIGNED, offsetof(T, common.keep_days), 0, 36500, "0", \
	  .help = "age in days at which the daemon removes results between jobs, and a " \
		  "party also removes models and answered offers; 0: no limit" }, \
	{ "keep_gib", CONFIG_DOUBLE, offsetof(T, common.keep_gib), 0, 1e6, "0", \
	  .help = "size limit of kept results in GiB; between jobs the daemon removes " \
		  "the oldest results until the rest fits; 0: no limit" }, \
	{ "heartbeat_s", CONFIG_UNSIGNED, offsetof(T, common.heartbeat_s), 1, DAY_S, "10", \
	  .help = "seconds without a message after which a connection counts as lost" }, \
	{ "reconnect_s", CONFIG_UNSIGNED, offsetof(T, common.reconnect_s), 0, DAY_S, "60", \
	  .help = "seconds that a job waits for a lost connection; 0: the loss ends the job" }, \
	{ "rejoin_s", CONFIG_UNSIGNED, offsetof(T, common.rejoin_s), 0, DAY_S, "60", \
	  .help = "seconds to wait for all parties after a process crashed in a job; 0: the " \
		  "job fails" }, \
	{ "step_timeout_s", CONFIG_UNSIGNED, offsetof(T, common.step_timeout_s), 1, DAY_S, "600", \
	  .help = "the job ends if a step makes no progress at any party for so many " \
		  "seconds" }, \
	{ "job_timeout_s", CONFIG_UNSIGNED, offsetof(T, common.job_timeout_s), 0, 366 * DAY_S, \
	  "604800", \
	  .help = "longest duration of a job in seconds, counted from the last party's " \
		  "acceptance; 0: no limit" }, \
	{ "threads", CONFIG_UNSIGNED, offsetof(T, common.threads), 0, 1024, "0", \
	  .help = "threads for numerical computation; 0: one per core" }, \
	{ "numbering_key", CONFIG_PATH, offsetof(T, common.numbering_key), .standard = "", \
	  .help = "fedspectral, fedwalk: file with a secret that fixes the numbering of " \
		  "nodes, so that runs with one seed agree. All parties share one " \
		  "secret; the coordinator has another" }, \
	{ "log_level", CONFIG_ENUM, offsetof(T, common.log_level), .standard = "info", \
	  .names = log_level_names, .help = "lowest level of logged events" }, \
	{ "sandbox", CONFIG_BOOL, offsetof(T, common.sandbox), .standard = "on", \
	  .names = on_off, \
	  .help = "on: an unexpected system call ends the process; off: system calls are " \
		  "not filtered, and debuggers can attach" }, \
	{ "on_event", CONFIG_PATH, offsetof(T, common.on_event), .standard = "", \
	  .help = "program to run when a job fails, an offer waits for approval, a certificate " \
		  "is about to expire or a peer is away" }, \
	{ "control.socket", CONFIG_PATH, offsetof(T, common.control.socket), .standard = "", \
	  .help = "unix socket for coterie job and coterie status; if not set, " \
		  "control.socket in the output directory" }, \
	{ "control.viewers", CONFIG_STRINGS, offsetof(T, common.control.viewers), 1, ROLES_MAX, \
	  "", \
	  .check = roles_check_name, \
	  .help = "users and @groups that may view status and jobs; the daemon's own user and " \
		  "root may do everything" }, \
	{ "http.listen", CONFIG_STRING, offsetof(T, common.http.listen), 1, 300, "", \
	  .check = check_http, \
	  .help = "address of the HTTP status page and metrics: loopback or unix:PATH; " \
		  "if not set, there is none" }, \
	{ "http.anywhere", CONFIG_BOOL, offsetof(T, common.http.anywhere), .standard = "false", \
	  .help = "allow http.listen to be another address than loopback; then everyone " \
		  "who reaches the address can read the status" }, \
	{ "http.hosts", CONFIG_STRINGS, offsetof(T, common.http.hosts), 1, 16, "", \
	  .check = check_host, \
	  .help = "host names by which browsers may request the status page (behind a " \
		  "proxy); localhost and its address are always allowed" }, \
	{ "example", CONFIG_BOOL, offsetof(T, common.example), .standard = "false", \
	  .help = "true marks an installed example; daemons refuse the file until this key is " \
		  "removed" }

#define C(field) offsetof(struct coordinator_config, field)
static const struct config_row coordinator_rows[] = {
	COMMON_ROWS(struct coordinator_config),
	{ "listen", CONFIG_STRING, C(listen_text), 1, 300, .check = check_listen,
	  .help = "address and port for parties; port 0: any free port" },
	{ "parties", CONFIG_STRINGS, C(parties), 1, PARTIES_MAX, .check = config_check_name,
	  .help = "names of all parties of a job" },
	{ "pins", CONFIG_MAP, C(pins), 0, PARTIES_MAX, "", .check = check_pin,
	  .check_key = config_check_name, .help = "fingerprints of the parties' public keys, by "
		  "name" },
	{ "join_timeout_s", CONFIG_UNSIGNED, C(join_timeout_s), 1, DAY_S, "60",
	  .help = "seconds to wait for all parties at the start of a job" },
	{ "max_memory", CONFIG_BYTES, C(max_memory), 1, 9e15, "",
	  .help = "memory limit of a job at this coordinator; the estimate for the job must be "
		  "below it; if not set, no limit" },
	{ "max_attempts", CONFIG_UNSIGNED, C(max_attempts), 1, RECORD_ATTEMPTS_MAX, "3",
	  .help = "most attempts at a job after crashes; 1: no second attempt" },
	{ "ready_file", CONFIG_PATH, C(ready_file), .standard = "",
	  .help = "file for the port: the coordinator writes it when it listens" },
	{ "control.submitters", CONFIG_STRINGS, C(common.control.submitters), 1, ROLES_MAX, "",
	  .check = roles_check_name,
	  .help = "--serve: users and @groups that may also submit jobs, and cancel their own "
		  "jobs" },
	{ "control.operators", CONFIG_STRINGS, C(common.control.operators), 1, ROLES_MAX, "",
	  .check = roles_check_name,
	  .help = "--serve: users and @groups that may also submit jobs, and cancel all jobs" },
	{ "api.listen", CONFIG_STRING, C(api.listen), 1, 300, "", .check = check_listen,
	  .help = "--serve: address of the HTTPS API for users with a certificate of the same "
		  "authority; if not set, there is none" },
	{ "api.roles", CONFIG_MAP, C(api.roles), 0, 3 * ROLES_MAX, "", .check = roles_check_role,
	  .check_key = config_check_name,
	  .help = "--serve: role of each user, by the name in the certificate: viewer, reader, "
		  "submitter or operator; other users are refused" },
	{ "max_running", CONFIG_UNSIGNED, C(max_running), 1, RECORD_RUNNING_MAX, "1",
	  .help = "--serve: most jobs that run at the same time; jobs that share a party run "
		  "one after the other" },
};

#define P(field) offsetof(struct party_config, field)
static const struct config_row party_rows[] = {
	COMMON_ROWS(struct party_config),
	{ "coordinator", CONFIG_STRING, P(coordinator_text), 1, 300, .check = check_dial,
	  .help = "address of the coordinator, HOST:PORT" },
	{ "proxy", CONFIG_STRING, P(proxy_text), 1, DAEMON_TEXT_MAX, "",
	  .help = "HTTP proxy (CONNECT) for the connection to the coordinator, like "
		  "http://proxy.example.org:3128; if not set, no proxy" },
	{ "peers", CONFIG_MAP, P(peers), 1, PARTIES_MAX + 1, .check = check_pin,
	  .check_key = config_check_name, .names = peer_names,
	  .help = "fingerprints of the public keys of the coordinator and the other parties, by "
		  "name. A party may also have psk: a file with a pre-shared key that only the "
		  "daemon's user can read" },
	{ "api.listen", CONFIG_STRING, P(api.listen), 1, 300, "", .check = check_listen,
	  .help = "address of the HTTPS API for results, for users of this organisation with a "
		  "certificate of the same authority; if not set, there is none" },
	{ "api.certificate", CONFIG_PATH, P(api.certificate), .standard = "",
	  .help = "certificate of the API (PEM), made with --role coordinator, since the "
		  "party's own certificate is for clients" },
	{ "api.key", CONFIG_PATH, P(api.key), .standard = "",
	  .help = "private key of that certificate (PEM), without passphrase; only the daemon's "
		  "user can read it" },
	{ "api.roles", CONFIG_MAP, P(api.roles), 0, ROLES_MAX, "", .check = roles_check_reader,
	  .check_key = config_check_name,
	  .help = "role of each user, by the name in the certificate: reader; other users are "
		  "refused" },
	{ "data.name", CONFIG_STRING, P(data.name), 1, 64, "", .check = config_check_name,
	  .help = "name of the data set, for which budgets count; if not set, the content of "
		  "the data is the name, so each changed row starts new budgets" },
	{ "data.features", CONFIG_PATH, P(data.features), .standard = "",
	  .help = "file with the columns (kcagc, kmeans.columns) or rows (fedsc, kmeans) of "
		  "this party: .npy, .mtx, or a table .csv or .tsv" },
	{ "data.edges", CONFIG_PATH, P(data.edges), .standard = "",
	  .help = "file with edges: of the shared graph (kcagc), of this party's part of the "
		  "graph (fedspectral), or of this party's vertices (fedwalk); .tsv, .mtx, or a "
		  "table .csv" },
	{ "data.vertices", CONFIG_PATH, P(data.vertices), .standard = "",
	  .help = "fedwalk: file of this party's own vertices, one id per line; edges may name "
		  "vertices of other parties" },
	{ "data.ids", CONFIG_PATH, P(data.ids), .standard = "",
	  .help = "file with the id of each row, one per line; if not set, row numbers are the "
		  "ids" },
	{ "data.graphs", CONFIG_PATH, P(data.graphs), .standard = "",
	  .help = "fedgcn: directory of this party's graphs in TU format: NAME_A.txt, "
		  "NAME_graph_indicator.txt and optional files" },
	READING_ROWS(struct party_config, data.read, "data.read."),
	{ "policy.jobs", CONFIG_STRINGS, P(policy.jobs), 1, 16, "[\"kcagc\"]", .check = check_kind,
	  .help = "kinds of jobs to accept. Variants that disclose more have their own names "
		  "here: fedsc.paper, fedsc.pairwise, fedspectral.exact, fedwalk.dtw, "
		  "fedgcn.kde" },
	{ "policy.min_cluster", CONFIG_UNSIGNED, P(policy.min_cluster), 1, UINT32_MAX, "3",
	  .help = "fedsc, kmeans: least job.min_cluster to accept (rows in any sum of rows); "
		  "fedgcn: the same for graphs in any prototype" },
	{ "policy.profile", CONFIG_BOOL, P(policy.profile), .standard = "false",
	  .help = "accept fedsc and kmeans jobs with a cluster profile over all parties "
		  "(job.profile)" },
	{ "policy.require_noise", CONFIG_BOOL, P(policy.require_noise), .standard = "false",
	  .help = "if a job shows sums to all parties, require noise that one party cannot "
		  "remove (job.noise.on, job.noise.colluders)" },
	{ "policy.max_eps", CONFIG_DOUBLE, P(policy.max_eps), 1e-6, 1e6, "",
	  .help = "largest eps of differential privacy to accept, and refuse jobs without a "
		  "claim; if not set, accept any job" },
	{ "policy.max_delta", CONFIG_DOUBLE, P(policy.max_delta), 1e-300, 0.5, "1e-6",
	  .help = "largest delta of differential privacy to accept, if policy.max_eps is set" },
	{ "policy.min_colluders", CONFIG_UNSIGNED, P(policy.min_colluders), 1, PARTIES_MAX - 1, "1",
	  .help = "least job.noise.colluders to accept (number of parties that may collude)" },
	{ "policy.max_eps_total", CONFIG_DOUBLE, P(policy.max_eps_total), 1e-6, 1e6, "",
	  .help = "limit of the total eps of all jobs on one data set, over all coordinators, "
		  "by the ledger; if set, refuse jobs without a claim of differential privacy" },
	{ "policy.max_delta_total", CONFIG_DOUBLE, P(policy.max_delta_total), 1e-300, 0.5, "1e-5",
	  .help = "delta of differential privacy for policy.max_eps_total" },
	{ "policy.methods", CONFIG_STRINGS, P(policy.methods), 1, 16, "", .check = check_method,
	  .help = "methods to accept (job.method); all if not set" },
	{ "policy.exchanges", CONFIG_STRINGS, P(policy.exchanges), 1, 16, "",
	  .check = check_exchange,
	  .help = "exchanges to accept (job.exchange): distances, gram; all if not set" },
	{ "policy.align", CONFIG_STRINGS, P(policy.align), 1, 2, "[\"same\",\"intersect\"]",
	  .check = daemon_config_check_align,
	  .help = "values of job.align to accept; \"same\" (rows are not matched) is always "
		  "accepted" },
	{ "policy.min_common", CONFIG_UNSIGNED, P(policy.min_common), 1, UINT32_MAX, "100",
	  .help = "least job.min_common to accept: the fewest common rows of a job that matches "
		  "rows" },
	{ "policy.min_parties", CONFIG_UNSIGNED, P(policy.min_parties), 1, PARTIES_MAX, "2",
	  .help = "fewest parties in a sum of a job to accept; 3 excludes sums of two parties" },
	{ "policy.allow_single", CONFIG_BOOL, P(policy.allow_single), .standard = "false",
	  .help = "accept jobs of one party; these mask nothing" },
	{ "policy.coordinators", CONFIG_STRINGS, P(policy.coordinators), 1, PARTIES_MAX, "",
	  .check = config_check_name,
	  .help = "names of coordinators (in peers) whose jobs this party accepts; all if not "
		  "set" },
	{ "policy.submitters", CONFIG_STRINGS, P(policy.submitters), 1, PARTIES_MAX, "",
	  .check = config_check_name,
	  .help = "names of submitters whose jobs this party accepts, as the coordinator "
		  "reports them; all if not set" },
	{ "policy.min_cell", CONFIG_UNSIGNED, P(policy.min_cell), 1, UINT32_MAX, "1",
	  .help = "kcagc: least job.min_cell to accept (nodes in a cell); above 1 excludes sums "
		  "over single nodes" },
	{ "policy.max_attempts", CONFIG_UNSIGNED, P(policy.max_attempts), 1, RECORD_ATTEMPTS_MAX,
	  "3",
	  .help = "most attempts at a job after crashes; each attempt makes the disclosures of "
		  "the job again" },
	{ "policy.allow_loss", CONFIG_UNSIGNED, P(policy.allow_loss), 0, PARTIES_MAX, "0",
	  .help = "after a dropout (job.on_loss \"attempt\"), fewest parties of the next "
		  "attempt. Sums of two attempts may differ by one party's values alone. 0: "
		  "refuse such jobs" },
	{ "policy.max_memory", CONFIG_BYTES, P(policy.max_memory), 1, 9e15, "",
	  .help = "memory limit of a job at this party; the estimate for the job must be below "
		  "it; if not set, no limit" },
	{ "policy.max_jobs", CONFIG_UNSIGNED, P(policy.max_jobs), 1, UINT32_MAX, "",
	  .help = "most jobs of one coordinator on one data set, by the ledger, which counts "
		  "each attempt that received something; if not set, no limit" },
	{ "policy.max_words", CONFIG_U64, P(policy.max_words), 1, 9e15, "",
	  .help = "most values, masked or not, that one coordinator receives of one data set; "
		  "if not set, no limit" },
	{ "policy.allow_subsets", CONFIG_BOOL, P(policy.allow_subsets), .standard = "false",
	  .help = "accept jobs on the same data with other parties than before; "
		  "policy.allow_loss is for the attempts of one job" },
	{ "policy.confirm", CONFIG_BOOL, P(policy.confirm), .standard = "false",
	  .help = "true: each job waits for a user's approval (coterie approve)" },
	{ "confirm_s", CONFIG_UNSIGNED, P(confirm_s), 1, 7 * DAY_S, "3600",
	  .help = "seconds to wait for a user's approval (policy.confirm)" },
	{ "ranks.n", CONFIG_UNSIGNED, P(ranks.n), 1, RANKS_CONFIG_MAX, "",
	  .help = "kcagc: number of MPI processes (mpirun) that hold the data and compute on "
		  "rows; if not set, this process does" },
	{ "ranks.hostfile", CONFIG_PATH, P(ranks.hostfile), .standard = "",
	  .help = "file with the hosts of the MPI processes, in the format of mpirun, this host "
		  "first; if not set, all run on this host" },
	{ "state", CONFIG_PATH, P(state), .standard = "",
	  .help = "directory of state that must survive a restart; if not set, state in the "
		  "output directory" },
	{ "retry_s", CONFIG_UNSIGNED, P(retry_s), 0, DAY_S, "0",
	  .help = "seconds for which the party tries to connect; 0: no limit" },
};
/* clang-format on */

static const struct config_table coordinator_table = { "coordinator",
						       coordinator_rows,
						       sizeof(coordinator_rows) /
							   sizeof(*coordinator_rows),
						       sizeof(struct coordinator_config),
						       removed_keys,
						       NULL };

static const struct config_table party_table = { "party",
						 party_rows,
						 sizeof(party_rows) / sizeof(*party_rows),
						 sizeof(struct party_config),
						 removed_keys,
						 NULL };

/* ---- reading ---- */

static enum err check_dashboard(const struct config_table *t, const char *path,
				struct daemon_common *c)
{
	enum err e = ERR_OK;

	if (!c->http.listen || http_listen_path(c->http.listen))
		return ERR_OK;
	endpoint_parse(c->http.listen, &c->http.at); /* the table has checked the text */
	if (!c->http.anywhere && !endpoint_is_loopback(&c->http.at))
		e = err_set(ERR_INPUT,
			    "%s: %s.http.listen is \"%s\", expected a loopback address like "
			    "\"127.0.0.1:7440\", or %s.http.anywhere",
			    path, t->name, c->http.listen, t->name);
	if (e != ERR_OK)
		config_release(t, c);
	return e;
}

/* Reads a configuration file by its table. out is the first member of the struct to fill. */
static enum err daemon_config_read_table(const struct config_table *t, const char *path,
					 char *const *set, struct daemon_common *out)
{
	char *dir = file_dir(path), source[512];
	struct json *root = NULL;
	enum err err;

	memset(out, 0, t->size);
	snprintf(source, sizeof(source), "%s%s", path, set && *set ? " and the command line" : "");
	err = json_read(path, DAEMON_TEXT_MAX, &root);
	if (!err)
		err = config_set(root, set);
	if (!err)
		err = config_read(t, root, source, dir, NULL, out);
	if (!err && out->example) {
		err = err_set(ERR_INPUT,
			      "%s: this is still the example that was installed (example is true): "
			      "write your own "
			      "name, identity and what follows, then take the line \"example\" out",
			      source);
		config_release(t, out);
	}
	json_free(root);
	free(dir);
	if (!err)
		err = check_dashboard(t, path, out);
	out->table = t;
	out->role = t->name;
	out->path = path;
	out->set = set;
	return err;
}

void daemon_reload_level(const struct daemon_common *c)
{
	struct daemon_common *fresh = alloc(1, c->table->size);

	if (daemon_config_read_table(c->table, c->path, c->set, fresh) != ERR_OK) {
		log_warn("the log level was not reloaded: %s", err_detail());
	} else {
		log_set_level(fresh->log_level);
		config_release(c->table, fresh);
	}
	free(fresh);
}

char *daemon_control_path(const struct daemon_common *c)
{
	return c->control.socket ? alloc_copy(c->control.socket)
				 : file_join(c->output, "control.socket");
}

enum err coordinator_config_read(struct coordinator_config *c, const char *path, char *const *set)
{
	enum err err = ERR_OK;

	TRY(daemon_config_read_table(&coordinator_table, path, set, &c->common));
	endpoint_parse(c->listen_text, &c->listen); /* the table has checked the text */
	if (c->api.listen)
		endpoint_parse(c->api.listen, &c->api.at);
	sort_texts((const char **)c->parties.item, c->parties.count);
	for (size_t i = 0; i < c->pins.count && !err; i++) {
		if (!config_strings_has(&c->parties, c->pins.item[i].key))
			err = err_set(ERR_INPUT,
				      "%s: coordinator.pins.%s is no party, expected a name of "
				      "coordinator.parties",
				      path, c->pins.item[i].key);
	}
	if (!err && config_strings_has(&c->parties, c->common.name))
		err = err_set(ERR_INPUT,
			      "%s: coordinator.parties has \"%s\", expected names other than "
			      "coordinator.name",
			      path, c->common.name);
	if (err)
		coordinator_config_release(c);
	return err;
}

/* Reads party.proxy. Errors do not repeat the value, since it may contain a password. */
static enum err read_proxy(struct party_config *c, const char *path)
{
	const char *text = c->proxy_text;

	if (!text)
		return ERR_OK;
	if (strchr(text, '@'))
		return err_set(ERR_INPUT,
			       "%s: party.proxy has a user or a password, expected a host and a "
			       "port alone: let the proxy admit this host by its address",
			       path);
	if (!strncmp(text, "http://", 7))
		text += 7;
	if (!endpoint_parse(text, &c->proxy) || !c->proxy.port)
		return err_set(ERR_INPUT,
			       "%s: party.proxy is no HTTP proxy, expected one like "
			       "\"http://proxy.example.org:3128\"",
			       path);
	return ERR_OK;
}

static enum err daemon_config_check_api(const struct party_config *c, const char *path)
{
	if (c->api.listen && (!c->api.certificate || !c->api.key))
		return err_set(
		    ERR_INPUT,
		    "%s: party.api.listen is given without %s, expected a certificate of "
		    "the role coordinator, which may listen, and its key",
		    path, c->api.certificate ? "party.api.key" : "party.api.certificate");
	return ERR_OK;
}

enum err party_config_read(struct party_config *c, const char *path, char *const *set)
{
	enum err err = ERR_OK;

	TRY(daemon_config_read_table(&party_table, path, set, &c->common));
	endpoint_parse(c->coordinator_text, &c->coordinator);
	if (!c->data.features && !c->data.edges && !c->data.graphs && !c->data.ids)
		err = err_set(ERR_INPUT,
			      "%s: party.data is empty, expected party.data.features, "
			      "party.data.edges or both, or party.data.graphs, or, to match ids "
			      "alone, party.data.ids",
			      path);
	else if (c->data.vertices && (c->data.features || c->data.ids || !c->data.edges))
		err = err_set(ERR_INPUT,
			      "%s: party.data.vertices is given%s, expected party.data.edges "
			      "beside it and neither party.data.features nor party.data.ids",
			      path, c->data.edges ? "" : " without party.data.edges");
	else if (config_map_get(&c->peers, c->common.name))
		err = err_set(ERR_INPUT,
			      "%s: party.peers has \"%s\", expected names other than party.name",
			      path, c->common.name);
	for (size_t i = 0; i < c->policy.coordinators.count && !err; i++) {
		if (!config_map_get(&c->peers, c->policy.coordinators.item[i]))
			err = err_set(ERR_INPUT,
				      "%s: party.policy.coordinators has \"%s\", expected names "
				      "in party.peers",
				      path, c->policy.coordinators.item[i]);
	}
	if (c->api.listen)
		endpoint_parse(c->api.listen, &c->api.at);
	if (!err)
		err = read_proxy(c, path);
	if (!err)
		err = daemon_config_check_api(c, path);
	if (err)
		party_config_release(c);
	else if (!c->state)
		c->state = file_join(c->common.output, "state");
	return err;
}

void coordinator_config_release(struct coordinator_config *c)
{
	config_release(&coordinator_table, c);
}

void party_config_release(struct party_config *c)
{
	config_release(&party_table, c);
}

void coordinator_config_describe(struct buf *text)
{
	config_describe(&coordinator_table, text);
}

void party_config_describe(struct buf *text)
{
	config_describe(&party_table, text);
}
