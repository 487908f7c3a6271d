#!/bin/sh
# The tests that tools/arm64 runs by itself, on aarch64, emulated: image, record, exec, bindings, conformance, stage and run.
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" != aarch64 ] || skip_all 'this is that machine'
[ "$(id -u)" = 0 ] || skip_all 'tools/arm64 needs root'
for tool in debootstrap qemu-aarch64-static aarch64-linux-gnu-gcc; do
    command -v $tool >/dev/null || skip_all "no $tool"
done
t 'all pass' '
    "$src/tools/arm64" >line 2>log || { grep -A60 FAILED log; tail -5 log; false; }
    grep " 0 failed" line
'
finish
