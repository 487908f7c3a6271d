#!/bin/sh
# Libraries that are nowhere, and libraries found on another way than was recorded: ld.so and dlerror say
# what they say without Loadcast, and the slow disk is not asked.
. "$(dirname "$0")/lib.sh"
. "$here/zero.sh"
need_compiler
command -v stormfs >/dev/null 2>&1 || skip_all 'no stormfs in this build'
need_ptrace
mkdir tree tree/bin tree/one tree/two local
disk_options=--rw
zero_disk "$tmp/tree"
job() { (cd "$tmp/work" && export LD_LIBRARY_PATH="$m/one:$m/none:$m/two" && exec "$@"); }

# lib FILE [OPTION...]: a library with one function
lib() {
    out=$1
    shift
    echo "int f(void); int f(void) { return 1; }" >f.c
    $cc -shared -fPIC f.c -o "$out" "$@"
}
# quietly_like_plain CMD...: the same, and the disk is asked nothing
quietly_like_plain() {
    like_plain "$@"
    stormfs ctl "$m" reset
    launch "$@" >served 2>served.err || :
    asked=$(requests)
    test "$asked" = 0 || { echo "$asked requests instead of 0"; stormfs ctl "$m" stats; loadcast status; return 1; }
    same plain served
    same plain.err served.err
}
# load [--new|--base] NAME...: dlopens each, dlmopens those after an option
cat >load.c <<'P'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    long where = 1;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-') {
            where = strcmp(argv[i], "--new") == 0 ? LM_ID_NEWLM : LM_ID_BASE;
            continue;
        }
        void *h = where == 1 ? dlopen(argv[i], RTLD_NOW) : dlmopen(where, argv[i], RTLD_NOW);
        struct link_map *map;
        if (h && dlinfo(h, RTLD_DI_LINKMAP, &map) == 0)
            printf("%s from %s\n", argv[i], map->l_name);
        else
            printf("%s\n", dlerror());
    }
    return 0;
}
P
$cc load.c -o tree/bin/load -ldl
lib tree/one/liba.so
lib tree/two/libb.so

t 'a needed library that is missing at the start: said by ld.so as ever' '
    lib tree/two/libgone.so -Wl,-soname,libgone.so
    echo "int f(void); int main(void) { return f(); }" >p.c
    $cc p.c -o tree/bin/needs -Ltree/two -lgone
    rm tree/two/libgone.so
    record_and_stage "$tmp/needs.lcast" sh -c "$m/bin/needs 2>/dev/null; $m/bin/load liba.so"
    like_plain "$m/bin/needs"
    says "libgone.so: cannot open shared object file" served.err
'
t 'a needed library of an opened one that is missing: its name is told' '
    lib tree/two/libgone.so -Wl,-soname,libgone.so
    lib tree/two/libmid.so -Wl,--no-as-needed -Ltree/two -lgone
    rm tree/two/libgone.so
    record_and_stage "$tmp/mid.lcast" "$m/bin/load" libmid.so
    quietly_like_plain "$m/bin/load" libmid.so "$m/two/libmid.so"
    says "libgone.so: cannot open shared object file: No such file or directory" served
'
t 'names and paths of every kind that are nowhere' '
    record_and_stage "$tmp/kinds.lcast" "$m/bin/load" liba.so
    quietly_like_plain "$m/bin/load" libnone.so none libnone.so.1.2 "$m/one/libnone.so" "$m/none/x/libnone.so" \
        "$m/one//libnone.so" "lib with spaces.so" "lib:colon.so"
    too_long=$(printf "%0300d" 0)
    like_plain "$m/bin/load" "lib\$ORIGIN.so" "\$ORIGIN/libnone.so" "\${ORIGIN}/../none/libnone.so" "$m/one/\$LIB/x.so" ./none.so ../none.so / . "$m/one" \
        "$too_long" "$m/one/$too_long" "$m/none/$too_long" "$(printf "/%0254d" 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)"
'
t 'dlmopen into the base and into another namespace' '
    record_and_stage "$tmp/kinds2.lcast" "$m/bin/load" liba.so
    like_plain "$m/bin/load" --base libnone.so "$m/one/libnone.so" liba.so
    "$m/bin/load" --new "$m/one/liba.so" | grep -q from || skip "dlmopen does not work here"
    glibc=$(getconf GNU_LIBC_VERSION | sed "s/.*2\.//")
    test "$glibc" -ge 35 || skip "dlmopen dies under any auditor before glibc 2.35"
    like_plain "$m/bin/load" --new libnone.so "$m/one/libnone.so" "$m/one/liba.so"
