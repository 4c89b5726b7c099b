# dp -- accuracy lost by differential privacy: k-means and FedSC's landmarks with noise in their
# sums, compared with noise on rows and without noise.
#
#   --only WORD     measures only tables whose name contains WORD: a set, or "by fedsc"
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='ARI of k-means and fedsc (anchor) by eps: noise in sums, on rows, none; mean over seeds;
	clouds, rings, digits, iris'
default_seeds=5 quick_seeds=2

delta=1e-5 only=''
EPS=(0.5 1 2 4 8)

# Rows are scaled around 0. Scale and maximum length come from general knowledge about such data:
# they are not private, and are the same for all parties.
make_sets() {
	[[ ! -e $out/runs/dp/ready ]] || return 0
	mkdir -p "$out/runs/dp"
	"$bin/coterie" synth --points --nodes 2000 --features 4 --clusters 5 --apart 6 --out \
		"$out/runs/dp/clouds-2000" >/dev/null
	"$bin/coterie" synth --points --nodes 20000 --features 16 --clusters 8 --apart 6 --out \
		"$out/runs/dp/clouds-20000" >/dev/null
	# without scikit-learn, only the other sets are measured
	/usr/bin/python3 scripts/bench.d/dp.py "$out/runs/dp" || return 0
	touch "$out/runs/dp/ready"
}

option() { # NAME VALUE
	[[ $1 == only ]] || return 1
	only=$2
}

measure() {
	local set kind k clip L eps by
	make_sets
	while read -r set kind k clip; do
		by=${kind#kmeans} by=${by:+ by $by}
		[[ $set$by == *"$only"* ]] || continue
		[[ -e $out/runs/dp/$set/features.npy ]] || {
			not_run "$set$by" none 'L=2' 'python3-sklearn is not installed'
			continue
		}
		for L in 2 8; do
			one "$set" "$kind" "$k" "$set$by" none "L=$L" '{}'
			for eps in "${EPS[@]}"; do
				one "$set" "$kind" "$k" "$set$by" "sums, eps $eps" \
					"L=$L" \
					"{\"on\":\"sums\",\"eps\":$eps,\"delta\":$delta,
					\"clip\":$clip}"
				one "$set" "$kind" "$k" "$set$by" "rows, eps $eps" \
					"L=$L" \
					"{\"on\":\"data\",\"eps\":$eps,\"delta\":$delta,
					\"clip\":$clip}"
			done
		done
	done <<-END
		clouds-2000 kmeans 5 12
		clouds-20000 kmeans 8 16
		digits kmeans 10 1.3
		iris kmeans 3 3
		rings-20000 kmeans 2 1.3
		rings-20000 fedsc 2 1.3
		clouds-2000 fedsc 5 12
		clouds-20000 fedsc 8 16
		digits fedsc 10 1.3
	END
}

one() { # SET KIND K TABLE ROW COLUMN NOISE
	local at=$out/runs/dp set=$1 kind=$2 k=$3 seed all='' lost=0
	shift 3
	! cell_known "$1" "$2" "$3" || return 0
	for ((seed = 1; seed <= seeds; seed++)); do
		echo "{\"kind\":\"$kind\",\"clusters\":$k,\"seed\":$seed,\"noise\":$4}" \
			>"$at/job.json"
		rm -rf "$at/run"
		if "$bin/coterie" run --data "$at/$set" --job "$at/job.json" --parties "${3#L=}" \
			--out "$at/run" --seed "$seed" >"$at/said" 2>&1; then
			all+=$(sed -n 's/.*ARI \([-0-9.]*\).*/\1/p' "$at/said")$'\n'
		else
			# a failed job counts as ARI 0: too few noisy rows may be near each other
			lost=$((lost + 1))
			all+=0$'\n'
		fi
	done
	all=${all%$'\n'}
	cell "$1" "$2" "$3" value="$(mean <<<"$all")" deviation="$(deviation <<<"$all")" \
		runs="$seeds" \
		note="$( ((!lost)) || echo "$lost of $seeds found no clusters, which counts 0")"
}

render() { render_grid '{value} +- {deviation}'; }
