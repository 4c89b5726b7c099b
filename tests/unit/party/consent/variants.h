/* variants.h -- the jobs and policies of which test_texts.c keeps what users read. */
#ifndef TESTS_UNIT_PARTY_VARIANTS_H
#define TESTS_UNIT_PARTY_VARIANTS_H

#define MODEL "\"model\":\"0123456789abcdef0123456789abcdef\""
#define KCAGC "{\"kind\":\"kcagc\",\"clusters\":7,\"filter\":{\"order\":9}}"
#define METHOD(m)                                                                                  \
	"{\"kind\":\"kcagc\",\"clusters\":7,\"filter\":{\"order\":9},\"method\":\"" m "\"}"
#define PREDICT     "{\"kind\":\"kcagc.predict\",\"clusters\":7," MODEL "}"
#define K7(kind, m) "{\"kind\":\"" kind "\",\"clusters\":7" m "}"
#define WALKS(more) "{\"kind\":\"fedwalk\"" more "}"
#define EPS         "\"eps\":2,\"delta\":1e-5,\"clip\":1"

/* A job that others are variations of. Of it the effective text is kept in full, of the others what
 * is not in it, and a hash. */
struct base {
	const char *name, *text;
};

/* The first are of one kind each, in the order of kinds[]. */
static const struct base bases[] = {
	{ "kcagc", KCAGC },
	{ "predict", PREDICT },
	{ "fedsc", K7("fedsc", "") },
	{ "kmeans", K7("kmeans", "") },
	{ "fedspectral", K7("fedspectral", "") },
	{ "fedwalk", WALKS("") },
	{ "fedgcn", K7("fedgcn", "") },
	{ "columns", K7("kmeans.columns", "") },
	{ "align", "{\"kind\":\"align\"}" },
	{ "kcagc flat", METHOD("flat") },
	{ "columns matched", K7("kmeans.columns", ",\"align\":\"intersect\"") },
	{ "kcagc basic", METHOD("basic") },
	{ "kcagc landmark", METHOD("landmark") },
	{ "kcagc gcc", METHOD("gcc") },
	{ "fedsc dense", K7("fedsc", ",\"variant\":\"dense\"") },
	{ "fedsc paper", K7("fedsc", ",\"variant\":\"paper\"") },
	{ "fedsc paper, d and r", K7("fedsc", ",\"variant\":\"paper\",\"dims\":9,"
					      "\"kernel\":{\"width\":1},\"noise\":{\"on\":"
					      "\"factors\"," EPS "}") },
	{ "fedsc data", K7("fedsc", ",\"noise\":{\"on\":\"data\"," EPS "}") },
	{ "kmeans data", K7("kmeans", ",\"noise\":{\"on\":\"data\"," EPS "}") },
	{ "fedspectral+", K7("fedspectral", ",\"variant\":\"fedspectral+\"") },
	{ "fedspectral plain", K7("fedspectral", ",\"variant\":\"fedspectral\"") },
	{ "fedspectral ids", K7("fedspectral", ",\"ids\":\"plain\"") },
	{ "fedwalk dtw", WALKS(",\"dissimilarity\":\"dtw\"") },
	{ "fedwalk response", WALKS(",\"mode\":\"randomized-response\",\"ids\":\"plain\"") },
	{ "fedgcn fedprox", K7("fedgcn", ",\"aggregation\":\"fedprox\",\"prototypes\":\"gmm\"") },
};
enum { BASES = sizeof(bases) / sizeof(*bases), KINDS = 9 };

enum { VALUES_MAX = 20, AXES_MAX = 12 };

/* All combinations of one value of each axis; "": nothing is set. */
struct family {
	const char *base;
	const char *axis[AXES_MAX][VALUES_MAX];
};

