#!/bin/sh
# ld.so under Loadcast finds what it would have found: same library, same order of search, also where
# the image knows only a part; and asks the slow disk nothing where it knows all.
. "$(dirname "$0")/lib.sh"
. "$here/zero.sh"
need_compiler
command -v stormfs >/dev/null 2>&1 || skip_all 'no stormfs in this build'
need_ptrace
mkdir tree tree/bin tree/one tree/two tree/lib tree/env local
disk_options=--rw
zero_disk "$tmp/tree"
job() { (cd "$tmp/work" && exec "$@"); }

# lib FILE VALUE [OPTION...]: a library whose f() gives VALUE
lib() {
    out=$1 value=$2
    shift 2
    mkdir -p "$(dirname "$out")"
    echo "static int calls; int f(void); int f(void) { return $value + calls++; }" >f.c
    $cc -shared -fPIC f.c -o "$out" "$@"
}
# program FILE [OPTION...]: prints f() of the library it is linked with
program() {
    out=$1
    shift
    cat >p.c <<'P'
#include <stdio.h>
int f(void);
int main(void) { printf("%d\n", f()); return 0; }
P
    $cc p.c -o "$out" "$@"
}
# load NAME...: dlopens each, calls its f(), tells which file it is
cat >load.c <<'P'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct link_map *map;
        void *h = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        int (*f)(void) = h ? (int (*)(void))dlsym(h, "f") : NULL;
        if (h && dlinfo(h, RTLD_DI_LINKMAP, &map) == 0)
            printf("%s: %d from %s\n", argv[i], f ? f() : -1, map->l_name);
        else
            printf("%s\n", dlerror());
    }
    return 0;
}
P
# whole PATH...: dlopens each in several ways, in two threads; what dlerror says, once, and errno
cat >whole.c <<'P'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
static void *try(void *name)
{
    for (int flags = 0; flags < 4; flags++) {
        errno = 77;
        void *h = dlopen(name, RTLD_LAZY | (flags & 1 ? RTLD_NOLOAD : 0) | (flags & 2 ? RTLD_GLOBAL : 0));
        int was = errno;
        const char *why = dlerror();
        printf("%d %d %s", !!h, was, why ? why : "-");
        puts(dlerror() ? " again" : "");
    }
    return NULL;
}
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        pthread_t thread;
        try(argv[i]);
        if (pthread_create(&thread, NULL, try, argv[i]) == 0)
            pthread_join(thread, NULL);
    }
    printf("%d\n", dlopen("libc.so.6", RTLD_LAZY) && !dlerror());
    return 0;
}
P
# count WHAT: a counter of the node directory in use
count() {
    loadcast status --json | "$python" -c "
import json, sys
print(sum(n[\"counts\"][\"$1\"] for n in json.load(sys.stdin) if n[\"path\"] == \"$node\"))"
}

t 'two libraries of one name behind two RPATHs: each program gets its own' '
    lib tree/one/libx.so 1 -Wl,-soname,libx.so
    lib tree/two/libx.so 2 -Wl,-soname,libx.so
    program tree/bin/first -Ltree/one -lx -Wl,--disable-new-dtags,-rpath,"$m/one"
    program tree/bin/second -Ltree/two -lx -Wl,--disable-new-dtags,-rpath,"$m/two"
    zero sh -c "$m/bin/first; $m/bin/second"
    printf "1\n2\n" | same - served
'
t 'two of one name and content at two inodes stay two; a hard and a soft link stay one' '
    $cc load.c -o tree/bin/load -ldl
    lib tree/one/libe.so 5
    cp tree/one/libe.so tree/two/libe.so
    ln -f tree/one/libe.so tree/one/hard.so
    ln -sf ../one/libe.so tree/two/soft.so
    zero "$m/bin/load" "$m/one/libe.so" "$m/two/libe.so" "$m/one/libe.so" "$m/one/hard.so" "$m/two/soft.so"
    test "$(awk "{ print \$2 }" served | tr "\n" " ")" = "5 5 6 7 8 "
'
t 'a relocated prefix: an unrecorded sibling behind $ORIGIN is found, not one of that name elsewhere' '
    lib tree/lib/liba.so 10 -Wl,-soname,liba.so
    lib tree/lib/libsibling.so 20 -Wl,-soname,libsibling.so
    lib tree/env/libsibling.so 66 -Wl,-soname,libsibling.so
    lib local/libsibling.so 67 -Wl,-soname,libsibling.so
    $cc load.c -o tree/bin/conda -ldl -Wl,--disable-new-dtags,-rpath,"\$ORIGIN/../lib"
    record_and_stage "$tmp/conda.lcast" "$m/bin/conda" liba.so
    for variable in NOTHING=1 LD_LIBRARY_PATH=$m/env LD_LIBRARY_PATH=$tmp/local; do
        export $variable
        like_plain "$m/bin/conda" liba.so libsibling.so libnone.so
        says "libsibling.so: 20 from" served
    done
'
t 'a library that needs a sibling by its own $ORIGIN, recorded or not' '
    lib tree/lib/deep/libleaf.so 30 -Wl,-soname,libleaf.so
    lib tree/lib/deep/libtree.so 31 -Wl,-soname,libtree.so
    lib tree/lib/deep/libother.so 32 -Wl,-soname,libother.so
    echo "int g(void); int g(void) { return 1; }" >g.c
    $cc -shared -fPIC g.c -o tree/lib/deep/libmid.so -Wl,--no-as-needed -Ltree/lib/deep -lleaf -Wl,--enable-new-dtags,-rpath,"\$ORIGIN"
    $cc -shared -fPIC g.c -o tree/lib/deep/libmid2.so -Wl,--no-as-needed -Ltree/lib/deep -lother -Wl,--enable-new-dtags,-rpath,"\$ORIGIN/../deep"
    record_and_stage "$tmp/deep.lcast" "$m/bin/load" "$m/lib/deep/libmid.so"
    like_plain "$m/bin/load" "$m/lib/deep/libmid.so" "$m/lib/deep/libmid2.so" "$m/lib/deep/libtree.so"
    test "$(grep -c " from $m/lib/deep/" served)" = 3
'
t 'names that are nowhere: recorded or not, the directories searched for them are not asked for' '
    $cc load.c -o tree/bin/both -ldl -Wl,--disable-new-dtags,-rpath,"$m/one"
    job() { (cd "$tmp/work" && export LD_LIBRARY_PATH=$m/two:$m/none:$m/lib && exec "$@"); }
    zero "$m/bin/both" liba.so libnone.so libnone2.so libsibling.so
    $cc load.c -o tree/bin/later -ldl -Wl,--enable-new-dtags,-rpath,"$m/one"
    record_and_stage "$tmp/later.lcast" "$m/bin/later" liba.so
    stormfs ctl "$m" reset
    launch "$m/bin/later" liba.so libnone.so libnone2.so >served
    asked=$(requests)
    test "$asked" = 0 || { echo "$asked requests instead of 0"; loadcast status; exit 1; }
    like_plain "$m/bin/later" liba.so libnone.so libnone2.so libsibling.so libe.so
    says "libe.so: 5 from $m/two/libe.so" served
'
t 'a search goes on past a directory without the name, whatever failed before, and spells what it finds' '
    export LD_LIBRARY_PATH=$m/early:$m/two:$m/one:$m/env
    mkdir -p tree/early
    record_and_stage "$tmp/past.lcast" "$m/bin/load" libnone.so "$m/env/libsibling.so"
    for before in libnone.so "$m/bin/load/none.so" /proc/self/mem; do
        like_plain "$m/bin/load" libnone.so "$before" libsibling.so libnone2.so libx.so
        says "libsibling.so: 66 from $m/env/libsibling.so" served
    done
    export LD_DEBUG=libs
    launch "$m/bin/load" libnone.so 2>&1 | sed -n "s/.*trying file=//p" | grep -v "/libnone.so$" >odd || :
    nothing <odd
'
t 'a whole path where nothing is: the same words, and the disk is not asked for it' '
    $cc whole.c -o tree/bin/whole -ldl -pthread
    lib tree/lib/libthere.so 1
    zero "$m/bin/whole" "$m/lib/libnone.so" "$m/none/libnone.so" "$m/lib/libthere.so" "$m/lib/../lib/libnone.so"
    says "0 77 $m/none/libnone.so: cannot open shared object file: No such file or directory" served
    like_plain "$m/bin/whole" "$m/lib/libthere.so/none" "$m/lib/\$LIB/none.so" "$tmp/none.so" none/none.so "$m/lib/libunrecorded.so"
    # What the job puts there is found.
    like_plain sh -c "$m/bin/whole $m/lib/libnone.so; cp $m/lib/libthere.so $m/lib/libnone.so; $m/bin/whole $m/lib/libnone.so; rm $m/lib/libnone.so"
    says "1 77 -" served
'
t 'RPATH before LD_LIBRARY_PATH before RUNPATH, recorded so or another way' '
    program tree/bin/rpath -Ltree/one -lx -Wl,--disable-new-dtags,-rpath,"$m/one"
    program tree/bin/runpath -Ltree/one -lx -Wl,--enable-new-dtags,-rpath,"$m/one"
    program tree/bin/none -Ltree/one -lx
    lib local/libx.so 3 -Wl,-soname,libx.so
    unset LD_LIBRARY_PATH
    for recorded in "" "$m/two"; do
        run="for p in rpath runpath none; do $m/bin/\$p 2>&1 || :; done"
        LD_LIBRARY_PATH=$recorded record_and_stage "$tmp/order$(basename "0$recorded").lcast" sh -c "$run"
        for path in "" "$m/two" "$tmp/local" "$m/two:$tmp/local" "$tmp/local:$m/two" "$m/lib:$m/two:"; do
            export LD_LIBRARY_PATH=$path
            like_plain sh -c "$run"
            unset LD_LIBRARY_PATH
        done
    done
'
t 'a library that appears in an unmanaged directory searched before: it is found' '
    mkdir -p late
    export LD_LIBRARY_PATH=$tmp/late:$m/two
    record_and_stage "$tmp/late.lcast" "$m/bin/load" libx.so
    like_plain "$m/bin/load" libx.so
    says "libx.so: 2 from $m/two/libx.so" served
    lib late/libx.so 4 -Wl,-soname,libx.so
    like_plain "$m/bin/load" libx.so
    says "libx.so: 4 from $tmp/late/libx.so" served
    rm late/libx.so
    like_plain "$m/bin/load" libx.so
    says "libx.so: 2 from" served
    mkdir -p late/glibc-hwcaps/x86-64-v2 && lib late/glibc-hwcaps/x86-64-v2/libx.so 9 -Wl,-soname,libx.so
    like_plain "$m/bin/load" libx.so
'
t 'the same behind RPATH, RUNPATH and in the working directory' '
    mkdir -p soon
    for tags in disable enable; do
        rm -f soon/libx.so work/libx.so
        $cc load.c -o "tree/bin/soon-$tags" -ldl -Wl,--$tags-new-dtags,-rpath,"$tmp/soon:$m/one"
        record_and_stage "$tmp/soon-$tags.lcast" "$m/bin/soon-$tags" libx.so
        lib soon/libx.so 7 -Wl,-soname,libx.so
        like_plain "$m/bin/soon-$tags" libx.so
        says "libx.so: 7 from" served
    done
    export LD_LIBRARY_PATH=:$m/one
    record_and_stage "$tmp/cwd.lcast" "$m/bin/load" libx.so
    lib work/libx.so 8 -Wl,-soname,libx.so
    like_plain "$m/bin/load" libx.so
    says "libx.so: 8 from" served
    rm work/libx.so
'
t 'a library that the job itself puts into a managed directory searched before: it is found' '
    mkdir -p tree/early
    export LD_LIBRARY_PATH=$m/early:$m/two
    record_and_stage "$tmp/early.lcast" sh -c "$m/bin/load libx.so"
    like_plain sh -c "$m/bin/load libx.so; cp $m/one/libx.so $m/early/libx.so; $m/bin/load libx.so; rm $m/early/libx.so"
    says "libx.so: 1 from $m/early/libx.so" served
'
t 'what is no library is refused under its own name' '
    echo "GROUP ( libc.so.6 )" >tree/lib/script.so && : >tree/lib/empty.so
    record_and_stage "$tmp/refused.lcast" "$m/bin/load" "$m/lib/script.so" "$m/lib/empty.so"
    like_plain "$m/bin/load" "$m/lib/script.so" "$m/lib/empty.so"
    job() { (cd "$m/lib" && exec "$@"); }
    like_plain "$m/bin/load" ./script.so ./empty.so
    says "./empty.so: file too short" served
'
# variants DIR VALUE: a library and its variants for better processors, which tell by their tens
variants() {
    lib "$1/libv.so" $(($2 + 1)) -Wl,-soname,libv.so
    for level in 2 3 4; do
        lib "$1/glibc-hwcaps/x86-64-v$level/libv.so" $(($2 + 10 * level)) -Wl,-soname,libv.so
    done
}
t 'a variant for a better processor is served on it, and not on a lesser one' '
    test "$(uname -m)" = x86_64 || skip "x86-64 only"
    variants tree/hw 0
    program tree/bin/hw -Ltree/hw -lv -Wl,--disable-new-dtags,-rpath,"$m/hw"
    test "$("$m/bin/hw")" -ge 30 || skip "no x86-64-v3 here, or a C library without glibc-hwcaps"
    zero "$m/bin/hw"
    # The tunables play a lesser processor.
    for less in -AVX2 -AVX512F -AVX512F,-AVX2,-SSE4_2; do
        export GLIBC_TUNABLES=glibc.cpu.hwcaps=$less
        like_plain "$m/bin/hw"
    done
    test "$(cat served)" = 1
'
t 'and not on a lesser processor itself' '
    test "$(uname -m)" = x86_64 || skip "x86-64 only"
    command -v qemu-x86_64 >/dev/null || skip "no qemu-x86_64"
    node=$(ls -td "$tmp"/node/loadcast-*/*/ | head -1)
    node=${node%/}
    for cpu in Haswell Nehalem Conroe; do
        qemu-x86_64 -cpu $cpu "$m/bin/hw" >plain 2>/dev/null
        before=$(count pass_search)
        # /proc tells the guest qemu'\''s own environment.
        LOADCAST_NODE=$node qemu-x86_64 -cpu $cpu -E LD_AUDIT="$node/bin/audit.so" -E LD_PRELOAD="$node/bin/preload.so" \
            "$m/bin/hw" >served 2>err || { cat err; exit 1; }
        same plain served
        test "$(count pass_search)" -gt "$before"
    done
    test "$(cat served)" = 1
'
finish
