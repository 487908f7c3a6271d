#!/bin/sh
# tools/systems: what it is told, and the root it enters. A whole system is not made here: doc/tested.md tells of those.
. "$(dirname "$0")/lib.sh"
systems=$src/tools/systems

t 'a system it does not know is refused, and those it knows are named' '
    for line in "" plan9; do
        code 2 "$systems" $line
        says "bullseye bookworm trixie jammy noble" err
    done
'
t 'without root it says so, and makes nothing' '
    [ "$(id -u)" = 0 ] || skip "needs root to become somebody else"
    code 1 setpriv --reuid 65534 --regid 65534 --clear-groups sh "$systems" trixie
    says "needs root" err
'
t 'cases are counted from what tests printed; a file that died without a failed case is one' '
    cat >log.json <<-\\END
	{"name": "loadcast:e2e / t1-a", "stdout": "ok 1 - a\\nok 2 - b # SKIP no root\\nnot ok 3 - c\\n1..3\\n", "result": "FAIL"}
	{"name": "loadcast:unit / util/b", "stdout": "1..1\\nok 1 - x\\n", "result": "OK"}
	{"name": "loadcast:e2e / t2-c", "stdout": "1..0 # SKIP no fuse\\n", "result": "SKIP"}
	{"name": "loadcast:e2e / t3-d", "stdout": "ok 1 - a\\n", "result": "TIMEOUT"}
	END
    code 0 "$python" "$src/tools/systems.d/count.py" log.json
    echo "4 files: 3 passed, 2 failed, 2 skipped: failed t1-a, t3-d" >expected
    same expected out
'
# A root with a shell and what 'enter' runs in it.
small_root() {
    mkdir -p root/bin root/etc root/proc root/sys root/dev
    ln -s bin root/sbin
    for c in sh umount rmdir env cat ls sleep; do
        program=$(command -v $c)
        cp -L "$program" root/bin/
        ldd "$program" | grep -o "/[^ ]*" | while read -r f; do
            mkdir -p "root$(dirname "$f")"
            cp -Ln "$f" "root$f"
        done
    done
    mkdir -p root/usr
    ln -s ../bin root/usr/bin
}
in_root() { ${with:-} unshare --mount --pid --ipc --uts --net --fork --kill-child -- "$src/tools/systems.d/enter" "$tmp/root" "$@"; }
if [ "$(id -u)" = 0 ] && unshare --mount --pid --net true 2>/dev/null; then can=1; else can=; fi
t 'the root it enters has processes, devices and a network of its own, and nothing of this one' '
    [ -n "$can" ] || skip "needs root and namespaces"
    small_root
    code 0 in_root /bin/sh -c "echo \$\$; echo to >/dev/null; ls / /dev; cat /proc/net/dev"
    test "$(head -1 out)" = 1
    for name in null zero shm pts lo:; do says $name out; done
    lacks .old out
    lacks eth0 out
    lacks home out
    grep -F "$tmp/root" /proc/self/mountinfo | nothing
'
t 'when it is killed, its processes and mounts are gone' '
    [ -n "$can" ] || skip "needs root and namespaces"
    mkfifo root/ready
    { with=exec; in_root /bin/sh -c "echo up >/ready; sleep 987"; } &
    read -r line <root/ready
    child=$(cat /proc/$!/task/$!/children)
    test -n "$child"
    kill -KILL $!
    wait $! || :
    for pid in $child; do wait_until test ! -e /proc/$pid; done
    grep -F "$tmp/root" /proc/self/mountinfo | nothing
'
finish
