#!/bin/bash
# Tests parties on MPI ranks (ranks.n): ranks that die, ranks on four hosts, and jobs and
# configurations that ranks refuse.
. "${0%/*}/lib.sh"
. "${0%/*}/ranks.sh"

worker_of() { # RANK: prints its process id from the party's log
	sed -n "s/.*rank $1 of [0-9]*: process \\([0-9]*\\) on .*/\\1/p" "$T/party-00.stderr" |
		tail -n 1
}

# Ranks on one host have a network of their own, so no other process can reach their ports.
apart() { # PID...
	local pid
	for pid; do
		[[ $(readlink "/proc/$pid/ns/net") == net:* ]] || fail "process $pid is gone"
		[[ $(readlink "/proc/$pid/ns/net") != "$(readlink /proc/self/ns/net)" ]] ||
			fail "process $pid listens on this host's interfaces: $(ss -ltnp)"
	done
	says party-00 "process $1 on"
}

# A killed rank costs an attempt. The error names the rank and its host, and the next attempt
# succeeds.
test_killed_rank() {
	local name host
	needs_ranks
	dense_federation 2
	for name in coordinator party-00 party-01; do
		edit "$name" '.rejoin_s = 30 | .reconnect_s = 10'
	done
	edit job 'del(.local_restarts) | .method = "basic" | .restarts = 20 | .starts = 40
		| .iterations = 50'
	on_ranks party-00 "${RANKS:-3}"
	coordinator
	relay relay "$(longer 40)"
	party party-00
	ADDRESS=$RELAY party party-01
	in_phase party-00 joint
	# mpirun in Open MPI 4, prte in Open MPI 5
	apart "$(worker_of 0)" "$(worker_of 1)" \
		"$(pgrep -P "$(pgrep -P "${PID[party-00]}" coterie-ranks)" 'mpirun|prte')"
	kill -KILL "$(worker_of 1)"
	soon_says party-00 'rank 1 of 3, on [^ ]+, was ended by signal 9'
	host=$(hostname)
	says party-00 "rank 1 of 3, on ${host%%.*}"
	completes 2
	[[ $(run_of party-00 .attempt) == 2 ]] ||
		fail "attempt $(run_of party-00 .attempt), expected 2"
	run_of party-00 \
		'.attempts[0].cause // .attempts_before[0].cause // (.. | .cause? // empty)' |
		grep -q 'rank 1 of 3' ||
		fail "run.json does not name the rank: $(run_of party-00 '[.. | .cause? // empty]')"
	! pgrep -f "coterie-worker $T" >/dev/null || fail "ranks are left"
}

test_killed_rank_of_rows() {
	needs_ranks
	row_federation 2 fedsc
	for name in coordinator party-00 party-01; do
		edit "$name" '.rejoin_s = 30 | .reconnect_s = 10'
	done
	echo '{ "kind": "fedsc", "clusters": 3, "seed": 7, "dims": 30 }' >"$T/job.json"
	runs 2
	mv "$T/out" "$T/without"
	rm "$T/ready"
	on_ranks party-00 3
	coordinator
	relay relay "$(longer 40)"
	party party-00
	ADDRESS=$RELAY party party-01
	in_phase party-00 kmeans
	kill -KILL "$(worker_of 1)"
	soon_says party-00 'rank 1 of 3, on [^ ]+, was ended by signal 9'
	ends 0 coordinator party-00 party-01
	[[ $(run_of party-00 .attempt) == 2 ]] ||
		fail "attempt $(run_of party-00 .attempt), expected 2"
	same_labels "$T/without/party-00/labels.npy" "$T/out/party-00/labels.npy"
	! pgrep -f "coterie-worker $T" >/dev/null || fail "ranks are left"
}

