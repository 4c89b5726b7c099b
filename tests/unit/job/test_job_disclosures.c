/* A job lists the disclosures that apply to it, each of them once, and none that do not apply. */
#include "jobs.h"

enum { ROOM = 32 }; /* most disclosures in run.json and in a party's log */

#define ANCHOR  "\"kind\": \"fedsc\", \"clusters\": 7"
#define DENSE   ANCHOR ", \"variant\": \"dense\""
#define PAPER   ANCHOR ", \"variant\": \"paper\""
#define KMEANS  "\"kind\": \"kmeans\", \"clusters\": 7"
#define LOSSY   ", \"on_loss\": \"attempt\""
#define BY_BETA ", \"noise\": {\"on\": \"data\", \"beta\": 1}"
#define BY_EPS  ", \"noise\": {\"on\": \"data\", \"eps\": 1, \"delta\": 1e-5, \"clip\": 1}"
#define IN_SUMS ", \"noise\": {\"on\": \"sums\", \"eps\": 1, \"delta\": 1e-5, \"clip\": 1}"
#define OF_FACTORS                                                                                 \
	", \"dims\": 9, \"kernel\": {\"width\": 1}, \"noise\": {\"on\": \"factors\", \"eps\": 1, " \
	"\"delta\": 1e-5, \"clip\": 1, \"ball\": 1}"

