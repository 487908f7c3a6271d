#!/bin/sh
# Symbol bindings recorded and replayed: what a user sees of it.
. "$(dirname "$0")/lib.sh"
need_compiler
need_ptrace
export LOADCAST_DIR=$tmp/node TMPDIR=$tmp/temporary
mkdir -m 700 node tree temporary

cat >tree/a.c <<'C'
int b(int); extern int shared; int a(int n) { return b(n) + shared++; }
C
cat >tree/b.c <<'C'
int shared = 40; int b(int n) { return n * 2; }
C
cat >tree/plugin.c <<'C'
int a(int); int plugin(void) { return a(100); }
C
cat >tree/main.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int a(int);
int main(void)
{
    void *h = dlopen(HERE "/plugin.so", RTLD_NOW);
    int (*p)(void) = h ? (int (*)(void))dlsym(h, "plugin") : 0;
    printf("%d", a(1));
    printf(" %d\n", p ? p() : -1);
    return 0;
}
C
make_tree() {
    $cc -shared -fPIC "$tmp/tree/b.c" -o "$tmp/tree/libb.so" -Wl,-soname,libb.so &&
        $cc -shared -fPIC "$tmp/tree/a.c" -o "$tmp/tree/liba.so" -Wl,-soname,liba.so -L"$tmp/tree" -lb -Wl,-rpath,"$tmp/tree" &&
        $cc -shared -fPIC "$tmp/tree/plugin.c" -o "$tmp/tree/plugin.so" -L"$tmp/tree" -la &&
        $cc "$tmp/tree/main.c" -DHERE="\"$tmp/tree\"" -o "$tmp/tree/main" -L"$tmp/tree" -la -lb -ldl -Wl,-rpath,"$tmp/tree"
}
make_tree || skip_all 'the compiler makes no shared libraries'

# stats FIELD: of the only node directory
stats() { loadcast status --json | $python -c "import json,sys; print(json.load(sys.stdin)[0]['bindings'][sys.argv[1]])" "$1"; }

t 'record keeps bindings and says so' '
    code 0 loadcast record -o app.lcast --manage "$tmp/tree" -- tree/main
    echo "42 241" | same - out
    code 0 loadcast info --bindings app.lcast
    says "in 2 groups" out
    grep -qE " bindings +[0-9]+ left to ld.so +$tmp/tree/liba.so" out
    says "(the C library is left alone)" out
    code 0 loadcast info --verify app.lcast
'
t 'exec replays them, and counts' '
    code 0 loadcast exec --stats app.lcast -- tree/main
    echo "42 241" | same - out
    grep -qE "^bindings +[1-9][0-9]* replayed in 2 groups; 0 groups refused" err
    [ "$(stats replayed)" = 2 ]
    [ "$(stats refused)" = 0 ]
'
t 'verifying finds no difference' '
    code 0 loadcast exec --verify-bindings app.lcast -- tree/main
    echo "42 241" | same - out
    grep -qE "^verified +[1-9][0-9]* bindings looked up again: 0 different" err
'
t 'one rank in N verifies' '
    PMI_RANK=7 PMI_SIZE=8 code 0 loadcast exec --verify-ranks 1/4 app.lcast -- tree/main
    lacks "verified" err
    PMI_RANK=4 PMI_SIZE=8 code 0 loadcast exec --verify-ranks 1/4 app.lcast -- tree/main
    says "0 different" err
    for rank in 0 1000; do
        PMI_RANK=$rank PMI_SIZE=1001 code 0 loadcast exec --verify-ranks 1/1000 app.lcast -- tree/main
        echo "42 241" | same - out
        says "0 different" err
    done
    for rank in 1 500 999; do
        PMI_RANK=$rank PMI_SIZE=1001 code 0 loadcast exec --verify-ranks 1/1000 app.lcast -- tree/main
        lacks "verified" err
    done
    for bad in 4 2/4 1/ 1/0 1/x -1/2; do
        code 125 loadcast exec --verify-ranks "$bad" app.lcast -- tree/main
        says "1/N" err
    done
'
t 'LOADCAST_BINDINGS=0 switches replay off, and nothing else' '
    before=$(stats replayed)
    LOADCAST_BINDINGS=0 code 0 loadcast exec --stats app.lcast -- tree/main
    echo "42 241" | same - out
    lacks "groups refused" err
    says "libraries mapped" err
    [ "$(stats replayed)" = "$before" ]
