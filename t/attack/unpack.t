#!/bin/sh
# Nobody can make 'unpack' write outside its directory, and what it cannot finish it removes.
. "$(dirname "$0")/../lib.sh"
. "$here/attack/users.sh"
command -v "$python" >/dev/null || skip_all 'no python3'
attack=$here/attack/unpack.py
attacker test -r "$attack" || { cp "$attack" "$tmp" && attack=$tmp/unpack.py; }
# An empty directory, then 600 files: time to do something meanwhile. All belongs to one project:
# both users are in its group, and what they make may be written by the group, as on most clusters.
group=61100
shared() { uid=$1; shift; umask 002; HOME=$tmp/victim setpriv --reuid "$uid" --regid $group --clear-groups "$@"; }
mkdir -p tree/a tree/zz/deep "$tmp/victim/secret" "$tmp/victim/ssh" "$tmp/victim/ssh2"
for i in $(seq 600); do echo "$i" >tree/a/$i; done
for i in $(seq 50); do echo "key $i" >tree/zz/deep/$i; done
mkdir tree/0
chmod -R g+w tree
chown -R $victim_uid:$group tree
"$PROGRAMS/mkimage" good.lcast "$tmp/tree"
chmod 644 good.lcast
for d in secret ssh ssh2; do
    echo mine >"$tmp/victim/$d/file"
    chown -R $victim_uid:$group "$tmp/victim/$d"
done
chmod 700 "$tmp/victim/secret" "$tmp"/victim/ssh*
touch -d @1000000000 "$tmp/victim/secret" "$tmp"/victim/ssh*
state() { (cd "$tmp/victim" && find secret ssh ssh2 -printf '%p %m %T@\n' | sort); }
# during ATTACK...: unpack $image to $room while it is under way; the status in $rc
during() {
    rc=0
    state >before
    mkfifo end
    setpriv --reuid $attacker_uid --regid $group --clear-groups "$python" "$attack" "$@" <end &
    pid=$!
    exec 7>end
    shared $victim_uid $filter "$build/loadcast" unpack "$image" "$room" >out 2>err || rc=$?
    exec 7>&-
    wait $pid
    rm end
    echo "unpack ended with $rc: $(cat err)"
    test $rc -lt 128
    state >after
    same before after
}
t 'a directory that is a link of another user is refused, his own is followed' '
    mkdir -m 777 open && chmod 777 open && mkdir victim/empty && chown $victim_uid victim/empty
    attacker ln -s "$tmp/victim/empty" open/into
    for into in open/into open/into/; do
        code 1 victim "$build/loadcast" unpack good.lcast $into
        says "is a link of another user" err
        ls -A victim/empty | nothing
    done
    victim ln -s empty victim/own
    code 0 victim "$build/loadcast" unpack good.lcast victim/own
    diff -r tree "victim/empty$tmp/tree"
'
# In place of $tmp/tree/zz/deep, a path of the same length that leads out of the directory.
len=$((${#tmp} + 13)) target=ssh
[ $((len % 2)) = 1 ] || target=ssh2
outside=/../$target
while [ ${#outside} -lt $len ]; do outside=/.$outside; done
filter=
for leg in '' ', by a kernel without openat2'; do
    [ -z "$leg" ] || filter=$PROGRAMS/no-openat2
    t "names that change in the image while it is unpacked lead nowhere$leg" '
        cp good.lcast app.lcast && chown $attacker_uid app.lcast && chmod 644 app.lcast
        rm -rf victim/room && image=app.lcast room=victim/room
        during names app.lcast victim/room "$tmp/tree/zz/deep" "$outside"
        if test $rc = 0; then test "$(cat victim/room"$tmp"/tree/zz/deep/50)" = "key 50"; else test ! -e victim/room; fi
    '
    t "a link in place of a directory is not followed$leg" '
        rm -rf group && mkdir group && chown $victim_uid:$group group && chmod 2775 group
        image=good.lcast room=group
        during links "$tmp/group" 0 "$tmp/victim/secret"
        rm -rf group && mkdir group && chown $victim_uid:$group group && chmod 2775 group
        during links "$tmp/group" "$(echo "$tmp" | cut -d/ -f2)" "$tmp/victim/ssh"
    '
    t "an image whose content is damaged is refused with status 3, and nothing is left$leg" '
        cp good.lcast bad.lcast
        at=$(grep -abo "key 50" bad.lcast | head -1 | cut -d: -f1)
        printf X | dd of=bad.lcast bs=1 seek="$at" conv=notrunc 2>/dev/null
        rm -rf victim/room
        code 3 shared $victim_uid $filter "$build/loadcast" unpack bad.lcast victim/room
        says "tree/zz/deep/50" err
        says "checksum" err
        test ! -e victim/room
        mkdir victim/room && chown $victim_uid victim/room
        code 3 shared $victim_uid $filter "$build/loadcast" unpack bad.lcast victim/room
        ls -A victim/room | nothing
        head -c 100000 good.lcast >cut.lcast
        code 3 shared $victim_uid $filter "$build/loadcast" unpack cut.lcast victim/room
        ls -A victim/room | nothing
    '
    t "undisturbed, it is the tree$leg" '
        rm -rf victim/room
        code 0 shared $victim_uid $filter "$build/loadcast" unpack good.lcast victim/room
        diff -r tree "victim/room$tmp/tree"
        test "$(stat -c %a victim/room)" = 775
        test "$(stat -c %a:%Y tree/zz)" = "$(stat -c %a:%Y "victim/room$tmp/tree/zz")"
    '
done
finish
