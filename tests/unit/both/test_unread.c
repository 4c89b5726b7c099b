/* Tries each key of each kind with each method, variant or mode. Another value of the key changes
 * something visible in a run, or the job refuses the key as one that nothing reads. If such a key
 * is set by force, the run is the same. So the tables of keys agree with the code that reads the
 * keys. */
#include "tests/unit/both/unread.h"

#include "common/base/json.h"
#include "common/job/kinds.h"
#include "common/kind/own.h"
#include "protocols/fedsc/job.h"

#include <unistd.h>

#define QUICK "\"secure_sum\":{\"group\":\"x25519\"}"
#define MODEL "\"74657374000000000000000000000000\""

/* Noise is a function of all parameters, so it would hide any other effect of a key. Therefore no
 * job in this table has noise. */
static const struct scene {
	/* model: the job that makes the model for this job's predictions, or NULL */
	const char *job, *model;
	bool steady;
	/* settings that complete `job`; each costs at least one run for each key */
	const char *way[6];
} scenes[] = {
	{ "{" QUICK ",\"kind\":\"kcagc\",\"method\":\"tree\",\"clusters\":3,\"filter\":{\"order\":"
	  "2},\"starts\":40,"
	  "\"restarts\":1}",
	  NULL,
	  false,
	  { "method=tree", "method=flat", "method=tree exchange=gram" } },
	{ "{" QUICK
	  ",\"kind\":\"kcagc\",\"method\":\"tree\",\"clusters\":3,\"filter\":{\"order\":2}}",
	  NULL,
	  false,
	  { "method=basic", "method=landmark", "method=gcc",
	    "method=landmark filter.order=auto" } },
	{ "{" QUICK ",\"kind\":\"kcagc.predict\",\"clusters\":3,\"model\":" MODEL "}",
	  "{" QUICK
	  ",\"kind\":\"kcagc\",\"method\":\"tree\",\"clusters\":3,\"filter\":{\"order\":2}}",
	  false,
	  { "" } },
	{ "{" QUICK ",\"kind\":\"kmeans.columns\",\"clusters\":3}",
	  NULL,
	  false,
	  { "method=tree", "method=flat", "method=basic", "method=flat exchange=gram" } },
	{ "{" QUICK ",\"kind\":\"fedsc\",\"clusters\":8}",
	  NULL,
	  false,
	  { "variant=anchor clusters=3", "variant=dense", "variant=paper",
	    "variant=paper dims=12 kernel.width=2" } },
	{ "{" QUICK ",\"kind\":\"kmeans\",\"clusters\":3}", NULL, false, { "", "profile=true" } },
	{ "{" QUICK ",\"kind\":\"fedspectral\",\"clusters\":14,\"ids\":\"plain\"}",
	  NULL,
	  false,
	  { "variant=exact", "variant=fedspectral+ rounds=3", "variant=fedspectral clusters=8" } },
	{ "{" QUICK
	  ",\"kind\":\"fedwalk\",\"walks\":2,\"length\":4,\"window\":2,\"ids\":\"plain\"}",
	  NULL,
	  true,
	  { "mode=walks", "mode=walks dissimilarity=dtw", "mode=randomized-response" } },
	{ "{" QUICK
	  ",\"kind\":\"fedgcn\",\"clusters\":2,\"rounds\":3,\"epochs\":2,\"baselines\":\"off\"}",
	  NULL,
	  false,
	  { "aggregation=fedavg", "aggregation=fedprox", "aggregation=fedper prototypes=kde" } },
};
enum { SCENES = sizeof(scenes) / sizeof(*scenes) };

/* Lists keys whose effect is not visible in this test, under settings that contain `way`. `shown`
 * is the test that shows the effect. */
static const struct {
	const char *kind, *path, *way, *shown;
} elsewhere[] = {
	/* The code reads these keys before the halves run, or this test fixes what the keys
	 * control. */
	{ NULL, "align", "", "tests/unit/both/test_align.c" },
	{ NULL, "align_bound", "", "tests/unit/both/test_intersect.c" },
	{ NULL, "min_common", "", "tests/unit/both/test_intersect.c" },
	{ NULL, "graphs", "", "tests/integration/test-happy.sh" },
	{ NULL, "model", "", "tests/unit/protocols/kcagc/test_predict.c" },
	/* This key applies to parties that have no node in common. */
	{ "fedspectral", "allow_disjoint", "", "tests/unit/both/test_agree.c" },
	/* Embeddings of graphs as small as these stay within the bound. */
	{ "fedgcn", "bounded", "", "tests/unit/protocols/fedgcn/test_rounds.c" },
	/* Each run draws new walks, which hide the effect of the window. */
	{ "fedwalk", "window", "mode=walks", "tests/unit/learn/test_sgns.c" },
};

