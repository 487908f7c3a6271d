#!/bin/sh
# Names hidden from ld.so: what is hidden, that nothing is initialised, finalised or unloaded in
# another order, and that everything can be read again afterwards.
. "$(dirname "$0")/lib.sh"
need_compiler
need_ptrace
libc_is_before 2.35 && skip_all 'names are hidden from glibc 2.35 on'
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
$(cat "$self.more" 2>/dev/null)
int f_$self(void) { return 1$(for n in "$@"; do printf ' + f_%s()' "$n"; done); }
C
    $cc -D_GNU_SOURCE -shared -fPIC "$self.c" -o "lib$self.so" -Wl,--no-as-needed -L. \
        $(for n in "$@"; do echo "-l$n"; done) -Wl,-rpath,"$PWD" ${flags-}
}

mkdir tree
cd tree
make_library u1
make_library u2 u1
make_library u3
make_library u4 u2 u3
for m in 1 2 3 4; do make_library m$m u1 u2 u3 u4; done
cat >asker.more <<'C'
#include <dlfcn.h>
static void *at(void *how, const char *name)
{
    void *found = dlsym(how, name);
    char *why = dlerror();
    puts(why ? why : found ? name : "null");
    return found;
}
void ask(void)
{
    printf("%d", at(RTLD_DEFAULT, "f_u4") == (void *)f_u4);
    printf("%d", at(RTLD_NEXT, "f_u2") == (void *)f_u2);
    printf("%d", at(RTLD_DEFAULT, "ask") == (void *)ask);
    printf("%d", at(RTLD_DEFAULT, "puts") == at(RTLD_NEXT, "puts"));
    at(RTLD_DEFAULT, "no_such_thing");
    at(RTLD_NEXT, "ask");
    printf("%d", dlvsym(RTLD_NEXT, "puts", "GLIBC_2.2.5") == (void *)puts);
    at(RTLD_NEXT, "no_such_thing");
}
C
make_library asker u1 u2 u3 u4
echo '#include <dlfcn.h>
int has(const char *name) { return dlsym(RTLD_DEFAULT, name) != 0; }' >u5.more
make_library u5
for m in 5 6 7 8; do make_library m$m u1 u5; done
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
    int (*f)(void) = (int (*)(void))dlsym(handle, name);

    printf("%s %s\n", name, f ? "found" : dlerror());
    if (f)
        printf("%d\n", f());
}

/* open=FILE, close (the first), closelast, closeall, show, find=NAME in the first, last=NAME in the last, main=NAME
 * anywhere, ask or has=NAME inside the last, global=FILE, gone=FILE, keep=NAME of the first and kept: called later */