'
cat >next.c <<'P'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
/* Called from the program and from a library: dlerror found by RTLD_NEXT, by handle, with a version. */
#ifdef LIBRARY
void tell_all(const char *name);
#else
extern void tell_all(const char *);
#define tell_all program_tell_all
static
#endif
void tell_all(const char *name)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY), *libdl = dlopen("libdl.so.2", RTLD_LAZY);
    char *(*how[])(void) = {
        (char *(*)(void))dlsym(RTLD_NEXT, "dlerror"),
        (char *(*)(void))dlsym(RTLD_DEFAULT, "dlerror"),
        libc ? (char *(*)(void))dlsym(libc, "dlerror") : NULL,
        libdl ? (char *(*)(void))dlsym(libdl, "dlerror") : NULL,
#ifdef __x86_64__
        (char *(*)(void))dlvsym(RTLD_NEXT, "dlerror", "GLIBC_2.2.5"),
#endif
        dlerror,
    };
    for (unsigned i = 0; i < sizeof(how) / sizeof(*how); i++) {
        if (dlopen(name, RTLD_NOW))
            printf("%s is there\n", name);
        printf("%u %s\n", i, how[i] ? how[i]() : "no such function");
        dlerror();
    }
}
#ifndef LIBRARY
#undef tell_all
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        program_tell_all(argv[i]);
        tell_all(argv[i]);
        void *h = dlopen("libopened.so", RTLD_NOW);
        void (*f)(const char *) = h ? (void (*)(const char *))dlsym(h, "tell_all") : NULL;
        if (f)
            f(argv[i]);
    }
    return 0;
}
#endif
P
t 'dlerror found by dlsym, from the program, from a library, from one that was opened' '
    $cc -shared -fPIC -DLIBRARY next.c -o tree/one/libtell.so -ldl
    cp tree/one/libtell.so tree/one/libopened.so
    $cc next.c -o tree/bin/next -Ltree/one -ltell -ldl
    record_and_stage "$tmp/next.lcast" "$m/bin/next" liba.so
    quietly_like_plain "$m/bin/next" libnone.so "$m/one/libnone.so"
    says "0 libnone.so: cannot open shared object file" served
'
# A library of the program that stands between it and the C library.
cat >between.c <<'P'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
static char *(*next)(void);
__attribute__((constructor)) static void find(void) { next = (char *(*)(void))dlsym(RTLD_NEXT, "dlerror"); }
char *dlerror(void)
{
    static char text[4096];
    const char *t = next();
    snprintf(text, sizeof(text), "between: %s", t ? t : "-");
    return text;
}
P
t 'a dlerror of the program'\''s own, linked or preloaded' '
    $cc -shared -fPIC between.c -o tree/one/libbetween.so -ldl
    $cc load.c -o tree/bin/between -Wl,--no-as-needed -Ltree/one -lbetween -ldl
    record_and_stage "$tmp/between.lcast" "$m/bin/between" liba.so
    quietly_like_plain "$m/bin/between" libnone.so "$m/one/libnone.so"
    says "between: libnone.so: cannot open" served
    like_plain env LD_PRELOAD="$m/one/libbetween.so${LD_PRELOAD:+:$LD_PRELOAD}" "$m/bin/load" libnone.so
    says "between: libnone.so: cannot open" served
'
cat >threads.c <<'P'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static pthread_barrier_t all;
static const char *dir;
/* Each thread fails with a name of its own, and asks why when all others have failed, too. */
static void *fail(void *number)
{
    char name[300], want[400];
    long wrong = 0;
    for (int i = 0; i < 50; i++) {
        snprintf(name, sizeof(name), i % 2 ? "%s/none-%ld-%d.so" : "none%.0s-%ld-%d.so", dir, (long)number, i);
        snprintf(want, sizeof(want), "%s: cannot open shared object file: No such file or directory", name);
        void *h = dlopen(name, RTLD_NOW);
        pthread_barrier_wait(&all);
        const char *why = dlerror();
        wrong += h || !why || strcmp(why, want) != 0;
        pthread_barrier_wait(&all);
    }
    return (void *)wrong;
}
int main(int argc, char **argv)
{
    pthread_t t[4];
    long wrong = 0;
    dir = argv[argc - 1];
    pthread_barrier_init(&all, NULL, 4);
    for (long i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, fail, (void *)i);
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(t[i], &result);
        wrong += (long)result;
    }
    printf("%ld wrong\n", wrong);
    return 0;
}
P
t 'threads: each is told of its own' '
    $cc threads.c -o tree/bin/threads -ldl -pthread
    record_and_stage "$tmp/threads.lcast" "$m/bin/threads" "$m/one"
    quietly_like_plain "$m/bin/threads" "$m/one"
    test "$(cat served)" = "0 wrong"
