/* Runs coterie-lab deepwalk, fedwalk, classify and neighbours as a user does. Compares the
 * functions of classify with the definitions. */
#include "tests/unit/cli/typed.h"

#include "lab/lab.h"
#include "lab/score/multilabel.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "common/data/embeddings.h"

#include <math.h>

/* -- labels ---------------------------------------------------------------------------------- */

static void some_ids(struct ids *ids, const char *text)
{
	assert_ok(ids_parse((struct bytes){ (const uint8_t *)text, strlen(text) }, "ids", ids));
}

static void expect_classes(const struct label_sets *s, size_t i, size_t n, ...)
{
	va_list ap;

	va_start(ap, n);
	assert_int_equal(s->start[i + 1] - s->start[i], n);
	for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
		assert_int_equal(s->class[e], va_arg(ap, unsigned));
	va_end(ap);
}

TEST_WITH(test_labels, dir_enter, dir_leave)
{
	struct label_sets s;
	struct ids ids;

	some_ids(&ids, "2\n0\n10\n"); /* sorted as bytes: 0, 10, 2 */
	put("multi.txt", "7\n3\n20 7 20 5\n\n\n\n\n\n\n\n7 3\n9\n");
	assert_ok(label_sets_read("multi.txt", &ids, &s));
	assert_int_equal(s.n, 3);
	assert_int_equal(s.classes, 4); /* classes 3 5 7 20 */
	expect_classes(&s, 0, 1, 2u);
	expect_classes(&s, 1, 2, 0u, 2u);
	expect_classes(&s, 2, 3, 1u, 2u, 3u);
	assert_int_equal(s.strangers, 2); /* the lines of nodes 1 and 11 have no vertex */
	label_sets_release(&s);
	put("l.csv", "id,label\n10,4\n2,1\n10,1\nx,1\n");
	assert_ok(label_sets_read("l.csv", &ids, &s));
	expect_classes(&s, 0, 0);
	expect_classes(&s, 1, 2, 0u, 1u);
	expect_classes(&s, 2, 1, 0u);
	assert_int_equal(s.strangers, 1);
	label_sets_release(&s);
	/* With an ids.txt in the folder, lines belong to its ids. */
	put("ids.txt", "b\n10\na\n");
	put("named.txt", "1\n2\n3\n");
	assert_ok(label_sets_read("named.txt", &ids, &s));
	expect_classes(&s, 1, 1, 0u);
	assert_int_equal(s.classes, 1);
	label_sets_release(&s);
	put("named.txt", "1\n2\n");
	assert_err(label_sets_read("named.txt", &ids, &s), ERR_INPUT, "2 lines, expected 3");
	put("named.txt", "1\n2\n3\n4\n");
	assert_err(label_sets_read("named.txt", &ids, &s), ERR_INPUT, "named.txt:4: more lines");
	assert_int_equal(unlink("ids.txt"), 0);
	put("bad.txt", "1\nx\n");
	assert_err(label_sets_read("bad.txt", &ids, &s), ERR_INPUT, "bad.txt:2");
	put("bad.txt", "1\n2\n3000000\n");
	assert_err(label_sets_read("bad.txt", &ids, &s), ERR_INPUT, "bad.txt:3");
	put("bad.txt", "\n1\n");
	assert_err(label_sets_read("bad.txt", &ids, &s), ERR_INPUT, "no class of any of the 3");
	assert_err(label_sets_read("none.txt", &ids, &s), ERR_INPUT, "none.txt");
	ids_release(&ids);
}

/* -- logistic regression --------------------------------------------------------------------- */

/* At the minimum the gradient is zero: w = C sum y_i x_i / (1 + exp(y_i w.x_i)), with y_i = 1 for
 * members and -1 for other rows x_i. */