static bool is_elsewhere(const struct kind *kind, const char *way, const char *path)
{
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(*elsewhere); i++)
		if (!strcmp(elsewhere[i].path, path) && strstr(way, elsewhere[i].way) &&
		    (!elsewhere[i].kind || !strcmp(elsewhere[i].kind, kind->name))) {
			if (access(elsewhere[i].shown, R_OK))
				fail_msg("%s: there is no such test", elsewhere[i].shown);
			return true;
		}
	return false;
}

/* ---- values ---- */

enum { VALUES = 20, VALUE_LEN = 40 };

struct values {
	char text[VALUES][VALUE_LEN];
	size_t count;
};

static void add_value(struct values *v, const char *text)
{
	assert_true(v->count < VALUES);
	snprintf(v->text[v->count++], VALUE_LEN, "%s", text);
}

/* Lists values to try for a key. Values that have an effect on the small data of this test come
 * first. */
static void values_of(const struct config_row *row, struct values *v)
{
	static const char *const some[] = { "40", "0",   "1",   "2",    "3",  "5",
					    "12", "0.3", "0.9", "1e-3", "1e3" };
	bool whole = row->type == CONFIG_UNSIGNED || row->type == CONFIG_COUNT;

	v->count = 0;
	for (size_t i = 0; row->names && row->names[i]; i++)
		add_value(v, row->names[i]);
	if (row->type == CONFIG_BOOL && !row->names) {
		add_value(v, "true");
		add_value(v, "false");
	}
	if (row->type == CONFIG_COUNT) {
		add_value(v, "k");
		add_value(v, "3k");
	}
	for (size_t i = 0;
	     (whole || row->type == CONFIG_DOUBLE) && i < sizeof(some) / sizeof(*some); i++) {
		double x = atof(some[i]);

		if (x >= row->min && x <= row->max && (!whole || !strpbrk(some[i], ".e")))
			add_value(v, some[i]);
	}
}

static enum err parse(const struct scene *s, const char *way, const char *more, struct job *job)
{
	char words[512], *set[16] = { NULL }, *rest = words;
	size_t count = 0;

	snprintf(words, sizeof(words), "%s %s", way, more);
	for (char *word; (word = strtok_r(rest, " ", &rest)); set[count++] = word)
		assert_true(count + 1 < sizeof(set) / sizeof(*set));
	return job_parse(job, (struct bytes){ (const uint8_t *)s->job, strlen(s->job) }, "test",
			 set);
}

/* Copies base and sets word (path=value) without checks: parses base with and without the value,
 * and copies the bytes in which the two results differ. */
static void force(const struct job *base, char *word, struct job *forced)
{
	struct config_table t = { .name = "job", .row = base->kind->rows, .size = sizeof(*base) };
	char *set[] = { word, NULL };
	struct job plain, changed;
	struct json *root;

	while (t.row[t.count].path)
		t.count++;
	root = config_write(&t, base);
	assert_ok(config_read(&t, root, "plain", NULL, NULL, &plain));
	assert_ok(config_set(root, set));
	assert_ok(config_read(&t, root, "changed", NULL, NULL, &changed));
	json_free(root);
	*forced = *base;
	for (size_t i = 0; i < sizeof(*forced); i++)
		if (((uint8_t *)&plain)[i] != ((uint8_t *)&changed)[i])
			((uint8_t *)forced)[i] = ((uint8_t *)&changed)[i];
}

/* ---- runs ---- */

/* One of a scene's jobs: the settings `way` complete the scene. */
struct act {
	const struct scene *scene;
	const char *way;
	struct job base, model;
	struct seen seen; /* what a run of base shows */
};

static size_t runs, wrong;

static enum err run(const struct act *a, const struct job *job, struct seen *seen)
{
	struct model *models[L] = { NULL };

	runs++;
	if (a->scene->model) {
		assert_ok(play(&a->model, false, models, seen));
		seen_release(seen);
	}
	return play(job, a->scene->steady, models, seen);
}

/* Runs base again, and excludes from comparisons all that differs from the first run. */
static void run_base_again(struct act *a)
{
	struct seen again;

	if (run(a, &a->base, &again) != ERR_OK)
		fail_msg("%s %s: %s", a->base.kind->name, a->way, play_why);
	seen_loosen(&a->seen, &again);
	seen_release(&again);
}

static bool changes(struct act *a, const struct job *job)
{
	struct seen now;
	bool other;

	(void)!run(a, job, &now); /* a run that fails also differs from base */
	other = seen_differs(&a->seen, &now);
	seen_release(&now);
	return other;
}

/* Returns whether ten runs of job all differ from base, which excludes chance. Base runs once more
 * after each of them. */
static bool changes_surely(struct act *a, const struct job *job)
{
	for (int i = 0; i < 10; i++) {
		if (!changes(a, job))
			return false;
		run_base_again(a);
	}
	return true;
}

/* ---- a key ---- */

