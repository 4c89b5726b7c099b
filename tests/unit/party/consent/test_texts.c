/* Every sentence that a job's parameters lead to, kept in a file: the effective job, what is wrong
 * with it, what it shows, what policies say to it, what leaves in words.
 *
 * The jobs are those of configs/jobs, each as it is and with each of a list of changes, most of
 * which are wrong for it. COTERIE_WRITE_TEXTS=FILE writes the texts there instead of comparing. */
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/job/kinds.h"
#include "crypto/hash.h"
#include "party/consent/policy.h"
#include "party/consent/purpose.h"
#include "party/daemon/kinds.h"
#include "tests/unit/crypto/lab.h"

#include <glob.h>

#define TEXTS "tests/vectors/job-texts.txt"
#define PIN   "sha256:00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

/* Words apart by blanks are set together. */
static const char *const changes[] = {
	"",
	/* what all kinds share, and what most lack */
	"kind=none",
	"kind=kcagc",
	"kind=kcagc.predict model=0123456789abcdef0123456789abcdef",
	"kind=fedsc",
	"kind=kmeans",
	"kind=fedspectral",
	"kind=fedwalk",
	"kind=fedgcn",
	"clusters=1",
	"clusters=5",
	"clusters=auto",
	"clusters=70000",
	"seed=7",
	"seed=-1",
	"seed=x",
	"allow_single=true",
	"colour=red",
	"secure_sum.group=ffdhe2048",
	"secure_sum.group=ffdhe1024",
	"secure_sum.modulus_bits=32",
	"secure_sum.modulus_bits=48",
	"secure_sum.fraction_bits=40",
	"secure_sum.fraction_bits=12 secure_sum.modulus_bits=32",
	"secure_sum.fraction_bits=24 secure_sum.modulus_bits=32",
	/* kcagc */
	"graphs=own",
	"preset=paper",
	"method=flat",
	"method=basic",
	"method=landmark",
	"method=gcc",
	"method=none",
	"local_clusters=3",
	"local_clusters=k",
	"local_clusters=8k",
	"local_clusters=0",
	"filter.kind=spectral",
	"filter.order=0",
	"filter.order=16",
	"filter.order=auto",
	"filter.order=20000",
	"method=landmark filter.order=3",
	"method=gcc filter.order=16",
	"features=raw",
	"features=idf",
	"projection.basis=unit",
	"projection.dims=2k",
	"projection.dims=local",
	"projection.unit_rows=false",
	"projection.row_power=0.3",
	"projection.row_power=5",
	"virtual_nodes=centre",
	"local_restarts=9",
	"starts=10",
	"starts=50 restarts=60",
	"start_words=1000",
	"screen=4",
	"restarts=3",
	"restarts=0",
	"inner_restarts=4",
	"inner_iterations=9",
	"iterations=3",
	"ninth=false",
	"polish=0",
	"polish=2",
	"exchange=gram",
	"exchange=gram polish=0",
	"exchange=gram method=basic",
	"exchange=gram method=landmark",
	"exchange=gram virtual_nodes=centre",
	"plan=auto",
	"plan=only",
	"plan=auto exchange=gram",
	"plan=auto min_cell=4 polish=0",
	"plan=auto method=basic",
	"plan=only joint_norm=true",
	"plan=only filter.order=auto",
	"joint_norm=true",
	"joint_norm=true projection.unit_rows=false",
	"joint_norm=true method=landmark",
	"min_cell=5",
	"min_cell=5 polish=0",
	"min_cell=5 polish=1",
	"min_cell=5 method=basic",
	"min_cell=5 method=landmark",
	"min_cell=5 method=gcc",
	"min_cell=5 joint_norm=true",
	"landmark.power=false",
	"landmark.power=false method=landmark",
	"method=landmark polish=0",
	"method=landmark starts=5",
	"method=gcc polish=1",
	"method=gcc local_clusters=9",
	"method=flat virtual_nodes=centre",
	"method=flat min_cell=2",
	"method=basic polish=1",
	"method=flat exchange=gram",
	"model=0123456789abcdef0123456789abcdef",
	"model=xyz",
	/* fedsc, kmeans */
	"variant=anchor",
	"variant=dense",
	"variant=paper",
	"variant=none",
	"dims=40",
	"dims=2",
	"dims=3",
	"variant=anchor dims=4",
	"variant=dense dims=40",
	"variant=paper dims=40",
	"dims_share=0.9",
	"dims_most=100",
	"variant=dense dims_most=100",
	"variant=dense dims=40 dims_most=100",
	"variant=dense dims_most=2",
	"min_cluster=1",
	"min_cluster=9",
	"near=6",
	"variant=dense near=6",
	"variant=paper near=6",
	"neighbours=9",
	"variant=paper neighbours=9",
	"kernel.width=2",
	"variant=dense kernel.width=2",
	"variant=dense kernel.width=2 kernel.factor=3",
	"kernel.lambda=0.1",
	"rounds=3",
	"rounds=0",
	"rounds=auto",
	"inner=2",
	"variant=dense inner=2",
	"tolerance=0.1",
	"tolerance=2",
	"variant=dense tolerance=0.1",
	"participants=2",
	"variant=dense participants=1",
	"variant=dense participants=2",
	"variant=dense participants=3",
	"variant=paper participants=2 iterations=9",
	"noise.on=data",
	"noise.on=factors",
	"noise.on=data noise.beta=0.5",
	"noise.on=factors noise.beta=0.5",
	"noise.beta=0.5",
	"noise.eps=1",
	"noise.clip=2",
	"noise.on=data noise.eps=1",
	"noise.on=data noise.eps=1 noise.delta=1e-5",
	"noise.on=data noise.eps=1 noise.delta=1e-5 noise.clip=2",
	"noise.on=data noise.eps=1 noise.delta=1e-5 noise.clip=2 noise.beta=1",
	"noise.on=data noise.delta=1e-5",
	"noise.on=data noise.beta=0.5 noise.ball=2",
	"variant=dense noise.on=data noise.beta=0.5",
	"variant=dense noise.on=factors noise.beta=0.5",
	"variant=dense noise.on=factors noise.beta=0.5 rounds=0",
	"variant=dense noise.on=factors noise.eps=1 noise.delta=1e-5 noise.clip=2",
	"variant=dense noise.on=factors noise.eps=1 noise.delta=1e-5 noise.clip=2 dims=40",
	"variant=dense noise.on=factors noise.eps=1 noise.delta=1e-5 noise.clip=2 dims=40 "
	"kernel.width=1",
	"variant=dense noise.on=factors noise.eps=1 noise.delta=1e-5 noise.clip=2 dims=40 "
	"kernel.width=1 noise.ball=2",
	"variant=dense noise.on=factors noise.eps=1 noise.delta=1e-5 noise.clip=2 dims=40 "
	"kernel.width=1 noise.ball=2 kernel.lambda=0",
	"variant=paper noise.on=factors noise.beta=0.5 noise.beta_c=0.2",
	"variant=paper noise.on=factors noise.beta=0.5 noise.beta_c=-0.5",
	"variant=paper noise.on=factors noise.eps=1 noise.delta=1e-5 noise.clip=2 dims=40 "
	"kernel.width=1 noise.ball=2",
	"variant=paper noise.on=data noise.beta=0.5",
	"variant=dense noise.on=factors noise.beta=0.5 noise.beta_c=0.2",
	/* fedspectral, fedwalk */
	"variant=exact",
	"variant=fedspectral+",
	"variant=fedspectral",
	"variant=fedspectral+ clusters=auto",
	"variant=fedspectral clusters=auto",
	"ids=plain",
	"variant=fedspectral+ ids=plain",
	"block=30",
	"mode=randomized-response",
	"mode=none",
	"dissimilarity=dtw",
	"dissimilarity=dtw dtw_rows=9",
	"mode=randomized-response dissimilarity=dtw",
	"mode=randomized-response eps=3",
	"mode=randomized-response p=0.1",
	"mode=randomized-response bins=4",
	"tree=exact",
	"tree=landmarks",
	"mode=randomized-response tree=exact",
	"eps=4",
	"eps=0",
	"p=0.5",
	"bins=6",
	"walks=3",
	"length=2",
	"length=9",
	"window=3",
	"window=300",
	"length=5 window=10",
	"dims=128",
	"keep_embeddings=false",
	"keep_embeddings=false mode=randomized-response",
	"dtw_rows=9",
	/* fedgcn */
	"features=drawing",
	"features=coordinates",
	"features=structure",
	"epochs=2",
	"batch=1",
	"batch=32",
	"rate=0.01",
	"lambda=1",
	"prototypes=gmm",
	"prototypes=gmm em=3",
	"prototypes=kde",
	"prototypes=best",
	"prototypes=own",
	"em=3",
	"aggregation=fedprox",
	"aggregation=fedprox mu=0.1",
	"aggregation=fedper",
	"aggregation=none",
	"aggregation=none prototypes=own",
	"mu=0.1",
	"final=paper",
	"final=paper prototypes=kde",
	"unchanged=0.1",
	"baselines=quick",
	"baselines=off",
};
enum { CHANGES = sizeof(changes) / sizeof(*changes) };

