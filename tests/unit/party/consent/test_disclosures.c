/* Compares the disclosures of each kind with tests/vectors/disclosures.txt, from which
 * scripts/reference makes pages.
 *
 *     COTERIE_WRITE_TEXTS=tests/vectors/disclosures.txt \
 *         build/plain/tests/unit/party/consent/test_disclosures
 *
 * A table has each sentence of the kind's disclosures once, with the sentence's views. A view is a
 * job: a variant, or an option. The table lists options only for sentences that no variant has. The
 * table of align comes first. Another table omits a sentence of an option if align's has it. */
#include "common/job/job.h"
#include "literals.h"
#include "tests/test.h"
#include "tests/unit/job/bases.h"
#include "texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN "tests/vectors/disclosures.txt"

enum { VIEWS_MAX = 24, SENTENCES_MAX = 96, DISCLOSURES_MAX = 64, SETS_MAX = 8 };
enum { PARTIES = 3 };

struct view {
	const char *label, *base, *sets;
	size_t parties;
	bool option;
};

struct table {
	const char *page, *kind;
	struct view view[VIEWS_MAX]; /* ends with label NULL */
};

#define VARIANT(label, base, sets)                                                                 \
	{                                                                                          \
		label, base, sets, PARTIES, false                                                  \
	}
#define OPTION(label, base, sets, parties)                                                         \
	{                                                                                          \
		label, base, sets, parties, true                                                   \
	}

#define RANGE   "clusters={\"from\":2,\"to\":5}"
#define NOISY   "noise.on=sums noise.eps=2 noise.delta=1e-5 noise.clip=1"
#define ON_ROWS "noise.on=data noise.eps=2 noise.delta=1e-5 noise.clip=1"

