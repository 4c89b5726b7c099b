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

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_S 86400
enum { RANKS_CONFIG_MAX = 1024 };

/* ---- checks of single values ---- */

bool endpoint_parse(const char *text, struct endpoint *e)
{
	const char *colon = strrchr(text, ':'), *host = text, *digits;
	size_t n = colon ? (size_t)(colon - text) : 0;
	unsigned long port;

	if (n >= 2 && text[0] == '[' && colon[-1] == ']') {
		host++;
		n -= 2;
	} else if (memchr(text, ':', n)) {
		return false; /* an IPv6 address without brackets */
	}
	if (n == 0 || n > HOST_MAX || strcspn(host, " \t\r\n/[]@") < n)
		return false;
	digits = colon + 1;
	if (!*digits || strlen(digits) > 5 || digits[strspn(digits, "0123456789")])
		return false;
	port = strtoul(digits, NULL, 10);
	if (port > UINT16_MAX)
		return false;
	memcpy(e->host, host, n);
	e->host[n] = 0;
	e->port = (uint16_t)port;
	return true;
}

static const char *check_listen(const char *text)
{
	struct endpoint e;

	return endpoint_parse(text, &e) ? NULL : "an address to listen on, like \"0.0.0.0:7431\"";
}

const char *http_listen_path(const char *listen)
{
	return strncmp(listen, "unix:", 5) ? NULL : listen + 5;
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

bool endpoint_is_loopback(const struct endpoint *e)
{
	const char *host = e->host;
	struct in_addr a;
	struct in6_addr a6;

	if (inet_pton(AF_INET, host, &a) == 1)
		return ntohl(a.s_addr) >> 24 == 127;
	if (inet_pton(AF_INET6, host, &a6) == 1)
		return IN6_IS_ADDR_LOOPBACK(&a6);
	return !strcmp(host, "localhost");
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

/* NULL if text is one of the names, else the expected ones: "a method: "tree", "flat" or "gcc"". */
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
	  .help = "this daemon's name; its certificate must bear it" }, \
	{ "identity.certificate", CONFIG_PATH, offsetof(T, common.identity.certificate), \
	  .help = "its certificate, PEM" }, \
	{ "identity.key", CONFIG_PATH, offsetof(T, common.identity.key), \
	  .help = "its private key, PEM, readable by nobody else" }, \
	{ "identity.ca", CONFIG_PATH, offsetof(T, common.identity.ca), \
	  .help = "the certificate of the authority that signed all daemons', PEM" }, \
	{ "identity.crl", CONFIG_PATH, offsetof(T, common.identity.crl), .standard = "", \
	  .help = "that authority's list of revoked certificates, PEM, checked at each " \
		  "handshake" }, \
	{ "identity.passphrase", CONFIG_PATH, offsetof(T, common.identity.passphrase), \
	  .standard = "", \
	  .help = "a file with the passphrase of the private key, if that is encrypted; readable " \
		  "by nobody else" }, \
	{ "output", CONFIG_PATH, offsetof(T, common.output), .standard = "out", \
	  .help = "directory of results; made if absent" }, \
	{ "keep_days", CONFIG_UNSIGNED, offsetof(T, common.keep_days), 0, 36500, "0", \
	  .help = "between jobs, removes results (at a party also models and answered offers) " \
		  "that are older; 0: none for their age" }, \
	{ "keep_gib", CONFIG_DOUBLE, offsetof(T, common.keep_gib), 0, 1e6, "0", \
	  .help = "between jobs, removes the oldest of them until the rest takes at most so many " \
		  "GiB; 0: none for their size" }, \
	{ "heartbeat_s", CONFIG_UNSIGNED, offsetof(T, common.heartbeat_s), 1, DAY_S, "10", \
	  .help = "a connection silent for this long is lost" }, \
	{ "reconnect_s", CONFIG_UNSIGNED, offsetof(T, common.reconnect_s), 0, DAY_S, "60", \
	  .help = "how long a lost connection is awaited in a job; 0: it ends the job" }, \
	{ "rejoin_s", CONFIG_UNSIGNED, offsetof(T, common.rejoin_s), 0, DAY_S, "60", \
	  .help = "how long all are awaited again after one of them crashed in a job; 0: the job " \
		  "fails" }, \
	{ "step_timeout_s", CONFIG_UNSIGNED, offsetof(T, common.step_timeout_s), 1, DAY_S, "600", \
	  .help = "a step in which nobody gets on for this long ends the job" }, \
	{ "job_timeout_s", CONFIG_UNSIGNED, offsetof(T, common.job_timeout_s), 0, 366 * DAY_S, \
	  "604800", \
	  .help = "how long a job may take once all have accepted it, however busy others say " \
		  "they are; 0: for ever" }, \
	{ "threads", CONFIG_UNSIGNED, offsetof(T, common.threads), 0, 1024, "0", \
	  .help = "threads of numerical loops; 0: as many as there are cores" }, \
	{ "numbering_key", CONFIG_PATH, offsetof(T, common.numbering_key), .standard = "", \
	  .help = "fedspectral, fedwalk: a file of secret bytes by which jobs of one seed number " \
		  "nodes alike, and so end alike; the same at all parties, another at the " \
		  "coordinator" }, \
	{ "log_level", CONFIG_ENUM, offsetof(T, common.log_level), .standard = "info", \
	  .names = log_level_names, .help = "what is logged" }, \
	{ "sandbox", CONFIG_BOOL, offsetof(T, common.sandbox), .standard = "on", \
	  .names = on_off, \
	  .help = "on: a system call that daemons have no use for ends the process; off: not, " \
		  "and debuggers may look in" }, \
	{ "on_event", CONFIG_PATH, offsetof(T, common.on_event), .standard = "", \
	  .help = "a program that is run when a job failed, a person is waited for, the " \
		  "certificate nears its end or a peer is away" }, \
	{ "control.socket", CONFIG_PATH, offsetof(T, common.control.socket), .standard = "", \
	  .help = "the unix socket for coterie job and coterie status; control.socket in the " \
		  "output directory where not given" }, \
	{ "control.viewers", CONFIG_STRINGS, offsetof(T, common.control.viewers), 1, ROLES_MAX, \
	  "", \
	  .check = roles_check_name, \
	  .help = "users and @groups who may look; the daemon's own user and root may do " \
		  "everything" }, \
	{ "http.listen", CONFIG_STRING, offsetof(T, common.http.listen), 1, 300, "", \
	  .check = check_http, \
	  .help = "where people and monitoring look in: a loopback address and port, or unix: " \
		  "and a path; nowhere where not given" }, \
	{ "http.anywhere", CONFIG_BOOL, offsetof(T, common.http.anywhere), .standard = "false", \
	  .help = "http.listen may be another address than a loopback one: whoever reaches it " \
		  "reads all that it says" }, \
	{ "http.hosts", CONFIG_STRINGS, offsetof(T, common.http.hosts), 1, 16, "", \
	  .check = check_host, \
	  .help = "names by which browsers may ask for it, besides localhost and the address, as " \
		  "behind a proxy" }, \
	{ "example", CONFIG_BOOL, offsetof(T, common.example), .standard = "false", \
	  .help = "true in what a package brings, which is refused until it has been edited" }

#define C(field) offsetof(struct coordinator_config, field)
static const struct config_row coordinator_rows[] = {
	COMMON_ROWS(struct coordinator_config),
	{ "listen", CONFIG_STRING, C(listen_text), 1, 300, .check = check_listen,
	  .help = "address and port; port 0 takes any that is free" },
	{ "parties", CONFIG_STRINGS, C(parties), 1, PARTIES_MAX, .check = config_check_name,
	  .help = "the names of all parties of a job" },
	{ "pins", CONFIG_MAP, C(pins), 0, PARTIES_MAX, "", .check = check_pin,
	  .check_key = config_check_name, .help = "fingerprints of the parties' public keys" },
	{ "join_timeout_s", CONFIG_UNSIGNED, C(join_timeout_s), 1, DAY_S, "60",
	  .help = "how long all parties are awaited" },
	{ "max_memory", CONFIG_BYTES, C(max_memory), 1, 9e15, "",
	  .help = "bytes that a job may take here, by what is expected once its size is known; no "
		  "bound where not given" },
	{ "max_attempts", CONFIG_UNSIGNED, C(max_attempts), 1, RECORD_ATTEMPTS_MAX, "3",
	  .help = "how often a job is tried at most, if processes crash; 1: once" },
	{ "ready_file", CONFIG_PATH, C(ready_file), .standard = "",
	  .help = "written with the bound port once listening" },
	{ "control.submitters", CONFIG_STRINGS, C(common.control.submitters), 1, ROLES_MAX, "",
	  .check = roles_check_name,
	  .help = "--serve: users and @groups who may also submit jobs, and cancel their own" },
	{ "control.operators", CONFIG_STRINGS, C(common.control.operators), 1, ROLES_MAX, "",
	  .check = roles_check_name,
	  .help = "--serve: those who may also cancel the jobs of others" },
	{ "api.listen", CONFIG_STRING, C(api.listen), 1, 300, "", .check = check_listen,
	  .help = "--serve: where people elsewhere look in and submit jobs, by HTTPS with a "
		  "certificate of the same authority; nowhere where not given" },
	{ "api.roles", CONFIG_MAP, C(api.roles), 0, 3 * ROLES_MAX, "", .check = roles_check_role,
	  .check_key = config_check_name,
	  .help = "--serve: viewer, submitter or operator, for the name of each certificate that "
		  "may" },
	{ "max_running", CONFIG_UNSIGNED, C(max_running), 1, RECORD_RUNNING_MAX, "1",
	  .help = "--serve: jobs that may run at a time, where no party is in two of them" },
};

#define P(field) offsetof(struct party_config, field)
static const struct config_row party_rows[] = {
	COMMON_ROWS(struct party_config),
	{ "coordinator", CONFIG_STRING, P(coordinator_text), 1, 300, .check = check_dial,
	  .help = "where the coordinator listens" },
	{ "proxy", CONFIG_STRING, P(proxy_text), 1, DAEMON_TEXT_MAX, "",
	  .help = "the HTTP proxy through which the coordinator is dialled (CONNECT), like "
		  "http://proxy.example.org:3128; none where not given" },
	{ "peers", CONFIG_MAP, P(peers), 1, PARTIES_MAX + 1, .check = check_pin,
	  .check_key = config_check_name, .names = peer_names,
	  .help = "fingerprints of the public keys of the coordinator and the other parties; with "
		  "another party also psk, a file with a key that the two share, readable by "
		  "nobody else" },
	{ "data.name", CONFIG_STRING, P(data.name), 1, 64, "", .check = config_check_name,
	  .help = "what this data set is called, whatever is in it today: budgets are counted by "
		  "it; without, by the data as they are, so that one more row begins them anew" },
	{ "data.features", CONFIG_PATH, P(data.features), .standard = "",
	  .help = "this party's columns (kcagc) or rows (fedsc, kmeans): .npy, .mtx, or a table "
		  ".csv or .tsv" },
	{ "data.edges", CONFIG_PATH, P(data.edges), .standard = "",
	  .help = "the graph (kcagc), this party's part of it (fedspectral), or the ties of its "
		  "own vertices (fedwalk): .tsv, .mtx, or a table .csv" },
	{ "data.vertices", CONFIG_PATH, P(data.vertices), .standard = "",
	  .help = "fedwalk: the vertices that this party hosts, one id per line; edges may name "
		  "others as their neighbours" },
	{ "data.ids", CONFIG_PATH, P(data.ids), .standard = "",
	  .help = "the id of each row, one per line; without, row numbers are the ids" },
	{ "data.graphs", CONFIG_PATH, P(data.graphs), .standard = "",
	  .help = "this party's graphs (fedgcn): a directory with NAME_A.txt, "
		  "NAME_graph_indicator.txt and what else there is, in TU format" },
	READING_ROWS(struct party_config, data.read, "data.read."),
	{ "policy.jobs", CONFIG_STRINGS, P(policy.jobs), 1, 16, "[\"kcagc\"]", .check = check_kind,
	  .help = "kinds of jobs this party takes part in; variants that show more must be named: "
		  "fedsc.paper, fedsc.pairwise, fedspectral.exact, fedwalk.dtw, fedgcn.kde" },
	{ "policy.min_cluster", CONFIG_UNSIGNED, P(policy.min_cluster), 1, UINT32_MAX, "3",
	  .help = "fedsc, kmeans: the fewest rows behind any sum of rows this party adds to; "
		  "fedgcn: the fewest graphs behind any prototype" },
	{ "policy.profile", CONFIG_BOOL, P(policy.profile), .standard = "false",
	  .help = "take part in jobs of kind fedsc and kmeans that end with a profile of clusters "
		  "over all parties (job.profile)" },
	{ "policy.require_noise", CONFIG_BOOL, P(policy.require_noise), .standard = "false",
	  .help = "take part in jobs that show sums to all parties only if they have noise that "
		  "one party cannot take off (job.noise.on, job.noise.colluders)" },
	{ "policy.max_eps", CONFIG_DOUBLE, P(policy.max_eps), 1e-6, 1e6, "",
	  .help = "take part only in jobs that claim differential privacy with at most this eps" },
	{ "policy.max_delta", CONFIG_DOUBLE, P(policy.max_delta), 1e-300, 0.5, "1e-6",
	  .help = "and, where max_eps is given, with at most this delta" },
	{ "policy.min_colluders", CONFIG_UNSIGNED, P(policy.min_colluders), 1, PARTIES_MAX - 1, "1",
	  .help = "the fewest parties against whose collusion noise in sums must be enough "
		  "(job.noise.colluders)" },
	{ "policy.max_eps_total", CONFIG_DOUBLE, P(policy.max_eps_total), 1e-6, 1e6, "",
	  .help = "eps of all jobs over the same data set together, whoever coordinates, as the "
		  "ledger counts; jobs that claim no differential privacy are refused then" },
	{ "policy.max_delta_total", CONFIG_DOUBLE, P(policy.max_delta_total), 1e-300, 0.5, "1e-5",
	  .help = "and the delta at which that eps is" },
	{ "policy.methods", CONFIG_STRINGS, P(policy.methods), 1, 16, "", .check = check_method,
	  .help = "methods allowed; all where not given" },
	{ "policy.exchanges", CONFIG_STRINGS, P(policy.exchanges), 1, 16, "",
	  .check = check_exchange,
	  .help = "what may be exchanged: distances, gram; all where not given" },
	{ "policy.align", CONFIG_STRINGS, P(policy.align), 1, 2, "[\"same\",\"intersect\"]",
	  .check = daemon_config_check_align,
	  .help = "how rows may be matched where parties have other ones: \"intersect\"; \"same\", "
		  "not at all, is always allowed" },
	{ "policy.min_common", CONFIG_UNSIGNED, P(policy.min_common), 1, UINT32_MAX, "100",
	  .help = "where rows are matched: the least job.min_common, rows that all parties have" },
	{ "policy.min_parties", CONFIG_UNSIGNED, P(policy.min_parties), 1, PARTIES_MAX, "2",
	  .help = "the fewest members of a sum this party adds to; 3 refuses pairs" },
	{ "policy.allow_single", CONFIG_BOOL, P(policy.allow_single), .standard = "false",
	  .help = "take part in jobs of one party, which mask nothing" },
	{ "policy.coordinators", CONFIG_STRINGS, P(policy.coordinators), 1, PARTIES_MAX, "",
	  .check = config_check_name,
	  .help = "names in peers whose jobs this party takes part in; all of them where not "
		  "given" },
	{ "policy.submitters", CONFIG_STRINGS, P(policy.submitters), 1, PARTIES_MAX, "",
	  .check = config_check_name,
	  .help = "who may have submitted a job, by the name that the coordinator gives; anybody "
		  "where not given" },
	{ "policy.min_cell", CONFIG_UNSIGNED, P(policy.min_cell), 1, UINT32_MAX, "1",
	  .help = "kcagc: the fewest nodes of a cell; above 1 refuses what sums over single "
		  "nodes" },
	{ "policy.max_attempts", CONFIG_UNSIGNED, P(policy.max_attempts), 1, RECORD_ATTEMPTS_MAX,
	  "3",
	  .help = "attempts at one job in all, after crashes; each shows what the job shows" },
	{ "policy.allow_loss", CONFIG_UNSIGNED, P(policy.allow_loss), 0, PARTIES_MAX, "0",
	  .help = "the fewest parties of an attempt without others, after this party may have "
		  "given numbers to one with them (job.on_loss \"attempt\"): the two may differ by "
		  "one party's numbers alone; 0: such jobs are refused" },
	{ "policy.max_memory", CONFIG_BYTES, P(policy.max_memory), 1, 9e15, "",
	  .help = "bytes that a job may take here, by what is expected before it begins" },
	{ "policy.max_jobs", CONFIG_UNSIGNED, P(policy.max_jobs), 1, UINT32_MAX, "",
	  .help = "jobs of one coordinator over the same data, as the ledger counts, each attempt "
		  "that got something of it; no bound where not given" },
	{ "policy.max_words", CONFIG_U64, P(policy.max_words), 1, 9e15, "",
	  .help = "numbers made from data that one coordinator gets of the same data, masked ones "
		  "too" },
	{ "policy.allow_subsets", CONFIG_BOOL, P(policy.allow_subsets), .standard = "false",
	  .help = "take part in jobs over the same data with other parties than before; within a "
		  "job allow_loss decides" },
	{ "policy.confirm", CONFIG_BOOL, P(policy.confirm), .standard = "false",
	  .help = "each job waits for a person: coterie approve" },
	{ "confirm_s", CONFIG_UNSIGNED, P(confirm_s), 1, 7 * DAY_S, "3600",
	  .help = "how long that person is waited for" },
	{ "ranks.n", CONFIG_UNSIGNED, P(ranks.n), 1, RANKS_CONFIG_MAX, "",
	  .help = "kcagc: processes of MPI that hold the data and compute what is of single rows, "
		  "started by mpirun; this process does where not given" },
	{ "ranks.hostfile", CONFIG_PATH, P(ranks.hostfile), .standard = "",
	  .help = "hosts for them, as mpirun reads it, this one first; all on this host where not "
		  "given" },
	{ "state", CONFIG_PATH, P(state), .standard = "",
	  .help = "directory of what must survive a restart; output/state where not given" },
	{ "retry_s", CONFIG_UNSIGNED, P(retry_s), 0, DAY_S, "0",
	  .help = "how long to go on dialling; 0: for ever" },
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

static enum err check_window(const struct config_table *t, const char *path,
			     struct daemon_common *c)
{
	enum err e = ERR_OK;

	if (!c->http.listen || http_listen_path(c->http.listen))
		return ERR_OK;
	endpoint_parse(c->http.listen, &c->http.at); /* the table has checked it */
	if (!c->http.anywhere && !endpoint_is_loopback(&c->http.at))
		e = err_set(ERR_INPUT,
			    "%s: %s.http.listen is \"%s\", expected a loopback address like "
			    "\"127.0.0.1:7440\", or %s.http.anywhere",
			    path, t->name, c->http.listen, t->name);
	if (e != ERR_OK)
		config_release(t, c);
	return e;
}

/* out is the first member of the struct that is read. */
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
		err = check_window(t, path, out);
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
	endpoint_parse(c->listen_text, &c->listen); /* the table has checked it */
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

/* The value is not repeated: it may have a password. */
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
	if (!err)
		err = read_proxy(c, path);
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
