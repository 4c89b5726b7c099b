#include "cli/audit/pki.h"
#include "common/base/alloc.h"
#include "crypto/pki.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Filled by the options of all commands. */
struct options {
	const char *argument; /* what the command takes besides options; NULL: nothing */
	const char *dir, *name, *ca, *out, *file;
	struct pki_request request;
	unsigned days, parties;
};

enum { KEY_TYPE = 256, KEY_HOST, KEY_CA };

static unsigned number(const char *text, const char *option, struct argp_state *state)
{
	char *end;
	unsigned long v;

	errno = 0;
	v = strtoul(text, &end, 10);
	if (errno || *end || end == text || text[0] == '-' || v < 1 || v > UINT_MAX)
		argp_error(state, "--%s: \"%s\", expected a number from 1", option, text);
	return (unsigned)v;
}

static void add_host(struct pki_request *request, char *host, struct argp_state *state)
{
	if (request->host_count == PKI_HOSTS_MAX)
		argp_error(state, "--host: more than %d", PKI_HOSTS_MAX);
	request->hosts[request->host_count++] = host;
}

static void set_role(struct pki_request *request, const char *text, struct argp_state *state)
{
	if (strcmp(text, "party") && strcmp(text, "coordinator"))
		argp_error(state, "--role: \"%s\", expected party or coordinator", text);
	request->role = strcmp(text, "party") ? PKI_COORDINATOR : PKI_PARTY;
}

