/* Every parameter of every kind. */
#include "common/job/params.h"
#include "common/job/tree.h"

enum { ITERATIONS_MAX = 10000, RESTARTS_MAX = 1000, CELL_MAX = 1 << 30, WORDS_MAX = 1 << 30 };
enum {
	KCAGC = 1 << JOB_KCAGC,
	PREDICT = 1 << JOB_KCAGC_PREDICT,
	FEDSC = 1 << JOB_FEDSC,
	KMEANS = 1 << JOB_KMEANS,
	FEDSPECTRAL = 1 << JOB_FEDSPECTRAL,
	FEDWALK = 1 << JOB_FEDWALK,
	FEDGCN = 1 << JOB_FEDGCN,
	LANDMARK = JOB_READER_LANDMARK,
	GCC = JOB_READER_GCC
};
#define SEED_MAX 9007199254740991.0 /* 2^53 - 1 */

const char *const job_kind_names[] = { "kcagc",       "kcagc.predict", "fedsc",  "kmeans",
				       "fedspectral", "fedwalk",       "fedgcn", NULL };
const char *const job_permission_names[] = {
	"kcagc",       "kcagc.predict",     "fedsc",   "fedsc.paper", "kmeans",
	"fedspectral", "fedspectral.exact", "fedwalk", "fedwalk.dtw", "fedgcn",
	"fedgcn.kde",  "fedgcn.best",       NULL
};
const char *const job_fedsc_names[] = { "anchor", "dense", "paper", NULL };
const char *const job_noise_names[] = { "none", "data", "factors", NULL };
static const char *const fedspectral_names[] = { "exact", "fedspectral+", "fedspectral", NULL };
const char *const job_fedwalk_names[] = { "walks", "randomized-response", NULL };
static const char *const dissimilarity_names[] = { "l1", "dtw", NULL };
static const char *const hct_names[] = { "auto", "exact", "landmarks", NULL };
static const char *const ids_names[] = { "hashed", "plain", NULL };
static const char *const preset_names[] = { "default", "paper", NULL };
const char *const job_method_names[] = { "tree", "flat", "basic", "landmark", "gcc", NULL };
static const char *const graphs_names[] = { "shared", "own", NULL };
static const char *const filter_names[] = { "half", "spectral", NULL };
static const char *const features_names[] = { "raw", "idf", NULL };
static const char *const basis_names[] = { "scaled", "unit", NULL };
static const char *const virtual_names[] = { "mean", "centre", NULL };
const char *const job_exchange_names[] = { "distances", "gram", NULL };
static const char *const plan_names[] = { "off", "auto", "only", NULL };
static const char *const auto_word[] = { "auto", NULL };
static const char *const group_names[] = { "ffdhe2048", "ffdhe3072", "ffdhe4096", NULL };
static const unsigned group_bits[] = { 2048, 3072, 4096 };
const char *const job_prototypes_names[] = { "matched", "gmm", "kde", "best", "own", NULL };
static const char *const aggregation_names[] = { "fedavg", "fedprox", "fedper", "none", NULL };
const char *const job_graph_features_names[] = { "structure", "drawing", "coordinates", NULL };
static const char *const final_names[] = { "default", "paper", NULL };
static const char *const baselines_names[] = { "all", "quick", "off", NULL };
static const char *const dims_word[] = { "local", NULL };

#define AT(field) offsetof(struct job, field)