static const struct family families[] = {
	{ "kcagc",
	  { { "", "method=flat", "method=basic", "method=landmark", "method=gcc" },
	    { "", "exchange=gram" },
	    { "", "plan=auto", "plan=only" },
	    { "", "preset=paper" },
	    { "", "joint_norm=true" },
	    { "", "min_cell=5" },
	    { "", "polish=0" },
	    { "", "filter.order=auto" } } },
	{ "kcagc",
	  { { "", "method=flat", "method=basic", "method=landmark", "method=gcc" },
	    { "", "exchange=gram" },
	    { "", "plan=auto", "plan=only" },
	    { "", "preset=paper" },
	    { "virtual_nodes=centre", "virtual_nodes=mean" },
	    { "", "min_cell=5" },
	    { "", "polish=0" } } },
	{ "kcagc",
	  { { "", "method=flat", "method=basic", "method=landmark", "method=gcc" },
	    { "", "graphs=own", "landmark.power=false" },
	    { "", "allow_single=true" },
	    { "", "polish=2" },
	    { "", "projection.unit_rows=false", "projection.row_power=0.3" },
	    { "", "secure_sum.modulus_bits=64", "secure_sum.modulus_bits=32" } } },
	{ "predict",
	  { { "", "joint_norm=true" }, { "", "graphs=own" }, { "", "allow_single=true" } } },
	{ "columns",
	  { { "", "method=flat", "method=basic" },
	    { "", "exchange=gram" },
	    { "", "standardize=none" },
	    { "", "min_cell=5" },
	    { "", "polish=0" },
	    { "", "allow_single=true" } } },
	{ "fedsc",
	  { { "", "variant=dense", "variant=paper" },
	    { "", "noise.on=data", "noise.on=factors" },
	    { "", "noise.beta=1", "noise.beta_c=0.5", "noise.beta=1 noise.beta_c=0.5",
	      "noise.eps=2 noise.delta=1e-5 noise.clip=1", "noise.eps=2",
	      "noise.eps=2 noise.delta=1e-5", "noise.delta=1e-5", "noise.clip=1",
	      "noise.eps=2 noise.delta=1e-5 noise.clip=1 noise.beta=1",
	      "noise.eps=2 noise.delta=1e-5 noise.clip=1 noise.beta_c=0.5",
	      "noise.eps=0.5 noise.delta=1e-6 noise.clip=1 noise.ball=1",
	      "noise.beta=1 noise.ball=1", "noise.beta_c=-0.5 noise.beta=1",
	      "noise.eps=60 noise.delta=0.1 noise.clip=1" },
	    { "", "dims=9" },
	    { "", "kernel.width=1", "kernel.width=1 kernel.lambda=0" },
	    { "", "rounds=0" } } },
	{ "fedsc",
	  { { "", "variant=dense", "variant=paper" },
	    { "", "participants=1", "participants=1 allow_single=true", "participants=3" },
	    { "", "min_cluster=1", "min_cluster=9" },
	    { "", "dims=5", "dims=8 near=8", "dims_most=3", "dims=9" },
	    { "", "allow_single=true" } } },
	{ "kmeans",
	  { { "", "noise.on=data", "noise.on=factors" },
	    { "", "noise.beta=1", "noise.eps=2 noise.delta=1e-5 noise.clip=1", "noise.eps=2",
	      "noise.eps=2 noise.delta=1e-5", "noise.delta=1e-5", "noise.clip=1",
	      "noise.eps=2 noise.delta=1e-5 noise.clip=1 noise.beta=1" },
	    { "", "min_cluster=1", "min_cluster=9" },
	    { "", "allow_single=true" } } },
	{ "fedspectral",
	  { { "", "variant=fedspectral+", "variant=fedspectral" },
	    { "", "ids=plain" },
	    { "", "clusters=auto" },
	    { "", "rounds=6" },
	    { "", "block=30" },
	    { "", "allow_single=true" } } },
	{ "fedwalk",
	  { { "", "mode=randomized-response" },
	    { "", "dissimilarity=dtw" },
	    { "", "tree=exact", "tree=landmarks" },
	    { "", "ids=plain" },
	    { "", "eps=0.01", "eps=50" },
	    { "", "dtw_rows=32", "keep_embeddings=false", "window=40", "p=0", "bins=9" },
	    { "", "allow_single=true" } } },
	{ "fedgcn",
	  { { "", "prototypes=gmm", "prototypes=kde", "prototypes=best", "prototypes=own" },
	    { "", "aggregation=fedprox", "aggregation=fedper", "aggregation=none" },
	    { "", "min_cluster=1", "min_cluster=9" },
	    { "", "mu=0", "mu=1" },
	    { "", "em=5" },
	    { "", "allow_single=true" } } },
	{ "align", { { "", "align=hashed", "align_bound=5000" }, { "", "allow_single=true" } } },
	{ "kcagc",
	  { { "", "align=intersect", "align=hashed" }, { "", "graphs=own" }, { "", "method=flat" } } },
	{ "predict", { { "", "align=intersect" }, { "", "graphs=own" } } },
	{ "fedgcn",
	  { { "", "features=drawing", "features=coordinates" },
	    { "", "prototypes=gmm", "prototypes=kde", "prototypes=best", "prototypes=own" },
	    { "", "final=paper" },
	    { "", "baselines=quick", "baselines=off" } } },
};