static void set_key_type(struct pki_request *request, const char *text, struct argp_state *state)
{
	if (strcmp(text, "ed25519") && strcmp(text, "p256"))
		argp_error(state, "--key-type: \"%s\", expected ed25519 or p256", text);
	request->key_type = strcmp(text, "p256") ? PKI_ED25519 : PKI_P256;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

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
		o->parties = number(arg, "parties", state);
		break;
	case 't':
		o->days = number(arg, "days", state);
		break;
	case 'r':
		set_role(&o->request, arg, state);
		break;
	case KEY_TYPE:
		set_key_type(&o->request, arg, state);
		break;
	case KEY_HOST:
		add_host(&o->request, arg, state);
		break;
	case KEY_CA:
		o->ca = arg;
		break;
	case ARGP_KEY_ARG:
		if (!o->argument || o->file)
			argp_error(state, "\"%s\": one argument too many", arg);
		o->file = arg;
		break;
	case ARGP_KEY_END:
		if (o->argument && !o->file)
			argp_error(state, "%s is missing", o->argument);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* ---- the commands ---- */

static enum err init(const struct options *o)
{
	const char *dir = o->dir ? o->dir : ".";

	TRY(pki_init(dir, o->name ? o->name : "Coterie CA", o->days ? o->days : 3650));
	printf(
	    "made %s/ca.key (keep it secret, best off line) and %s/ca.crt (give it to everybody)\n",
	    dir, dir);
	return ERR_OK;
}

static enum err request(const struct options *o)
{
	struct pki_request what = o->request;
	const char *dir = o->dir ? o->dir : ".";

	if (!o->name)
		return err_set(ERR_INPUT, "--name is missing: the party's or coordinator's name");
	what.name = o->name;
	TRY(pki_make_request(dir, &what));
	printf("made %s/%s.key (it stays here) and %s/%s.csr (send it to the CA)\n", dir, what.name,
	       dir, what.name);
	return ERR_OK;
}

/* bank-a.csr -> bank-a.crt, beside it. */
static char *certificate_path(const char *request_path)
{
	size_t n = strlen(request_path),
	       stem = n > 4 && !strcmp(request_path + n - 4, ".csr") ? n - 4 : n;
	char *path = alloc(n + 5, 1);

	memcpy(path, request_path, stem);
	memcpy(path + stem, ".crt", 5);
	return path;
}

static enum err sign(const struct options *o)
{
	char *path = o->out ? alloc_copy(o->out) : certificate_path(o->file);
	struct buf says = { 0 };
	enum err e = pki_sign(o->ca ? o->ca : ".", o->file, path, o->days ? o->days : 825, &says);
	char text[FINGERPRINT_TEXT_LEN];
	uint8_t fp[FINGERPRINT_LEN];

	if (e == ERR_OK)
		e = pki_fingerprint(path, fp);
	if (e == ERR_OK) {
		fingerprint_text(fp, text);
		printf("made %s\n%.*sfingerprint: %s\n", path, (int)says.n, (const char *)says.p,
		       text);
	}
	buf_release(&says);
	free(path);
	return e;
}

static enum err fingerprint(const struct options *o)
{
	char text[FINGERPRINT_TEXT_LEN];
	uint8_t fp[FINGERPRINT_LEN];

	TRY(pki_fingerprint(o->file, fp));
	fingerprint_text(fp, text);
	puts(text);
	return ERR_OK;
}

static enum err show(const struct options *o)
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

#define DIR_OPTION(text)                                                                           \
	{                                                                                          \
		"dir", 'd', "DIR", 0, text, 0                                                      \
	}
#define DAYS_OPTION(text)                                                                          \
	{                                                                                          \
		"days", 't', "N", 0, text, 0                                                       \
	}

static const struct argp_option init_options[] = {
	DIR_OPTION("folder for ca.key and ca.crt (default: this one)"),
	{ "name", 'n', "CN", 0, "the CA's name (default: Coterie CA)", 0 },
	DAYS_OPTION("valid for so long (default: 3650)"),
	{ 0 },
};
static const struct argp_option request_options[] = {
	{ "name", 'n', "NAME", 0, "the daemon's name: 1 to 64 of A-Z a-z 0-9 . _ -", 0 },
	{ "role", 'r', "ROLE", 0, "party (default) or coordinator", 0 },
	{ "key-type", KEY_TYPE, "TYPE", 0, "ed25519 (default) or p256", 0 },
	{ "host", KEY_HOST, "HOST", 0, "a host name or address beside the name; may be repeated",
	  0 },
	DIR_OPTION("folder for NAME.key and NAME.csr (default: this one)"),
	{ 0 },
};
static const struct argp_option sign_options[] = {
	{ "ca", KEY_CA, "DIR", 0, "folder with ca.key and ca.crt (default: this one)", 0 },
	DAYS_OPTION("valid for so long (default: 825)"),
	{ "out", 'o', "FILE", 0, "the certificate (default: REQUEST with .crt for .csr)", 0 },
	{ 0 },
};
static const struct argp_option lab_options[] = {
	{ "out", 'o', "DIR", 0, "folder for all files", 0 },
	{ "parties", 'l', "L", 0, "how many parties: party-00, party-01, ...", 0 },
	{ 0 },
};

static const struct command {
	const char *name, *text;
	enum err (*run)(const struct options *o);
	const struct argp_option *options;
	const char *argument, *more;
} commands[] = {
	{ "init", "make a certificate authority", init, init_options, NULL, NULL },
	{ "request", "make a key and a certificate request, where the key is used", request,
	  request_options, NULL, "The key file has mode 0600. No file is ever overwritten." },
	{ "sign", "make a certificate from a request", sign, sign_options, "REQUEST",
	  "The request's signature, name, role and hosts are checked, and that it asks for nothing "
	  "else. Read what is printed: it is what you vouch for." },
	{ "fingerprint", "print the fingerprint of a public key", fingerprint, NULL, "FILE",
	  "FILE is a certificate, a request or a private key. Fingerprints are what the "
	  "configurations "
	  "of parties pin; a renewed certificate with the same key keeps its own." },
	{ "show", "print what a file says", show, NULL, "FILE",
	  "FILE is a certificate, a request or a private key, of which nothing secret is shown." },
	{ "lab", "make everything for runs on one machine", lab, lab_options, NULL,
	  "A CA, a coordinator named coordinator, and parties. Not for organisations: whoever "
	  "holds "
	  "DIR holds all keys." },
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static void usage(FILE *f)
{
	fprintf(f, "Usage: coterie pki COMMAND [OPTION...]\n\n");
	for (int i = 0; i < COMMANDS; i++)
		fprintf(f, "  %-12s %s\n", commands[i].name, commands[i].text);
	fprintf(f, "\ncoterie pki COMMAND --help says more. Between organisations: init at the CA; "
		   "request\nat every party and at the coordinator; sign at the CA; then everybody "
		   "pins the "
		   "others'\nfingerprints.\n");
}

static int run(const struct command *c, int argc, char **argv)
{
	char name[64], doc[512];
	struct argp argp = { c->options, parse, c->argument, doc, NULL, NULL, NULL };
	struct options o = { .argument = c->argument };
	enum err e;

	snprintf(name, sizeof(name), "coterie pki %s", c->name);
	snprintf(doc, sizeof(doc), "%s.%s%s", c->text, c->more ? "\v" : "", c->more ? c->more : "");
	argv[0] = name;
	argp_err_exit_status = ERR_INPUT;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return ERR_INPUT;
	e = c->run(&o);
	if (e != ERR_OK)
		fprintf(stderr, "%s: %s\n", name, err_detail());
	return e;
}

int pki_main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;

	if (name && (!strcmp(name, "--help") || !strcmp(name, "-?") || !strcmp(name, "help"))) {
		usage(stdout);
		return ERR_OK;
	}
	for (int i = 0; name && i < COMMANDS; i++)
		if (!strcmp(name, commands[i].name))
			return run(&commands[i], argc - 1, argv + 1);
	if (name)
		fprintf(stderr, "coterie pki: %s: no such command\n", name);
	usage(stderr);
	return ERR_INPUT;
}
