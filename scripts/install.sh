#!/usr/bin/env bash
# Installs `ostiary` with its manual pages and its completions below PREFIX (/usr/local), and DESTDIR before that.
# OSTIARY names a program that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."
prefix="${DESTDIR:-}${PREFIX-/usr/local}"
program="${OSTIARY:-}"
if [[ -z "$program" ]]; then
    swift build --package-path Tools --configuration release --product ostiary
    program="$(swift build --package-path Tools --configuration release --show-bin-path)/ostiary"
fi
share="$prefix/share"
install -d "$prefix/bin" "$share/man/man1" "$share/bash-completion/completions" "$share/zsh/site-functions" \
    "$share/fish/vendor_completions.d"
install -m 755 "$program" "$prefix/bin/ostiary"
scripts/man-pages.py "$program" "$share/man/man1"
"$program" --generate-completion-script bash >"$share/bash-completion/completions/ostiary"
"$program" --generate-completion-script zsh >"$share/zsh/site-functions/_ostiary"
"$program" --generate-completion-script fish >"$share/fish/vendor_completions.d/ostiary.fish"
echo "Installed $prefix/bin/ostiary, its manual pages and its completions."