/* ---- sentences, each once ---- */

struct texts {
	struct buf out;
	char **sentence;
	size_t count;
};

/* The number of a sentence; told where it is met first. */
static size_t number_of(struct texts *t, const char *sentence)
{
	for (size_t i = 0; i < t->count; i++)
		if (!strcmp(t->sentence[i], sentence))
			return i;
	t->sentence = alloc_again(t->sentence, t->count + 1, sizeof(*t->sentence));
	t->sentence[t->count] = alloc_copy(sentence);
	return t->count++;
}

static void put_sentences(struct texts *t, size_t from)
{
	for (size_t i = from; i < t->count; i++)
		buf_printf(&t->out, "[%zu] %s\n", i, t->sentence[i]);
}

/* ---- what a job leads to ---- */

static const char *const policies[] = {
	"\"jobs\":[\"kcagc.predict\"]",
	"\"jobs\":[ALL],\"min_parties\":3",
	"\"jobs\":[ALL],\"min_cell\":4,\"min_cluster\":6",
	"\"jobs\":[ALL],\"max_eps\":1,\"min_cluster\":1",
	"\"jobs\":[ALL],\"methods\":[\"flat\"],\"min_cluster\":1",
	"\"jobs\":[ALL],\"exchanges\":[\"distances\"],\"min_cluster\":1",
	"\"jobs\":[ALL],\"exchanges\":[\"gram\"],\"min_cluster\":1",
};
enum { POLICIES = sizeof(policies) / sizeof(*policies) };

