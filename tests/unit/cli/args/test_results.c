/* Runs eval, synth and show as a user does. */
#include "tests/unit/cli/typed.h"

#include "cli/args/args.h"
#include "common/base/file.h"
#include "common/base/json.h"

TEST_WITH(test_eval, dir_enter, dir_leave)
{
	put("truth.txt", "0\n0\n1\n1\n2\n2\n");
	put("right.csv", "id,label\n0,5\n1,5\n2,3\n3,3\n4,0\n5,0\n");
	put("one-off.txt", "5\n5\n3\n3\n0\n3\n");
	expect_command(eval_main, "--truth truth.txt right.csv", 0, "\"acc\": 1,");
	assert_true(said_number("nmi") == 1 && said_number("ari") == 1 && said_number("f1") == 1);
	assert_true(said_number("rows") == 6 && said_number("excluded") == 0);
	assert_int_equal(run_command(eval_main, "--truth truth.txt one-off.txt"), 0);
	assert_true(said_number("acc") == 5.0 / 6);
	put("exclude.txt", "# without a class\n5\n");
	assert_int_equal(
	    run_command(eval_main, "--truth truth.txt --exclude exclude.txt one-off.txt"), 0);
	assert_true(said_number("acc") == 1 && said_number("rows") == 5 &&
		    said_number("excluded") == 1);
	/* If both files have ids, rows are matched by id. */
	put("truth.csv", "id,label\na,0\nb,1\nc,1\n");
	put("found.csv", "id,label\nc,0\na,1\nb,0\n");
	expect_command(eval_main, "--truth truth.csv found.csv", 0, "\"acc\": 1,");
	put("other.csv", "id,label\nc,0\na,1\nd,0\n");
	expect_command(eval_main, "--truth truth.csv other.csv", 4,
		       "truth.csv has the id b, other.csv has c in its place");
}

TEST_WITH(test_eval_refusals, dir_enter, dir_leave)
{
	put("truth.txt", "0\n0\n1\n");
	put("two.txt", "0\n0\n");
	put("out.txt", "3\n");
	put("all.txt", "0\n1\n2\n");
	put("twice.csv", "id,label\na,0\na,1\nc,1\n");
	expect_command(eval_main, "--truth truth.txt two.txt", 4,
		       "truth.txt has 3 labels, two.txt has 2");
	expect_command(eval_main, "--truth truth.txt none.txt", 4, "none.txt: No such file");
	expect_command(eval_main, "--truth truth.txt --exclude out.txt truth.txt", 4,
		       "out.txt:1: the row is \"3\"");
	expect_command(eval_main, "--truth truth.txt --exclude all.txt truth.txt", 4,
		       "all.txt excludes all 3 rows");
	expect_command(eval_main, "--truth twice.csv twice.csv", 4, "has the id a twice");
	expect_command(eval_main, "truth.txt", 4, "--truth FILE and LABELS are needed");
}

/* eval joins the labels of parties that have different rows, with the files in any order. */
TEST_WITH(test_eval_joined, dir_enter, dir_leave)
{
	put("truth.txt", "0\n0\n1\n1\n2\n2\n");
	put("a.csv", "id,label\n4,0\n0,5\n2,3\n");
	put("b.csv", "id,label\n1,5\n5,0\n3,0\n");
	assert_int_equal(run_command(eval_main, "--truth truth.txt a.csv b.csv"), 0);
	assert_true(said_number("acc") == 5.0 / 6 && said_number("rows") == 6);
	/* Excludes row 3 by its number in the truth. */
	put("exclude.txt", "3\n");
	assert_int_equal(
	    run_command(eval_main, "--truth truth.txt --exclude exclude.txt b.csv a.csv"), 0);
	assert_true(said_number("acc") == 1 && said_number("rows") == 5);
	/* Rows are matched by ids. */
	put("truth.csv", "id,label\nx,0\ny,1\nz,1\n");
	put("one.csv", "id,label\nz,7\n");
	put("two.csv", "id,label\ny,7\nx,2\n");
	expect_command(eval_main, "--truth truth.csv one.csv two.csv", 0, "\"acc\": 1,");
	expect_command(eval_main, "--truth truth.txt a.csv one.csv", 4,
		       "truth.txt has 6 labels, a.csv and 1 more have 4");
	expect_command(eval_main, "--truth truth.txt a.csv two.csv one.csv", 4,
		       "a.csv and 2 more: the id x is no row of truth.txt, which has 6 and no ids");
	put("b.csv", "id,label\n1,5\n5,0\n6,0\n");
	expect_command(eval_main, "--truth truth.txt a.csv b.csv", 4, "the id 6 is no row");
	put("b.csv", "id,label\n1,5\n5,0\n2,0\n");
	expect_command(eval_main, "--truth truth.txt a.csv b.csv", 4, "the id 2 is there twice");
	put("b.txt", "1\n2\n3\n");
	expect_command(eval_main, "--truth truth.txt a.csv b.txt", 4,
		       "b.txt: labels without ids, expected a .csv with ids");
}

