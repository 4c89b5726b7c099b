# ranks.sh -- for parties whose data are distributed over MPI ranks (ranks.n).
#
# shellcheck shell=bash

needs_ranks() {
	command -v mpirun >/dev/null || skip "there is no mpirun (scripts/deps --ranks)"
	[[ -x $BIN/coterie-worker ]] ||
		skip "there is no coterie-worker in $BIN: it is built where libopenmpi-dev is"
}

on_ranks() { edit "$1" ".ranks.n = $2"; } # NAME N