/* One by one, of their base. */
static const struct {
	const char *base, *sets;
} singles[] = {
	{ "kcagc", "local_clusters=3" },
	{ "columns", "clusters=1" },
	{ "columns", "local_clusters=3" },
	{ "columns", "method=landmark" },
	{ "columns", "standardize=joint" },
	{ "columns", "filter.order=2" },
	{ "columns", "secure_sum.modulus_bits=32" },
	{ "kcagc", "local_clusters=64k clusters=65536" },
	{ "kcagc", "projection.dims=64k clusters=65536 local_clusters=k" },
	{ "kcagc", "restarts=300" },
	{ "kcagc", "clusters=auto" },
	{ "predict", "clusters=auto" },
	{ "fedsc", "clusters=auto" },
	{ "kmeans", "clusters=auto" },
	{ "fedgcn", "clusters=auto" },
	{ "fedgcn", "clusters=2000" },
	{ "fedwalk", "clusters=auto" },
	{ "kcagc basic", "polish=3" },
	{ "kcagc basic", "min_cell=5" },
	{ "kcagc gcc", "min_cell=5" },
	{ "kcagc", "polish=3 min_cell=5" },
	{ "kcagc", "projection.unit_rows=false joint_norm=true" },
	{ "kcagc landmark", "filter.order=0" },
	{ "kcagc", "secure_sum.modulus_bits=48" },
	{ "kcagc", "secure_sum.modulus_bits=32 secure_sum.fraction_bits=17" },
	{ "kcagc", "secure_sum.fraction_bits=48" },
	{ "kcagc landmark", "secure_sum.modulus_bits=32 secure_sum.fraction_bits=40" },
	{ "fedsc", "secure_sum.modulus_bits=32" },
	{ "kmeans", "secure_sum.modulus_bits=32" },
	{ "fedspectral", "secure_sum.modulus_bits=32" },
	{ "fedwalk", "secure_sum.modulus_bits=32" },
	{ "fedgcn", "secure_sum.modulus_bits=32" },
	{ "kcagc", "secure_sum.group=ffdhe2048" },
	{ "kcagc", "secure_sum.group=ffdhe4096" },
	{ "kcagc", "secure_sum.group=x25519" },
	{ "kcagc", "filter.kind=spectral" },
	{ "kcagc", "features=raw" },
	{ "kcagc", "projection.basis=unit" },
	{ "kcagc", "projection.dims=local" },
	{ "kcagc", "preset=paper method=basic" },
	{ "kcagc", "start_words=100" },
	{ "kcagc", "starts=20" },
	{ "kcagc", "ninth=false" },
	{ "kcagc", "kind=kmeans" },
	{ "kcagc", "clusters" },
	{ "kcagc", "=3" },
	{ "kcagc", "clusters.more=3" },
	{ "kcagc", "what=3" },
	{ "kcagc", "filter.what=3" },
	{ "kcagc", "filter=3" },
	{ "kcagc", "#what=3" },
	{ "kcagc", "model=0123" },
	{ "predict", "model=0123" },
	{ "predict", "model=00000000000000000000000000000000" },
	{ "predict", "method=flat" },
	{ "fedsc data", "noise.eps=1e-6 noise.delta=1e-300" },
	{ "fedsc data", "noise.eps=1e6 noise.delta=0.5" },
	{ "fedsc paper, d and r", "noise.eps=1e-6 noise.delta=1e-300" },
	{ "fedsc paper, d and r", "noise.eps=1 noise.delta=0.5" },
	{ "fedsc paper, d and r", "noise.ball=2" },
	{ "fedsc paper, d and r", "variant=dense noise.ball=2" },
};

/* Whole jobs. */
static const char *const raw[] = {
	"",
	"{",
	"[]",
	"3",
	"null",
	"{}",
	"{\"kind\":3}",
	"{\"kind\":\"what\"}",
	"{\"kind\":null,\"clusters\":7}",
	"{\"clusters\":7}",
	"{\"kind\":\"kcagc\"}",
	"{\"kind\":\"kcagc\",\"clusters\":7}",
	"{\"kind\":\"kcagc.predict\"}",
	"{\"kind\":\"kcagc.predict\",\"clusters\":7}",
	"{\"kind\":\"kmeans\"}",
	"{\"kind\":\"fedsc\"}",
	"{\"kind\":\"fedspectral\"}",
	"{\"kind\":\"fedgcn\"}",
	"{\"kind\":\"fedwalk\",\"clusters\":7}",
	"{\"kind\":\"kmeans\",\"clusters\":7,\"clusters\":8}",
	"{\"kind\":\"kmeans\",\"clusters\":7,\"noise\":3}",
	"{\"kind\":\"kmeans\",\"clusters\":7,\"noise\":{\"what\":3}}",
	"{\"kind\":\"kmeans\",\"clusters\":7} more",
	"{\"#\":\"a comment\",\"kind\":\"kmeans\",\"clusters\":7}",
};

/* Of party p0, whose peers are p1 to p6; the first takes part in everything. */
static const char *const policies[] = {
	"",
	"policy.jobs=[\"kcagc\",\"fedsc\",\"fedspectral\",\"fedwalk\",\"fedgcn\"]",
	"policy.jobs=[\"kcagc.predict\",\"kmeans\",\"fedsc.paper\",\"fedspectral.exact\","
	"\"fedwalk.dtw\",\"fedgcn.kde\",\"fedgcn.best\"]",
	"policy.min_parties=1 policy.allow_single=true",
	"policy.min_parties=3",
	"policy.min_parties=5",
	"policy.min_cluster=6",
	"policy.min_cell=3",
	"policy.min_cell=6",
	"policy.methods=[\"tree\",\"landmark\"]",
	"policy.methods=[\"flat\",\"basic\",\"gcc\"]",
	"policy.methods=[\"tree\",\"flat\"] policy.exchanges=[\"gram\"]",
	"policy.exchanges=[\"gram\"]",
	"policy.exchanges=[\"distances\"]",
	"policy.max_eps=1",
	"policy.max_eps=5",
	"policy.max_eps=5 policy.max_delta=1e-7",
};
enum { POLICIES = sizeof(policies) / sizeof(*policies) };

#endif
