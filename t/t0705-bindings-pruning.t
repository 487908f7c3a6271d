#!/bin/sh
# Names hidden from ld.so: what is hidden, that nothing is initialised, finalised or unloaded in
# another order, and that everything can be read again afterwards.
. "$(dirname "$0")/lib.sh"
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip_all 'no compiler'
[ "$(uname -m)" = x86_64 ] || skip_all 'bindings are replayed on x86-64 only'
need_ptrace
mkdir -m 700 node

# make_library NAME NEEDED...: says when it is initialised and finalised; -z lazy as gen's.
make_library() {
    self=$1
    shift
    cat >"$self.c" <<C
#include <stdio.h>
__attribute__((constructor)) static void up(void) { puts("+$self"); }
__attribute__((destructor)) static void down(void) { puts("-$self"); fflush(stdout); }
$(for n in "$@"; do echo "int f_$n(void);"; done)
int f_$self(void) { return 1$(for n in "$@"; do printf ' + f_%s()' "$n"; done); }
C
    $cc -shared -fPIC "$self.c" -o "lib$self.so" -Wl,--no-as-needed -L. \
        $(for n in "$@"; do echo "-l$n"; done) -Wl,-rpath,"$PWD"
}

mkdir tree
cd tree
make_library u1
make_library u2 u1
make_library u3
make_library u4 u2 u3
for m in 1 2 3 4; do make_library m$m u1 u2 u3 u4; done
make_library begin m1 m2 m3 m4
make_library plugin m3
make_library backwards u1 u2 m1 m2 m3
cat >main.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

static int show(struct dl_phdr_info *i, size_t size, void *none)
{
    int needed = 0;

    (void)size, (void)none;
    if (!strstr(i->dlpi_name, "/tree/"))
        return 0;
    for (int k = 0; k < i->dlpi_phnum; k++)
        if (i->dlpi_phdr[k].p_type == PT_DYNAMIC)
            for (ElfW(Dyn) *d = (void *)(i->dlpi_addr + i->dlpi_phdr[k].p_vaddr); d->d_tag; d++)
                needed += d->d_tag == DT_NEEDED;
    printf("%s needs %d\n", strrchr(i->dlpi_name, '/'), needed);
    return 0;
}

static void call(void *handle, const char *name)
{
    int (*f)(void) = handle ? (int (*)(void))dlsym(handle, name) : NULL;

    printf("%s %d\n", name, f ? f() : -1);
}

/* open=FILE, close (the first), show, find=NAME in the first, gone=FILE */
int main(int argc, char **argv)
{
    void *first = NULL;

    for (int i = 1; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        value += value != NULL;
        if (!strncmp(argv[i], "open=", 5)) {
            void *handle = dlopen(value, RTLD_NOW);
            first = first ? first : handle;
            puts(handle ? "opened" : dlerror());
        } else if (!strcmp(argv[i], "close")) {
            printf("closed %d\n", dlclose(first));
        } else if (!strcmp(argv[i], "show")) {
            dl_iterate_phdr(show, NULL);
        } else if (!strncmp(argv[i], "find=", 5)) {
            call(first, value);
        } else {
            printf("%s %s\n", value, dlopen(value, RTLD_NOW | RTLD_NOLOAD) ? "is there" : "is gone");
        }
    }
    return 0;
}
C
$cc main.c -o main -ldl
$cc main.c -o linked -ldl -Wl,--no-as-needed -L. -lm1 -lm2 -lm3 -lm4 -Wl,-rpath,"$PWD"
cd ..

figure() {
    loadcast status --dir "$tmp/node" --json |
        $python -c 'import json,sys; print(json.load(sys.stdin)[0]["bindings"][sys.argv[1]])' "$1"
}
# hidden_by ARG... -- NAME=VALUE...: recorded with the first, run with the same; the number hidden
record() { loadcast record -o app.lcast --manage "$PWD/tree" -- "$@" >/dev/null 2>record.err; }
serve() { loadcast exec -q --dir "$tmp/node" app.lcast -- "$@"; }
order() { sed -n 's/.*calling \(init\|fini\): [^ ]*\/tree\/\(lib[a-z0-9]*\.so\).*/\1 \2/p' "$1"; }
forget() { rm -rf "$tmp/node/loadcast-"*; }

