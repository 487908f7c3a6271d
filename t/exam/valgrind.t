#!/bin/sh
# valgrind on a served program: the frees of ld.so's that it reports under any auditor are suppressed by
# the file that is installed, and nothing else is reported.
. "$(dirname "$0")/../lib.sh"
need_ptrace
command -v valgrind >/dev/null || skip_all 'no valgrind'
cc=${CC:-cc}
mkdir app
mkdir -m 700 node
export LOADCAST_DIR="$tmp/node"
at_exit 'loadcast clean -q --all --dir "$LOADCAST_DIR"'
echo 'int two(void); int two(void) { return 2; }' | $cc -shared -fPIC -xc - -o app/libtwo.so
cat >main.c <<'C'
#include <dlfcn.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    char *p = malloc(10);
    void *handle = dlopen(argv[1], RTLD_NOW);
    if (argc > 2)
        p++; /* a fault of its own: what is freed was not allocated */
    free(p);
    return handle ? dlclose(handle) : 2;
}
C
$cc main.c -o app/main -ldl
valgrind -q --error-exitcode=9 app/main "$tmp/app/libtwo.so" || skip_all 'valgrind does not work here'
loadcast record -o v.lcast --manage "$tmp/app" -- app/main "$tmp/app/libtwo.so" >/dev/null 2>&1

t 'nothing is reported that is not the program'"'"'s' '
    code 0 loadcast exec -q --strict v.lcast -- valgrind -q --error-exitcode=9 \
        --suppressions="$src/doc/loadcast.supp" app/main "$tmp/app/libtwo.so"
    nothing <err
'
t 'its own faults are' '
    code 9 loadcast exec -q --strict v.lcast -- valgrind -q --error-exitcode=9 \
        --suppressions="$src/doc/loadcast.supp" app/main "$tmp/app/libtwo.so" fault
    says "Invalid free" err
'
finish