static const struct {
	const char *job, *text;
	size_t parties;
	bool said;
} cases[] = {
	/* every job */
	{ "{" MIN TREE "}", "final cluster", 4, true },
	{ "{" MODEL "}", "final cluster", 4, true },
	{ "{" MIN TREE "}", "names of all parties", 4, true },
	{ "{" MIN TREE "}", "nothing is masked", 1, true },
	{ "{" MIN TREE "}", "nothing is masked", 2, false },
	{ "{" MIN TREE "}", "differential privacy", 2, true },
	/* a party that drops out */
	{ "{" KMEANS "}", "dropped out", 4, false },
	{ "{" KMEANS LOSSY "}", "that party's numbers alone", 4, true },
	{ "{" KMEANS LOSSY BY_EPS "}", "that party's numbers alone", 4, true },
	{ "{" KMEANS LOSSY
	  ", \"noise\": {\"on\": \"sums\", \"eps\": 1, \"delta\": 1e-5, \"clip\": 1}}",
	  "without that party have independent noise", 4, true },
	{ "{" KMEANS LOSSY
	  ", \"noise\": {\"on\": \"sums\", \"eps\": 1, \"delta\": 1e-5, \"clip\": 1}}",
	  "that party's numbers alone", 4, false },
	/* which parties must be trusted */
	{ "{" MIN TREE "}", "one of the two parties of a sum", 4, true },
	{ "{" MIN TREE "}", "all parties except one", 4, false },
	{ "{" MIN ", \"method\": \"flat\"}", "one of the two parties of a sum", 4, false },
	{ "{" MIN ", \"method\": \"flat\"}", "one of the two parties of a sum", 2, true },
	{ "{" MIN ", \"method\": \"flat\"}", "one of the two parties of a sum", 1, false },
	{ "{" MIN ", \"method\": \"flat\"}", "all parties except one", 4, true },
	{ "{" JOB ", \"method\": \"landmark\"}", "all parties except one", 4, true },
	{ "{" JOB ", \"method\": \"gcc\"}", "all parties except one", 4, true },
	{ "{" MODEL "}", "all parties except one", 4, true },
	/* local clusters and cells */
	{ "{" MIN TREE "}", "local clusters of each party", 4, true },
	{ "{" MIN ", \"method\": \"flat\"}", "local clusters of each party", 4, true },
	{ "{" MIN ", \"method\": \"basic\"}", "local clusters of each party", 4, false },
	{ "{" JOB ", \"method\": \"landmark\"}", "local clusters of each party", 4, true },
	{ "{" JOB ", \"method\": \"gcc\"}", "local clusters of each party", 4, false },
	{ "{" MIN TREE "}", "party of a sum learns the local clusters of the others", 4, true },
	{ "{" MIN ", \"method\": \"basic\"}",
	  "party of a sum learns the local clusters of the others", 4, false },
	{ "{" JOB ", \"method\": \"landmark\"}", "from the cells", 4, false },
	{ "{" MIN TREE "}", "a cell has one node", 4, true },
	{ "{" MIN TREE ", \"min_cell\": 2}", "a cell has one node", 4, false },
	{ "{" MIN ", \"method\": \"basic\"}", "a cell has one node", 4, false },
	{ "{" MIN ", \"preset\": \"paper\"}", "a cell has one node", 4, false },
	{ "{" MIN ", \"preset\": \"paper\"}", "virtual nodes are local centres", 4, true },
	{ "{" MIN ", \"preset\": \"paper\", \"method\": \"basic\"}",
	  "virtual nodes are local centres", 4, false },
	{ "{" MIN TREE "}", "virtual nodes are local centres", 4, false },
	/* distances */
	{ "{" MIN TREE "}", "in each start and iteration, the coordinator sees the squared", 4,
	  true },
	{ "{" MIN ", \"method\": \"basic\"}", "in each start and iteration", 4, false },
	{ "{" JOB ", \"method\": \"gcc\"}", "in each start and iteration", 4, false },
	{ "{" MIN TREE "}", "summed squared distance of each node to each centre", 4,
	  true }, /* the polish */
	{ "{" MIN TREE ", \"polish\": 0}", "summed squared distance of each node", 4, false },
	{ "{" MIN ", \"method\": \"basic\"}", "summed squared distance of each node", 4, true },
	{ "{" JOB ", \"method\": \"landmark\"}", "summed squared distance of each node", 4, false },
	{ "{" MIN TREE "}", "each node or cell after each iteration", 4, true },
	/* gram */
	{ "{" MIN TREE ", \"exchange\": \"gram\"}", "inner product of any two virtual nodes", 4,
	  true },
	{ "{" MIN TREE "}", "inner product of any two", 4, false },
	{ "{" MIN TREE ", \"exchange\": \"gram\"}", "in each start and iteration", 4, false },
	{ "{" MIN TREE ", \"exchange\": \"gram\"}", "the cluster of each cell", 4, true },
	{ "{" MIN TREE "}", "the cluster of each cell", 4, false },
	{ "{" MIN TREE ", \"exchange\": \"gram\"}", "after each iteration", 4, true }, /* polish */
	{ "{" MIN TREE ", \"exchange\": \"gram\", \"polish\": 0}", "after each iteration", 4,
	  false },
	/* landmark */
	{ "{" JOB ", \"method\": \"landmark\"}", "the means of 2k + 10 sets of nodes", 4, true },
	{ "{" JOB ", \"method\": \"landmark\"}", "embedding of all nodes in k + 10 dimensions", 4,
	  true },
	{ "{" JOB ", \"method\": \"landmark\"}", "similarities of any two nodes", 4, true },
	{ "{" JOB ", \"method\": \"landmark\"}", "computed from all parties' local clusters", 4,
	  true },
	{ "{" JOB ", \"method\": \"landmark\"}", "basis close to the joint left singular vectors",
	  4, true },
	{ "{" JOB ", \"method\": \"landmark\", \"landmark\": {\"power\": false}}",
	  "left singular vectors", 4, false },
	{ "{" JOB ", \"method\": \"landmark\"}", "the mean of each cluster", 4, true },
	{ "{" JOB ", \"method\": \"landmark\", \"polish\": 0}", "the mean of each cluster", 4,
	  false },
	{ "{" JOB ", \"method\": \"landmark\"}", "each node after each iteration", 4, true },
	{ "{" JOB ", \"method\": \"landmark\", \"polish\": 0}", "after each iteration", 4, false },
	{ "{" JOB ", \"method\": \"landmark\"}", "a set has one node", 4, true },
	{ "{" JOB ", \"method\": \"landmark\", \"min_cell\": 5}", "a set has one node", 4, false },
	{ "{" JOB ", \"method\": \"landmark\"}", "the modularity of each", 4, true },
	{ "{" JOB ", \"method\": \"gcc\"}", "the modularity of each", 4, true },
	{ "{" MIN TREE "}", "2k + 10 sets", 4, false },
	{ "{" MIN TREE "}", "left singular vectors", 4, false },
	/* gcc */
	{ "{" JOB ", \"method\": \"gcc\"}", "more than distances to centres disclose", 4, true },
	{ "{" JOB ", \"method\": \"landmark\"}", "more than distances to centres", 4, false },
	{ "{" JOB ", \"method\": \"gcc\"}", "the joint leading left singular vectors", 4, true },
	{ "{" JOB ", \"method\": \"gcc\"}", "each node after each iteration", 4, true },
	{ "{" JOB ", \"method\": \"gcc\"}", "2k + 10 sets", 4, false },
	{ "{" JOB ", \"method\": \"gcc\"}", "all parties' local clusters", 4, false },
	{ "{" JOB ", \"method\": \"gcc\"}", "a set has one node", 4, false },
	{ "{" JOB ", \"method\": \"gcc\"}", "the mean of each cluster", 4, false },
	/* norms, binary features, numbers of columns */
	{ "{" MIN TREE ", \"joint_norm\": true}", "joint norm of each node's row", 4, true },
	{ "{" MIN TREE "}", "joint norm", 4, false },
	{ "{" JOB ", \"method\": \"landmark\"}", "joint norm of each node's row", 4, true },
	{ "{" JOB ", \"method\": \"gcc\"}", "joint norm of each node's row", 4, true },
	{ "{" MIN TREE ", \"joint_norm\": true}", "the norms of the other's rows", 4, false },
	{ "{" MIN TREE ", \"joint_norm\": true}", "the norms of the other's rows", 2, true },
	{ "{" MIN TREE "}", "the norms of the other's rows", 2, false },
	{ "{" JOB ", \"method\": \"gcc\"}", "binary features only", 4, true },
	{ "{" MIN TREE "}", "binary features", 4, false },
	{ "{" JOB ", \"method\": \"landmark\"}", "how many columns", 4, true },
	{ "{" MIN TREE "}", "how many columns", 4, false },
	/* the order of the filter */
	{ "{" AUTO TREE "}", "for each filter order", 4, true },
	{ "{" AUTO TREE "}", "the modularity of the parties' own clusters", 4, true },
	{ "{" AUTO ", \"preset\": \"paper\"}", "modularity", 4, false },
	{ "{" MIN TREE "}", "modularity", 4, false },
	{ "{" MIN TREE "}", "order", 4, false },
	{ "{" JOB ", \"method\": \"landmark\"}", "for each filter order", 4, true },
	{ "{" MIN ", \"method\": \"gcc\"}", "for each filter order", 4, true },
	/* disclosures of kCAGC that prediction does not have */
	{ "{" MODEL "}", "local clusters of each party", 4, false },
	{ "{" MODEL "}", "virtual", 4, false },
	/* disclosures of prediction */
	{ "{" MODEL "}", "each centre of the model", 4, true },
	{ "{" MODEL "}", "two jobs use the same model", 4, true },
	{ "{" MIN TREE "}", "model", 4, false },
	{ "{" MODEL ", \"joint_norm\": true}", "joint norm of each node's row", 4, true },
	{ "{" MODEL "}", "joint norm", 4, false },
	/* various: one party, iterations, prediction */
	{ "{" MIN TREE "}", "one of the two parties of a sum", 1, false },
	{ "{" MIN ", \"method\": \"flat\"}", "all parties except one", 1, false },
	{ "{" MIN TREE ", \"polish\": 0}", "each node or cell after each iteration", 4, true },
	{ "{" JOB ", \"method\": \"gcc\"}", "basis", 4, false },
	{ "{" MODEL "}", "after each iteration", 4, false },
	{ "{" MODEL "}", "squared distance of each node to each centre", 4, true },
	{ "{" MODEL "}", "two jobs use the same model", 4, true },
	{ "{" MODEL "}", "all parties except one", 4, true },
	{ "{" MODEL "}", "one of the two parties of a sum", 2, true },
	{ "{" MODEL "}", "joint norm", 4, false },
	{ "{" MODEL ", \"joint_norm\": true}", "joint norm of each node's row", 4, true },
	/* fedsc and kmeans */
	{ "{" ANCHOR "}", "names of all parties", 4, true },
	{ "{" KMEANS "}", "the number of rows of all parties together", 4, true },
	{ "{" ANCHOR "}", "unmasked", 4, false },
	{ "{" DENSE "}", "unmasked", 4, false },
	{ "{" PAPER "}", "uploads each party's coefficients C unmasked", 4, true },
	{ "{" PAPER "}", "each party alone sees", 4, false },
	{ "{" ANCHOR "}", "each party alone sees the clusters of its own rows", 4, true },
	{ "{" PAPER "}", "the cluster of each row", 4, true },
	{ "{" DENSE "}", "the cluster of each row", 4, false },
	{ "{" ANCHOR "}", "differ by one row disclose that row, and the coordinator can identify",
	  4, true },
	{ "{" KMEANS "}", "differ by one row disclose that row, and the coordinator can identify",
	  4, true },
	{ "{" ANCHOR "}", "the product of the row's two weights", 4, true },
	{ "{" DENSE "}", "rows link any two landmarks", 4, false },
	{ "{" KMEANS "}", "embedding", 4, false },
	{ "{" PAPER "}", "embedding", 4, false },
	{ "{" DENSE "}", "the mean of their embeddings", 4, true },
	/* Stage I */
	{ "{" ANCHOR "}", "dictionary Z", 4, false },
	{ "{" DENSE "}", "after each round, coordinator and parties see the dictionary Z", 4,
	  true },
	{ "{" DENSE ", \"rounds\": 0}",
	  "after each round, coordinator and parties see the dictionary Z", 4, false },
	{ "{" DENSE "}", "rounds that differ by one party", 4, false },
	{ "{" DENSE "}", "mean distances between rows", 4, true },
	{ "{" DENSE ", \"kernel\": {\"width\": 1}}", "mean distances between", 4, false },
	{ "{" DENSE "}", "and chooses d by them", 4, true },
	{ "{" DENSE ", \"dims\": 9}", "and chooses d by them", 4, false },
	{ "{" KMEANS "}", "dictionary", 4, false },
	/* noise */
	{ "{" ANCHOR "}", "sums alone do not give it", 4, true },
	{ "{" ANCHOR "}", "with its noise", 4, false },
	{ "{" ANCHOR "}", "sends false numbers", 2, true },
	{ "{" ANCHOR "}", "sends false numbers", 1, false },
	{ "{" ANCHOR BY_EPS "}", "sends false numbers", 4, false },
	{ "{" ANCHOR BY_BETA "}", "sends false numbers", 4, true },
	{ "{" KMEANS IN_SUMS "}", "sends false numbers", 4, false },
	{ "{" ANCHOR BY_EPS "}", "-private for each row, by the analytic Gaussian", 4, true },
	{ "{" KMEANS BY_EPS "}", "-private for each row, by the analytic Gaussian", 4, true },
	{ "{" ANCHOR IN_SUMS "}", "-private for each row, by the discrete Gaussian", 4, true },
	{ "{" KMEANS IN_SUMS "}", "-private for each row, by the discrete Gaussian", 4, true },
	{ "{" ANCHOR IN_SUMS "}", "with noise, how strongly rows link any two landmarks", 4, true },
	{ "{" KMEANS IN_SUMS "}", "rows link any two landmarks", 4, false },
	{ "{" ANCHOR BY_EPS "}", "sums alone do not give it", 4, false },
	{ "{" ANCHOR BY_EPS "}", "the coordinator can identify", 4, false },
	{ "{" ANCHOR BY_EPS "}", "disclose that row, with its noise", 4, true },
	{ "{" ANCHOR BY_BETA "}", "rows harder to reconstruct, but claims no differential privacy",
	  4, true },
	{ "{" ANCHOR BY_BETA "}", "-private", 4, false },
	{ "{" PAPER OF_FACTORS "}", "coefficients C unmasked, with noise", 4, true },
	{ "{" PAPER OF_FACTORS "}", "coefficients C unmasked. ", 4, false },
	{ "{" PAPER OF_FACTORS "}",
	  "rows harder to reconstruct, but claims no differential privacy", 4, true },
	{ "{" PAPER OF_FACTORS "}", "the coordinator can identify", 4, true },
	{ "{" ANCHOR "}", "one of the two parties of a sum", 2, true },
	{ "{" ANCHOR "}", "all parties except one", 4, true },
	{ "{" KMEANS "}", "each of the two parties learns the other's number of rows", 2, true },
	{ "{" KMEANS "}", "each of the two parties learns", 3, false },
};