# Runs four hosts: network namespaces with names of their own, reached by a replacement of ssh. Rank
# 3 has no rows.
test_four_hosts() {
	local sent
	needs_ranks
	needs_a_lab
	dense_federation 1
	edit party-00 '.policy.allow_single = true'
	edit job '.allow_single = true'
	runs 1
	sent=$(went_out party-00 "'LOCAL_CLUSTERS', 'MASKED'")
	mv "$T/out" "$T/without"
	cat >"$T/agent" <<-'EOF'
		#!/bin/bash
		host=$1
		shift
		for pair in $COTERIE_LAB; do [[ ${pair#*=} != "$host" ]] || ns=${pair%=*}; done
		exec nsenter --net="/run/netns/$ns" unshare --uts bash -c \
			"hostname host-${host##*.}; $*"
	EOF
	cat >"$T/lab" <<-EOF
		for pair in \$COTERIE_LAB; do echo "\${pair#*=} slots=1"; done >"$T/hosts"
		ns=\${COTERIE_LAB%%=*}
		ip -n "\$ns" link set lo up
		ip netns exec "\$ns" unshare --uts bash "$T/first"
	EOF
	cat >"$T/first" <<-EOF
		hostname host-1
		"$BIN/coordinator" --config "$T/coordinator.json" --job "$T/job.json" \
			--out "$T/out/coordinator" --ready-file "$T/ready" &
		until [[ -s $T/ready ]]; do sleep 0.05; done
		"$BIN/party" --config "$T/party-00.json" --once --out "$T/out/party-00" \
			--coordinator "\$(<"$T/ready")" 2>"$T/party-00.stderr"
		wait
	EOF
	chmod +x "$T/agent"
	rm "$T/ready"
	edit party-00 '.ranks = { n: 4, hostfile: "hosts" }'
	edit coordinator '.join_timeout_s = 300'
	taken_as_stated
	COTERIE_EMULATOR=own OMPI_MCA_plm_rsh_agent=$T/agent start lab "$ROOT/scripts/netlab" \
		--net lan --hosts 4 -- bash "$T/lab"
	# On a busy machine packets may be late, and the lab then discards the run and exits with
	# 1. party-00 must still have sent the same numbers as without ranks.
	ends '0|1' lab
	[[ $STATUS == 0 ]] || says lab 'run discarded: packets were late'
	[[ $(run_of party-00 .status) == 'done' ]] || fail "party-00 is not done"
	for rank in 0 1 2 3; do
		says party-00 "rank $rank of 4: process [0-9]+ on host-$((rank + 1))"
	done
	[[ $sent == *MASKED* && $(went_out party-00 "'LOCAL_CLUSTERS', 'MASKED'") == "$sent" ]] ||
		fail "other words on four hosts"
}

test_refused() {
	needs_ranks
	dense_federation 2
	refuses() { # JQ-PROGRAM REGEX
		edit party-00 "del(.ranks) | $1"
		"$BIN/party" --config "$T/party-00.json" --check-config >"$T/said" 2>&1 &&
			fail "$1 is not refused"
		grep -Eq -- "$2" "$T/said" || fail "$1: $(<"$T/said")"
	}
	refuses '.ranks.n = 0' 'party.ranks.n is 0, expected a whole number from 1 to 1024'
	refuses '.ranks.n = 2000' 'party.ranks.n is 2000'
	refuses '.ranks.hostfile = "hosts"' 'ranks.hostfile is given without ranks.n'
	refuses '.ranks = { n: 2, hostfile: "absent" }' 'ranks.hostfile: .*/absent: No such file'
	printf '# none\n\n' >"$T/hosts"
	refuses '.ranks = { n: 2, hostfile: "hosts" }' \
		'hosts names no host, expected a line "HOST slots=N"'
	cp "$T/party-00.json" "$T/before.json"
	refuses '.ranks.n = 2 | .data.features = "data/party-00/features.csv"' \
		'ranks: data.features is .*features.csv .*expected a file .npy'
	refuses '.ranks.n = 2 | .data.features = "data/party-00/features.npy" | .data.ids = "x"' \
		'data.ids is given and data.edges is .*edges.tsv, which names nodes by ids'
	cp "$T/before.json" "$T/party-00.json"
	# There is no mpirun in PATH.
	mkdir "$T/bin"
	edit party-00 '.ranks = { n: 2 }'
	PATH=$T/bin "$BIN/party" --config "$T/party-00.json" --check-config >"$T/said" 2>&1 &&
		fail "runs without mpirun"
	grep -q 'no mpirun in PATH.*openmpi-bin' "$T/said" || fail "$(<"$T/said")"
	# coterie doctor does not read data on ranks.
	"$BIN/coterie" doctor --config "$T/party-00.json" --json >"$T/said" 2>/dev/null || :
	[[ $(jq -r '.[] | select(.check == "data") | .verdict + " " + .found' "$T/said") == \
		"note on 2 ranks"* ]] || fail "doctor: $(<"$T/said")"
	# mpirun's own error is reported.
	echo "localhost slots=1" >"$T/hosts"
	edit party-00 '.ranks = { n: 2, hostfile: "hosts" }'
	ADDRESS=127.0.0.1:1 party party-00
	ends 4 party-00
	says party-00 'the ranks \(mpirun\) ended with status [0-9]+ before all ranks were '\
'there: .*not enough slots'
	# Rank 1 finds an invalid edge, and the party reports rank 1's error.
	edit party-00 '.ranks = { n: 2 }'
	echo "8999 9000" >>"$T/data/party-00/edges.tsv"
	ADDRESS=127.0.0.1:1 party party-00
	ends 4 party-00
	says party-00 'rank 1 on [^ ]+: .*edges.tsv: the line at byte [0-9]+: the node is .*, '\
'expected a whole number from 0 to 8999'
}

# The party declines jobs that ranks cannot do, and logs the cause.
test_declined() {
	needs_ranks
	dense_federation 2
	on_ranks party-00 2
	edit job '.standardize = "local"'
	coordinator
	parties 2
	ends '2|4' coordinator party-00 party-01
	party_says 'the data of party-00 are on ranks \(ranks.n is 2\), where a job of kind '\
'kcagc does not run: it standardizes columns'
	rm -rf "$T/out" "$T/ready"
	for name in party-00 party-01; do
		edit "$name" '.policy.jobs = ["kmeans"] | del(.data.edges)'
	done
	cp "$T/data/party-00/features.npy" "$T/data/party-01/features.npy"
	echo '{ "kind": "kmeans", "clusters": 3, "standardize": "joint" }' >"$T/job.json"
	coordinator
	parties 2
	ends '2|4' coordinator party-00 party-01
	party_says 'the data of party-00 are on ranks \(ranks.n is 2\), where a job of kind '\
'kmeans does not run: it standardizes columns'
	rm -rf "$T/out" "$T/ready"
	for name in party-00 party-01; do edit "$name" '.policy.jobs = ["fedsc"]'; done
	echo '{ "kind": "fedsc", "clusters": 3, "variant": "dense" }' >"$T/job.json"
	coordinator
	parties 2
	ends '2|4' coordinator party-00 party-01
	party_says 'the data of party-00 are on ranks \(ranks.n is 2\), where a job of kind '\
'fedsc does not run: its variant is not'
}

sample test_killed_rank
run_tests "$@"