'
t 'what changes how ld.so binds is respected' '
    LD_DYNAMIC_WEAK=1 code 0 loadcast exec --stats app.lcast -- tree/main
    echo "42 241" | same - out
    says "0 replayed in 0 groups" err
'
t 'another LD_PRELOAD refuses the start, and with it all' '
    echo "int a(int n) { return -n; }" >pre.c
    $cc -shared -fPIC pre.c -o pre.so
    LD_PRELOAD=$tmp/pre.so tree/main >plain
    LD_PRELOAD=$tmp/pre.so code 0 loadcast exec --stats app.lcast -- tree/main
    same plain out
    says "0 replayed in 0 groups; 2 groups refused" err
    says "first refusal" err
'
t 'status tells each process, and why its first group was refused' '
    mkdir -m 700 each
    code 0 loadcast exec -q --dir "$tmp/each" app.lcast -- tree/main
    LD_PRELOAD=$tmp/pre.so code 0 loadcast exec -q --dir "$tmp/each" app.lcast -- tree/main
    loadcast status --dir "$tmp/each" >said
    says "bindings by process:" said
    grep -qE "^ +[0-9]+  2 groups replayed, 0 refused \(main\)" said
    grep -A1 -E "^ +[0-9]+  0 groups replayed, 2 refused \(main\)" said | grep -q "first refusal: other objects"
    loadcast status --dir "$tmp/each" --json | $python -c "