TEST_WITH(test_logistic, dir_enter, dir_leave)
{
	enum { N = 400, M = 3 };
	uint8_t member[N];
	uint32_t row[N];
	double w[M + 1], gradient[M + 1], C = 2;
	struct logistic *l;
	struct mat X;
	struct rng rng;
	size_t right = 0, rows = 0;

	rng_seed(&rng, 1, 0);
	mat_init(&X, N, M);
	for (size_t i = 0; i < N; i++) {
		member[i] = rng_below(&rng, 3) == 0;
		for (size_t j = 0; j < M; j++)
			MAT(&X, i, j) = rng_normal(&rng) + (member[i] && j == 1 ? 1.5 : 0);
		if (i % 4)
			row[rows++] = (uint32_t)i; /* every fourth row is left out of training */
	}
	l = logistic_open(&X);
	logistic_train(l, row, rows, member, C, w);
	for (size_t j = 0; j <= M; j++)
		gradient[j] = w[j];
	for (size_t i = 0; i < rows; i++) {
		double y = member[row[i]] ? 1 : -1;
		double pull = C * y / (1 + exp(y * logistic_value(w, ROW(&X, row[i]), M)));

		for (size_t j = 0; j <= M; j++)
			gradient[j] -= pull * (j < M ? MAT(&X, row[i], j) : 1);
	}
	for (size_t j = 0; j <= M; j++) /* with w = 0, entries would exceed 100 */
		assert_true(fabs(gradient[j]) < 1);
	assert_true(w[1] > 0.8 && fabs(w[0]) < 0.6 && w[M] < -0.5);
	for (size_t i = 0; i < N; i++)
		right += (logistic_value(w, ROW(&X, i), M) > 0) == member[i];
	assert_true(right > 0.75 * N);
	/* Exchanging members and other rows negates the weights. */
	for (size_t i = 0; i < N; i++)
		member[i] = !member[i];
	logistic_train(l, row, rows, member, C, gradient);
	for (size_t j = 0; j <= M; j++)
		assert_true(fabs(gradient[j] + w[j]) < 0.05);
	memset(member, 1, N);
	logistic_train(l, row, rows, member, C, w);
	assert_true(logistic_value(w, ROW(&X, 0), M) > 1e5);
	memset(member, 0, N);
	logistic_train(l, row, rows, member, C, w);
	assert_true(logistic_value(w, ROW(&X, 0), M) < -1e5);
	logistic_close(l);
	mat_release(&X);
}

/* Column c alone determines class c, so all F1 are 1. Without features, F1 follows from the share
 * of the most frequent class. */
TEST_WITH(test_split, dir_enter, dir_leave)
{
	enum { N = 300, CLASSES = 3 };
	size_t start[N + 1] = { 0 };
	uint32_t class[2 * N];
	struct label_sets s = { .n = N, .classes = CLASSES, .start = start, .class = class };
	struct multilabel_params p = { .ratio = 0.5, .C = 100, .seed = 4, .threads = 1 };
	struct multilabel_score score, again;
	struct logistic *l;
	struct mat X;

	mat_init(&X, N, CLASSES);
	for (size_t i = 0; i < N; i++) { /* each vertex has one class or two */
		start[i + 1] = start[i];
		for (uint32_t c = 0; c < CLASSES; c++)
			if (i % CLASSES == c || (i % 2 && (i + 1) % CLASSES == c)) {
				class[start[i + 1]++] = c;
				MAT(&X, i, c) = 1;
			}
	}
	l = logistic_open(&X);
	multilabel_split(l, &X, &s, &p, 0, &score);
	assert_true(score.trained == 150 && score.tested == 150);
	assert_true(score.micro == 1 && score.macro == 1);
	p.ratio = 0.001;
	multilabel_split(l, &X, &s, &p, 0, &score);
	assert_true(score.trained == 1 && score.tested == N - 1);
	p.ratio = 0.999;
	multilabel_split(l, &X, &s, &p, 0, &score);
	assert_true(score.trained == N - 1 && score.tested == 1);
	logistic_close(l);
	/* Features are all zero, so every vertex gets the most frequent class. */
	for (size_t i = 0; i < N; i++) {
		start[i + 1] = i + 1;
		class[i] = i % 10 == 0 ? 1 + i / 10 % 2 : 0;
		for (size_t c = 0; c < CLASSES; c++)
			MAT(&X, i, c) = 0;
	}
	l = logistic_open(&X);
	p.ratio = 0.5;
	multilabel_split(l, &X, &s, &p, 1, &score);
	assert_true(score.micro > 0.8 && score.micro < 0.98);
	/* Micro-F1 is the share q of class 0. Class 0 has F1 2 q / (1 + q), and the other two
	 * classes have F1 0. */
	assert_true(fabs(score.macro - 2 * score.micro / (1 + score.micro) / 3) < 1e-12);
	p.threads = 3;
	multilabel_split(l, &X, &s, &p, 1, &again);
	assert_true(again.micro == score.micro && again.macro == score.macro);
	logistic_close(l);
	mat_release(&X);
}

