#!/usr/bin/env bash
# Builds and measures everything side by side; see bench/README.md.
#
#     bench/run.sh [-quick] [SECTION...]
set -euo pipefail
cd "$(dirname "$0")/.."
exec go run ./bench/compare "$@"