import json, sys
refuses, replays = json.load(sys.stdin)[0][\"bindings\"][\"by_process\"]
assert refuses[\"refused\"] == 2 and \"pre.so\" in refuses[\"first_refusal\"] and refuses[\"bindings\"] == 0, refuses
assert replays[\"replayed\"] == 2 and replays[\"first_refusal\"] is None and replays[\"bindings\"] > 0, replays
assert refuses[\"pid\"] != replays[\"pid\"] and refuses[\"name\"] == \"main\"
"
'
t 'each child of fork has its own row; of very many the last are told' '
    cat >forks.c <<C
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int c, char **v)
{
    for (int i = 0; i < atoi(v[1]); i++) {
        if (fork() == 0)
            _exit(!dlopen(HERE "/plugin.so", RTLD_NOW));
        wait(0);
    }
    return 0;
}
C
    $cc forks.c -DHERE="\"$tmp/tree\"" -o tree/forks -ldl
    export LD_LIBRARY_PATH=$tmp/tree
    code 0 loadcast record -o forks.lcast --manage "$tmp/tree" -- tree/forks 1
    mkdir -m 700 forks
    code 0 loadcast exec -q --dir "$tmp/forks" forks.lcast -- tree/forks 1
    loadcast status --dir "$tmp/forks" >said
    [ "$(grep -cE "  1 groups replayed, 0 refused \(forks\)" said)" = 2 ]
    code 0 loadcast exec -q --dir "$tmp/forks" forks.lcast -- tree/forks 300
    unset LD_LIBRARY_PATH
    loadcast status --dir "$tmp/forks" >said
    says "  and 287 more" said
    loadcast status --dir "$tmp/forks" --json | $python -c "
import json, sys
b = json.load(sys.stdin)[0][\"bindings\"]
assert b[\"replayed\"] == 303 and len(b[\"by_process\"]) == 256, b
"
'
t 'a changed library is never bound by the old plan, checked or not' '
    cp app.lcast old.lcast
    sed -i "s/n \* 2/n * 3/; s/40/50/; s/int b(/int before[99]; int more(void) { return 1; } int b(/" tree/b.c
    make_tree
    tree/main >plain
    code 0 loadcast check app.lcast
    code 0 loadcast exec --stats app.lcast -- tree/main
    same plain out
    says "0 replayed in 0 groups" err
    code 0 loadcast record -o app.lcast --manage "$tmp/tree" -- tree/main
    code 0 loadcast exec --verify-bindings app.lcast -- tree/main
    same plain out
    says "2 groups; 0 groups refused" err
    says " 0 different" err
'
t '--no-bindings leaves them out' '
    code 0 loadcast record --no-bindings -o none.lcast --manage "$tmp/tree" -- tree/main
    code 0 loadcast info --bindings none.lcast
    says "none" out
    code 0 loadcast exec --stats none.lcast -- tree/main
    same plain out
    lacks "groups" err
'
t 'a symbol that is never called and nowhere defined: the pilot runs again without' '
    cat >lazy.c <<C
int nowhere(void); int main(int c, char **v) { return c > 5 ? nowhere() : 0; }
C
    echo "int nowhere(void) { return 1; }" | $cc -shared -fPIC -xc - -o tree/libn.so
    $cc lazy.c -o tree/lazy -Ltree -Wl,--no-as-needed -ln -Wl,-rpath,"$tmp/tree" -Wl,-z,lazy
    echo "int elsewhere(void) { return 1; }" | $cc -shared -fPIC -xc - -o tree/libn.so
    tree/lazy
    code 0 loadcast record -o lazy.lcast --manage "$tmp/tree" -- tree/lazy
    says "again" err
    code 0 loadcast info --bindings lazy.lcast
    says "none" out
    code 0 loadcast exec lazy.lcast -- tree/lazy
'
t 'two orders of loading, each recorded, each replayed' '
    cat >order.c <<C
#include <dlfcn.h>
#include <stdio.h>
int main(int c, char **v)
{
    for (int i = 1; i < c; i++) {
        void *h = dlopen(v[i], RTLD_NOW);
        printf("%s\n", h ? "ok" : dlerror());
    }
    return 0;
}
C
    $cc order.c -o tree/order -ldl
    export LD_LIBRARY_PATH=$tmp/tree
    code 0 loadcast record -o two.lcast --manage "$tmp/tree" -- tree/order $tmp/tree/liba.so $tmp/tree/plugin.so
    code 0 loadcast record -o two.lcast --manage "$tmp/tree" -- tree/order $tmp/tree/plugin.so $tmp/tree/liba.so
    code 0 loadcast exec --verify-bindings two.lcast -- tree/order $tmp/tree/liba.so $tmp/tree/plugin.so
    says "3 groups; 0 groups refused" err
    says " 0 different" err
    code 0 loadcast exec --verify-bindings two.lcast -- tree/order $tmp/tree/plugin.so $tmp/tree/liba.so
    says "2 groups; 0 groups refused" err
    says " 0 different" err
    unset LD_LIBRARY_PATH
'
t 'recorded again, with other programs before it, or in another order: nothing is lost' '
    # kept FILE: bindings, plans and groups
    kept() { loadcast info --bindings --json "$1" | $python -c "
import json, sys
b = json.load(sys.stdin)[\"bindings\"]
print(b[\"bindings\"], sum(o[\"plans\"] for o in b[\"objects\"]), len(b[\"groups\"]), sum(g[\"plans\"] for g in b[\"groups\"]))"
    }
    again() { code 0 loadcast record -o again.lcast --manage "$tmp/tree" -- "$@"; }
    tree/main >plain
    export LD_LIBRARY_PATH=$tmp/tree
    one="tree/order $tmp/tree/liba.so $tmp/tree/plugin.so" other="tree/order $tmp/tree/plugin.so $tmp/tree/liba.so"
    for first in "tree/main; $one" "$one; tree/main" "tree/main; $one; $other"; do
        again sh -c "$first"
        kept again.lcast >before.kept
        for _ in 1 2; do again sh -c "$first"; done
        kept again.lcast | same before.kept -
    done
    for more in "$other; tree/main; $one" "$one" "$other; $one" "tree/main"; do again sh -c "$more"; done
    kept again.lcast | same before.kept -
    code 0 loadcast exec --verify-bindings again.lcast -- tree/main
    same plain out
    says "2 groups; 0 groups refused" err
    says " 0 different" err
    code 0 loadcast exec --verify-bindings again.lcast -- $other
    says "2 groups; 0 groups refused" err
    says " 0 different" err
    code 0 loadcast info --verify again.lcast
    unset LD_LIBRARY_PATH
'
t 'ranks record together: their parts carry their bindings' '
    export LD_LIBRARY_PATH=$tmp/tree
    for r in 0 1; do
        case $r in 0) x=liba.so ;; 1) x=plugin.so ;; esac
        PMI_RANK=$r PMI_SIZE=2 loadcast record -o ranks.lcast --manage "$tmp/tree" -- tree/order "$tmp/tree/$x" >"rank$r" 2>&1 &
    done
    wait
    ls | grep "ranks.lcast.parts" | nothing
    for x in liba.so plugin.so; do
        code 0 loadcast exec --verify-bindings ranks.lcast -- tree/order "$tmp/tree/$x"
        says "2 groups; 0 groups refused" err
    done
    unset LD_LIBRARY_PATH
'
t 'a wrong but well-formed plan finds nobody to be written into' '
    code 0 loadcast record -o good.lcast --manage "$tmp/tree" -- tree/main
    tree/main >plain
    for field in content dynamic build rows extent relative; do
        cp good.lcast lied.lcast
        "$PROGRAMS/misbind" lied.lcast $field
        code 0 loadcast info --verify lied.lcast
        code 0 loadcast exec -q --stats lied.lcast -- tree/main
        same plain out
        says "replayed in 0 groups" err
        says "first refusal" err
    done
'
t 'a word of the plans that changed in node memory: refused by its seal, never written' '
    mkdir -m 700 sealed
    code 0 loadcast exec -q --dir "$tmp/sealed" good.lcast -- tree/main
    node=$(dirname $tmp/sealed/loadcast-*/*/index)
    chmod u+w "$node/index"
    LOADCAST_NODE=$node "$PROGRAMS/misbind" "$node/index" each "$node/bin/launch" tree/main >now 2>words || { cat words; false; }
    words=$(cat words)
    [ "$words" -ge 60 ] && [ "$words" -le 254 ]
    sort -u now | same plain -
    [ "$(wc -l <now)" = "$words" ]
    loadcast status --dir "$tmp/sealed" --json | $python -c "
import json, sys
rows = json.load(sys.stdin)[0][\"bindings\"][\"by_process\"]
assert len(rows) == int(sys.argv[1]) + 1, len(rows)
assert sum(not r[\"refused\"] for r in rows) == 1, rows
" $words
    LOADCAST_NODE=$node "$node/bin/launch" tree/main >now # all is turned back
    loadcast status --dir "$tmp/sealed" --json | $python -c "
import json, sys
assert sum(not r[\"refused\"] for r in json.load(sys.stdin)[0][\"bindings\"][\"by_process\"]) == 2
"
'
t 'verifying notices a plan that lies about a target' '
    cp good.lcast lied.lcast
    "$PROGRAMS/misbind" lied.lcast target
    code 0 loadcast exec -q --verify-bindings lied.lcast -- tree/main
    same plain out
    grep -qE "again: [1-9][0-9]* different" err
    says "first difference in" err
'
t 'the recorder needs no library and no symbol, and has no TLS' '
    so=$build/src/client/bindings/loadcast-bindings.so
    readelf -dW "$so" | grep -E "NEEDED|TEXTREL" | nothing
    nm -D --undefined-only "$so" | nothing
    readelf -lW "$so" | grep -E " TLS | RWE " | nothing
    readelf -nW "$so" | grep -q -w -e IBT -e BTI # x86-64, aarch64
    LD_AUDIT=$so code 0 tree/main
    same plain out
    [ ! -s err ]
'
t 'nothing of the recording is left behind' '
    ls "$TMPDIR" | grep loadcast | nothing
'
t 'an unprivileged user gets the same' '
    [ "$(id -u)" = 0 ] || skip "not root"
    mkdir -p user own/src/client/audit own/src/client/bindings own/src/client/pilot
    chown 65534 user
    cp "$build"/loadcast "$build"/loadcast-full "$build"/*.so "$build"/launch own
    cp "$build"/src/client/audit/*.so own/src/client/audit
    cp "$build"/src/client/bindings/*.so own/src/client/bindings
    cp "$build"/src/client/pilot/*.so own/src/client/pilot
    chmod -R a+rX "$tmp"
    as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups env -u LOADCAST_DIR -u TMPDIR "$@"; }
    code 0 as_user own/loadcast record -o user/u.lcast --manage "$tmp/tree" -- tree/main
    code 0 as_user own/loadcast exec --dir "$tmp/user" --verify-bindings user/u.lcast -- tree/main
    same plain out
    says "2 groups; 0 groups refused" err
'
finish