/* clang-format off */
const struct config_row job_rows[] = {
	{ "kind", CONFIG_ENUM, AT(kind), .names = job_kind_names,
	  .help = "the protocol" },
	{ "clusters", CONFIG_UNSIGNED, AT(clusters), 2, JOB_CLUSTERS_MAX, .names = auto_word,
	  .help = "k, how many clusters to find; fedspectral: \"auto\" goes by the eigengap",
	  .readers = KCAGC | PREDICT | FEDSC | KMEANS | FEDSPECTRAL | LANDMARK | GCC | FEDGCN },
	{ "seed", CONFIG_U64, AT(seed), 0, SEED_MAX, "1",
	  .help = "same seed and data, same labels" },
	{ "allow_single", CONFIG_BOOL, AT(allow_single), .standard = "false",
	  .help = "permit a single party, whose terms nothing masks" },
	{ "graphs", CONFIG_ENUM, AT(graphs), .standard = "shared", .names = graphs_names,
	  .help = "\"own\": the parties' edges may differ",
	  .readers = KCAGC | PREDICT | LANDMARK | GCC },
	{ "preset", CONFIG_ENUM, AT(preset), .standard = "default", .names = preset_names,
	  .help = "what stands in for parameters that are not given; \"paper\" keeps to its letter",
	  .readers = KCAGC },
	{ "method", CONFIG_ENUM, AT(method), .standard = "tree", .names = job_method_names,
	  .help = "Protocol 3 as a tree of pairs, Protocol 3 flat, Protocol 2 (basic), landmark projection, or "
		  "federated GCC",
	  .readers = KCAGC | LANDMARK | GCC },
	{ "local_clusters", CONFIG_COUNT, AT(local_clusters), 2, JOB_CLUSTERS_MAX, "2k",
	  .help = "k^, clusters of each party and of each inner node of the tree",
	  .readers = KCAGC | LANDMARK },
	{ "filter.kind", CONFIG_ENUM, AT(filter_kind), .standard = "half", .names = filter_names,
	  .help = "p(l) = (1 - l/2)^psi, or (1 - l/||Ls||)^psi",
	  .readers = KCAGC },
	{ "filter.order", CONFIG_UNSIGNED, AT(filter_order), 0, JOB_ORDER_MAX, .names = auto_word,
	  .help = "psi, how far features are smoothed over the graph; it depends on the data: the paper "
		  "takes 9 for cora, 15 for citeseer, 60 for pubmed, 2 for wiki; \"auto\" chooses it from "
		  "sums; landmark and gcc, whose filter is another, take 1 to 15",
	  .readers = KCAGC | LANDMARK | GCC },
	{ "features", CONFIG_BOOL, AT(idf), .standard = "idf", .names = features_names,
	  .help = "\"idf\" weighs the columns of an all-binary slice by ln((1+n)/(1+df)) + 1",
	  .readers = KCAGC },
	{ "projection.basis", CONFIG_BOOL, AT(unit_basis), .standard = "scaled", .names = basis_names,
	  .help = "singular vectors times singular values, or alone",
	  .readers = KCAGC },
	{ "projection.dims", CONFIG_COUNT, AT(dims), 1, JOB_CLUSTERS_MAX, "k", .names = dims_word,
	  .help = "d, dimensions kept, at most the slice's width; \"local\" is k^",
	  .readers = KCAGC },
	{ "projection.unit_rows", CONFIG_BOOL, AT(unit_rows), .standard = "true",
	  .help = "scale rows by their length",
	  .readers = KCAGC },
	{ "projection.row_power", CONFIG_DOUBLE, AT(row_power), 0, 4, "0.8",
	  .help = "p, how far: 1 makes all rows equally long",
	  .readers = KCAGC },
	{ "virtual_nodes", CONFIG_ENUM, AT(virtual_nodes), .standard = "mean", .names = virtual_names,
	  .help = "what stands for a cell at a party: the mean of its rows, or the local centre (line 13)",
	  .readers = KCAGC },
	{ "local_restarts", CONFIG_UNSIGNED, AT(local_restarts), 1, RESTARTS_MAX, "5",
	  .help = "starts of each party's own k-means",
	  .readers = KCAGC },
	{ "starts", CONFIG_UNSIGNED, AT(starts), 1, RESTARTS_MAX, "200",
	  .help = "starts of the joint k-means that makes the k clusters, at most: as many as sum "
		  "`start_words` words in a round, but no fewer than `restarts`",
	  .readers = KCAGC },
	{ "start_words", CONFIG_UNSIGNED, AT(start_words), 1, WORDS_MAX, "4194304",
	  .help = "how many words the starts may sum in a round; 4194304 are 16 MiB of 32-bit words",
	  .readers = KCAGC },
	{ "screen", CONFIG_UNSIGNED, AT(screen), 1, ITERATIONS_MAX, "2",
	  .help = "after so many of its Lloyd steps only the best `restarts` of the starts go on",
	  .readers = KCAGC },
	{ "restarts", CONFIG_UNSIGNED, AT(restarts), 1, RESTARTS_MAX, "20",
	  .help = "R, starts that go on to the end; the one of least inertia wins",
	  .readers = KCAGC | FEDSC | KMEANS | FEDSPECTRAL },
	{ "inner_restarts", CONFIG_UNSIGNED, AT(inner_restarts), 0, RESTARTS_MAX, "0",
	  .help = "starts at the tree's inner nodes; 0: 10 (k/k^)^2, from 2 to 10",
	  .readers = KCAGC },
	{ "inner_iterations", CONFIG_UNSIGNED, AT(inner_iterations), 1, ITERATIONS_MAX, "5",
	  .help = "Lloyd steps at most at inner nodes, whose clusters are cut up further",
	  .readers = KCAGC },
	{ "iterations", CONFIG_UNSIGNED, AT(iterations), 1, ITERATIONS_MAX, "10",
	  .help = "Q, Lloyd steps at most; fedspectral+: power iterations of a round",
	  .readers = KCAGC | FEDSC | KMEANS | FEDSPECTRAL },
	{ "ninth", CONFIG_BOOL, AT(ninth), .standard = "true",
	  .help = "the 1/9 step before Lloyd's (Protocol 1, line 9)",
	  .readers = KCAGC },
	{ "polish", CONFIG_UNSIGNED, AT(polish), 0, ITERATIONS_MAX, "3",
	  .help = "P, Lloyd steps on all nodes at the end",
	  .readers = KCAGC | LANDMARK },
	{ "exchange", CONFIG_ENUM, AT(exchange), .standard = "distances", .names = job_exchange_names,
	  .help = "what the joint k-means sums: squared distances to the centres in each round, or once all "
		  "inner products of the virtual nodes",
	  .readers = KCAGC },
	{ "plan", CONFIG_ENUM, AT(plan), .standard = "off", .names = plan_names,
	  .help = "\"auto\" takes the cheapest of basic, flat, tree and gram for these parties; \"only\" "
		  "says which that is, and ends",
	  .readers = KCAGC },
	{ "joint_norm", CONFIG_BOOL, AT(joint_norm), .standard = "false",
	  .help = "scale rows by their norm over all parties, one more sum, not by each party's own; "
		  "to predict: as in the run of the model",
	  .readers = KCAGC | PREDICT },
	{ "min_cell", CONFIG_UNSIGNED, AT(min_cell), 1, CELL_MAX, "1",
	  .help = "fewest nodes behind any number that enters a sum; above 1 it excludes basic, polish "
		  "and predict",
	  .readers = KCAGC | LANDMARK },
	{ "landmark.power", CONFIG_BOOL, AT(landmark_power), .standard = "true",
	  .help = "one power step; without it parties never see a joint vector",
	  .readers = KCAGC | LANDMARK },
	{ "model", CONFIG_ID, AT(model), .help = "job_id of the run whose model predicts",
	  .readers = PREDICT },
	{ "variant", CONFIG_ENUM, AT(fedsc_variant), .standard = "anchor", .names = job_fedsc_names,
	  .help = "Stage II: landmarks and sums alone, the whole kernel by sums alone, or the paper's, which "
		  "uploads in clear what rows can be read from",
	  .readers = FEDSC },
	{ "variant", CONFIG_ENUM, AT(fedspectral_variant), .standard = "exact",
	  .names = fedspectral_names,
	  .help = "products with the joint graph, which show it; Algorithms 3 and 4; or Algorithms 1 and 2",
	  .readers = FEDSPECTRAL },
	{ "dims", CONFIG_UNSIGNED, AT(landmarks), 2, JOB_DIMS_MAX, "auto", .names = auto_word,
	  .help = "d, landmarks or the dictionary's size; \"auto\": min(n/5, 600) landmarks, else by "
		  "`dims_share`",
	  .readers = FEDSC },
	{ "dims_share", CONFIG_DOUBLE, AT(dims_share), 0.5, 1, "0.99",
	  .help = "dense, paper: share of the eigenvalues of F'F that d keeps",
	  .readers = FEDSC },
	{ "dims_most", CONFIG_UNSIGNED, AT(dims_most), 2, JOB_DIMS_MAX, "250",
	  .help = "dense, paper: where the search for d begins",
	  .readers = FEDSC },
	{ "min_cluster", CONFIG_UNSIGNED, AT(min_cluster), 1, CELL_MAX, "3",
	  .help = "mc, fewest rows behind any sum of rows",
	  .readers = FEDSC | KMEANS },
	{ "near", CONFIG_UNSIGNED, AT(near), 1, 64, "4",
	  .help = "anchor: s, landmarks that stand for a row",
	  .readers = FEDSC },
	{ "neighbours", CONFIG_UNSIGNED, AT(neighbours), 1, CELL_MAX, "auto", .names = auto_word,
	  .help = "paper: neighbours that a row keeps; \"auto\": max(ceil(ln n), 1)",
	  .readers = FEDSC },
	{ "kernel.width", CONFIG_DOUBLE, AT(width), 0, 1e9, "0",
	  .help = "dense, paper: r; 0: kernel.factor times the parties' mean distance",
	  .readers = FEDSC },
	{ "kernel.factor", CONFIG_DOUBLE, AT(width_factor), 1e-6, 1e6, "1",
	  .help = "dense, paper: r in mean distances",
	  .readers = FEDSC },
	{ "kernel.lambda", CONFIG_DOUBLE, AT(lambda), 0, 1e6, "0.01",
	  .help = "dense, paper: lambda, the ridge of C",
	  .readers = FEDSC },
	{ "rounds", CONFIG_UNSIGNED, AT(rounds), 0, ITERATIONS_MAX, "4",
	  .help = "dense, paper: S, rounds of Stage I",
	  .readers = FEDSC },
	{ "rounds", CONFIG_UNSIGNED, AT(rounds), 1, ITERATIONS_MAX, "auto", .names = auto_word,
	  .help = "rounds at most; \"auto\": 100 for exact, 20 for fedspectral+",
	  .readers = FEDSPECTRAL },
	{ "inner", CONFIG_UNSIGNED, AT(inner), 1, ITERATIONS_MAX, "5",
	  .help = "dense, paper: Q, a party's own steps in a round",
	  .readers = FEDSC },
	{ "tolerance", CONFIG_DOUBLE, AT(tolerance), 0, 1, "0",
	  .help = "dense, paper: Stage I ends when Z changes by no more than this share; 0: after all rounds",
	  .readers = FEDSC },
	{ "tolerance", CONFIG_DOUBLE, AT(tolerance), 0, 1, "1e-6",
	  .help = "ends when no centre moves by more than this share of the rows' spread",
	  .readers = KMEANS },
	{ "tolerance", CONFIG_DOUBLE, AT(tolerance), 1e-6, 1, "5e-4",
	  .help = "exact: largest residual of an eigenvector, relative to the first eigenvalue",
	  .readers = FEDSPECTRAL },
	{ "participants", CONFIG_UNSIGNED, AT(participants), 0, PARTIES_MAX, "0",
	  .help = "dense, paper: parties that compute in each round of Stage I; 0: all",
	  .readers = FEDSC },
	{ "noise.on", CONFIG_ENUM, AT(noise), .standard = "none", .names = job_noise_names,
	  .help = "what Gaussian noise is added to: nothing, each party's rows, or its factors Z_p and C_p",
	  .readers = FEDSC | KMEANS },
	{ "noise.beta", CONFIG_DOUBLE, AT(noise_beta), 0, 1e6, "0",
	  .help = "sigma in standard deviations; claims no privacy",
	  .readers = FEDSC | KMEANS },
	{ "noise.beta_c", CONFIG_DOUBLE, AT(noise_beta_c), -1, 1e6, "-1",
	  .help = "paper: sigma of C_p in its standard deviations, where noise.beta is Z_p's alone; -1: noise.beta is "
		  "both's",
	  .readers = FEDSC },
	{ "noise.eps", CONFIG_DOUBLE, AT(noise_eps), 1e-6, 1e6, "",
	  .help = "differential privacy: eps; with noise.delta and noise.clip",
	  .readers = FEDSC | KMEANS },
	{ "noise.delta", CONFIG_DOUBLE, AT(noise_delta), 1e-300, 0.5, "",
	  .help = "differential privacy: delta",
	  .readers = FEDSC | KMEANS },
	{ "noise.clip", CONFIG_DOUBLE, AT(noise_clip), 1e-300, 1e300, "",
	  .help = "tau_X: longer rows are shortened to it",
	  .readers = FEDSC | KMEANS },
	{ "noise.ball", CONFIG_DOUBLE, AT(noise_ball), 1e-300, 1e300, "",
	  .help = "factors: tau_Z, the public ball that rows of Z are clipped to",
	  .readers = FEDSC },
	{ "ids", CONFIG_ENUM, AT(ids), .standard = "hashed", .names = ids_names,
	  .help = "how nodes' ids reach the coordinator: as hashes by a key it does not have, or as they are",
	  .readers = FEDSPECTRAL | FEDWALK },
	{ "block", CONFIG_UNSIGNED, AT(block), 1, 1024, "auto", .names = auto_word,
	  .help = "exact: b, columns of a product; \"auto\": max(20, k + 10)",
	  .readers = FEDSPECTRAL },
	{ "mode", CONFIG_ENUM, AT(fedwalk_mode), .standard = "walks", .names = job_fedwalk_names,
	  .help = "walks from device to device, as the paper has them, from which ties can be read; or each "
		  "pair reported once by randomised response, and walks over what was reported",
	  .readers = FEDWALK },
	{ "dissimilarity", CONFIG_ENUM, AT(dissimilarity), .standard = "l1", .names = dissimilarity_names,
	  .help = "of vertices: between their noisy degree vectors; or the paper's, for which each uploads "
		  "its ties",
	  .readers = FEDWALK },
	{ "dtw_rows", CONFIG_UNSIGNED, AT(dtw_rows), 0, 4096, "0",
	  .help = "dtw: longer matrices of degree vectors are averaged down to so many rows; 0: not",
	  .readers = FEDWALK },
	{ "tree", CONFIG_ENUM, AT(hct), .standard = "auto", .names = hct_names,
	  .help = "exact: average linkage of all pairs; landmarks: of sqrt(n) groups and within each; auto: "
		  "exact up to 50000 vertices",
	  .readers = FEDWALK },
	{ "eps", CONFIG_DOUBLE, AT(eps), 1e-3, 1e6, "2",
	  .help = "walks: of the noise on degree vectors and of the encoder; randomized-response: of all ties "
		  "together, 8 where not given",
	  .readers = FEDWALK },
	{ "p", CONFIG_DOUBLE, AT(predict), 0, 1, "0.2",
	  .help = "walks: how often the vertex after the next one is predicted, which saves a message",
	  .readers = FEDWALK },
	{ "bins", CONFIG_UNSIGNED, AT(bins), 1, JOB_BINS_MAX, "auto", .names = auto_word,
	  .help = "walks: k, bins of a degree vector; \"auto\": floor(ln n)",
	  .readers = FEDWALK },
	{ "walks", CONFIG_UNSIGNED, AT(walks), 1, 10000, "80",
	  .help = "gamma, walks from each vertex",
	  .readers = FEDWALK },
	{ "length", CONFIG_UNSIGNED, AT(length), 3, JOB_LENGTH_MAX, "40",
	  .help = "l, vertices of a walk",
	  .readers = FEDWALK },
	{ "window", CONFIG_UNSIGNED, AT(window), 1, 100, "10",
	  .help = "w of SkipGram, at most: each centre takes 1 to w",
	  .readers = FEDWALK },
	{ "dims", CONFIG_UNSIGNED, AT(vector), JOB_FEDWALK_DIMS, JOB_FEDWALK_DIMS, "128",
	  .help = "numbers of an embedding; fixed",
	  .readers = FEDWALK },
	{ "keep_embeddings", CONFIG_BOOL, AT(keep_embeddings), .standard = "true",
	  .help = "the coordinator writes all embeddings too; false: each party has those of its own vertices, "
		  "and nobody else keeps any",
	  .readers = FEDWALK },
	{ "features", CONFIG_ENUM, AT(graph_features), .standard = "structure",
	  .names = job_graph_features_names,
	  .help = "of nodes: degrees and random walks; or, of graphs whose first two attributes are coordinates from "
		  "0 to 3, these and where lines begin at the node; or structure and coordinates",
	  .readers = FEDGCN },
	{ "rounds", CONFIG_UNSIGNED, AT(rounds), 1, ITERATIONS_MAX, "10",
	  .help = "rounds at most",
	  .readers = FEDGCN },
	{ "epochs", CONFIG_UNSIGNED, AT(epochs), 1, ITERATIONS_MAX, "10",
	  .help = "a party's passes over its graphs in a round",
	  .readers = FEDGCN },
	{ "batch", CONFIG_UNSIGNED, AT(batch), 2, 1 << 16, "128",
	  .help = "graphs of a step",
	  .readers = FEDGCN },
	{ "rate", CONFIG_DOUBLE, AT(rate), 1e-9, 1, "1e-3",
	  .help = "Adam's learning rate",
	  .readers = FEDGCN },
	{ "lambda", CONFIG_DOUBLE, AT(lambda), 0, 1e6, "10",
	  .help = "weight of the reconstruction beside the clustering",
	  .readers = FEDGCN },
	{ "prototypes", CONFIG_ENUM, AT(prototypes), .standard = "matched",
	  .names = job_prototypes_names,
	  .help = "what clusters' centres become: means by number; a mixture by EM on sums; the paper's density "
		  "estimate, or those of the party whose clusters are clearest, for both of which each party's go up "
		  "in clear; or each party's own",
	  .readers = FEDGCN },
	{ "aggregation", CONFIG_ENUM, AT(aggregation), .standard = "fedavg",
	  .names = aggregation_names,
	  .help = "of weights: means; means to which parties stay near; means of all but the last layers; or "
		  "none, each party alone",
	  .readers = FEDGCN },
	{ "mu", CONFIG_DOUBLE, AT(mu), 0, 1e6, "0.01",
	  .help = "fedprox: how near",
	  .readers = FEDGCN },
	{ "final", CONFIG_ENUM, AT(final), .standard = "default", .names = final_names,
	  .help = "how graphs are clustered at last: three principal components and a mixture; or k-means, as in "
		  "the paper",
	  .readers = FEDGCN },
	{ "min_cluster", CONFIG_UNSIGNED, AT(min_cluster), 1, CELL_MAX, "5",
	  .help = "fewest graphs behind a prototype that leaves a party",
	  .readers = FEDGCN },
	{ "em", CONFIG_UNSIGNED, AT(em), 1, ITERATIONS_MAX, "10",
	  .help = "gmm: steps of EM in a round, a sum each",
	  .readers = FEDGCN },
	{ "unchanged", CONFIG_DOUBLE, AT(unchanged), 0, 0.99, "0",
	  .help = "ends when no more than this share of all graphs changes its cluster in a round; 0: after all "
		  "rounds",
	  .readers = FEDGCN },
	{ "baselines", CONFIG_ENUM, AT(baselines), .standard = "all", .names = baselines_names,
	  .help = "what parties find beside it for comparison: \"quick\" leaves out training alone, which takes "
		  "as long as the rounds",
	  .readers = FEDGCN },
	{ "secure_sum.group", CONFIG_CHOICE, AT(group_bits), .standard = "ffdhe3072",
	  .names = group_names, .values = group_bits,
	  .help = "the Diffie-Hellman group of RFC 7919" },
	{ "secure_sum.modulus_bits", CONFIG_UNSIGNED, AT(modulus_bits), 32, 64, "64",
	  .help = "32 or 64: sums are taken modulo 2^32 or 2^64; where it is not given kcagc takes 32 if all "
		  "it sums is of unit rows" },
	{ "secure_sum.fraction_bits", CONFIG_UNSIGNED, AT(fraction_bits), 1, 48, "16",
	  .help = "f, bits behind the point",
	  .readers = KCAGC | PREDICT | LANDMARK | GCC },
};
/* clang-format on */

