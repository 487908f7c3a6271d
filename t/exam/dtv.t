#!/bin/sh
# Many libraries with thread variables linked at start, then more by dlopen: glibc's own realloc of
# a block that is not the C library's, under any auditor (glibc bug 32412).
. "$(dirname "$0")/../lib.sh"
need_ptrace
cc=${CC:-cc}
mkdir app
mkdir -m 700 node
export LOADCAST_DIR="$tmp/node"
at_exit 'loadcast clean -q --all --dir "$LOADCAST_DIR"'

cat >lib.c <<'C'
__thread int before;
__thread int value = N;
__thread char big[100];
int CAT(void);
int CAT(void)
{
    big[N] = 1;
    return before + value++ + big[N];
}
C
for i in $(seq 1 75); do
    $cc -shared -fPIC -DN="$i" -DCAT="f$i" lib.c -o "app/libv$i.so"
done
cat >main.c <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int first, last; /* libraries to open */

static long open_all(int close_some)
{
    long sum = 0;
    for (int i = first; i <= last; i++) {
        char name[64];
        snprintf(name, sizeof(name), "libv%d.so", i);
        void *handle = dlopen(name, RTLD_NOW);
        snprintf(name, sizeof(name), "f%d", i);
        int (*f)(void) = handle ? (int (*)(void))dlsym(handle, name) : 0;
        sum = sum * 31 + (f ? f() : -1);
        if (close_some && i % 3 == 0)
            dlclose(handle);
    }
    return sum;
}

static pthread_t main_thread;

static void *join_main(void *arg)
{
    int rc = pthread_join(main_thread, NULL);
    printf("joined %d %ld\n", rc, open_all(1));
    exit(0);
    return arg;
}

static void *in_thread(void *arg)
{
    *(long *)arg = open_all(1);
    return NULL;
}

#ifdef EARLY
__attribute__((constructor)) static void early(void)
{
    first = 61, last = 75;
    printf("%ld\n", open_all(0));
}
#endif

LINKED
int main(void)
{
    pthread_t thread;
    long linked = 0, other;

    CALLS
    first = 31, last = 60;
    printf("%ld %ld\n", linked, open_all(0));
    pthread_create(&thread, NULL, in_thread, &other);
    pthread_join(thread, NULL);
    printf("%ld\n", other);
    fflush(stdout);
    if (fork() == 0) {
        first = 61, last = 75;
        printf("%ld\n", open_all(1));
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    printf("%ld\n", open_all(1));
    main_thread = pthread_self();
    if (getenv("JOIN") && pthread_create(&thread, NULL, join_main, NULL) == 0)
        pthread_exit(NULL);
    return 0;
}
C
# program N [OPTION...]: app/linkedN needs N of the libraries.
program() {
    n=$1
    shift
    : >decl
    : >calls
    libs=
    for i in $(seq 1 "$n"); do
        echo "int f$i(void);" >>decl
        echo "linked += f$i();" >>calls
        libs="$libs -lv$i"
    done
    sed -e '/^LINKED/{r decl' -e 'd}' -e '/^    CALLS/{r calls' -e 'd}' main.c >"linked$n.c"
    $cc "$@" "linked$n.c" -o "app/linked$n" -Lapp $libs -Wl,--disable-new-dtags,-rpath,"$tmp/app" -ldl -lpthread
}
for n in 13 14 20 29 30; do
    program $n
    "app/linked$n" >"plain$n"
done

for n in 13 14 20 29 30; do
    t "$n libraries with thread variables at start, 30 and more by dlopen: record" "
        loadcast record -o $n.lcast --manage $tmp/app -- app/linked$n >recorded
        same plain$n recorded
    "
    t "$n libraries with thread variables at start, 30 and more by dlopen: exec" "
        loadcast exec -q --strict $n.lcast -- app/linked$n >served
        same plain$n served
    "
done
t 'opened by a constructor, before main' '
    program 18 -DEARLY
    app/linked18 >plain18
    loadcast record -o 18.lcast --manage $tmp/app -- app/linked18 >recorded
    same plain18 recorded
    loadcast exec -q --strict 18.lcast -- app/linked18 >served
    same plain18 served
'
t 'the main thread ends before others, and is joined' '
    JOIN=1 app/linked20 >plain
    says "joined 0" plain
    JOIN=1 loadcast exec -q --strict 20.lcast -- app/linked20 >served
    same plain served
'
t 'a process that is switched off' '
    for n in 14 20 29; do
        LOADCAST=0 app/linked$n >plain
        same plain plain$n
        loadcast exec -q --strict $n.lcast -- env LOADCAST=0 app/linked$n >served
        same plain$n served
        loadcast exec -q --strict $n.lcast -- env -u LOADCAST_NODE app/linked$n >served
        same plain$n served
    done
    loadcast record -o off.lcast --manage $tmp/app -- env -u LOADCAST_SEARCH_LOG app/linked20 >recorded
    same plain20 recorded
'
# A second library that says it is libc decides which version ours takes it for.
t 'a glibc beyond those tested' '
    mkdir new
    echo "GLIBC_2.99 { beyond; };" >map
    echo "int beyond(void); int beyond(void) { return 0; }" |
        $cc -xc - -shared -fPIC -o new/libc.so.99 -Wl,-soname,libc.so.99 -Wl,--version-script=map
    $cc linked20.c -o app/new20 -Wl,--no-as-needed new/libc.so.99 -Wl,--as-needed -Lapp $(seq -f -lv%g 20) \
        -Wl,--disable-new-dtags,-rpath,"$tmp/app:$tmp/new" -ldl -lpthread
    app/new20 >plain
    loadcast record -o new.lcast --manage $tmp/app -- app/new20 >recorded 2>err
    same plain recorded
    says "ran without our auditor: more than 14 libraries" err
    loadcast record -o new.lcast --manage $tmp/app -- sh -c "app/new20; :" >recorded
    same plain recorded
    loadcast exec -q --strict new.lcast -- app/new20 >served
    same plain served
    loadcast status >text
    says "more than 14 libraries" text
'
finish
