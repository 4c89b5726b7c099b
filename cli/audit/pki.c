#include "cli/args/args.h"
#include "crypto/pki.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
	const struct command *command;
	const char *dir, *name, *ca, *out, *file;
	struct pki_request request;
	unsigned days, parties;
};

struct command {
	const char *name, *text;
	enum err (*run)(const struct options *o);
	const struct argp_option *options;
	const char *argument; /* name of the argument; NULL: the command has none */
	const char *more;
};

enum { KEY_TYPE = 256, KEY_HOST, KEY_CA };

static unsigned pki_command_number(const char *text, const char *option, struct argp_state *state)
{
	char *end;
	unsigned long v;

	errno = 0;
	v = strtoul(text, &end, 10);
	if (errno || *end || end == text || text[0] == '-' || v < 1 || v > UINT_MAX)
		argp_error(state, "--%s: \"%s\", expected a number from 1", option, text);
	return (unsigned)v;
}

static error_t pki_command_parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct pki_request *request = &o->request;

	switch (key) {
	case 'd':
		o->dir = arg;
		break;
	case 'n':
		o->name = arg;
		break;
	case 'o':
		o->out = arg;
		break;
	case 'l':
		o->parties = pki_command_number(arg, "parties", state);
		break;
	case 't':
		o->days = pki_command_number(arg, "days", state);
		break;
	case 'r':
		if (strcmp(arg, "party") && strcmp(arg, "coordinator") && strcmp(arg, "user"))
			argp_error(state, "--role: \"%s\", expected party, coordinator or user",
				   arg);
		request->role = strcmp(arg, "coordinator") ? PKI_PARTY : PKI_COORDINATOR;
		break;
	case KEY_TYPE:
		if (strcmp(arg, "ed25519") && strcmp(arg, "p256"))
			argp_error(state, "--key-type: \"%s\", expected ed25519 or p256", arg);
		request->key_type = strcmp(arg, "p256") ? PKI_ED25519 : PKI_P256;
		break;
	case KEY_HOST:
		if (request->host_count == PKI_HOSTS_MAX)
			argp_error(state, "--host: more than %d", PKI_HOSTS_MAX);
		request->hosts[request->host_count++] = arg;
		break;
	case KEY_CA:
		o->ca = arg;
		break;
	case ARGP_KEY_ARG:
		if (!o->command->argument || o->file)
			argp_error(state, "\"%s\": one argument too many", arg);
		o->file = arg;
		break;
	case ARGP_KEY_END:
		if (o->command->argument && !o->file)
			argp_error(state, "%s is missing", o->command->argument);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static enum err init(const struct options *o)
{
	TRY(pki_init(o->dir, o->name ? o->name : "Coterie CA", o->request.key_type,
		     o->days ? o->days : 3650));
	printf("made %s/ca.key (keep it secret, preferably offline) and %s/ca.crt (give it to "
	       "everybody)\n",
	       o->dir, o->dir);
	return ERR_OK;
}

static enum err pki_command_request(const struct options *o)
{
	struct pki_request what = o->request;

	if (!o->name)
		return err_set(ERR_INPUT,
			       "--name is missing: the name of the party, coordinator or user");
	what.name = o->name;
	TRY(pki_make_request(o->dir, &what));
	printf("made %s/%s.key (it stays here) and %s/%s.csr (send it to the CA)\n", o->dir,
	       what.name, o->dir, what.name);
	return ERR_OK;
}

static enum err sign(const struct options *o)
{
	size_t n = strlen(o->file);
	bool csr = n > 4 && !strcmp(o->file + n - 4, ".csr");
	struct buf beside = { 0 }, says = { 0 };
	const char *path = o->out;
	char text[FINGERPRINT_TEXT_LEN];
	uint8_t fp[FINGERPRINT_LEN];
	enum err e;

	if (!path) { /* the certificate for bank-a.csr is written to bank-a.crt */
		buf_printf(&beside, "%.*s.crt%c", (int)(csr ? n - 4 : n), o->file, 0);
		path = (const char *)beside.p;
	}
	e = pki_sign(o->ca, o->file, path, o->days ? o->days : 825, &says);
	if (e == ERR_OK)
		e = pki_fingerprint(path, fp);
	if (e == ERR_OK) {
		fingerprint_text(fp, text);
		printf("made %s\n%.*sfingerprint: %s\n", path, (int)says.n, (const char *)says.p,
		       text);
	}
	buf_release(&says);
	buf_release(&beside);
	return e;
}

static enum err pki_command_fingerprint(const struct options *o)
{
	char text[FINGERPRINT_TEXT_LEN];
	uint8_t fp[FINGERPRINT_LEN];

	TRY(pki_fingerprint(o->file, fp));
	fingerprint_text(fp, text);
	puts(text);
	return ERR_OK;
}

static enum err pki_command_show(const struct options *o)
{
	struct buf text = { 0 };
	enum err e = pki_show(o->file, &text);

	if (e == ERR_OK)
		fwrite(text.p, 1, text.n, stdout);
	buf_release(&text);
	return e;
}

static enum err lab(const struct options *o)
{
	if (!o->out || !o->parties)
		return err_set(ERR_INPUT, "--out and --parties are needed");
	TRY(pki_lab(o->out, o->parties));
	printf("made a CA, a coordinator and %u parties in %s, for runs on this machine\n",
	       o->parties, o->out);
	return ERR_OK;
}

/* clang-format off */
#define DIR_OPTION(text)  { "dir", 'd', "DIR", 0, text, 0 }
#define DAYS_OPTION(text) { "days", 't', "N", 0, text, 0 }
#define TYPE_OPTION(more) { "key-type", KEY_TYPE, "TYPE", 0, "ed25519 (default) or p256" more, 0 }
/* clang-format on */

static const struct argp_option init_options[] = {
	DIR_OPTION("folder for ca.key and ca.crt (default: this one)"),
	{ "name", 'n', "CN", 0, "name of the CA (default: Coterie CA)", 0 },
	DAYS_OPTION("days of validity (default: 3650)"),
	TYPE_OPTION(", which browsers need"),
	{ 0 },
};
static const struct argp_option request_options[] = {
	{ "name", 'n', "NAME", 0, "name of the daemon or user: 1 to 64 of A-Z a-z 0-9 . _ -", 0 },
	{ "role", 'r', "ROLE", 0,
	  "party (default), coordinator, or user. Parties and users have the same kind of "
	  "certificate; in the coordinator's configuration, parties or api.roles lists the name",
	  0 },
	TYPE_OPTION(", which browsers need"),
	{ "host", KEY_HOST, "HOST", 0, "another host name or address; may be repeated", 0 },
	DIR_OPTION("folder for NAME.key and NAME.csr (default: this one)"),
	{ 0 },
};
static const struct argp_option sign_options[] = {
	{ "ca", KEY_CA, "DIR", 0, "folder with ca.key and ca.crt (default: this one)", 0 },
	DAYS_OPTION("days of validity (default: 825)"),
	{ "out", 'o', "FILE", 0, "certificate to write (default: REQUEST with .crt for .csr)", 0 },
	{ 0 },
};
static const struct argp_option lab_options[] = {
	{ "out", 'o', "DIR", 0, "folder for all files", 0 },
	{ "parties", 'l', "L", 0, "number of parties: party-00, party-01, ...", 0 },
	{ 0 },
};

static const struct command commands[] = {
	{ "init", "make a certificate authority", init, init_options, NULL, NULL },
	{ "request", "make a key and a certificate request on the host that uses the key",
	  pki_command_request, request_options, NULL,
	  "The key file has mode 0600. The command overwrites no file." },
	{ "sign", "make a certificate from a request", sign, sign_options, "REQUEST",
	  "The command checks the request's signature, name, role and hosts, and refuses other "
	  "extensions. Check the printed values before you hand out the certificate." },
	{ "fingerprint", "print the fingerprint of a public key", pki_command_fingerprint, NULL,
	  "FILE",
	  "FILE is a certificate, a request or a private key. Configurations pin fingerprints. "
	  "A renewed certificate with the same key has the same fingerprint." },
	{ "show", "print the content of a certificate, request or key", pki_command_show, NULL,
	  "FILE", "FILE is a certificate, a request or a private key; secrets are not printed." },
	{ "lab", "make all keys for runs on one machine", lab, lab_options, NULL,
	  "Makes a CA, a coordinator named coordinator, and parties. For tests only: DIR holds "
	  "all keys." },
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static void usage(FILE *f)
{
	fprintf(f, "Usage: coterie pki COMMAND [OPTION...]\n\n");
	for (int i = 0; i < COMMANDS; i++)
		fprintf(f, "  %-12s %s\n", commands[i].name, commands[i].text);
	fprintf(f, "\ncoterie pki COMMAND --help prints its options. Between organisations, the CA "
		   "runs init. Every\nparty and the coordinator run request. The CA runs sign. "
		   "Then each pins the fingerprints of\nthe others.\n");
}

static enum err pki_command_run(void *options)
{
	const struct options *o = options;

	return o->command->run(o);
}

int pki_main(int argc, char **argv)
{
	char full[64], doc[512];
	const char *name = argc > 1 ? argv[1] : NULL;

	if (name && (!strcmp(name, "--help") || !strcmp(name, "-?") || !strcmp(name, "help"))) {
		usage(stdout);
		return ERR_OK;
	}
	for (int i = 0; name && i < COMMANDS; i++) {
		const struct command *c = &commands[i];
		struct argp argp = { c->options, pki_command_parse, c->argument, doc, NULL, NULL,
				     NULL };

		if (strcmp(name, c->name) != 0)
			continue;
		snprintf(full, sizeof(full), "pki %s", c->name);
		snprintf(doc, sizeof(doc), "%s.%s%s", c->text, c->more ? "\v" : "",
			 c->more ? c->more : "");
		return (int)args_run(full, &argp, argc - 1, argv + 1,
				     &(struct options){ .command = c, .dir = ".", .ca = "." },
				     pki_command_run);
	}
	if (name)
		fprintf(stderr, "coterie pki: %s: no such command\n", name);
	usage(stderr);
	return ERR_INPUT;
}