static const struct table tables[] = {
	{ "align",
	  "align",
	  { VARIANT("all", "align", ""), OPTION("two parties", "align", "", 2),
	    OPTION("one party", "align", "", 1) } },
	{ "kcagc",
	  "kcagc",
	  { VARIANT("`tree`", "kcagc", ""), VARIANT("`flat`", "kcagc flat", ""),
	    VARIANT("`basic`", "kcagc basic", ""), VARIANT("`landmark`", "kcagc landmark", ""),
	    VARIANT("`gcc`", "kcagc gcc", ""),
	    OPTION("`exchange` \"gram\"", "kcagc", "exchange=gram", PARTIES),
	    OPTION("`exchange` \"gram\" with a range of `clusters`", "kcagc",
		   "exchange=gram " RANGE, PARTIES),
	    OPTION("a range of `clusters`", "kcagc landmark", RANGE, PARTIES),
	    OPTION("`filter.order` \"auto\"", "kcagc", "filter.order=auto", PARTIES),
	    OPTION("`filter.order` \"auto\" with `landmark`, `gcc`", "kcagc gcc",
		   "filter.order=auto", PARTIES),
	    OPTION("`joint_norm`", "kcagc", "joint_norm=true", PARTIES),
	    OPTION("`virtual_nodes` \"centre\"", "kcagc", "virtual_nodes=centre", PARTIES),
	    OPTION("`degrees` \"beside\"", "kcagc gcc", "degrees=beside", PARTIES),
	    OPTION("`degrees` \"alone\"", "kcagc gcc", "degrees=alone", PARTIES),
	    OPTION("`align` \"intersect\"", "kcagc", "align=intersect", PARTIES),
	    OPTION("`align` \"intersect\" with two parties", "kcagc", "align=intersect", 2),
	    OPTION("two parties", "kcagc gcc", "", 2), OPTION("one party", "kcagc", "", 1) } },
	{ "kcagc",
	  "kcagc.predict",
	  { VARIANT("all", "predict", ""),
	    OPTION("`joint_norm`", "predict", "joint_norm=true", PARTIES),
	    OPTION("`align` \"intersect\"", "predict", "align=intersect", PARTIES),
	    OPTION("two parties", "predict", "joint_norm=true", 2),
	    OPTION("one party", "predict", "", 1) } },
	{ "kcagc",
	  "kmeans.columns",
	  { VARIANT("`tree`", "columns", ""), VARIANT("`flat`", "columns", "method=flat"),
	    VARIANT("`basic`", "columns", "method=basic"),
	    OPTION("`exchange` \"gram\"", "columns", "exchange=gram", PARTIES),
	    OPTION("`exchange` \"gram\" with a range of `clusters`", "columns",
		   "exchange=gram " RANGE, PARTIES),
	    OPTION("`align` \"intersect\"", "columns", "align=intersect", PARTIES),
	    OPTION("`align` \"intersect\" with two parties", "columns", "align=intersect", 2),
	    OPTION("one party", "columns", "", 1) } },
	{ "kcagc",
	  "kmeans.columns.predict",
	  { VARIANT("all", "columns predict", ""),
	    OPTION("`align` \"intersect\"", "columns predict", "align=intersect", PARTIES),
	    OPTION("two parties", "columns predict", "", 2),
	    OPTION("one party", "columns predict", "", 1) } },
	{ "fedsc",
	  "fedsc, kmeans",
	  { VARIANT("`kmeans`", "kmeans", ""), VARIANT("`anchor`", "fedsc", ""),
	    VARIANT("`dense`", "fedsc dense", ""), VARIANT("`paper`", "fedsc paper", ""),
	    VARIANT("`pairwise`", "fedsc pairwise", ""),
	    OPTION("`standardize` \"joint\"", "kmeans", "standardize=joint", PARTIES),
	    OPTION("a range of `clusters`", "kmeans", RANGE, PARTIES),
	    OPTION("`profile`", "kmeans", "profile=true", PARTIES),
	    OPTION("`noise.on` \"data\"", "kmeans", ON_ROWS, PARTIES),
	    OPTION("`noise.on` \"sums\"", "kmeans", NOISY, PARTIES),
	    OPTION("`noise.on` \"sums\" with `anchor`", "fedsc sums", "", PARTIES),
	    OPTION("`noise.on` \"sums\" with `noise.colluders`", "kmeans",
		   NOISY " noise.colluders=1", PARTIES),
	    OPTION("`noise.beta`", "kmeans", "noise.on=data noise.beta=1", PARTIES),
	    OPTION("`noise.on` \"factors\"", "fedsc paper, d and r", "", PARTIES),
	    OPTION("two parties", "kmeans", "", 2),
	    OPTION("two parties with `standardize` \"joint\"", "kmeans", "standardize=joint", 2),
	    OPTION("two parties with `profile`", "kmeans", "profile=true", 2),
	    OPTION("one party", "kmeans", "", 1) } },
	{ "fedspectral",
	  "fedspectral",
	  { VARIANT("`exact`", "fedspectral", ""), VARIANT("`fedspectral+`", "fedspectral+", ""),
	    VARIANT("`fedspectral`", "fedspectral plain", ""),
	    VARIANT("`exact`, `noise.on` \"sums\"", "fedspectral sums", ""),
	    OPTION("`noise.colluders`", "fedspectral sums", "noise.colluders=1", PARTIES),
	    OPTION("`ids` \"plain\"", "fedspectral ids", "", PARTIES),
	    OPTION("two parties", "fedspectral", "", 2),
	    OPTION("one party", "fedspectral", "", 1) } },
	{ "fedwalk",
	  "fedwalk",
	  { VARIANT("`walks`", "fedwalk", ""), VARIANT("`dtw`", "fedwalk dtw", ""),
	    VARIANT("`randomized-response`", "fedwalk response", "ids=hashed"),
	    OPTION("`ids` \"plain\"", "fedwalk response", "", PARTIES),
	    OPTION("two parties", "fedwalk", "", 2), OPTION("one party", "fedwalk", "", 1) } },
	{ "fedgcn",
	  "fedgcn",
	  { VARIANT("`matched`", "fedgcn", ""), VARIANT("`kde`", "fedgcn", "prototypes=kde"),
	    VARIANT("`stacked`, `printed`", "fedgcn", "prototypes=stacked"),
	    OPTION("`aggregation` \"fedper\"", "fedgcn", "aggregation=fedper", PARTIES),
	    OPTION("`min_cluster` 1", "fedgcn", "min_cluster=1", PARTIES),
	    OPTION("two parties", "fedgcn", "", 2), OPTION("one party", "fedgcn", "", 1) } },
};
enum { TABLES = sizeof(tables) / sizeof(*tables) };

struct sentence {
	const char *text; /* static */
	bool of[VIEWS_MAX];
};

static struct job job_of_view(const struct view *v)
{
	const char *text = base_named(v->base)->text;
	char copy[256], *set[SETS_MAX + 1] = { NULL }, *rest = copy;
	struct job job;

