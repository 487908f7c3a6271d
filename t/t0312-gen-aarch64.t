#!/bin/sh
# AArch64 files written on any machine: as the cross compiler's, and they run.
. "$(dirname "$0")/lib.sh"
. "$here/gen.sh"

cross=aarch64-linux-gnu
command -v $cross-gcc >/dev/null || skip_all "no $cross-gcc"
if [ "$(uname -m)" = aarch64 ]; then
    run() { "$@"; }
else
    command -v qemu-aarch64 >/dev/null || skip_all 'no qemu-aarch64'
    run() { qemu-aarch64 -L /usr/$cross "$@"; }
fi
echo 'int main(void) { return 0; }' >ok.c
$cross-gcc ok.c -o ok && run ./ok || skip_all 'qemu-aarch64 cannot run programs here'
options="6 30 -e -u 2 25 -n 30 --modes cloadtest"
loadcast gen $options --arch aarch64 --out w >/dev/null

t 'a workload for another machine runs there, bound lazily or at once' '
    run w/cloadtest >o && says "test passed!" o
    LD_BIND_NOW=1 run w/cloadtest >o && says "test passed!" o
'
t 'both emitters agree' '
    loadcast gen $options --emit=c --with-cc=$cross-gcc --out c
    $python "$here/elf_agree.py" c w
    same c/manifest.json w/manifest.json
'
t 'functions that print, chains of one, another seed' '
    loadcast gen 3 6 -e -u 1 5 -d 1 -p --seed 8 --modes cloadtest --arch aarch64 --out p
    run p/cloadtest >o && says "test passed!" o
    says libmodule0_fun0 o
    readelf -W -V p/libmodule0.so | grep -q GLIBC_2.17
'
t 'readelf and eu-elflint accept the files, with debug information' '
    command -v eu-elflint >/dev/null || skip "no eu-elflint"
    loadcast gen 3 9 -e -u 1 5 --modes mpi4py --arch aarch64 --out g
    for f in g/*.so; do
        eu-elflint -q --gnu-ld $f
        readelf -W -a -w $f 2>&1 >/dev/null | nothing
    done
'
t 'the unwinder finds its way through every frame' '
    cat >trace.c <<EOF
#include <stdio.h>
#include <unwind.h>
unsigned libmodule1_visit(void);
int main(void);
static int lost, deepest;
struct walk { int frames, home; };
static _Unwind_Reason_Code step(struct _Unwind_Context *c, void *walk)
{
    struct walk *w = walk;
    w->frames++;
    w->home |= _Unwind_FindEnclosingFunction((void *)_Unwind_GetIP(c)) == (void *)main;
    return _URC_NO_REASON;
}
int puts(const char *s)
{
    struct walk w = {0, 0};
    _Unwind_Backtrace(step, &w);
    lost += !w.home;
    if (w.frames > deepest)
        deepest = w.frames;
    return 0;
}
int main(void)
{
    libmodule1_visit();
    printf("lost %d, deepest %d\n", lost, deepest);
    return lost || deepest < 5;
}
EOF
    loadcast gen 4 12 -e -u 1 9 -p --modes cloadtest --arch aarch64 --out u
    $cross-gcc -g trace.c -rdynamic -funwind-tables u/libmodule1.so u/libmodule0.so -Wl,-rpath,$tmp/u \
        -Wl,--allow-shlib-undefined -o trace
    run ./trace
'
t 'static code links with the cross linker and computes the same' '
    "$PROGRAMS/static-code" aarch64 all.o >main.c
    readelf -W -a all.o 2>&1 >/dev/null | nothing
    $cross-gcc main.c all.o -o main
    run ./main >o || { cat o; false; }
    says "libmodule5.libmodule5_entry:" o
    $cross-gcc -static main.c all.o -o main-static && run ./main-static >o2 && same o o2
'
t 'strip keeps them loadable' '
    $cross-strip w/lib*.so
    run w/cloadtest >o && says "test passed!" o
'
t 'modes that need the other machine'\''s MPI or Python are left out by name' '
    [ "$(uname -m)" != aarch64 ] || skip "this is that machine"
    code 3 loadcast gen 3 4 -u 1 4 --arch aarch64 --out left
    says "left out pyMPI: programs for another machine" err
    says "--with-mpicc" err
    [ -e left/cloadtest ] && [ ! -e left/pyMPI ]
'
finish
