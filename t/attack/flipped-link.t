#!/bin/sh
# The line before each rank asks whose launcher it is. The attacker has taken the name of the victim's
# directory on a node without an image, and makes it lead to the victim's own files and to his in turn:
# what was asked must be what is executed.
. "$(dirname "$0")/../lib.sh"
. "$here/attack/users.sh"
. "$here/attack/evil.sh"
rounds=60
# In a directory that is sticky the kernel may refuse to follow the links of another (fs.protected_symlinks);
# a node may have one that is not.
mkdir shared && chmod 777 shared

# The line, as it is printed for job scripts; $node is the node directory that it looks for.
victim env LOADCAST_DIR="$tmp/shared" "$build/loadcast" run --dry-run --image "$tmp/app.lcast" -- sh -c 'echo ran' >steps || exit 1
sed -n '/^node=/,$p' steps | sed 's/^node=.*//; /stage --clean/d' >line
id=0123456789abcdef taken=$tmp/shared/loadcast-$victim_uid
{ echo "node=$taken/$id"; cat line; } >start

# What is the victim's: a directory as the stager leaves it, whose launcher only starts the program.
mkdir -p victim/real/$id/bin && cp "$build/launch" victim/real/$id/bin/launch
chown -R $victim_uid victim/real && chmod -R go= victim/real
# What is the attacker's, as like it as it can be.
attacker mkdir -p attacker/fake/$id/bin && attacker cp evil attacker/fake/$id/bin/launch
attacker chmod -R a+rX attacker/fake
t 'a name that leads to another file at each look' '
    attacker ln -s "$tmp/victim/real" "$taken" && attacker ln -s "$tmp/attacker/fake" "$taken-"
    flip "$taken" "$taken-"
    trap still EXIT
    for i in $(seq $rounds); do
        victim sh ./start >out 2>err || { cat err; exit 1; }
        says ran out
    done
    # A launcher may have left no descriptor that a shell can name.
    for i in $(seq $((rounds / 5))); do
        victim sh ./start >out 2>err 3<&0 4<&0 5<&0 6<&0 7<&0 8<&0 9<&0 || { cat err; exit 1; }
        says ran out
    done
    unmarked
'
rm -f "$taken" "$taken-"
t 'a directory of his own in which the launcher is such a link' '
    attacker mkdir -p "$taken/$id/bin" && attacker chmod -R 755 "$taken"
    chmod -R a+rX victim/real
    attacker ln -s "$tmp/victim/real/$id/bin/launch" "$taken/$id/bin/launch" && attacker cp evil "$taken/$id/bin/other"
    flip "$taken/$id/bin/launch" "$taken/$id/bin/other"
    trap still EXIT
    for i in $(seq $rounds); do
        victim sh ./start >out 2>err || { cat err; exit 1; }
        says ran out
    done
    unmarked
'
rm -rf "$taken"
t 'the launcher does not follow links either' '
    victim mkdir -m 700 victim/place
    mine=$(victim "$build/loadcast" stage -q --dir "$tmp/victim/place" "$tmp/app.lcast")
    code 0 victim env LOADCAST_NODE="$mine" "$build/launch" sh -c "echo ran \$LD_PRELOAD"
    [ "$(cat out)" = "ran $mine/bin/preload.so" ]
    attacker ln -s "$tmp/victim/place/loadcast-$victim_uid" "$taken"
    code 0 victim env LOADCAST_NODE="$taken/${mine##*/}" "$build/launch" sh -c "echo ran \$LD_PRELOAD"
    [ "$(cat out)" = ran ]
    rm "$taken"
'
t 'a pipe that nobody writes to holds up no rank' '
    for name in "$taken" "$taken.0"; do
        attacker mkfifo -m 666 "$name"
        code 0 timeout 60 setpriv --reuid $victim_uid --regid $victim_uid --clear-groups sh ./start
        says ran out
        rm "$name"
    done
    attacker mkdir -p "$taken/$id/bin" && attacker mkfifo -m 777 "$taken/$id/bin/launch" && attacker chmod -R a+rwX "$taken"
    code 0 timeout 60 setpriv --reuid $victim_uid --regid $victim_uid --clear-groups sh ./start
    says ran out
    rm -rf "$taken"
'
t 'what is his own is used, and its descriptor is not left to the program' '
    chmod 1777 shared
    node=$(victim "$build/loadcast" stage -q --dir "$tmp/shared" "$tmp/app.lcast")
    { echo "node=$node"; sed "s/echo ran/echo \\\$LOADCAST_NODE; echo \/proc\/self\/fd\/[4-9]/" line; } >mine
    for shell in dash bash "busybox sh"; do
        command -v ${shell%% *} >/dev/null || continue
        code 0 victim $shell ./mine 8</dev/null 9</dev/null
        says "$node" out
        says "/proc/self/fd/8 /proc/self/fd/9" out
        code 0 victim $shell ./mine
        says "$node" out
        says "/proc/self/fd/[4-9]" out
        code 0 victim $shell ./mine 3<&0 4<&0 5<&0 6<&0 7<&0 8<&0 9<&0
        says "$node" out
        says "/proc/self/fd/4 /proc/self/fd/5 /proc/self/fd/6 /proc/self/fd/7 /proc/self/fd/8 /proc/self/fd/9" out
    done
'
finish
