#!/bin/sh
# What an image must not promise: programs with capabilities of their own, and search results where
# ld.so would search otherwise.
. "$(dirname "$0")/lib.sh"
: "${PROGRAMS:=$build/t}"
need_ptrace
command -v "$python" >/dev/null || skip_all 'no python'
mkdir -p node app/bin
export LOADCAST_DIR="$tmp/node"

# with_capability FILE
with_capability() {
    "$python" -c "
import os, struct, sys
os.setxattr(sys.argv[1], 'security.capability', struct.pack('<5I', 0x02000001, 1 << 13, 0, 0, 0))" "$1" 2>/dev/null
}
t 'a program with file capabilities is known, has no content, and runs as the original' '
    cp "$PROGRAMS/show" app/bin/plain; cp "$PROGRAMS/show" app/bin/capable
    with_capability app/bin/capable || skip "file capabilities cannot be set here"
    find app -exec touch -d 2020-01-01 {} +
    code 0 loadcast record -v -o caps.lcast --manage app -- sh -c "app/bin/plain; app/bin/capable"
    says "left out '\''$tmp/app/bin/capable'\'': it has file capabilities" err
    code 0 loadcast info --json --files caps.lcast
    "$python" -c "
import json
f = {f[\"path\"]: f for f in json.load(open(\"out\"))[\"files\"]}
assert f[\"$tmp/app/bin/plain\"][\"content\"] and not f[\"$tmp/app/bin/capable\"][\"content\"], f"
    code 0 loadcast exec -q caps.lcast -- sh -c "$tmp/app/bin/plain; $tmp/app/bin/capable"
    grep "^exe=" out >exes
    [ "$(sed -n 2p exes)" = "exe=$tmp/app/bin/capable" ]
    sed -n 1p exes | grep -q "exe=$tmp/node/"
'
t 'a program that gets capabilities later loses its content at the next check' '
    with_capability app/bin/plain || skip "file capabilities cannot be set here"
    code 0 loadcast check caps.lcast
    code 0 loadcast exec -q caps.lcast -- "$tmp/app/bin/plain"
    says "exe=$tmp/app/bin/plain" out
'
t 'set-up: a Python whose libraries are searched for' '
    code 0 loadcast record -o k.lcast --manage /usr -- "$python" -c pass
    code 0 loadcast info --search k.lcast
    says "libc.so.6" out
'
# searches_so_far: searches of ld.so's that the auditor answered, in all processes that used the image
searches_so_far() {
    loadcast status --json | "$python" -c "
import json, sys
print(sum(n[\"counts\"][\"search\"] for n in json.load(sys.stdin) if n[\"path\"].startswith(\"$tmp/node/\")))"
}
# searches CMD...: the same, of one command alone
searches() {
    loadcast clean -q --all --dir "$tmp/node" >/dev/null 2>&1 || :
    loadcast exec -q k.lcast -- true
    before=$(searches_so_far)
    "$@"
    echo $(($(searches_so_far) - before))
}
t 'search results hold in the same environment' '
    [ "$(searches loadcast exec -q k.lcast -- "$python" -c pass)" -gt 0 ]
'
t 'not with other GLIBC_TUNABLES' '
    [ "$(searches env GLIBC_TUNABLES=glibc.malloc.perturb=1 loadcast exec -q k.lcast -- "$python" -c pass)" = 0 ]
'
# with_cache FILE CMD...: in a namespace where FILE is /etc/ld.so.cache
with_cache() { unshare -Urm sh -c "mount --bind \"\$1\" /etc/ld.so.cache; shift; exec \"\$@\"" sh "$@"; }
t 'not with another ld.so.cache, but with one of the same content' '
    cp /etc/ld.so.cache equal.cache && with_cache equal.cache loadcast trace -o /dev/null -- true || skip "no user namespaces"
    code 0 with_cache equal.cache loadcast record -o k.lcast --manage /usr -- "$python" -c pass
    [ "$(searches loadcast exec -q k.lcast -- "$python" -c pass)" -gt 0 ]
    rm k.lcast
    # A library that is in the other cache alone must not be found by what was recorded with that.
    echo "$tmp/keyed" >conf
    mkdir -p keyed
    echo "int f(void) { return 1; }" | ${CC:-cc} -shared -fPIC -Wl,-soname,libkeyed.so.1 -x c - -o keyed/libkeyed.so.1
    PATH=$PATH:/sbin:/usr/sbin ldconfig -X -f conf -C other.cache
    open_keyed() { "$@" "$python" -c "import ctypes; ctypes.CDLL(\"libkeyed.so.1\")"; }
    code 0 open_keyed with_cache other.cache loadcast record -o k.lcast --manage /usr --manage "$tmp/keyed" --
    loadcast exec -q k.lcast -- true
    code 1 open_keyed
    cp err plain
    code 1 open_keyed loadcast exec -q k.lcast --
    same plain err
'
loadcast clean -q --all --dir "$tmp/node" >/dev/null 2>&1
finish
