#!/usr/bin/env bash
# The privacy manifest names the required-reason APIs that the sources use: no fewer, and no more.
set -euo pipefail
exec python3 "$(dirname "$0")/privacy-manifest.py"