/* -- commands -------------------------------------------------------------------------------- */

enum { HALF = 15 };

/* Writes two cliques, 0 .. 14 and 15 .. 29, joined by the edge 0 - 15. */
static void put_cliques(const char *more)
{
	struct buf text = { 0 };

	for (int c = 0; c < 2; c++)
		for (int i = 0; i < HALF; i++)
			for (int j = i + 1; j < HALF; j++)
				buf_printf(&text, "%d\t%d\n", c * HALF + i, c * HALF + j);
	buf_printf(&text, "0 15\n%s", more);
	assert_ok(file_write("edges.tsv", (struct bytes){ text.p, text.n }, FILE_PUBLIC));
	buf_release(&text);
}

static void put_truth(void)
{
	struct buf text = { 0 };

	for (int i = 0; i < 2 * HALF; i++)
		buf_printf(&text, "%d%s\n", i / HALF, i % 5 ? "" : " 2");
	assert_ok(file_write("labels.txt", (struct bytes){ text.p, text.n }, FILE_PUBLIC));
	buf_release(&text);
}

/* Returns the mean of a score for the first training ratio in the last command's output. */
static double said_mean(const char *name)
{
	struct json *v;
	double x;

	assert_ok(json_parse((struct bytes){ (uint8_t *)said, strlen(said) }, "said", &v));
	x = json_number(json_get(json_get(json_first(json_get(v, "scores")), name), "mean"));
	json_free(v);
	return x;
}

static void check_cliques(const char *what)
{
	struct embeddings e;
	struct json *v;
	char line[100];

	assert_ok(embeddings_read(what, &e));
	assert_true(e.X.cols == 128 && e.ids.n == 2 * HALF);
	embeddings_release(&e);
	snprintf(line, sizeof(line), "--embeddings %s --labels labels.txt --repeats 3", what);
	assert_int_equal(run_command(classify_main, line), 0);
	assert_true(said_number("with_classes") == 2 * HALF && said_number("classes") == 3);
	assert_true(said_mean("micro_f1") > 0.75);
	snprintf(line, sizeof(line), "--embeddings %s --id 20 --count 8", what);
	assert_int_equal(run_command(neighbours_main, line), 0);
	assert_ok(json_parse((struct bytes){ (uint8_t *)said, strlen(said) }, "said", &v));
	assert_int_equal(json_count(json_get(v, "neighbours")), 8);
	for (const struct json *o = json_first(json_get(v, "neighbours")); o; o = json_next(o)) {
		int id = atoi(json_string(json_get(o, "id")));

		assert_true(id >= HALF && id != 20);
		if (json_next(o))
			assert_true(json_number(json_get(o, "cosine")) >=
				    json_number(json_get(json_next(o), "cosine")));
	}
	json_free(v);
}

TEST_WITH(test_deepwalk, dir_enter, dir_leave)
{
	put_cliques("");
	put_truth();
	assert_int_equal(run_command(deepwalk_main, "-e edges.tsv -o dw --walks 100 --window 5"),
			 0);
	assert_true(said_number("vertices") == 30 && said_number("edges") == 211);
	assert_true(said_number("tokens") == 30 * 100 * 40);
	assert_true(file_exists("dw/result.json"));
	check_cliques("dw");
	assert_int_equal(
	    run_command(deepwalk_main, "-e edges.tsv -o again --walks 100 --window 5 --threads 3"),
	    0);
	assert_int_equal(system("cmp dw/embeddings.npy again/embeddings.npy"), 0);
}