TEST_WITH(test_eval_paper_similarity, dir_enter, dir_leave)
{
	put("truth.txt", "0\n0\n0\n1\n1\n");
	put("one.txt", "4\n4\n4\n4\n4\n");
	/* 4 of 25 ordered pairs are in one class but in different clusters */
	put("torn.txt", "4\n4\n3\n3\n3\n");
	assert_int_equal(run_command(eval_main, "--truth truth.txt one.txt"), 0);
	assert_null(strstr(said, "similarity"));
	assert_int_equal(run_command(eval_main, "--truth truth.txt --paper-similarity one.txt"), 0);
	assert_true(said_number("similarity") == 1 && said_number("ari") == 0);
	assert_int_equal(run_command(eval_main, "--truth truth.txt --paper-similarity torn.txt"),
			 0);
	assert_true(said_number("similarity") == 1 - 4.0 / 25);
	expect_command(eval_main, "--help", 0, "random labels score");
}

/* Each party has labels of some nodes. A node that two parties have must have one label. */
TEST_WITH(test_eval_of_several, dir_enter, dir_leave)
{
	put("truth.csv", "id,label\na,0\nb,1\nc,1\nd,0\n");
	put("first.csv", "id,label\nc,3\na,9\n");
	put("second.csv", "id,label\nb,3\nd,9\nc,3\n");
	put("third.csv", "id,label\nd,9\nb,9\n");
	assert_int_equal(run_command(eval_main, "--truth truth.csv first.csv second.csv"), 0);
	assert_true(said_number("acc") == 1 && said_number("rows") == 4);
	expect_command(eval_main, "--truth truth.csv second.csv third.csv", 4,
		       "second.csv and 1 more: the id b is there twice, with the labels 3 and 9");
	expect_command(eval_main, "--truth truth.csv first.csv first.csv", 4,
		       "truth.csv has 4 labels, first.csv and 1 more have 2");
	/* A truth without ids has the rows 0, 1, ... */
	put("truth.txt", "7\n7\n8\n");
	put("first.csv", "id,label\n2,0\n0,1\n");
	put("second.csv", "id,label\n1,1\n0,1\n");
	assert_int_equal(run_command(eval_main, "--truth truth.txt first.csv second.csv"), 0);
	assert_true(said_number("acc") == 1 && said_number("rows") == 3);
	put("second.csv", "id,label\n3,1\n0,1\n");
	expect_command(eval_main, "--truth truth.txt first.csv second.csv", 4,
		       "the id 3 is no row of truth.txt");
}

TEST_WITH(test_refusals, dir_enter, dir_leave)
{
	expect_command(synth_main, "--nodes 10", 4, "--out is missing");
	expect_command(synth_main, "--out d --nodes x", 4,
		       "--nodes is \"x\", expected a whole number from 2");
	expect_command(synth_main, "--out d --homophily 1.5", 4,
		       "--homophily is \"1.5\", expected a number from 0 to 1");
	expect_command(synth_main, "--out d --nodes 10 --clusters 11", 4,
		       "11 classes, expected at most as many as nodes, 10");
	expect_command(synth_main, "--out /proc/none", 1, "/proc/none");
	expect_command(show_main, "", 4, "the run's directory is missing");
	expect_command(show_main, "nothing", 4, "nothing/run.json: No such file");
	put("run.json", "[]");
	expect_command(show_main, ".", 4, "run.json: expected schema_version 1");
	put("run.json", "{\"schema_version\": 2}");
	expect_command(show_main, ".", 4, "expected schema_version 1");
}

/* A coordinator's run.json with one phase and the traffic of two peers. show accepts that other
 * values are missing. */
static const char coordinator[] =
    "{\"schema_version\": 1, \"software\": \"coterie x\", \"name\": \"hub\", \"status\": \"done\", "
    "\"elapsed_s\": 0.75,"
    " \"rounds\": 12, \"job\": {\"kind\": \"kcagc\", \"clusters\": 2, \"method\": \"tree\", "
    "\"preset\": \"default\", \"seed\": 4},"
    " \"phases\": [{\"name\": \"local\", \"compute_s\": 0.5, \"wait_s\": 0.125, \"wire_s\": "
    "0.0625, \"rounds\": 12}, 7],"
    " \"traffic\": [{\"peer\": \"a\", \"type\": \"MASKED\", \"messages_sent\": 3, \"bytes_sent\": "
    "100, \"messages_received\": 5,"
    " \"bytes_received\": 123456}, {\"peer\": \"b\", \"messages_sent\": 4, \"bytes_sent\": 11, "
    "\"bytes_received\": 44}]}";