static void policy_read(struct party_config *c, const char *dir, const char *policy)
{
	struct buf text = { 0 };
	const char *all = strstr(policy, "ALL");
	char *path = file_join(dir, "party.json");

	buf_printf(&text,
		   "{\"name\":\"p0\",\"coordinator\":\"h:7431\",\"identity\":{\"certificate\":"
		   "\"c\",\"key\":\"k\",\"ca\":\"a\"},\"peers\":{\"hub\":\"" PIN "\"");
	for (int l = 1; l < 4; l++)
		buf_printf(&text, ",\"p%d\":\"" PIN "\"", l);
	buf_printf(&text, "},\"data\":{\"features\":\"f.npy\"},\"output\":\"out\",\"policy\":{%.*s",
		   all ? (int)(all - policy) : (int)strlen(policy), policy);
	for (size_t i = 0; all && kind_permissions()[i]; i++)
		buf_printf(&text, "%s\"%s\"", i ? "," : "", kind_permissions()[i]);
	buf_printf(&text, "%s}}", all ? all + 3 : "");
	assert_ok(file_write(path, (struct bytes){ text.p, text.n }, FILE_PUBLIC));
	assert_ok(party_config_read(c, path, NULL));
	buf_release(&text);
	free(path);
}

static void put_leaks(struct texts *t, const struct job *job, size_t parties, struct buf *line)
{
	const char *leak[64];
	size_t n = job_leaks(job, parties, leak, 64);

	buf_printf(line, "; %zu parties", parties);
	for (size_t i = 0; i < n; i++)
		buf_printf(line, " %zu", number_of(t, leak[i]));
}

static void put_policies(struct texts *t, struct work *work, const struct party_config *config,
			 struct buf *line)
{
	buf_printf(line, "; policies");
	for (size_t i = 0; i < POLICIES; i++) {
		if (policy_check(&config[i], NULL, work) == ERR_OK)
			buf_printf(line, " yes");
		else
			buf_printf(line, " %zu", number_of(t, err_detail()));
	}
}

