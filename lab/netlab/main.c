/* coterie-netlab: a network of given rate and delay between namespaces of this machine. Users run
 * scripts/netlab. */
#include "lab/netlab/emulator.h"
#include "lab/netlab/netns.h"
#include "lab/netlab/link.h"
#include "lab/netlab/probe.h"

#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *argp_program_version = "coterie-netlab (coterie) " COTERIE_VERSION;

enum {
	OPT_HOSTS = 256,
	OPT_RATE,
	OPT_DELAY,
	OPT_QUEUE,
	OPT_SEGMENTS,
	OPT_LOSS,
	OPT_LOSS_HOST,
	OPT_READY,
	OPT_STATS,
	OPT_SERVE,
	OPT_TO,
	OPT_PID
};

struct arguments {
	struct emulator_options emulator;
	const char *ready_file, *to;
	bool serve;
	int pid;
};

static double netlab_number(struct argp_state *state, const char *option, const char *text,
			    double min, double max)
{
	char *end;
	double x = strtod(text, &end);

	if (end == text || *end || !(x >= min && x <= max))
		argp_error(state, "--%s is \"%s\", expected a number from %g to %g", option, text,
			   min, max);
	return x;
}

static int whole(struct argp_state *state, const char *option, const char *text, int min, int max)
{
	double x = netlab_number(state, option, text, min, max);

	if (x != floor(x))
		argp_error(state, "--%s is \"%s\", expected a whole number", option, text);
	return (int)x;
}

static error_t netlab_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	struct emulator_options *e = &a->emulator;

	switch (key) {
	case OPT_HOSTS:
		e->hosts = whole(state, "hosts", arg, 2, HOSTS_MAX);
		return 0;
	case OPT_RATE:
		e->speed.rate_mbit = netlab_number(state, "rate", arg, 0.1, 10000);
		return 0;
	case OPT_DELAY:
		e->speed.delay_ms = netlab_number(state, "delay", arg, 0, 10000);
		return 0;
	case OPT_QUEUE:
		e->speed.queue_ms = netlab_number(state, "queue", arg, 1, 10000);
		return 0;
	case OPT_SEGMENTS:
		e->segments = whole(state, "segments", arg, 1, 40);
		return 0;
	case OPT_LOSS:
		e->loss = netlab_number(state, "loss", arg, 0, 50) / 100;
		return 0;
	case OPT_LOSS_HOST:
		e->loss_host = whole(state, "loss-host", arg, 0, HOSTS_MAX - 1);
		return 0;
	case OPT_READY:
		a->ready_file = e->ready_file = arg;
		return 0;
	case OPT_STATS:
		e->stats_file = arg;
		return 0;
	case OPT_SERVE:
		a->serve = true;
		return 0;
	case OPT_TO:
		a->to = arg;
		return 0;
	case OPT_PID:
		a->pid = whole(state, "pid", arg, 1, 1 << 30);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument: %s", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option run_options[] = {
	{ "hosts", OPT_HOSTS, "N", 0, "how many", 0 },
	{ "rate", OPT_RATE, "MBIT", 0, "of each uplink and each downlink", 0 },
	{ "delay", OPT_DELAY, "MS", 0, "one way", 0 },
	{ "queue", OPT_QUEUE, "MS", 0, "a packet that would wait longer is dropped; default 100",
	  0 },
	{ "segments", OPT_SEGMENTS, "N", 0, "of a super packet; default 1: none", 0 },
	{ "loss", OPT_LOSS, "PERCENT", 0, "of packets get lost; default 0", 0 },
	{ "loss-host", OPT_LOSS_HOST, "HOST", 0,
	  "only of those from and to this one, by its number; default: all", 0 },
	{ "ready-file", OPT_READY, "FILE", 0, "written when all is up: NAMESPACE ADDRESS per host",
	  0 },
	{ "stats", OPT_STATS, "FILE", 0, "written at the end: packets, lateness (JSON)", 0 },
	{ 0 },
};

