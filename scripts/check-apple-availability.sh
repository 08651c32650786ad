#!/usr/bin/env bash
# What ships runs on the oldest systems of Package.swift, and the stand-ins say what public bindings say of Apple's frameworks.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/apple-availability.py --self-check
scripts/apple-availability.py
scripts/apple-facts.py --self-check
scripts/apple-facts.py