TEST_WITH(test_fedwalk, dir_enter, dir_leave)
{
	static const char *const ways[] = { "l1", "dtw", "dtw-32", "landmarks" };
	char line[200], out[8];

	put_cliques("");
	put_truth();
	for (int i = 0; i < 4; i++) {
		snprintf(out, sizeof(out), "fw%d", i);
		snprintf(line, sizeof(line),
			 "-e edges.tsv -o %s -p 0.1 --walks 100 --window 5 --dissimilarity %s", out,
			 ways[i]);
		assert_int_equal(run_command(fedwalk_main, line), 0);
		assert_true(said_number("tokens") == 30 * 100 * 40 && said_number("bins") == 3);
		assert_non_null(strstr(said, "\"edge_attack\""));
		assert_non_null(strstr(said, "\"by_the_paper\": 35.35"));
		assert_true(!strstr(said, "ordered degree matrices") == (i == 0 || i == 3));
		check_cliques(out);
	}
	assert_int_equal(run_command(fedwalk_main, "-e edges.tsv -o rr --walks 100 --window 5 "
						   "--mode randomized-response --epsilon 6"),
			 0);
	assert_true(said_number("reported") > 190 && said_number("reported") < 240);
	check_cliques("rr");
	/* Vertices without edges have a row of zeros and occur in no walk. */
	put_cliques("");
	assert_int_equal(system("seq 0 31 > ids.txt"), 0);
	assert_int_equal(
	    run_command(fedwalk_main, "-e edges.tsv --ids ids.txt -o fw -p 0.5 --walks 20"), 0);
	assert_true(said_number("isolated") == 2 && said_number("tokens") == 30 * 20 * 40);
	assert_int_equal(run_command(neighbours_main, "-e fw -i 31 -n 1"), 0);
	assert_non_null(strstr(said, "\"cosine\": 0\n"));
}

TEST_WITH(test_refusals, dir_enter, dir_leave)
{
	put_cliques("");
	put_truth();
	expect_command(deepwalk_main, "-e edges.tsv", 4, "--edges and --out are needed");
	expect_command(deepwalk_main, "-e none.tsv -o o", 4, "none.tsv");
	expect_command(deepwalk_main, "-e edges.tsv -o o --length 2", 4, "--length is \"2\"");
	expect_command(deepwalk_main, "-e edges.tsv -o o x", 4, "unexpected argument: x");
	expect_command(fedwalk_main, "-e edges.tsv -o o -p 1.5", 4, "--predict is \"1.5\"");
	expect_command(fedwalk_main, "-e edges.tsv -o o --epsilon 0", 4, "--epsilon is \"0\"");
	expect_command(fedwalk_main, "-e edges.tsv -o o --epsilon -1", 4, "--epsilon is \"-1\"");
	expect_command(fedwalk_main, "-e edges.tsv -o o --mode open", 4, "--mode is \"open\"");
	expect_command(fedwalk_main, "-e edges.tsv -o o -d l2", 4, "--dissimilarity is \"l2\"");
	expect_command(fedwalk_main, "-e edges.tsv -o o --mode randomized-response --epsilon 50", 4,
		       "eps of the response is 50");
	put("edges.tsv", "a b\nb c\n");
	expect_command(fedwalk_main, "-e edges.tsv -o o --bins 4", 4, "4 bins for 3 vertices");
	put("edges.tsv", "# none\n");
	expect_command(deepwalk_main, "-e edges.tsv -o o", 4, "no edges");
	expect_command(classify_main, "-e none -l labels.txt", 4, "none/embeddings.npy");
	expect_command(classify_main, "-e none", 4, "--embeddings and --labels are needed");
	expect_command(classify_main, "-e n -l l --train-ratio 0.5,1", 4, "--train-ratio is \"1\"");
	put("edges.tsv", "0 1\n1 2\n");
	assert_int_equal(run_command(deepwalk_main, "-e edges.tsv -o o --walks 1"), 0);
	expect_command(classify_main, "-e o -l none.txt", 4, "none.txt");
	put("labels.txt", "1\n1\n1\n");
	expect_command(classify_main, "-e o -l labels.txt", 4, "all vertices have the same class");
	put("labels.txt", "1\n");
	expect_command(classify_main, "-e o -l labels.txt", 4, "classes of one vertex");
	expect_command(neighbours_main, "-e o -i 7", 4, "\"7\" is none of the 3 ids");
	expect_command(neighbours_main, "-e o", 4, "--embeddings and --id are needed");
}
