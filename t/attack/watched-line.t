#!/bin/sh
# A line without an image, which is watched, on a node where the attacker may write to the directory that was named for
# logs, has foreseen their names, or has put a program where Loadcast is elsewhere: nothing of his is used, and he reads nothing.
. "$(dirname "$0")/../lib.sh"
. "$here/attack/users.sh"
. "$here/attack/evil.sh"
unset LOADCAST_WATCH
mkdir -p inst/bin inst/libexec/loadcast
cp "$build/loadcast" inst/bin/
cp "$build/loadcast-full" "$build/launch" "$build"/*.so "$build"/src/client/*/loadcast-*.so inst/libexec/loadcast/
chmod -R a+rX inst
own=$tmp/inst/bin/loadcast
store=$tmp/victim/store
victim mkdir -m 700 "$store"
is_stored() { [ -n "$(find "$store" -name '*.json')" ]; }
logs() { ls -d "$1"/loadcast-watch.$victim_uid.* 2>/dev/null; }
nothing_watches() { [ -z "$(logs /dev/shm)$(logs /tmp)$(logs "$tmp/open")$(logs "$tmp/sticky")" ]; }
forget() { wait_until nothing_watches && rm -rf "${store:?}"/*; }
line() { victim env LOADCAST_STORE="$store" LOADCAST_WATCH=1 "$@"; }
# The program waits until it is told to go on, so that the attacker can look around.
cat >watched.py <<'P'
import json, os, sys, time
print("ran", flush=True)
while len(sys.argv) > 1 and not os.path.exists(sys.argv[1]):
    time.sleep(0.02)
P
chmod 644 watched.py
mkdir -m 777 open && chmod 777 open
mkdir sticky && chmod 1777 sticky

t 'logs are never in a directory that others can rename' '
    rm -f go out
    LOADCAST_DIR=$tmp/open line "$own" run --manage /usr/lib -- "$python" "$tmp/watched.py" "$tmp/go" >out 2>err &
    wait_until grep -qs ran out
    logs "$tmp/open" | nothing
    touch go
    wait
    says "is watched" err
'
t 'nor reached through the attacker'\''s link or below a directory of his' '
    forget
    attacker ln -s "$tmp/victim" "$tmp/attacker/link"
    attacker mkdir -p "$tmp/attacker/below"
    attacker chmod 777 "$tmp/attacker/below"
    for dir in "$tmp/attacker/link" "$tmp/attacker/below"; do
        rm -f go out
        LOADCAST_DIR=$dir line "$own" run --manage /usr/lib -- "$python" "$tmp/watched.py" "$tmp/go" >out 2>err &
        wait_until grep -qs ran out
        logs "$dir" | nothing
        touch go
        wait
        forget
    done
'
t 'others read nothing of the logs, and cannot put anything in' '
    rm -f go out
    LOADCAST_DIR=$tmp/sticky line "$own" run --manage /usr/lib -- "$python" "$tmp/watched.py" "$tmp/go" >out 2>err &
    wait_until grep -qs ran out
    dir=$(logs "$tmp/sticky")
    [ -d "$dir" ]
    for tool in "ls $dir" "touch $dir/fit.0" "mv $dir $dir.other" "rmdir $dir"; do
        if attacker $tool >attacked 2>&1; then echo "possible: $tool"; exit 1; fi
    done
    find "$dir" \( -perm /077 -o ! -user $victim_uid \) | nothing
    touch go
    wait
    forget
'
t 'names of logs that the attacker has taken, as links and directories: his stay his, the victim'\''s files stay' '
    victim sh -c "echo keep >$tmp/victim/file"
    ended=$(sh -c "echo \$\$")
    attacker ln -s "$tmp/victim" "$tmp/sticky/loadcast-watch.$victim_uid.$ended.aaaaaa"
    attacker mkdir "$tmp/sticky/loadcast-watch.$victim_uid.$ended.bbbbbb"
    attacker touch "$tmp/sticky/loadcast-watch.$victim_uid.$ended.bbbbbb/x"
    LOADCAST_DIR=$tmp/sticky code 0 line "$own" run --manage /usr/lib -- "$python" "$tmp/watched.py"
    wait_until is_stored
    [ "$(cat victim/file)" = keep ]
    [ -e "$tmp/sticky/loadcast-watch.$victim_uid.$ended.bbbbbb/x" ]
    rm -rf "$tmp/sticky"/loadcast-watch.*
    forget
'
# A launcher whose nodes have another disk where Loadcast is here.
cat >mpiexec.hydra <<E
#!/bin/sh
while case \$1 in -n) shift 2 ;; -genv) export "\$2=\$3"; shift 3 ;; *) false ;; esac do :; done
rm -rf $tmp/local.head && mv $tmp/local $tmp/local.head && mv $tmp/local.node $tmp/local
PMI_RANK=0 PMI_SIZE=1 MPI_LOCALRANKID=0 "\$@"
status=\$?
mv $tmp/local $tmp/local.node && mv $tmp/local.head $tmp/local
exit \$status
E
chmod 755 mpiexec.hydra
for whose in attacker strangers-directory open-directory; do
    t "on the nodes a program of the attacker has the name of ours: $whose" '
        rm -rf local local.node
        victim mkdir -m 755 "$tmp/local" "$tmp/local.node"
        cp -r inst local/inst
        chown -R $victim_uid local
        mkdir -p local.node/inst/bin
        cp evil local.node/inst/bin/loadcast
        case '$whose' in
        attacker) chown -R $attacker_uid local.node/inst ;;
        strangers-directory) chown -R $attacker_uid local.node/inst; chown root local.node/inst/bin/loadcast ;;
        open-directory) chown -R root local.node/inst; chmod 777 local.node/inst/bin ;;
        esac
        forget
        chmod 1777 "$tmp"
        PATH=$tmp:$PATH line env -u LOADCAST_DIR "$tmp/local/inst/bin/loadcast" run --manage /usr/lib -- mpiexec.hydra -n 1 "$python" "$tmp/watched.py" >out 2>err || { cat out err; exit 1; }
        says ran out
        unmarked
    '
done
t 'the control: ours, owned by whoever installed it, is used there' '
    rm -rf local local.node
    victim mkdir -m 755 "$tmp/local" "$tmp/local.node"
    cp -r inst local/inst
    cp -r inst local.node/inst
    chown -R $attacker_uid local/inst local.node/inst # who installed it for all is no attacker
    forget
    PATH=$tmp:$PATH line env -u LOADCAST_DIR "$tmp/local/inst/bin/loadcast" run --manage /usr/lib -- mpiexec.hydra -n 1 "$python" "$tmp/watched.py" >out 2>err || { cat out err; exit 1; }
    says ran out
    wait_until is_stored
'
t 'nothing is left behind' 'wait_until nothing_watches'
finish