TEST(test_said_where_it_applies)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *disclosures[ROOM];
		size_t n, said = 0;
		struct job j;

		assert_ok(parse(&j, cases[i].job, NULL));
		n = job_disclosures(&j, cases[i].parties, disclosures, ROOM);
		for (size_t s = 0; s < n; s++)
			said += strstr(disclosures[s], cases[i].text) != NULL;
		if ((said > 0) != cases[i].said)
			fail_msg("case %zu: \"%s\"", i, cases[i].text);
	}
}

/* No disclosure is listed twice. A short array gets the first disclosures; ROOM suffices for all of
 * them. */
TEST(test_sentences_of_all_jobs)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *disclosures[ROOM], *few[3] = { NULL, NULL, "untouched" };
		struct job j;
		size_t n;

		assert_ok(parse(&j, cases[i].job, NULL));
		n = job_disclosures(&j, cases[i].parties, disclosures, ROOM);
		assert_in_range(n, 3, ROOM - 1);
		for (size_t a = 0; a < n; a++)
			for (size_t b = 0; b < a; b++)
				assert_string_not_equal(disclosures[a], disclosures[b]);
		assert_int_equal(job_disclosures(&j, cases[i].parties, few, 2), 2);
		assert_ptr_equal(few[0], disclosures[0]);
		assert_ptr_equal(few[1], disclosures[1]);
		assert_string_equal(few[2], "untouched");
	}
}