static void put_job(struct texts *t, const struct job *job, const struct party_config *config,
		    bool whole, struct buf *line)
{
	static const size_t nodes[] = { 0, 100, 50000 };
	struct work *work = alloc(1, sizeof(*work));
	uint8_t hash[SHA256_LEN];
	struct buf json = { 0 };

	job_write(job, &json);
	sha256_of(json.p, json.n, hash);
	if (whole)
		buf_printf(&t->out, "%.*s\n", (int)json.n, (const char *)json.p);
	buf_printf(line, "%02x%02x%02x%02x%02x%02x %s%s%s; burst", hash[0], hash[1], hash[2],
		   hash[3], hash[4], hash[5], job_permission(job), job_is_flat(job) ? " flat" : "",
		   job_is_plan_only(job) ? " plan only" : "");
	for (size_t i = 0; i < 3; i++)
		buf_printf(line, " %zu %zu", job_burst(job, nodes[i], false),
			   job_burst(job, nodes[i], true));
	for (size_t parties = 1; parties <= 4; parties *= 2)
		put_leaks(t, job, parties, line);
	work->job = *job;
	work->half = party_kind_of(job->kind);
	work->L = 4;
	for (size_t l = 0; l < 4; l++)
		snprintf(work->name[l], sizeof(work->name[l]), "p%zu", l);
	put_policies(t, work, config, line);
	work->L = 2;
	put_policies(t, work, config, line);
	if (whole) {
		work->sum = (struct work_sum){ 0, 2, 8 };
		for (unsigned type = 0; type < 64; type++) {
			struct msg m = { .type = (enum msg_type)type };
			char purpose[PURPOSE_MAX];

			if (!msg_name(m.type))
				continue;
			purpose_of(work, &m, purpose);
			buf_printf(&t->out, "%s: %s\n", msg_name(m.type), purpose);
		}
	}
	buf_release(&json);
	free(work);
}

static void put_change(struct texts *t, const char *path, const char *change,
		       const struct party_config *config)
{
	size_t before = t->count;
	struct buf line = { 0 }, text = { 0 };
	char *words = alloc_copy(change), *set[16], *rest = NULL;
	struct job job;
	size_t n = 0;

	for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
		set[n++] = w;
	set[n] = NULL;
	buf_printf(&line, "%s %s: ", path + strlen("configs/jobs/"), change);
	assert_ok(file_read(path, JOB_TEXT_MAX, &text));
	if (job_parse(&job, (struct bytes){ text.p, text.n }, "job", set) == ERR_OK)
		put_job(t, &job, config, !*change, &line);
	else
		buf_printf(&line, "wrong %zu", number_of(t, err_detail()));
	put_sentences(t, before);
	buf_printf(&t->out, "%.*s\n", (int)line.n, (const char *)line.p);
	buf_release(&text);
	buf_release(&line);
	free(words);
}

/* ---- beside the file ---- */

static void compare(const struct buf *now, const struct buf *kept)
{
	size_t line = 1, start = 0, i = 0;

	while (i < now->n && i < kept->n && now->p[i] == kept->p[i])
		if (now->p[i++] == '\n') {
			line++;
			start = i;
		}
	if (i == now->n && i == kept->n)
		return;
	print_error(TEXTS ":%zu is another text (COTERIE_WRITE_TEXTS=FILE writes the new ones)\n"
			  "kept: %.*s\nnow:  %.*s\n",
		    line, (int)strcspn((const char *)kept->p + start, "\n"), kept->p + start,
		    (int)strcspn((const char *)now->p + start, "\n"), now->p + start);
	fail();
}

static void texts_are_kept(void **state)
{
	const char *to = getenv("COTERIE_WRITE_TEXTS");
	struct party_config config[POLICIES];
	struct texts t = { 0 };
	struct buf kept = { 0 };
	char dir[64];
	glob_t jobs;

	(void)state;
	lab_dir(dir);
	for (size_t i = 0; i < POLICIES; i++)
		policy_read(&config[i], dir, policies[i]);
	lab_remove(dir);
	assert_int_equal(glob("configs/jobs/*.json", 0, NULL, &jobs), 0);
	for (size_t i = 0; i < jobs.gl_pathc; i++)
		for (size_t c = 0; c < CHANGES; c++)
			put_change(&t, jobs.gl_pathv[i], changes[c], config);
	buf_printf(&t.out, "permissions:");
	for (size_t i = 0; kind_permissions()[i]; i++)
		buf_printf(&t.out, " %s", kind_permissions()[i]);
	buf_printf(&t.out, "\n");
	if (to) {
		assert_ok(file_write(to, (struct bytes){ t.out.p, t.out.n }, FILE_PUBLIC));
	} else {
		assert_ok(file_read(TEXTS, 16 << 20, &kept));
		compare(&t.out, &kept);
	}
	for (size_t i = 0; i < POLICIES; i++)
		party_config_release(&config[i]);
	for (size_t i = 0; i < t.count; i++)
		free(t.sentence[i]);
	free(t.sentence);
	buf_release(&t.out);
	buf_release(&kept);
	globfree(&jobs);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(texts_are_kept) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
