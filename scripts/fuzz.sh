#!/usr/bin/env bash
# Fuzzes every parser of outside data: fuzz.sh [FUZZ_SECONDS=10] [TARGET…]. Linux.
#
# The environment variable FUZZ_SEED makes a run start like another one with the same number; without it each is different.
#
# Only the modules that parse are compiled anew, with libFuzzer's and the address sanitizer's instruments; the
# libraries below them are taken from the debug build (swift build), so that a run costs seconds and not minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ "$(uname)" == Linux ]] || { echo "fuzz: skipped (Linux only)"; exit 0; }
seconds=10
if [[ "${1:-}" == FUZZ_SECONDS=* ]]; then
    seconds="${1#*=}"
    shift
fi
[[ "$seconds" =~ ^[0-9]+$ ]] || { echo "fuzz.sh [FUZZ_SECONDS=10] [TARGET…]" >&2; exit 64; }
# Swift's own report of a trap would keep libFuzzer from writing the input down. Leaks show as growth: the leak checker does
# not see pointers whose spare bits Swift uses.
export SWIFT_BACKTRACE=enable=no
export ASAN_OPTIONS="quarantine_size_mb=16:detect_leaks=0:${ASAN_OPTIONS:-}"

bin="$(swift build --show-bin-path)"
out="$bin/fuzz"
finds="${FUZZ_FINDS:-$out/finds}"
mkdir -p "$out" "$finds"
# NAME or NAME=FOLDER below Sources, each after those that it imports.
modules=(OstiaryCompatibility OstiaryJOSE OstiaryOAuth OstiaryServer Ostiary OstiarySSAFY=FrontDoors/SSAFY
    OstiarySSAFYServer=ServerDoors/SSAFY)
built=(Crypto CryptoExtras CryptoBoringWrapper SwiftASN1 HTTPTypes)
for module in "${built[@]}"; do
    [[ -d "$bin/$module.build" ]] || { echo "fuzz: $module is not built: run swift build"; exit 1; }
done

# newer FILE SOURCE…: whether a source is newer than the file, or the file is missing.
newer() {
    [[ ! -e "$1" || -n "$(find "${@:2}" -newer "$1" -print -quit)" ]]
}

# compile MODULE FOLDER FLAG…
compile() {
    find "$2" -name '*.swift' -print0 | xargs -0 swiftc "${@:3}" -parse-as-library -emit-module \
        -emit-module-path "$out/$1.swiftmodule" -module-name "$1" -c -o "$out/$1.o"
}

build() {
    local flags=(-O -whole-module-optimization -swift-version 6 -package-name ostiary -sanitize=fuzzer,address
        -I "$out" -I "$bin/Modules" -suppress-warnings)
    local feature map
    # Without that feature: in a whole module, types of the system's headers belong to whichever C module was read first, and
    # which one it is depends on the order of the files. The build of the libraries has checked the imports.
    while IFS= read -r feature; do flags+=(-enable-upcoming-feature "$feature"); done < <(
        sed -n '/^let upcoming: /,/^\]/p' Package.swift | grep -oE '"[A-Za-z]+"' | tr -d '"' | grep -vx MemberImportVisibility)
    while IFS= read -r map; do flags+=(-Xcc "-fmodule-map-file=$map"); done < <(
        find .build/checkouts/swift-crypto/Sources -name module.modulemap
        find "$bin/CSecretService.build" -name module.modulemap)
    local entry module folder below=Package.swift
    for entry in "${modules[@]}"; do
        module="${entry%%=*}" folder="Sources/${entry#*=}"
        if newer "$out/$module.o" "$folder" "$below" scripts/fuzz.sh; then
            compile "$module" "$folder" "${flags[@]}"
        fi
        below="$out/$module.o"
    done
    local objects=() object
    while IFS= read -r object; do objects+=("$object"); done < <(
        for module in "${built[@]}"; do find "$bin/$module.build" -name '*.o'; done
        find "$bin"/C{CryptoBoringSSL,CryptoBoringSSLShims,XKCP,XKCPShims,SecretService}.build -name '*.o')
    swiftc "${flags[@]}" -use-ld=lld -parse-as-library -module-name Fuzz Fuzz/Sources/*.swift "$out"/Ostiary*.o \
        "${objects[@]}" -lstdc++ -ldl -o "$out/fuzz.new"
    mv "$out/fuzz.new" "$out/fuzz"
}

folders=("${modules[@]#*=}")
if newer "$out/fuzz" "${folders[@]/#/Sources/}" Fuzz/Sources Package.swift scripts/fuzz.sh; then build; fi
targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || mapfile -t targets < <("$out/fuzz")

# fuzz TARGET: runs it and writes its line of the table; what it found comes below the line.
fuzz() {
    local target="$1"
    # Finds of this run stay out of the project's corpus.
    local corpus="$out/corpus/$target" log="$out/$target.log" dictionary=() status=0
    mkdir -p "$corpus"
    [[ -f "Fuzz/Dictionaries/$target.txt" ]] && dictionary=("-dict=Fuzz/Dictionaries/$target.txt")
    FUZZ_TARGET="$target" "$out/fuzz" "$corpus" "Fuzz/Corpus/$target" "${dictionary[@]}" \
        -seed="${FUZZ_SEED:-0}" -max_total_time="$seconds" -max_len=4096 -timeout=5 -rss_limit_mb=512 -malloc_limit_mb=256 \
        -artifact_prefix="$finds/$target-" -print_final_stats=1 >"$log" 2>&1 || status=$?
    local executions coverage result=ok find
    executions="$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)"
    coverage="$(sed -nE 's/.* cov: ([0-9]+) .*/\1/p' "$log" | tail -n 1)"
    [[ $status == 0 ]] || result="failed with status $status"
    printf '%-18s %12s %10s  %s\n' "$target" "${executions:--}" "${coverage:--}" "$result"
    [[ $status == 0 ]] && return
    grep -E 'Does not hold|Fatal error|ERROR:|SUMMARY:' "$log" | head -n 5 || tail -n 5 "$log"
    find="$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)"
    if [[ -n "$find" ]]; then
        echo "again:  FUZZ_TARGET=$target SWIFT_BACKTRACE=enable=no $out/fuzz $find"
        echo "base64: $(base64 -w 0 "$find")"
    fi
    return 1
}

for target in "${targets[@]}"; do
    [[ -d "Fuzz/Corpus/$target" ]] || { echo "fuzz: there is no target $target" >&2; exit 64; }
done
failed=0
printf '%-18s %12s %10s  %s\n' target executions coverage result
# A target has one thread: two at a time keep two processors busy.
for ((i = 0; i < ${#targets[@]}; i += 2)); do
    running=()
    for target in "${targets[@]:i:2}"; do
        fuzz "$target" >"$out/$target.result" &
        running+=($!)
    done
    for process in "${running[@]}"; do wait "$process" || failed=1; done
    for target in "${targets[@]:i:2}"; do cat "$out/$target.result"; done
done
exit $failed
