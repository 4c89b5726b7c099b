/* Runs coterie-lab agc and gcc as a user does, on data of coterie synth. */
#include "tests/unit/cli/typed.h"

#include "common/base/file.h"
#include "lab/lab.h"

TEST_WITH(test_agc_and_gcc, dir_enter, dir_leave)
{
	double acc;

	put("job.json", "{\"kind\": \"kcagc\", \"method\": \"tree\", \"clusters\": 7, \"filter\": "
			"{\"order\": 9}}");
	expect_command(synth_main, "--out data --seed 3", 0,
		       "data: 2708 nodes, 1433 features, 5281 edges, 7 clusters, seed 3");
	assert_int_equal(run_command(agc_main, "--data data --job job.json --out agc --seed 5"), 0);
	assert_true(said_number("rows") == 2708 && said_number("features") == 1433 &&
		    said_number("seed") == 5);
	/* The default difficulty gives an accuracy that is neither very high nor very low. */
	acc = said_number("acc");
	assert_in_range(1000 * acc, 650, 900);
	/* The label files give the same accuracy. */
	assert_int_equal(run_command(eval_main, "--truth data/labels.txt agc/labels.csv"), 0);
	assert_true(said_number("acc") == acc);
	assert_int_equal(run_command(eval_main, "--truth data/labels.txt agc/labels.npy"), 0);
	assert_true(said_number("acc") == acc);
	assert_true(file_exists("agc/result.json"));
	assert_int_equal(run_command(gcc_main, "--data data --job job.json --out gcc --seed 5"), 0);
	assert_true(said_number("rows") == 2708 && said_number("clusters") == 7 &&
		    said_number("seed") == 5 && said_number("order") >= 1 &&
		    said_number("iterations") >= 1 && said_number("loss") > 0);
	acc = said_number("acc");
	assert_in_range(1000 * acc, 650, 950);
	assert_int_equal(run_command(eval_main, "--truth data/labels.txt gcc/labels.csv"), 0);
	assert_true(said_number("acc") == acc);
	expect_command(gcc_main, "--data data --job job.json --clusters 2709", 4,
		       "2709 clusters of 2708 nodes");
	put("data/labels.txt", "0\n1\n");
	expect_command(agc_main, "--data data --job job.json", 4,
		       "data/labels.txt: 2 labels, expected 2708");
}

TEST_WITH(test_refusals, dir_enter, dir_leave)
{
	put("job.json", "{\"kind\": \"kcagc\", \"method\": \"tree\", \"clusters\": 7, \"filter\": "
			"{\"order\": 9}}");
	expect_command(agc_main, "--data data --job job.json -k 1", 4,
		       "job.clusters is 1, expected");
	expect_command(agc_main, "--data data --job job.json", 4, "data: no features.mtx");
	expect_command(agc_main, "--job job.json", 4, "--data and --job are needed");
	expect_command(gcc_main, "--data data --job job.json", 4, "data: no features.mtx");
	expect_command(gcc_main, "--job job.json", 4, "--data and --job are needed");
	expect_command(agc_main, "--threads 0", 4, "--threads is \"0\"");
}
