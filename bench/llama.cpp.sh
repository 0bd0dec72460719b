#!/usr/bin/env bash
# Holds the GGUF files that the kit writes to llama.cpp, as the npm package
# node-llama-cpp ships it: models of every kind are trained for a moment, and
# llama.cpp must find the same tokens in a text, write the same 200 behind it, and
# be as surprised by each within 0.001. Needs node and npm; where the package
# cannot be had nothing is compared, and it says so.
set -euo pipefail
cd "$(dirname "$0")/.."

version=3.22.1 # of node-llama-cpp: its llama.cpp is release v0.5.0
case $(uname -s)-$(uname -m) in
Linux-x86_64) built=linux-x64 ;;
Linux-aarch64) built=linux-arm64 ;;
Darwin-arm64) built=mac-arm64-metal ;;
*) echo "node-llama-cpp is not built for this machine: skipped"; exit 0 ;;
esac
packages=$(mktemp -d)
trap 'rm -rf "$packages"' EXIT
if ! timeout 300 npm install --silent --no-audit --no-fund --omit=optional --ignore-scripts --prefix "$packages" \
	node-llama-cpp@$version @node-llama-cpp/$built@$version; then
	echo "node-llama-cpp cannot be installed here: skipped"
	exit 0
fi
LLAMA_CPP=$packages GOFLAGS=-vet=off go test -count=1 -timeout 0 ./grader/studio/train -run '^TestLlamaCpp$' -v | grep -v '^=== '