static const struct argp_option probe_options[] = {
	{ "serve", OPT_SERVE, NULL, 0, "answer, until killed", 0 },
	{ "ready-file", OPT_READY, "FILE", 0, "with --serve: written when it answers", 0 },
	{ "to", OPT_TO, "ADDRESS", 0, "measure, and print: round trip in ms, goodput in Mbit/s",
	  0 },
	{ "rate", OPT_RATE, "MBIT", 0, "with --to: what the link is said to have", 0 },
	{ "delay", OPT_DELAY, "MS", 0, "with --to: the same, one way", 0 },
	{ "queue", OPT_QUEUE, "MS", 0, "with --to: the same, before it; default 100", 0 },
	{ 0 },
};

static const struct argp_option clean_options[] = {
	{ "pid", OPT_PID, "PID", 0, "those of this process, whether it runs or not", 0 },
	{ 0 },
};

static enum err netlab_run(struct arguments *a)
{
	const struct emulator_options *e = &a->emulator;

	if (!e->hosts || !e->speed.rate_mbit || e->speed.delay_ms < 0 || !e->ready_file)
		return err_set(ERR_INPUT, "--hosts, --rate, --delay and --ready-file are needed");
	if (geteuid() != 0)
		return err_set(ERR_INPUT,
			       "the lab needs root (CAP_NET_ADMIN, CAP_SYS_ADMIN, /dev/net/tun)");
	return emulator_run(e);
}

static enum err probe(struct arguments *a)
{
	const struct link_speed *speed = &a->emulator.speed;
	struct probe_result r;

	if (a->serve && a->ready_file && !a->to)
		return probe_serve(a->ready_file);
	if (a->serve || !a->to || !speed->rate_mbit || speed->delay_ms < 0)
		return err_set(
		    ERR_INPUT,
		    "either --serve and --ready-file, or --to, --rate and --delay, are needed");
	TRY(probe_measure(a->to, speed, &r));
	printf("%.3f %.1f\n", r.rtt_ms, r.goodput_mbit);
	return ERR_OK;
}

static enum err clean(struct arguments *a)
{
	int removed;

	if (geteuid() != 0)
		return err_set(ERR_INPUT, "removing namespaces needs root");
	TRY(netns_clean(a->pid, &removed));
	if (removed && !a->pid)
		fprintf(stderr,
			"coterie-netlab: removed %d namespaces that earlier labs had left\n",
			removed);
	return ERR_OK;
}

static const struct command {
	const char *name;
	enum err (*run)(struct arguments *a);
	const struct argp_option *options;
	const char *doc;
} commands[] = {
	{ "run", netlab_run, run_options, "Emulates a network until it is stopped." },
	{ "probe", probe, probe_options, "Measures a link between two hosts." },
	{ "clean", clean, clean_options, "Removes the namespaces that dead labs have left." },
};

int main(int argc, char **argv)
{
	struct arguments a = { .emulator = { .segments = 1,
					     .loss_host = -1,
					     .speed = { .delay_ms = -1, .queue_ms = 100 } } };
	char full[64];

	argp_err_exit_status = ERR_INPUT;
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(*commands); i++) {
		const struct command *c = &commands[i];
		const struct argp argp = { .options = c->options,
					   .parser = netlab_parse,
					   .doc = c->doc };
		enum err err;

		if (strcmp(argv[1], c->name))
			continue;
		snprintf(full, sizeof(full), "coterie-netlab %s", c->name);
		argv[1] = full;
		if (argp_parse(&argp, argc - 1, argv + 1, 0, NULL, &a))
			return ERR_INPUT;
		err = c->run(&a);
		if (err)
			fprintf(stderr, "coterie-netlab: %s\n", err_detail());
		if (fflush(stdout) != 0)
			return ERR_JOB;
		return err;
	}
	fprintf(stderr, "Usage: coterie-netlab run|probe|clean [OPTION...]; each has --help\n");
	return ERR_INPUT;
}
