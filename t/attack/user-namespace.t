#!/bin/sh
# In a user namespace all users that it does not know show the same number, root and the attacker alike. A
# directory of the attacker's is not taken for root's, nor anything of his for the victim's own.
. "$(dirname "$0")/../lib.sh"
. "$here/attack/users.sh"
. "$here/attack/evil.sh"
victim unshare --user true 2>/dev/null || skip_all 'no user namespaces'
victim unshare --map-current-user true 2>/dev/null || skip_all 'no unshare --map-current-user'
rounds=60
show='echo "node $LOADCAST_NODE"'
attacker mkdir attacker/sticky && attacker chmod 1777 attacker/sticky

t 'a directory of another user is not root'\''s' '
    code 0 victim env LOADCAST_DIR="$tmp/attacker/sticky" unshare --map-current-user "$build/loadcast" exec --dir "$tmp/attacker/sticky" "$tmp/app.lcast" -- sh -c "$show"
    [ "$(cat out)" = "node " ]
    says "belongs to another user" err
    ls -A attacker/sticky | nothing
'
# Who owns a directory renames in it as he likes. He has a second name ready.
t 'nor is what is started from there, while he exchanges it' '
    id=$(victim "$build/loadcast" stage -q --dir "$tmp/victim" "$tmp/app.lcast") && id=${id##*/}
    user=$tmp/attacker/sticky/loadcast-$victim_uid
    victim unshare --map-current-user "$build/loadcast" exec -q --dir "$tmp/attacker/sticky" "$tmp/app.lcast" -- true 2>/dev/null
    [ -d "$user" ] || victim mkdir -m 700 "$user"
    attacker mkdir -p "$user-/$id/bin" && attacker cp evil "$user-/$id/bin/launch" && attacker chmod -R 755 "$user-"
    flip "$user" "$user-"
    trap still EXIT
    for i in $(seq $rounds); do
        victim unshare --map-current-user "$build/loadcast" exec -q --dir "$tmp/attacker/sticky" "$tmp/app.lcast" -- true 2>/dev/null
    done
    unmarked
'
t 'where not even the user himself is known, nothing is his' '
    mkdir shared && chmod 1777 shared
    victim env LOADCAST_DIR="$tmp/shared" "$build/loadcast" run --dry-run --image "$tmp/app.lcast" -- sh -c "$show" >steps
    for owner in 65534 $victim_uid; do
        attacker mkdir -p "shared/loadcast-$owner/0123456789abcdef/bin"
        attacker cp evil "shared/loadcast-$owner/0123456789abcdef/bin/launch" && attacker chmod -R 755 "shared/loadcast-$owner"
        { echo "node=$tmp/shared/loadcast-$owner/0123456789abcdef"; sed -n "/^node=/,\$p" steps | sed "s/^node=.*//; /stage --clean/d"; } >line
        code 0 victim unshare --user sh ./line
        [ "$(cat out)" = "node " ]
        unmarked
    done
    code 0 victim unshare --user "$build/loadcast" exec --dir "$tmp/shared" "$tmp/app.lcast" -- sh -c "$show"
    [ "$(cat out)" = "node " ]
    code 0 victim env LOADCAST_DIR="$tmp/shared" unshare --user "$build/loadcast" run --image "$tmp/app.lcast" -- sh -c "$show"
    says "node " out
    unmarked
'
t 'what is root'\''s by its name is used: /dev/shm and /tmp, and what is his own in there' '
    own=$(victim mktemp -d /tmp/loadcast-own.XXXXXX)
    for dir in /dev/shm /tmp "$own"; do
        code 0 victim unshare --map-current-user "$build/loadcast" exec -q --dir "$dir" "$tmp/app.lcast" -- sh -c "$show"
        says "node $dir/loadcast-$victim_uid/" out
        code 0 victim env LOADCAST_DIR="$dir" unshare --map-current-user "$build/loadcast" run --dir "$dir" --image "$tmp/app.lcast" -- sh -c "$show"
        says "node $dir/loadcast-$victim_uid/" out
        rm -rf "$dir/loadcast-$victim_uid"
    done
    # Only in there: elsewhere the name is that of the real root.
    code 0 victim unshare --map-root-user "$build/loadcast" exec -q --dir "$own" "$tmp/app.lcast" -- sh -c "$show"
    says "node $own/loadcast-0/" out
    rm -rf "$own"
'
t 'nobody himself, where users are what they are, is somebody' '
    mkdir -m 700 nobody && chown 65534 nobody
    code 0 setpriv --reuid 65534 --regid 65534 --clear-groups "$build/loadcast" exec -q --dir "$tmp/nobody" "$tmp/app.lcast" -- sh -c "$show"
    says "node $tmp/nobody/loadcast-65534/" out
'
finish
