#include "cli/launch/hosts.h"
#include "common/base/alloc.h"
#include "common/base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_NET = 768, KEY_RATE, KEY_DELAY, KEY_LOSS, KEY_LOSS_HOST, KEY_WITHIN };

static const struct argp_option options[] = {
	{ "net", KEY_NET, "NAME", 0,
	  "lan, wan or custom: each process on a host of its own (scripts/netlab; root)", 0 },
	{ "rate", KEY_RATE, "MBIT", 0, "--net custom: of each uplink and downlink", 0 },
	{ "delay", KEY_DELAY, "MS", 0, "--net custom: one way", 0 },
	{ "loss", KEY_LOSS, "PERCENT", 0, "with --net: of the packets that get lost", 0 },
	{ "loss-host", KEY_LOSS_HOST, "I", 0,
	  "with --loss: to and from host I alone, 0 the coordinator, 1 party-00", 0 },
	{ "within-lab", KEY_WITHIN, NULL, OPTION_HIDDEN, NULL, 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct hosts *h = state->input;
	const char *name = key == KEY_NET     ? "--net"
			   : key == KEY_RATE  ? "--rate"
			   : key == KEY_DELAY ? "--delay"
			   : key == KEY_LOSS  ? "--loss"
					      : "--loss-host";

	switch (key) {
	case KEY_NET:
		h->net = true;
		/* fallthrough */
	case KEY_RATE:
	case KEY_DELAY:
	case KEY_LOSS:
	case KEY_LOSS_HOST:
		overrides_add(&h->lab, "%s", name);
		overrides_add(&h->lab, "%s", arg);
		return 0;
	case KEY_WITHIN:
		h->within = true;
		return 0;
	case ARGP_KEY_END:
		if (h->lab.count && !h->net)
			argp_error(state, "--rate and --delay are for --net custom, --loss and "
					  "--loss-host for --net");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp hosts_argp = {
	.options = options,
	.parser = parse,
};

static char *own_path(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = 0;
	return alloc_copy(path);
}

char *hosts_programs(void)
{
	const char *given = getenv("COTERIE_BIN");
	char *own = own_path(), *dir = given && *given ? alloc_copy(given) : file_dir(own);

	free(own);
	return dir;
}

/* scripts/netlab of a source tree, in whose build/ this program is, or as installed. Owned. */
static char *find_netlab(const char *own)
{
	static const char *const from[] = { "../libexec/coterie/netlab", "../../scripts/netlab",
					    "../../../scripts/netlab" };
	const char *given = getenv("COTERIE_NETLAB");
	char *dir = file_dir(own), *path = given && *given ? alloc_copy(given) : NULL;

	for (size_t i = 0; !path && i < sizeof(from) / sizeof(*from); i++) {
		path = file_join(dir, from[i]);
		if (access(path, X_OK)) {
			free(path);
			path = NULL;
		}
	}
	free(dir);
	return path;
}

/* netlab --net ... --hosts N --dir OUT -- coterie launch ... --within-lab --out OUT */
static enum err enter_lab(const struct hosts *h, const struct launch *l, int argc, char **argv)
{
	char *own = own_path(), *netlab = find_netlab(own);
	struct overrides words = { 0 };

	if (!netlab)
		return err_set(ERR_INPUT, "--net: scripts/netlab is not there; COTERIE_NETLAB says "
					  "where it is");
	overrides_add(&words, "%s", netlab);
	for (size_t i = 0; i < h->lab.count; i++)
		overrides_add(&words, "%s", h->lab.item[i]);
	overrides_add(&words, "--hosts");
	overrides_add(&words, "%u", l->parties + 1);
	overrides_add(&words, "--dir");
	overrides_add(&words, "%s", l->out);
	overrides_add(&words, "--");
	overrides_add(&words, "%s", own);
	overrides_add(&words, "launch");
	for (int i = 1; i < argc; i++)
		overrides_add(&words, "%s", argv[i]);
	overrides_add(&words, "--within-lab");
	overrides_add(&words, "--out");
	overrides_add(&words, "%s", l->out);
	execv(netlab, words.item);
	return err_set(ERR_INPUT, "--net: %s: %s", netlab, strerror(errno));
}

enum err hosts_open(struct hosts *h, struct launch *l, int argc, char **argv)
{
	const char *lab = getenv("COTERIE_LAB");
	char *text, *rest = NULL;

	if (h->net && !h->within && lab && *lab)
		return err_set(ERR_INPUT, "--net within a lab; leave it out, the lab is used");
	if (h->net && !h->within)
		return enter_lab(h, l, argc, argv);
	if (!lab || !*lab)
		return ERR_OK;
	text = alloc_copy(lab); /* "NAMESPACE=ADDRESS ..." */
	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		char *equals = strchr(word, '=');

		if (!equals)
			continue;
		overrides_add(&h->space, "%.*s", (int)(equals - word), word);
		overrides_add(&h->address, "%s", equals + 1);
	}
	free(text);
	if (h->space.count <= l->parties)
		return err_set(ERR_INPUT,
			       "the lab has %zu hosts, %u parties and a coordinator need %u",
			       h->space.count, l->parties, l->parties + 1);
	l->listen = h->address.item[0];
	return ERR_OK;
}

void hosts_close(struct hosts *h)
{
	overrides_release(&h->space);
	overrides_release(&h->address);
	overrides_release(&h->lab);
}

void hosts_prefix(const struct hosts *h, size_t host, struct overrides *argv)
{
	if (!h->space.count)
		return;
	overrides_add(argv, "ip");
	overrides_add(argv, "netns");
	overrides_add(argv, "exec");
	overrides_add(argv, "%s", h->space.item[host]);
}