TEST_WITH(test_show, dir_enter, dir_leave)
{
	assert_ok(file_make_dirs("out/coordinator"));
	assert_ok(file_make_dirs("out/party-00"));
	assert_ok(file_make_dirs("out/work")); /* a directory without a run.json */
	put("out/coordinator/run.json", coordinator);
	put("out/party-00/run.json",
	    "{\"schema_version\": 1, \"name\": \"bank-a\", \"rounds\": 12, \"elapsed_s\": 0.5}");
	put("out/party-00/labels.csv", "id,label\nx,1\ny,0\n");
	put("out/coordinator/labels.csv", "id,label\n0,0\n1,0\n");
	put("truth.txt", "0\n1\n");
	expect_command(show_main, "out --verbose --truth truth.txt", 0,
		       "coterie x: done, 0.750 s, 12 rounds");
	assert_non_null(strstr(said, "kcagc, k = 2, method tree, preset default, seed 4"));
	assert_non_null(strstr(said, "local      0.500   0.125   0.062      12"));
	assert_non_null(
	    strstr(said, "hub     111 B         7  123.5 kB        5      12    0.750"));
	assert_non_null(
	    strstr(said, "bank-a    0 B         0       0 B        0      12    0.500"));
	/* Party-00's labels are scored in the order of the data. */
	assert_non_null(strstr(said, "ACC 1.0000   NMI 1.0000"));
	assert_non_null(strstr(said, "bank-a: labels: out/party-00/labels.csv\n"));
	expect_command(show_main, "out", 0, "seconds, traffic and facts: coterie show out");
	assert_null(strstr(said, "compute"));
	expect_command(show_main, "out/coordinator --truth truth.txt", 0, "ACC 0.5000");
	put("out/party-00/run.json", "{");
	expect_command(show_main, "out", 0,
		       "out/party-00/run.json: line 1"); /* show prints the other runs, too */
}

/* If parties have different rows, show joins their labels and prints sizes and facts. */
TEST_WITH(test_show_rows_apart, dir_enter, dir_leave)
{
	assert_ok(file_make_dirs("out/coordinator"));
	assert_ok(file_make_dirs("out/party-00"));
	assert_ok(file_make_dirs("out/party-01"));
	put("out/coordinator/run.json",
	    "{\"schema_version\": 1, \"status\": \"done\", \"rounds\": 12, \"job\": {\"kind\": "
	    "\"fedsc\", \"clusters\": 2, \"variant\": \"anchor\", \"seed\": 4}, \"facts\": "
	    "{\"dims\": 30, \"eigenvalues\": [1, 0.5, -1e-18], \"privacy\": \"none of it\"}, "
	    "\"result\": {\"rows\": 5, \"cluster_sizes\": [3, 2]}}");
	put("out/party-00/run.json",
	    "{\"schema_version\": 1, \"name\": \"bank-a\", \"job\": {\"kind\": \"fedsc\"}}");
	put("out/party-01/run.json",
	    "{\"schema_version\": 1, \"name\": \"bank-b\", \"result\": {\"rows\": 2}, \"facts\": "
	    "{\"confidence\": 0.4, \"confidence_tenths\": [0.5, 0.5]}}");
	put("out/party-00/labels.csv", "id,label\n3,1\n0,0\n");
	put("out/party-01/labels.csv", "id,label\n4,1\n1,0\n2,0\n");
	put("out/party-00/log.jsonl", "");
	put("truth.txt", "0\n0\n0\n1\n1\n");
	put("own.txt", "1\n0\n");
	expect_command(show_main, "out --verbose --truth truth.txt", 0,
		       "job: fedsc, k = 2, variant anchor, seed 4\n");
	assert_non_null(strstr(said, "clusters: 2, of 3 2 rows\n"));
	assert_non_null(strstr(said, "confidence at bank-b: 0.400 (0: "));
	assert_non_null(strstr(said, "1 of 2 rows are unsure (below 0.1)\n"));
	assert_non_null(strstr(said, "dims               30\n"));
	assert_non_null(strstr(said, "eigenvalues        1 0.5 -1e-18\n"));
	assert_non_null(strstr(said, "privacy            none of it\n"));
	assert_non_null(strstr(said, "ACC 1.0000"));
	assert_non_null(strstr(said, "of 5 rows"));
	assert_non_null(strstr(said, "bank-a: labels: out/party-00/labels.csv\n"));
	/* With the directory of one party, --truth has the labels of that party's rows in its
	 * order. The coordinator has no labels. */
	expect_command(show_main, "out/party-00 --truth own.txt", 0, "of 2 rows");
	expect_command(show_main, "out/coordinator", 0, "labels are with the parties");
	expect_command(show_main, "out/coordinator --truth truth.txt", 4,
		       "the coordinator has no labels by id of a job of kind fedsc");
}
