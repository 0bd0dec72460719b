#!/usr/bin/env bash
# Executes every notebook from top to bottom, without a browser, and checks what
# came out.
#
#   notebooks/run.sh                 into a temporary folder: what CI does
#   notebooks/run.sh --write         in place: the outputs are kept
#   notebooks/run.sh --write 03 06   only these; without --write as well
#
# Needs Go, and Jupyter's nbconvert and nbclient (Debian: jupyter-nbconvert and
# python3-nbclient). The kernel is built from the pinned go.mod into the user's
# cache folder; nothing is installed.
set -euo pipefail
cd "$(dirname "$0")"

write=false
if [ "${1:-}" = --write ]; then write=true && shift; fi
notebooks=()
for prefix in "${@:-}"; do notebooks+=("$prefix"*.ipynb); done
for n in "${notebooks[@]}"; do
	[ -f "$n" ] || { echo "notebooks/run.sh: there is no notebook $n" >&2; exit 2; }
done
jupyter=$(PATH=/usr/bin:$PATH command -v jupyter-nbconvert) || {
	echo "notebooks/run.sh: jupyter-nbconvert is missing; on Debian: apt-get install jupyter-nbconvert python3-nbclient" >&2
	exit 2
}

# Everything that the cells are compiled from, and the kernel, with goimports,
# which it calls.
go build ./...
tools=${XDG_CACHE_HOME:-$HOME/.cache}/stubformer/notebooks
mkdir -p "$tools"
GOBIN=$tools go install tool
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export PATH=$tools:$PATH JUPYTER_DATA_DIR=$tmp/jupyter IPYTHONDIR=$tmp/ipython
export GOFLAGS=-mod=readonly GOPROXY=off # the cells download nothing
"$tools/gonb" --install --force_deps --raw_error 2>"$tmp/install.log" || { cat "$tmp/install.log" >&2; exit 1; }
go build -o "$tmp/check" ./check

# One notebook. A cell that fails does not end it: check says what went wrong.
execute() {
	if ! "$jupyter" --to notebook --execute --allow-errors --ExecutePreprocessor.timeout=300 --ExecutePreprocessor.record_timing=False \
		--output-dir "$tmp/out" --output "$1" "$1" >"$tmp/$1.log" 2>&1; then
		echo "$1 failed:" && tail -n 40 "$tmp/$1.log" && return 1
	fi
	echo "$1 ran in ${SECONDS} s"
}
export -f execute
export jupyter tmp
printf '%s\n' "${notebooks[@]}" | xargs -P 2 -I{} bash -c 'SECONDS=0; execute {}'

if $write; then set -- --write; else set --; fi
"$tmp/check" "$@" "$tmp/out" "${notebooks[@]}"
