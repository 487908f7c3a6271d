#!/bin/sh
# Programs that cannot have our objects get none: those built with AddressSanitizer, whose runtime must be
# the first library, and those of another C library.
. "$(dirname "$0")/../lib.sh"
need_ptrace
unset ASAN_OPTIONS
mkdir app
mkdir -m 700 node
export LOADCAST_DIR="$tmp/node"
at_exit 'loadcast clean -q --all --dir "$LOADCAST_DIR"'
cat >main.c <<'C'
#include <stdio.h>
int main(int argc, char **argv)
{
    printf("%s %d\n", argv[0], argc);
    return 0;
}
C
# both PROGRAM: as plainly, by itself and from a shell
both() {
    "$1" one two >plain
    loadcast record -o p.lcast --manage "$tmp/app" -- "$1" one two >recorded 2>err || { cat err; return 1; }
    same plain recorded
    says 'ran without our auditor' err
    loadcast exec -q --strict p.lcast -- "$1" one two >served
    same plain served
    loadcast exec -q --strict p.lcast -- sh -c "$1 one two; $1 one two" >served
    cat plain plain | same - served
    loadcast record -o p.lcast --manage "$tmp/app" -- sh -c "$1 one two; $1 one two" >recorded 2>err || { cat err; return 1; }
    cat plain plain | same - recorded
    loadcast exec -q --strict p.lcast -- sh -c "$1 one two; $1 one two" >served
    cat plain plain | same - served
}
t 'AddressSanitizer of gcc' '
    gcc -fsanitize=address main.c -o app/gcc 2>/dev/null && app/gcc >/dev/null || skip "no AddressSanitizer of gcc"
    both app/gcc
    loadcast status >text
    says "built with AddressSanitizer" text
'
t 'AddressSanitizer of clang, inside the program' '
    clang -fsanitize=address main.c -o app/clang 2>/dev/null && app/clang >/dev/null || skip "no AddressSanitizer of clang"
    both app/clang
'
t 'AddressSanitizer of clang, as a library' '
    runtime=$(clang -print-file-name=libclang_rt.asan-$(uname -m).so)
    clang -fsanitize=address -shared-libasan main.c -o app/shared -Wl,-rpath,"$(dirname "$runtime")" 2>/dev/null &&
        app/shared >/dev/null || skip "no AddressSanitizer of clang as a library"
    both app/shared
'
t 'one that does not mind the order is served' '
    [ -x app/gcc ] || skip "no AddressSanitizer of gcc"
    export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
    app/gcc >plain
    loadcast record -o m.lcast --manage "$tmp/app" -- app/gcc >recorded 2>err
    same plain recorded
    lacks "ran without our auditor" err
    loadcast exec --stats -q --strict m.lcast -- app/gcc >served 2>stats
    same plain served
    says "programs started" stats
'
t 'options of AddressSanitizer reach a recorded child' '
    [ -x app/gcc ] || skip "no AddressSanitizer of gcc"
    export ASAN_OPTIONS=help=1
    app/gcc >plain 2>plain.err
    says verify_asan_link_order plain.err
    loadcast record -o p.lcast --manage "$tmp/app" -- sh -c "app/gcc; :" >recorded 2>err
    says verify_asan_link_order err
'
t 'a program of musl' '
    musl-gcc main.c -o app/musl 2>/dev/null && app/musl >/dev/null || skip "no musl"
    both app/musl
'
finish
