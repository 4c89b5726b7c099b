#!/bin/bash
# Runs scikit-learn's checks on the Python package's estimators: some hundred jobs.
#
# This test needs the packages of scripts/deps --python. Checks without their packages are skipped.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=python.sh
source "${0%/*}/python.sh"

((TEST_TIMEOUT >= 600)) || TEST_TIMEOUT=600

test_kmeans_of_rows() { unittests test_checks.Checks.test_kmeans_of_rows; }
test_kmeans_of_columns() { unittests test_checks.Checks.test_kmeans_of_columns; }
test_spectral_clustering() { unittests test_checks.Checks.test_spectral_clustering; }
test_those_left_out() { unittests test_checks.Checks.test_those_left_out_ask_for_one_cluster; }

sample
run_tests "$@"
