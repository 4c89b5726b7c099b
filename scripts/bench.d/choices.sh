# choices -- the effect of each choice of the preset: kCAGC with all choices, and without one of
# them.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='accuracy with each choice of the preset taken back alone: k^ = 2k, mean over L'

# shellcheck source=scripts/bench.d/lib-kcagc.sh
. scripts/bench.d/lib-kcagc.sh

needs() { needs_data cora citeseer wiki; }

measure() {
	local set choice
	for choice in \
		$(pick preset=default preset=paper joint_norm=true restarts=200 starts=40 \
		starts=20 projection.row_power=1 \
		features=raw projection.unit_rows=false \
		virtual_nodes=centre polish=0); do
		for set in cora citeseer wiki; do one "$choice" "$set"; done
	done
}

# Measures the mean accuracy of SET over the numbers of parties, with CHOICE in the job.
one() { # CHOICE SET
	local L all='' name="mean over L"
	! cell_known "$name" "$1" "$2" || return 0
	for L in $(pick 2 4 8 16); do
		federated_scores "$2" "configs/jobs/kcagc-$2.json" k^=2k "$L" --set "$1" ||
			{ not_run "$name" "$1" "$2" "$WHY" && return; }
		all+=${all:+$'\n'}$ACC
	done
	cell "$name" "$1" "$2" value="$(mean <<<"$all")" deviation="$(deviation <<<"$all")" \
		runs="$(wc -l <<<"$all")"
}

render() { render_grid '{value} +- {deviation}'; }
