# house -- size and structure of the source tree.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='size and structure of the source: lines, libraries, keys, names; --log FILE: what
	scripts/check printed'
default_seeds=1

rooms=(server party proto common crypto protocols cli worker)
log=

option() {
	[[ $1 == log && -r $2 ]] && log=$2
}

needs() {
	command -v ctags >/dev/null || fail "ctags is missing: scripts/deps --dev"
	[[ -e .git ]] || fail "this is no git repository"
}

code() { # FOLDER...: lists C files of the repository
	git ls-files -- "${@/%//*.[ch]}" "${@/%//*.def}" "${@/%//*.inc}"
}

lines() { # counts lines of the files on stdin
	xargs -r cat | wc -l
}

goal() { # NAME VALUE CONDITION NOTE
	cell source "$1" today value="$2" goal="$3" verdict="$(verdict "$2" "$3")" note="$4"
}

measure() {
	local product params
	mapfile -t product < <(code "${rooms[@]}")
	goal "product C, lines" "$(printf '%s\n' "${product[@]}" | lines)" "x <= 85000" \
		"${rooms[*]}"
	goal "lab, lines" "$(code lab | lines)" "x <= 7000" "lab/"
	goal "tests, lines" "$(git ls-files tests | xargs grep -lI '' | lines)" "x <= 95000" \
		"text files of tests/"
	goal "ranks, lines" "$(code common/ranks worker party/ranks | lines)" "x <= 3000" \
		"common/ranks worker party/ranks"
	cell source "documents, KiB" today note="all .md" \
		value="$(git ls-files '*.md' | xargs cat |
		awk '{ n += length($0) + 1 } END { printf "%.0f", n / 1024 }')"
	goal "C libraries loaded" "$(libraries | wc -l)" "x <= 12" "$(libraries | paste -sd ' ')"
	goal "configuration keys" "$(keys | wc -l)" "x <= 150" "--describe of both daemons"
	goal "keys in no example" "$(keys_without_example | wc -l)" "x <= 0" \
		"no file in configs/ sets them"
	params=$(compgen -G 'protocols/fedsc/job.h' || echo protocols/fedsc/job.h)
	goal "objects built anew" "$(make -n -W "$params" all | grep -c ' -c -o ')" "x <= 40" \
		"after a change of $params"
	goal "names not unique" \
		"$(ctags -x --c-kinds=f "${product[@]}" | awk '$1 != "main" { n[$1]++ } END {
		for (f in n) if (n[f] > 1) sum += n[f];
		print sum + 0 }')" "x <= 0" "functions, static ones too; each program has a main"
	goal "lines over 100 columns" \
		"$(code "${rooms[@]}" lab tests | xargs expand -t8 | awk 'length($0) > 100' |
		wc -l)" \
		"x <= 0" "a tab is 8; C of product, lab and tests"
	goal "relative pronouns" "$(printf '%s\n' "${product[@]}" | pronouns)" "x <= 1.5" \
		"what, who and whose in 1000 words of comments"
	if [[ $log ]]; then
		goal "check, processor min" \
			"$(sed -n 's/^processor: \([0-9.]*\) min$/\1/p' "$log" | tail -n 1)" \
			"x <= 20" "scripts/check"
	else
		not_run source "check, processor min" today "--log FILE: what scripts/check printed"
	fi
}

libraries() { # lists libraries that the product's programs load directly, except libc and libm
	objdump -p "$bin"/{coordinator,party,coterie} |
		awk '$1 == "NEEDED" && $2 !~ /^lib(c|m)\.so/ && $2 !~ /^ld-/ { print $2 }' | sort -u
}

keys() {
	{ "$bin/coordinator" --describe && "$bin/party" --describe; } |
		sed -nE 's/^((coordinator|party|job)\.[a-zA-Z0-9_.]+): .*/\1/p' | sort -u
}

keys_without_example() {
	comm -23 <(keys) <({
		paths_of job configs/jobs/*.json
		paths_of coordinator configs/coordinator*.json
		paths_of party configs/party*.json
	} | sort -u)
}

paths_of() { # NAME FILE...: prints NAME.PATH of each member
	jq -r --arg of "$1" 'paths | map(tostring) | $of + "." + join(".")' "${@:2}"
}

pronouns() { # prints the number of pronouns in 1000 words of comments of the files on stdin
	# shellcheck disable=SC2016
	xargs awk '
		/\/\*/ { open = 1 }
		open {
			line = tolower($0)
			sub(/^.*\/\*/, "", line)
			gsub(/[^a-z ]+/, " ", line)
			n = split(line, word, " ")
			for (i = 1; i <= n; i++) {
				if (word[i] ~ /^[a-z]+$/) words++
				if (word[i] ~ /^(what|who|whose)$/) found++
			}
		}
		/\*\// { open = 0 }
		END { printf "%.1f\n", words ? 1000 * found / words : 0 }'
}
