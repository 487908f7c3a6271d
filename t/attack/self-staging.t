#!/bin/sh
# Ranks that stage by themselves, on a node where the attacker has made what is called as the victim's directory
# will be called, with a launcher and objects in it that he could foresee: nothing of his is used, and the ranks
# are served from a directory of another name.
. "$(dirname "$0")/../lib.sh"
. "$here/attack/users.sh"
. "$here/attack/evil.sh"
need_ptrace
mkdir app && cp /bin/true app/ && chmod -R a+rX app && find app -exec touch -d 2020-01-01 {} +
no_leak_check loadcast record -o app.lcast --manage "$tmp/app" -- "$tmp/app/true" >/dev/null 2>&1 && chown $victim_uid app.lcast || exit 1
at_exit "rm -rf /dev/shm/loadcast-$victim_uid* /tmp/loadcast-$victim_uid* /dev/shm/.loadcast-kit.$victim_uid.*"
mkdir shared inst && chmod 1777 shared
taken=$tmp/shared/loadcast-$victim_uid
cat >inst/mpiexec.hydra <<'EOS'
#!/bin/sh
n=1
while case $1 in -n) n=$2; shift 2 ;; -genv) export "$2=$3"; shift 3 ;; *) false ;; esac do :; done
i=0
while [ $i -lt $n ]; do MPI_LOCALRANKID=$i "$@" & i=$((i + 1)); done
wait
EOS
chmod 755 inst/mpiexec.hydra
id=$(victim env LOADCAST_DIR="$tmp/shared" "$build/loadcast" stage -q app.lcast | sed 's,.*/,,')
rm -rf "$taken"
run() {
    victim env PATH="$tmp/inst:$PATH" LOADCAST_DIR="$tmp/shared" OMPI_ALLOW_RUN_AS_ROOT=1 \
        "$build/loadcast" run --via ranks --image "$tmp/app.lcast" "$@"
}
show='echo ran; echo "node $LOADCAST_NODE"'
squat() {
    attacker mkdir -p "$taken/$id/bin" "$taken/$id/users"
    for object in audit.so preload.so; do attacker cp "$tmp/evil.so" "$taken/$id/bin/$object"; done
    attacker cp "$tmp/evil" "$taken/$id/bin/launch"
    attacker touch "$taken/$id/users/t.1.0.0"
    attacker chmod -R 755 "$taken"
}
forget() { rm -rf "$taken" "$taken".*; }
served() {
    [ "$(grep -cx ran out)" = "$1" ] || { cat out err; return 1; }
    [ "$(grep -c "^node $taken\.[^/]*/$id$" out)" = "$1" ] || { cat out err; return 1; }
    unmarked
}
gone() { find shared -mindepth 1 -user $victim_uid | nothing >/dev/null; }

t 'his launcher, objects and marks are not used; the ranks are served under another name' '
    squat
    code 0 run -- mpiexec.hydra -n 3 sh -c "$show"
    served 3
    wait_until gone
    forget
'
t 'the same under Open MPI' '
    command -v mpiexec.openmpi >/dev/null || skip "openmpi-bin is not installed"
    squat
    code 0 run -- mpiexec.openmpi -n 2 --oversubscribe sh -c "$show"
    served 2
    wait_until gone
    forget
'
t 'a line on this machine alone, which loadcast run stages itself' '
    command -v mpiexec.openmpi >/dev/null || skip "openmpi-bin is not installed"
    squat
    code 0 victim env LOADCAST_DIR="$tmp/shared" "$build/loadcast" run --image "$tmp/app.lcast" -- mpiexec.openmpi -n 2 --oversubscribe sh -c "$show"
    served 2
    wait_until gone
    forget
'
t 'links and files in its place' '
    for kind in link file dangling closed; do
        case $kind in
        link) attacker mkdir -p attacker/trap && attacker chmod 777 attacker/trap && attacker ln -s "$tmp/attacker/trap" "$taken" ;;
        file) attacker touch "$taken" ;;
        dangling) attacker ln -s "$tmp/nowhere" "$taken" ;;
        closed) attacker mkdir -m 700 "$taken" ;;
        esac
        code 0 run -- mpiexec.hydra -n 2 sh -c "$show"
        served 2
        ls -A attacker/trap 2>/dev/null | nothing
        wait_until gone
        forget
    done
'
t 'a directory that others may write to is not used, and nothing of ours is started from there' '
    mkdir open && chmod 777 open
    attacker mkdir -p "open/loadcast-$victim_uid/$id/bin"
    attacker cp "$tmp/evil" "open/loadcast-$victim_uid/$id/bin/launch"
    attacker chmod -R 755 "open/loadcast-$victim_uid"
    code 0 run --dir "$tmp/open" -- mpiexec.hydra -n 2 sh -c "$show"
    [ "$(grep -cx ran out)" = 2 ]
    lacks "node $tmp/open" out
    unmarked
'
finish
