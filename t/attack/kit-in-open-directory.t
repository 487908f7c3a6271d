#!/bin/sh
# What 'loadcast run' brings to a node is unpacked and started there: never in a directory that another
# user of the node can change. The attacker waits for it to appear and puts his own in its place.
. "$(dirname "$0")/../lib.sh"
. "$here/attack/users.sh"
. "$here/attack/evil.sh"

cat >swap.py <<'EOS'
# swap.py DIR WHAT UID: when a kit has been unpacked in DIR by the victim's tar, what is moved away is the
# kit or DIR itself, and a directory of ours gets the kit's name before the stager in it is started.
import os, shutil, sys
top, which, uid = sys.argv[1], sys.argv[2], int(sys.argv[3])

def new_tar(seen):
    for pid in os.listdir("/proc"):
        if not pid.isdigit() or seen.get(pid, 0) > 200:
            continue
        seen[pid] = seen.get(pid, 0) + 1 # its name changes when it executes
        try:
            if os.stat("/proc/" + pid).st_uid != uid:
                seen[pid] = 1000
            elif open("/proc/%s/comm" % pid).read() == "tar\n":
                return pid
        except OSError:
            pass

def is_alive(pid):
    try:
        return open("/proc/%s/stat" % pid).read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False

seen = {pid: 1000 for pid in os.listdir("/proc")}
name = None
open("watching", "w").close()
while not name:
    name = next((n for n in os.listdir(top) if n.startswith(".loadcast-kit.") and not n.endswith(".gone")), None)
kit = os.path.join(top, name)
victim = kit if which == "kit" else top
os.umask(0)
ours = "ours." + name
os.makedirs(ours if which == "kit" else os.path.join(ours, name), 0o777)
for file in "stager", "stage-mpi":
    shutil.copy(os.environ["EVIL"], os.path.join(ours, "" if which == "kit" else name, file))
tar = None
while not tar:
    tar = new_tar(seen)
while is_alive(tar):
    pass
os.rename(victim, victim + ".gone")
os.rename(ours, victim)
EOS
# attack DIR WHAT: the victim runs with DIR while the attacker waits there.
attack() {
    rm -f "$tmp/attacker/watching"
    (cd "$tmp/attacker" && EVIL=$tmp/evil exec setpriv --reuid $attacker_uid --regid $attacker_uid --clear-groups \
        timeout 60 "$python" "$tmp/swap.py" "$1" "$2" $victim_uid) 2>swap.err &
    wait_until test -e "$tmp/attacker/watching"
    code 0 victim env LOADCAST_DIR="$1" "$build/loadcast" run --image "$tmp/app.lcast" -- echo ran
    kill $! 2>/dev/null || :
    wait $! 2>/dev/null || :
    says ran out
    unmarked
}
t 'the directory is another user'\''s' '
    attacker mkdir -m 777 attacker/open && attacker chmod 777 attacker/open
    attack "$tmp/attacker/open" kit
'
t 'it is his, and sticky: who owns it may rename all the same' '
    attacker mkdir attacker/sticky && attacker chmod 1777 attacker/sticky
    attack "$tmp/attacker/sticky" kit
'
t 'it is root'\''s, and open to all' '
    mkdir open && chmod 777 open
    attack "$tmp/open" kit
'
t 'a directory above it is another user'\''s' '
    attacker mkdir attacker/above && attacker chmod 777 attacker/above
    victim mkdir -m 755 attacker/above/own
    attack "$tmp/attacker/above/own" dir
'
t 'a link leads there' '
    ln -s "$tmp/attacker/open" link
    attack "$tmp/link" kit
'
t 'a directory that is safe is used, by a link too' '
    victim mkdir -m 700 victim/own && ln -s "$tmp/victim/own" safe
    for dir in "$tmp/victim/own" "$tmp/safe"; do
        code 0 victim env LOADCAST_DIR="$dir" "$build/loadcast" run --image "$tmp/app.lcast" -- sh -c "echo \$LOADCAST_NODE"
        says "$tmp/victim/own/loadcast-$victim_uid/" out
        ls -A "$tmp/victim/own" | nothing
    done
'
finish
