#!/usr/bin/env bash
# The patches of scripts/mutants fit the sources, so that `make mutants` can make each mistake, and docs/checks.md names every
# check.
set -euo pipefail
cd "$(dirname "$0")/.."
exec scripts/mutants.py --applies