int main(int argc, char **argv)
{
    void *first = NULL, *last = NULL, *all[16];
    int opened = 0, (*kept)(void) = NULL;

    for (int i = 1; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        value += value != NULL;
        if (!strncmp(argv[i], "open=", 5)) {
            last = all[opened++] = dlopen(value, RTLD_NOW);
            first = first ? first : last;
            puts(last ? "opened" : dlerror());
        } else if (!strncmp(argv[i], "global=", 7)) {
            puts(dlopen(value, RTLD_NOW | RTLD_GLOBAL) ? "opened for all" : dlerror());
        } else if (!strncmp(argv[i], "last=", 5)) {
            call(last, value);
        } else if (!strncmp(argv[i], "main=", 5)) {
            call(RTLD_DEFAULT, value);
        } else if (!strncmp(argv[i], "keep=", 5)) {
            kept = (int (*)(void))dlsym(first, value);
        } else if (!strcmp(argv[i], "kept")) {
            printf("kept %d\n", kept());
        } else if (!strcmp(argv[i], "ask")) {
            ((void (*)(void))dlsym(last, "ask"))();
        } else if (!strncmp(argv[i], "has=", 4)) {
            printf("has %d\n", ((int (*)(const char *))dlsym(last, "has"))(value));
        } else if (!strcmp(argv[i], "closeall")) {
            while (opened > 0)
                printf("closed %d\n", dlclose(all[--opened]));
            first = last = NULL; /* those handles are nobody's any more */
        } else if (!strcmp(argv[i], "closelast")) {
            printf("closed %d\n", dlclose(all[--opened]));
            last = all[opened - 1];
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
# Not added to what the same libraries did before.
record_anew() {
    rm -f app.lcast
    record "$@"
}
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
t 'the bringer is closed, one it brought stays for good: so does what that needs' '
    (cd tree && flags=-Wl,-z,nodelete && make_library m9 u1 u2 u3 u4 && flags= && make_library begin9 m1 m2 m9 m4)
    stays="open=tree/libbegin9.so keep=f_m9 close kept gone=tree/libu4.so gone=tree/libu1.so gone=tree/libm9.so gone=tree/libm4.so kept"
    record tree/main $stays
    same_as_plain "-ge 4" tree/main $stays
    grep -q "libm4.so is gone" plain.out
    grep -q "libu4.so is there" plain.out
    forget'
t 'what the pilot did not open relies on one whose names were hidden' '
    record tree/main open=tree/libbegin.so
    tree/main open=tree/libbegin.so open=tree/libplugin.so >plain.out
    LOADCAST_PRUNE=small serve tree/main open=tree/libbegin.so open=tree/libplugin.so >pruned.out
    same plain.out pruned.out
    [ "$(figure hidden)" -ge 4 ]
    forget'
t 'what the pilot opened later keeps its names: no list is to be completed' '
    record tree/main open=tree/libbegin.so open=tree/libplugin.so
    same_as_plain "-ge 1" tree/main open=tree/libbegin.so open=tree/libplugin.so
    loadcast info --bindings --json app.lcast |
        $python -c "import json,sys; o={x[\"path\"].split(\"/\")[-1]: x for x in json.load(sys.stdin)[\"bindings\"][\"objects\"]}
assert o[\"libm4.so\"][\"prunable\"] and not o[\"libm3.so\"][\"prunable\"], o
assert o[\"libm4.so\"][\"kept\"] is None, o
assert o[\"libm3.so\"][\"kept\"] == \"something that was opened later needs it\", o
assert o[\"libbegin.so\"][\"kept\"].startswith(\"it was opened by itself\"), o
assert o[\"libc.so.6\"][\"kept\"] == \"it is not replayed\", o"
    loadcast info --bindings app.lcast >said
    grep -qE "left to ld.so +$PWD/tree/libm3.so \(its names are kept: something that was opened later needs it\)$" said
    grep -qE "left to ld.so +$PWD/tree/libm4.so$" said
    forget'
t 'libraries listed before those that need them: their order needs every name' '
    record_anew tree/main open=tree/libbackwards.so
    same_as_plain "-ge 0" tree/main open=tree/libbackwards.so
    forget'
t 'one that is reached first by a later one, and leads to a third: its names are kept, and info says so' '
    (cd tree && make_library x2 && make_library x1 x2 && make_library x3 x1 && make_library cross x1 x2 x3)
    record_anew tree/main open=tree/libcross.so
    same_as_plain "-ge 0" tree/main open=tree/libcross.so
    loadcast info --bindings app.lcast >said
    grep -q "/libx1.so (its names are kept: the order of initialisation depends on them)" said
    grep -q "/libx3.so$" said
    forget'

modules='open=tree/libm1.so open=tree/libm2.so open=tree/libm3.so open=tree/libm4.so open=tree/libasker.so'
t 'one dlopen per module: they use a dependency root, and the order stays' '
    record tree/main $modules
    same_as_plain "-ge 9" tree/main $modules show
    forget'
t 'dlsym finds through a dependency root what a module needs, and says what it does not find' '
    record tree/main $modules
    same_as_plain "-ge 9" tree/main $modules last=f_u3 last=f_asker last=rand last=no_such_thing find=f_u1 main=f_u1 ask
    forget'
t 'modules closed in other orders: what they need goes when the last of them goes' '
    record tree/main $modules
    for rest in "closeall gone=tree/libu1.so gone=tree/libm3.so" "close gone=tree/libu1.so last=f_u2" \
        "closeall $modules last=f_u4 close gone=tree/libu4.so" "close close gone=tree/libm2.so"; do
        same_as_plain "-ge 9" tree/main $modules $rest
    done
    forget'
t 'a module that uses a dependency root is opened RTLD_GLOBAL: so is what it needs' '
    record tree/main $modules
    tree/main $modules global=tree/libm4.so main=f_u4 main=f_m4 main=f_m3 >plain.out
    LOADCAST_PRUNE=small serve tree/main $modules global=tree/libm4.so main=f_u4 main=f_m4 main=f_m3 >pruned.out
    same plain.out pruned.out
    [ "$(figure hidden)" -ge 9 ]
    forget'
t 'what modules need looks for their symbols by itself: no dependency root' '
    asks="open=tree/libm5.so open=tree/libm6.so open=tree/libm7.so open=tree/libm8.so open=tree/libu5.so has=f_m8 has=f_m1"
    record tree/main $asks
    same_as_plain "-eq 0" tree/main $asks
    forget'
# Modules that the first library has brought, opened one by one as Python does with Pynamic's.
brought=$(for l in begin m2 m3 m4; do echo "open=$PWD/tree/lib$l.so"; done)
# asked_of_loader COMMAND...: how many of m2 to m4 ld.so was asked to open
asked_of_loader() {
    LOADCAST_PRUNE=small LD_DEBUG=files serve "$@" 2>&1 >/dev/null | grep -c 'opening file=.*/libm[234]\.so' || :
}
t 'modules opened after the one that brought them: ld.so need not be told' '
    record_anew tree/main $brought
    for rest in "show" "last=f_m4 find=f_m3" "close close" "gone=$PWD/tree/libm3.so gone=$PWD/tree/libu4.so"; do
        same_as_plain "-ge 4" tree/main $brought $rest
    done
    [ "$(asked_of_loader tree/main $brought last=f_m4)" = 0 ]
    [ "$(asked_of_loader tree/main $brought main=f_m4)" = 0 ]
    forget'
# Only a dlopen that ld.so sees after them makes the preload look back at the end: the last one here.
t 'something is opened for all before, as MPI does: nothing is made up for at the end; after: all is' '
    (cd tree && make_library global && make_library late)
    global=global=$PWD/tree/libglobal.so late=open=$PWD/tree/liblate.so
    record_anew tree/main $global $brought $late
    same_as_plain "-ge 4" tree/main $global $brought $late
    [ "$(asked_of_loader tree/main $global $brought $late)" = 0 ]
    forget
    record_anew tree/main $brought $global
    same_as_plain "-ge 4" tree/main $brought $global
    [ "$(asked_of_loader tree/main $brought $global)" -ge 3 ]
    forget'
t 'such a module is asked for what it needs, or for what is nowhere: ld.so answers' '
    record_anew tree/main $brought
    for rest in "last=f_u3" "last=rand" "last=no_such_thing" "main=f_u1 last=f_m4 last=f_u4 find=f_u1"; do
        same_as_plain "-ge 4" tree/main $brought $rest
    done
    [ "$(asked_of_loader tree/main $brought last=f_u3)" = 1 ]
    forget'
t 'they and their bringer are closed in other orders: all goes when it should' '
    there="gone=$PWD/tree/libm2.so gone=$PWD/tree/libm1.so gone=$PWD/tree/libu4.so"
    record_anew tree/main $brought
    for rest in "closeall $there" "close $there" "close $there last=f_u4 last=f_m4 closelast" \
        "closelast closelast $there" "closelast close $there last=f_m4" "closeall $brought last=f_m4 close closeall $there" \
        "open=$PWD/tree/libm2.so open=$PWD/tree/libm2.so closelast close $there closeall"; do
        same_as_plain "-ge 4" tree/main $brought $rest
    done
    forget'
t 'one of them is opened for all, by another name, or for what the pilot did not open' '
    record_anew tree/main $brought
    for rest in "global=$PWD/tree/libm4.so main=f_u4 main=f_m4 main=f_m3" "open=tree/libm4.so last=f_u4 close last=f_m4" \
        "open=tree/libplugin.so" "open=tree/libplugin.so last=f_m3 close closeall"; do
        tree/main $brought $rest >plain.out
        LOADCAST_PRUNE=small serve tree/main $brought $rest >pruned.out
        same plain.out pruned.out
        [ "$(figure hidden)" -ge 4 ]
    done
    forget'
t 'opened while the library that brings them is being initialised: they are initialised then' '
    (cd tree
    echo "#include <dlfcn.h>
__attribute__((constructor(101))) static void early(void) { puts(dlopen(\"$PWD/libm6e.so\", RTLD_NOW) ? \"early\" : dlerror()); }" >early.more
    make_library u6e
    make_library m6e u1 u2 u6e
    make_library early
    make_library eager m1 m2 early m6e)
    eager="open=$PWD/tree/libeager.so open=$PWD/tree/libm6e.so last=f_m6e"
    record_anew tree/main $eager
    tree/main $eager >plain.out
    LOADCAST_PRUNE=small serve tree/main $eager >pruned.out
    same plain.out pruned.out
    forget'
t 'an error that nobody asked for is forgotten by the next dlopen' '
    cat >tree/errors.c <<C
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *h = dlopen(argv[1], RTLD_NOW), *m;
    printf("%d\n", dlsym(h, "none") == NULL);
    m = dlopen(argv[2], RTLD_NOW);
    char *why = dlerror();
    printf("%s\n", why ? why : "no error");
    printf("%d\n", m == dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD));
    printf("%d %d", dlclose(m), dlclose(m));
    dlsym(h, "none");
    printf(" %d", dlclose(m));
    why = dlerror();
    printf(" %s\n", why ? why : "no error");
    return argc != 3;
}
C
    $cc tree/errors.c -o tree/errors -ldl
    record_anew tree/errors $PWD/tree/libbegin.so $PWD/tree/libm3.so
    same_as_plain "-ge 4" tree/errors $PWD/tree/libbegin.so $PWD/tree/libm3.so
    forget'
# A library that tells t/programs/storm.c when it comes and goes.
make_counted() {
    self=$1
    shift
    cat >"$self.c" <<C
void storm(const char *, int);
__attribute__((constructor)) static void up(void) { storm("$self", 1); }
__attribute__((destructor)) static void down(void) { storm("$self", -1); }
$(for n in "$@"; do echo "int f_$n(void);"; done)
int f_$self(void) { return 1$(for n in "$@"; do printf ' + f_%s()' "$n"; done); }
C
    $cc -shared -fPIC "$self.c" -o "lib$self.so" -Wl,--no-as-needed -L. \
        $(for n in "$@"; do echo "-l$n"; done) -Wl,-rpath,"$PWD"
}
t 'threads open, ask and close at once what one library brought, or one by one: all is right' '
    mkdir tree/storm
    (cd tree/storm
    make_counted u1 && make_counted u2 u1 && make_counted u3 && make_counted u4 u2 u3
    for m in 1 2 3 4 5 6; do make_counted m$m u1 u2 u3 u4; done
    make_counted begin m1 m2 m3 m4 m5 m6
    $cc -O1 -rdynamic "$here/programs/storm.c" -o storm -ldl -lpthread)
    here=$PWD/tree/storm
    modules=$(for m in 1 2 3 4 5 6; do echo "$here/libm$m.so"; done)
    for how in $here/libbegin.so each; do
        record_anew $here/storm 1 1 1 $how $modules
        $here/storm 1 1 1 $how $modules >plain.out
        for seed in 1 2 3 4 5 6; do
            LOADCAST_PRUNE=small timeout 300 loadcast exec -q --dir "$tmp/node" app.lcast -- \
                $here/storm 4 150 $seed $how $modules >pruned.out
            same plain.out pruned.out
        done
        [ "$(figure hidden)" -ge 20 ]
        forget
    done'
# A C++ library: an object of its own with a destructor; thrown in one and caught in another.
make_cxx() {
    self=$1
    shift
    cat >"$self.cc" <<C
#include <cstdio>
#include <stdexcept>
struct thing_$self { thing_$self() { std::puts("made $self"); } ~thing_$self() { std::puts("unmade $self"); } };
static thing_$self one;
static thing_$self &late() { static thing_$self two; return two; }
$(for n in "$@"; do echo "void throw_$n();"; done)
extern "C" int f_$self()
{
    late();
    int caught = 0;
$(for n in "$@"; do echo "try { throw_$n(); } catch (const std::runtime_error &e) { caught += e.what()[0] == 'c'; }"; done)
    return caught;
}
void throw_$self() { throw std::runtime_error("c$self"); }
C
    "$cxx" -shared -fPIC "$self.cc" -o "lib$self.so" -Wl,--no-as-needed -L. \
        $(for n in "$@"; do echo "-l$n"; done) -Wl,-rpath,"$PWD"
}
t 'exceptions thrown below a dependency root, and destructors of static objects' '
    cxx=${CXX:-c++}
    command -v "$cxx" >/dev/null || skip "no C++ compiler"
    (cd tree && make_cxx c1 && make_cxx c2 c1 && for i in 3 4 5 6; do make_cxx c$i c1 c2; done)
    things=$(for i in 3 4 5 6; do echo "open=tree/libc$i.so last=f_c$i"; done)
    record tree/main $things
    same_as_plain "-ge 2" tree/main $things
    same_as_plain "-ge 2" tree/main $things close
    same_as_plain "-ge 2" tree/main $things closeall gone=tree/libc1.so
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
t 'random programs whose libraries need each other crosswise: every order is ld.so'"'"'s own' '
    mkdir random
    "$python" "$here/bindings_orders.py" --loadcast "$build/loadcast" --cc "$cc" $(command -v "${CXX:-c++}" >/dev/null && echo --cxx "${CXX:-c++}") --work "$tmp/random" --first 303 --programs 14
'
finish
