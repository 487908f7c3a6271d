#!/bin/sh
# Another user's image answers only what this user may reach: by the recorded owners and modes, and his groups.
. "$(dirname "$0")/../lib.sh"
. "$here/attack/users.sh"
need_ptrace

# A colleague's tree: open, for a group, and private. He packs all of it and lets everybody read the image.
group=61199
tree=$tmp/attacker/tree
mkdir -p "$tree/open" "$tree/team" "$tree/mine/deep" "$tree/names"
for dir in open team mine mine/deep names; do echo "recorded $dir" >"$tree/$dir/file"; done
echo recorded >"$tree/open/secret"
ln -s ../open/file "$tree/mine/link"
chown -R $attacker_uid:$attacker_uid "$tree" && chgrp -R $group "$tree/team"
chmod 750 "$tree/team" && chmod 640 "$tree/team/file" && chmod 700 "$tree/mine" && chmod 600 "$tree/open/secret" && chmod 711 "$tree/names"
attacker loadcast record -o attacker/app.lcast --add "$tree" 2>record.err || { cat record.err; exit 1; }
chmod 644 attacker/app.lcast
mkdir victim/node && chown $victim_uid victim/node && chmod 700 victim/node
# What is answered is what was recorded; what is asked of the file system is what stands there now.
changed() { for dir in open team mine mine/deep names; do echo "changed $dir" >"$tree/$dir/file"; done; echo changed >"$tree/open/secret"; }
run() { victim loadcast exec --no-check --dir "$tmp/victim/node" attacker/app.lcast -- "$@"; }
team() {
    setpriv --reuid $victim_uid --regid $victim_uid --groups $group \
        loadcast exec --no-check --dir "$tmp/victim/node" attacker/app.lcast -- "$@"
}
again() { rm -rf victim/node/* && chmod 644 attacker/app.lcast; }

t 'what has an access control list is not answered: it may refuse what the mode allows' '
    # user:victim:---, everybody else allowed. Version 2, then tag, permissions and id of each entry.
    cat >lists.py <<P
import os, struct, sys
file, directory, uid = sys.argv[1], sys.argv[2], int(sys.argv[3])
os.mkdir(directory)
for path in file, directory + "/file":
    open(path, "w").write("recorded\n")
none = 0xffffffff
acl = [(1, 7, none), (2, 0, uid), (4, 5, none), (16, 5, none), (32, 5, none)]
for path in file, directory:
    os.setxattr(path, "system.posix_acl_access", struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in acl))
P
    "$python" lists.py "$tree/open/listed" "$tree/listed" $victim_uid 2>/dev/null || skip "no access control lists here"
    chown -R $attacker_uid:$attacker_uid "$tree/open/listed" "$tree/listed"
    attacker loadcast record -o attacker/acl.lcast --add "$tree" 2>record.err || { cat record.err; exit 1; }
    chmod 644 attacker/acl.lcast
    for path in open/listed listed/file; do
        code 1 victim loadcast exec -q --no-check --dir "$tmp/victim/node" attacker/acl.lcast -- cat "$tree/$path"
        says "Permission denied" err
        lacks recorded out
    done
    code 0 victim loadcast exec -q --no-check --dir "$tmp/victim/node" attacker/acl.lcast -- cat "$tree/open/file"
    rm -rf "$tree/listed" "$tree/open/listed"
    again
'
t 'what everybody may read is answered' '
    run true
    changed
    run cat "$tree/open/file" | grep -x "recorded open"
    run cat "$tree/names/file" | grep -x "recorded names"
'
t 'a file that only its owner may read is asked of the file system, which refuses it' '
    code 1 run cat "$tree/open/secret"
    says "Permission denied" err
    lacks recorded out
    # Also with the check that exec makes, which writes an overlay.
    code 1 victim env TMPDIR=$tmp/victim loadcast exec --dir $tmp/victim/node attacker/app.lcast -- cat "$tree/open/secret"
    says "Permission denied" err
'
t 'so is what lies in a directory that this user cannot enter: files, links and what is not there' '
    for path in mine/file mine/deep/file mine/link mine/none mine/deep/none; do
        code 1 run cat "$tree/$path"
        says "Permission denied" err
        lacks recorded out
        code 1 run stat "$tree/$path"
        says "Permission denied" err
    done
    code 2 run ls "$tree/mine"
    says "Permission denied" err
'
t 'a directory that he may enter and not list is not listed' '
    code 2 run ls "$tree/names"
    says "Permission denied" err
    lacks file out
'
t 'what is for a group is answered to its members, at staging time' '
    code 1 run cat "$tree/team/file"
    says "Permission denied" err
    again
    team true
    team cat "$tree/team/file" | grep -x "recorded team"
    code 1 team cat "$tree/mine/file"
    says "Permission denied" err
'
t 'an image that travels over MPI is limited before it does' '
    [ -x "$build/stage-mpi.openmpi" ] && command -v mpiexec.openmpi >/dev/null || skip "built without mpicc.openmpi"
    again
    victim env TMPDIR=$tmp/victim loadcast stage --via mpi --dir $tmp/victim/node attacker/app.lcast -- mpiexec.openmpi -n 1 true
    find victim/node -type f -exec grep -l "^recorded\|^changed" {} + >held
    says open/file held
    grep -e secret -e mine -e team held | nothing
    run cat "$tree/open/file"
    code 1 run cat "$tree/mine/link"
    says "Permission denied" err
'
t 'an overlay of his own on another user'"'"'s image is limited as well' '
    again
    code 0 victim loadcast check --overlay victim/own.lcast attacker/app.lcast
    code 1 victim loadcast exec --no-check --dir $tmp/victim/node victim/own.lcast -- cat "$tree/open/secret"
    says "Permission denied" err
'
t 'the owner of the image gets all of it' '
    mkdir attacker/node && chown $attacker_uid attacker/node && chmod 700 attacker/node
    attacker loadcast check attacker/app.lcast >/dev/null
    attacker loadcast exec --no-check --dir $tmp/attacker/node attacker/app.lcast -- true
    echo later >"$tree/open/secret"
    attacker loadcast exec --no-check --dir $tmp/attacker/node attacker/app.lcast -- cat "$tree/open/secret" | grep -x changed
'
finish