	snprintf(copy, sizeof(copy), "%s", v->sets);
	for (size_t n = 0; n < SETS_MAX && (set[n] = strtok_r(rest, " ", &rest)); n++)
		;
	assert_ok(job_parse(&job, (struct bytes){ (const uint8_t *)text, strlen(text) }, "job.json",
			    set));
	return job;
}

/* Adds the sentences of view v that `all` does not have. Inserts each of them after the sentence
 * that is before it in view v; returns the new number of sentences. */
static size_t add_view(const struct table *t, size_t v, struct sentence *all, size_t n)
{
	struct job job = job_of_view(&t->view[v]);
	const char *disclosures[DISCLOSURES_MAX];
	size_t said = job_disclosures(&job, t->view[v].parties, disclosures, DISCLOSURES_MAX);
	size_t at = 0;

	for (size_t i = 0; i < said; i++) {
		size_t k = 0;

		while (k < n && strcmp(all[k].text, disclosures[i]))
			k++;
		if (k == n) {
			assert_true(n < SENTENCES_MAX);
			k = at;
			memmove(&all[k + 1], &all[k], (n++ - k) * sizeof(*all));
			all[k] = (struct sentence){ .text = disclosures[i] };
		}
		all[k].of[v] = true;
		at = k + 1;
	}
	return n;
}

static bool has_variant(const struct table *t, const struct sentence *s)
{
	for (size_t v = 0; t->view[v].label; v++)
		if (s->of[v] && !t->view[v].option)
			return true;
	return false;
}

/* Returns true if label is "A with B", and part is A or B. */
static bool is_part(const char *part, const char *label)
{
	const char *with = strstr(label, " with ");

	return with && (!strcmp(part, with + strlen(" with ")) ||
			(!strncmp(part, label, (size_t)(with - label)) &&
			 strlen(part) == (size_t)(with - label)));
}

/* Writes the labels of the variants with sentence s, or of the options if no variant has it. Omits
 * an option "A with B" if A or B is listed. */
static void write_views(const struct table *t, const struct sentence *s, struct buf *to)
{
	bool variants = has_variant(t, s), all = variants;
	size_t labels = 0;

	for (size_t v = 0; t->view[v].label; v++)
		all = all && (s->of[v] || t->view[v].option);
	for (size_t v = 0; !all && t->view[v].label; v++) {
		const struct view *view = &t->view[v];
		bool extends = false;

		if (!s->of[v] || view->option == variants)
			continue;
		for (size_t u = 0; u < v; u++)
			extends = extends || (s->of[u] && is_part(t->view[u].label, view->label));
		if (!extends)
			buf_printf(to, "%s%s", labels++ ? ", " : "", view->label);
	}
	if (all)
		buf_printf(to, "all");
}

static char *of_align; /* sentences of the first table */

static void write_table(const struct table *t, struct buf *to, struct buf *seen)
{
	struct sentence all[SENTENCES_MAX] = { { NULL } };
	size_t n = 0;

	for (size_t v = 0; t->view[v].label; v++)
		n = add_view(t, v, all, n);
	buf_printf(to, "\n[%s: %s]\n", t->page, t->kind);
	for (size_t i = 0; i < n; i++) {
		if (!has_variant(t, &all[i]) && of_align && strstr(of_align, all[i].text))
			continue;
		write_views(t, &all[i], to);
		buf_printf(to, ": %s\n", all[i].text);
		buf_printf(seen, "%s\n", all[i].text);
	}
}

static struct buf seen;

static void check_literal(const char *file, const char *literal)
{
	if (!strstr((const char *)seen.p, literal))
		fail_msg("%s: no view of test_disclosures.c has \"%s\"", file, literal);
}

static const char head[] =
    "# Written by tests/unit/party/consent/test_disclosures.c, which says how.\n"
    "# [page: kinds], then jobs: disclosure.\n";

TEST(test_pages_have_all_disclosures)
{
	struct buf now = { 0 };

	buf_printf(&now, "%s", head);
	for (size_t i = 0; i < TABLES; i++) {
		write_table(&tables[i], &now, &seen);
		if (!i)
			of_align = strndup((const char *)seen.p, seen.n);
	}
	buf_add(&seen, "", 1);
	literals_each("protocols/*/disclosures.c", check_literal);
	texts_compare(&now, GOLDEN);
	buf_release(&now);
	buf_release(&seen);
	free(of_align);
}
