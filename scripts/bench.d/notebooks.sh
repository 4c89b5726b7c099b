# notebooks -- seconds of each notebook in python/notebooks, from its first cell to its last, with
# the start of jupyter-nbconvert, jobs and pictures. Needs scripts/deps --python.
#
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='seconds of each walk in python/notebooks, which are to take less than two minutes'
default_seeds=3 quick_seeds=1

measure() {
	local file name i seconds processor
	for file in python/notebooks/*.ipynb; do
		name=$(basename "$file" .ipynb)
		cell_known walk "$name" seconds && continue
		if ! command -v jupyter-nbconvert >/dev/null; then
			not_run walk "$name" \
				seconds 'jupyter-nbconvert is not installed; scripts/deps '\
'--python installs it'
			continue
		fi
		mkdir -p "$out/runs/notebooks"
		: >"$out/runs/notebooks/$name"
		for ((i = 1; i <= seeds; i++)); do
			walk "$file" "$out/runs/notebooks/$name" || break
		done
		if ((i <= seeds)); then
			not_run walk "$name" seconds "$(tail -n 1 "$out/runs/notebooks/said")"
			RUN_FAILED=true
			continue
		fi
		seconds=$(cut -d ' ' -f 1 "$out/runs/notebooks/$name" | median)
		processor=$(awk '{ print $2 + $3 }' "$out/runs/notebooks/$name" | median)
		cell walk "$name" seconds value="$seconds" runs="$seeds" unit=s goal='< 120' \
			verdict="$(verdict "$seconds" 'x < 120')"
		cell walk "$name" 'processor seconds' value="$processor" runs="$seeds" unit=s
	done
}

# NOTEBOOK FILE: appends a line to FILE: elapsed seconds, and processor seconds in user and system
# mode
walk() {
	local TIMEFORMAT='%R %U %S'
	{
		time env HOME="$(realpath "$out/runs/notebooks")" JUPYTER_PLATFORM_DIRS=0 \
			COTERIE_BIN="$(realpath "$bin")" PYTHONPATH="$PWD/python" \
			PYTHONDONTWRITEBYTECODE=1 jupyter-nbconvert --to html --execute \
			--ExecutePreprocessor.timeout=1200 \
			--output-dir "$out/runs/notebooks" "$1" >"$out/runs/notebooks/said" 2>&1
	} 2>>"$2"
}

render() {
	cat <<-'TEXT'

		*seconds* is elapsed time. *processor seconds* is the sum over all processes. Cells
		are medians.
	TEXT
	render_grid '{value}'
}
