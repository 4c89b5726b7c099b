#include "cli/args/program.h"
#include "common/base/file.h"
#include "common/base/nearest.h"
#include "common/data/value.h"
#include "common/linalg/la.h"

#include <stdio.h>
#include <string.h>

static const char *running = "coterie";
static const struct program_example *examples;

const char *program_name(void)
{
	return running;
}

const char *program_example(const char *name)
{
	for (const struct program_example *e = examples; e && e->name; e++) {
		if (!strcmp(e->name, name))
			return e->lines;
	}
	return NULL;
}

static void program_usage(const struct program *p, FILE *f)
{
	fprintf(f, "Usage: %s COMMAND [OPTION...]\n\n", p->name);
	for (size_t i = 0; i < p->commands; i++)
		fprintf(f, "  %-10s %s\n", p->command[i].name, p->command[i].text);
	fprintf(f,
		"\n"
		"%s help COMMAND prints its options; %s --version prints the version.\n"
		"%s",
		p->name, p->name, p->last);
}

static const struct program_command *program_find(const struct program *p, const char *name)
{
	for (size_t i = 0; i < p->commands; i++) {
		if (!strcmp(name, p->command[i].name))
			return &p->command[i];
	}
	return NULL;
}

static bool program_refuse(const struct program *p, int argc, char **argv)
{
	for (size_t i = 0; i < p->gones; i++) {
		const struct program_gone *g = &p->gone[i];
		const char *option = strchr(g->name, ' ');
		size_t n = option ? (size_t)(option - g->name) : strlen(g->name);
		bool here = strlen(argv[1]) == n && !strncmp(argv[1], g->name, n);
		bool given = !option;

		for (int a = 2; here && option && a < argc; a++) {
			size_t length = strlen(option + 1);

			given |= !strncmp(argv[a], option + 1, length) &&
				 (!argv[a][length] || argv[a][length] == '=');
		}
		if (here && given) {
			fprintf(stderr, "%s: %s is %s\n", p->name, g->name, g->instead);
			return true;
		}
	}
	return false;
}

static int program_unknown(const struct program *p, const char *name)
{
	char meant[NEAREST_LEN + 20];
	struct nearest near;

	nearest_begin(&near, name);
	for (size_t i = 0; i < p->commands; i++)
		nearest_offer(&near, p->command[i].name, strlen(p->command[i].name));
	fprintf(stderr, "%s: %s: no such command%s; %s --help lists all\n", p->name, name,
		nearest_describe(&near, meant), p->name);
	return ERR_INPUT;
}

static int program_command(const struct program *p, int argc, char **argv)
{
	static char help[] = "--help";
	const char *name = argc > 1 ? argv[1] : NULL;
	const struct program_command *c;

	/* `help COMMAND` is the same as `COMMAND --help`. */
	if (name && !strcmp(name, "help") && argc > 2)
		return program_command(p, 3, (char *[]){ argv[0], argv[2], help, NULL });
	if (name && (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help"))) {
		program_usage(p, stdout);
		return ERR_OK;
	}
	if (name && (!strcmp(name, "--version") || !strcmp(name, "-V"))) {
		printf("%s\n", p->version);
		return ERR_OK;
	}
	if (name && program_refuse(p, argc, argv))
		return ERR_INPUT;
	c = name ? program_find(p, name) : NULL;
	if (c)
		return c->run(argc - 1, argv + 1);
	if (name)
		return program_unknown(p, name);
	program_usage(p, stderr);
	return ERR_INPUT;
}

int program_run(const struct program *p, int argc, char **argv)
{
	int status;

	running = p->name;
	examples = p->example;
	file_hold_standard();
	values_show();
	la_begin(argv);
	status = program_command(p, argc, argv);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "%s: ", p->name);
		perror("standard output");
		return ERR_JOB;
	}
	return status;
}