const size_t job_row_count = sizeof(job_rows) / sizeof(*job_rows);

/* The letter of the paper. It asks for "any 10-approximation" as a start: ten runs of greedy
 * k-means++, the best of them, both at a party and jointly. */
const struct config_preset job_preset_paper[] = {
	{ "features", "raw" },
	{ "projection.basis", "unit" },
	{ "projection.dims", "local" },
	{ "projection.unit_rows", "false" },
	{ "projection.row_power", "1" },
	{ "virtual_nodes", "centre" },
	{ "local_restarts", "10" },
	{ "starts", "10" },
	{ "restarts", "10" },
	{ "inner_restarts", "10" },
	{ "inner_iterations", "10" },
	{ "polish", "0" },
	{ "secure_sum.fraction_bits", "32" }, /* unit singular vectors have entries near n^-1/2 */
	{ NULL, NULL },
};

/* Protocol 2 works on all nodes from the start: there is nothing to polish, and each start sums n k
 * words where the others sum m k, so there are fewer. */
const struct config_preset job_preset_basic[] = { { "polish", "0" },
						  { "starts", "40" },
						  { "restarts", "10" },
						  { "screen", "3" },
						  { NULL, NULL } };

/* Small cells are merged, and what sums over single nodes is left out. */
const struct config_preset job_preset_min_cell[] = { { "polish", "0" }, { NULL, NULL } };

/* Inner products of long vectors: more bits behind the point. Both choose their order by GCC's
 * rule. */
const struct config_preset job_preset_landmark[] = {
	{ "filter.order", "auto" },
	{ "polish", "1" },
	{ "secure_sum.fraction_bits", "24" },
	{ NULL, NULL },
};
/* k-means has nothing but its Lloyd rounds; each is small. */
const struct config_preset job_preset_kmeans[] = { { "iterations", "100" }, { NULL, NULL } };

/* A k-means at the coordinator costs no round. */
const struct config_preset job_preset_fedspectral[] = { { "restarts", "100" },
							{ "iterations", "6" },
							{ NULL, NULL } };

/* Less than 8 finds nothing. */
const struct config_preset job_preset_response[] = { { "eps", "8" }, { NULL, NULL } };

const struct config_preset job_preset_gcc[] = {
	{ "filter.order", "auto" },
	{ "polish", "0" },
	{ "secure_sum.fraction_bits", "24" },
	{ NULL, NULL },
};
