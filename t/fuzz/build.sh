#!/bin/sh
# build.sh - a libFuzzer target: build.sh CLANG SRC OUTPUT STAMP SOURCE...
set -eu
clang=$1 src=$2 output=$3 stamp=$4
shift 4
"$clang" -g -O2 -std=gnu17 -D_GNU_SOURCE -fsanitize=fuzzer,address,undefined \
    -fno-sanitize-recover=undefined -I "$src" "$@" -o "$output"
: >"$stamp"