'
cat >second.c <<'P'
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <string.h>
unsigned la_version(unsigned v) { return v; }
char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
    if (flag == LA_SER_ORIG && strstr(name, "none"))
        fprintf(stderr, "second auditor: %s\n", name);
    return strcmp(name, "libnone-but-known.so") == 0 ? (char *)KNOWN : (char *)name;
}
P
t 'another auditor sees the names as they are, before or behind ours' '
    $cc -shared -fPIC -DKNOWN="\"$m/one/liba.so\"" second.c -o tree/one/second.so
    record_and_stage "$tmp/second.lcast" "$m/bin/load" liba.so
    for order in behind before; do
        plain=$m/one/second.so
        served=$node/bin/audit.so:$plain
        test $order = behind || served=$plain:$node/bin/audit.so
        for name in libnone.so "$m/one/libnone.so" libnone-but-known.so; do
            job env LD_AUDIT="$plain" "$m/bin/load" "$name" >plain 2>plain.err
            LOADCAST_NODE=$node job env LD_AUDIT="$served" LD_PRELOAD="$node/bin/preload.so" "$m/bin/load" "$name" >served 2>served.err
            same plain served
            same plain.err served.err
        done
        says "liba.so" served
    done
'
t 'a library that a constructor tries to open before the program begins' '
    cat >early.c <<P
#include <dlfcn.h>
#include <stdio.h>
__attribute__((constructor)) static void early(void)
{
    if (!dlopen("libnone.so", RTLD_NOW))
        puts(dlerror());
}
P
    $cc -shared -fPIC early.c -o tree/one/libearly.so -ldl
    $cc load.c -o tree/bin/early -Wl,--no-as-needed -Ltree/one -learly -ldl
    record_and_stage "$tmp/early.lcast" "$m/bin/early" liba.so
    quietly_like_plain "$m/bin/early" libnone2.so
'
t 'another LD_LIBRARY_PATH than recorded: found and not found, the disk is asked nothing' '
    record_and_stage "$tmp/path.lcast" sh -c "$m/bin/load liba.so libb.so; ls $m/one $m/two"
    lib "$tmp/local/liblocal.so"
    for path in "$m/two:$m/one" "$m/none:$tmp/local:$m/two:" "$m/one/:$m/two//" "$m/two;$m/one"; do
        job() { (cd "$tmp/work" && export LD_LIBRARY_PATH="$path" && exec "$@"); }
        quietly_like_plain "$m/bin/load" liba.so libb.so libnone.so liblocal.so libm.so.6 libnone3.so
    done
'
t 'a library in LD_PRELOAD that is nowhere' '
    record_and_stage "$tmp/preload.lcast" "$m/bin/load" liba.so
    like_plain env LD_PRELOAD="libnone.so${LD_PRELOAD:+:$LD_PRELOAD}" "$m/bin/load" liba.so
'
t 'a search that the user wants to see (LD_DEBUG=libs) is made' '
    record_and_stage "$tmp/debug.lcast" "$m/bin/load" liba.so
    launch env LD_DEBUG=libs "$m/bin/load" libnone.so >served 2>debug
    says "find library=libnone.so" debug
    says "trying file=$m/two/libnone.so" debug
    says "libnone.so: cannot open shared object file" served
'
t 'Python is told by ctypes' '
    command -v python3 >/dev/null || skip "no python3"
    record_and_stage "$tmp/ctypes.lcast" python3 -c "import ctypes"
    cat >ask.py <<P
import ctypes
for name in "libnone.so", "$m/one/libnone.so", "./none.so":
    try:
        ctypes.CDLL(name)
    except OSError as e:
        print(e)
P
    like_plain python3 "$tmp/ask.py"
    says "libnone.so: cannot open shared object file: No such file or directory" served
'
finish