struct found {
	bool taken;      /* the job accepts another value */
	bool changed;    /* some other value changes a run */
	unsigned unread; /* number of values that were refused because nothing reads the key */
	bool read;       /* a refused value changes a run when it is forced */
};

static void try_value(struct act *a, const struct config_row *row, const char *value,
		      struct found *f)
{
	char word[128], refusal[128], text[256];
	struct job job;

	snprintf(word, sizeof(word), "%s=%s", row->path, value);
	snprintf(refusal, sizeof(refusal), "job.%s is read ", row->path);
	if (parse(a->scene, a->way, word, &job) == ERR_OK) {
		if (!job_difference(&a->base, &job, text, sizeof(text)))
			return; /* the value is that of base */
		f->taken = true;
		f->changed |= changes(a, &job);
	} else if (strstr(err_detail(), refusal)) {
		assert_non_null(strstr(err_detail(), " only; remove it"));
		f->unread++;
		force(&a->base, word, &job);
		f->read |= changes_surely(a, &job);
	}
}

static void check_key(struct act *a, const struct config_row *row)
{
	enum { UNREAD_MOST = 2 };
	struct found f = { 0 };
	struct values values;
	const char *what = NULL;

	values_of(row, &values);
	for (size_t v = 0; v < values.count && !f.changed && f.unread < UNREAD_MOST; v++)
		try_value(a, row, values.text[v], &f);
	if (f.read)
		what = "is refused as not read, and changes a run";
	else if (f.taken && !f.changed)
		what = "is taken, and changes nothing";
	if (what)
		print_message("%s %s: %s %s\n", a->base.kind->name, a->way, row->path, what);
	wrong += !!what;
}

TEST(test_keys)
{
	for (const struct scene *s = scenes; s < scenes + SCENES; s++)
		for (const char *const *way = s->way; *way; way++) {
			struct act a = { .scene = s, .way = *way };

			assert_ok(parse(s, *way, "", &a.base));
			if (s->model)
				assert_ok(job_parse(
				    &a.model,
				    (struct bytes){ (const uint8_t *)s->model, strlen(s->model) },
				    "model", NULL));
			assert_ok(run(&a, &a.base, &a.seen));
			run_base_again(&a);
			run_base_again(&a);
			for (const struct config_row *row = a.base.kind->rows; row->path; row++)
				if (!is_elsewhere(a.base.kind, *way, row->path) &&
				    in_sample((size_t)(way - s->way) +
						  (size_t)(row - a.base.kind->rows),
					      s->way[1] ? 2 : 1))
					check_key(&a, row);
			seen_release(&a.seen);
		}
	print_message("%zu runs\n", runs);
	assert_int_equal(wrong, 0);
}

/* Does any scene have this kind with this setting? */
static bool has_scene(const struct kind *kind, const char *setting)
{
	for (const struct scene *s = scenes; s < scenes + SCENES; s++)
		for (const char *const *way = s->way; *way; way++) {
			struct job job;

			assert_ok(parse(s, *way, "", &job));
			if (job.kind == kind && strstr(*way, setting))
				return true;
		}
	return false;
}

/* Lists settings that no scene has, because their encryption takes minutes. `way` must read exactly
 * the same keys as `as`, which a scene has. */
static const struct {
	const char *kind, *setting;
	unsigned way, as;
} alike[] = { { "fedsc", "variant=pairwise", FEDSC_BY_PAIRWISE, FEDSC_BY_PAPER } };

static bool reads_as_another(const struct kind *kind, const char *setting)
{
	for (size_t i = 0; i < sizeof(alike) / sizeof(*alike); i++) {
		if (strcmp(alike[i].kind, kind->name) || strcmp(alike[i].setting, setting))
			continue;
		for (const struct config_row *row = kind->rows; row->path; row++)
			if ((row->readers >> alike[i].way & 1) != (row->readers >> alike[i].as & 1))
				fail_msg("%s with %s reads %s otherwise", kind->name, setting,
					 row->path);
		return true;
	}
	return false;
}

TEST(test_all_are_here)
{
	for (size_t i = 0; kinds[i]; i++)
		for (const struct config_row *row = kinds[i]->rows; row->path; row++) {
			char setting[128];

			if (!is_elsewhere(kinds[i], "", row->path) && !has_scene(kinds[i], ""))
				fail_msg("%s has %s, and no scene", kinds[i]->name, row->path);
			if (!kinds[i]->way || strcmp(row->path, kinds[i]->way))
				continue;
			for (size_t w = 0; row->names[w]; w++) {
				snprintf(setting, sizeof(setting), "%s=%s", row->path,
					 row->names[w]);
				if (!has_scene(kinds[i], setting) &&
				    !reads_as_another(kinds[i], setting))
					fail_msg("%s has no scene with %s", kinds[i]->name,
						 setting);
			}
		}
}

TESTS_BETWEEN(make_data, forget_data)
