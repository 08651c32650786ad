#!/usr/bin/env bash
# The patches of scripts/mutants fit the sources, so that `make mutants` can make each mistake.
set -euo pipefail
cd "$(dirname "$0")/.."
exec scripts/mutants.py --applies