# same_as_plain WANT COMMAND...: the same output and, as ld.so itself tells it, the same order; WANT
# is a test on the number of names hidden
same_as_plain() {
    want=$1
    shift
    "$@" >plain.out
    LOADCAST_PRUNE=small serve "$@" >pruned.out
    same plain.out pruned.out
    hidden=$(figure hidden)
    echo "hidden: $hidden"
    test "$hidden" $want
    LD_DEBUG=files "$@" >/dev/null 2>plain.debug
    LOADCAST_PRUNE=small LD_DEBUG=files serve "$@" >/dev/null 2>pruned.debug
    order plain.debug >plain.order
    order pruned.debug >pruned.order
    [ -s plain.order ]
    same plain.order pruned.order
    LOADCAST_PRUNE=small code 0 loadcast exec -q --verify-bindings --dir "$tmp/node" app.lcast -- "$@"
    [ "$(figure different)" = 0 ]
    [ "$(figure refused)" = 0 ]
}

t 'a program linked to all: nothing moves, and .dynamic can be read again' '
    record tree/linked show
    same_as_plain "-ge 4" tree/linked show
    forget'
t 'one library that brings all' '
    record tree/main open=tree/libbegin.so show find=f_u4
    same_as_plain "-ge 4" tree/main open=tree/libbegin.so show find=f_u4
    forget'
t 'closed again: all are finalised in order, and are gone' '
    record tree/main open=tree/libbegin.so
    same_as_plain "-ge 4" tree/main open=tree/libbegin.so close gone=tree/libu4.so gone=tree/libm3.so
    forget'
t 'opened, closed and opened once more' '
    record tree/main open=tree/libbegin.so close open=tree/libbegin.so
    tree/main open=tree/libbegin.so close open=tree/libbegin.so >plain.out
    LOADCAST_PRUNE=small serve tree/main open=tree/libbegin.so close open=tree/libbegin.so >pruned.out
    same plain.out pruned.out
    forget'
t 'what the pilot did not open relies on one whose names were hidden' '
    record tree/main open=tree/libbegin.so
    tree/main open=tree/libbegin.so open=tree/libplugin.so >plain.out
    LOADCAST_PRUNE=small serve tree/main open=tree/libbegin.so open=tree/libplugin.so >pruned.out
    same plain.out pruned.out
    [ "$(figure hidden)" -ge 4 ]
    forget'
t 'what the pilot opened later keeps its names: nothing is left to mend' '
    record tree/main open=tree/libbegin.so open=tree/libplugin.so
    same_as_plain "-ge 1" tree/main open=tree/libbegin.so open=tree/libplugin.so
    loadcast info --bindings --json app.lcast |
        $python -c "import json,sys; o={x[\"path\"].split(\"/\")[-1]: x for x in json.load(sys.stdin)[\"bindings\"][\"objects\"]}
assert o[\"libm4.so\"][\"prunable\"] and not o[\"libm3.so\"][\"prunable\"], o"
    forget'
t 'libraries listed before those that need them: their order needs every name' '
    record tree/main open=tree/libbackwards.so
    same_as_plain "-ge 0" tree/main open=tree/libbackwards.so
    forget'
t 'opened RTLD_GLOBAL, sorted another way by a tunable, or told not to: nothing is hidden' '
    record tree/linked show
    LOADCAST_PRUNE=small GLIBC_TUNABLES=glibc.rtld.dynamic_sort=1 serve tree/linked show >odd.out
    LOADCAST_PRUNE=small loadcast exec -q --prune=off --dir "$tmp/node" app.lcast -- tree/linked show >off.out
    serve tree/linked show >few.out
    tree/linked show >plain.out
    same plain.out off.out
    same plain.out few.out
    [ "$(figure hidden)" = 0 ]
    code 125 loadcast exec --prune=always app.lcast -- true
    forget'
finish
