#!/bin/sh
# The store of images on a real NFS, used by two machines at once.
. "$(dirname "$0")/lib.sh"
. "$here/nfs/box.sh"
nfs_box
unset LOADCAST_DIR # each machine has a /dev/shm of its own
export LOADCAST_STORE="$nfs/store"
on a mkdir -m 755 "$nfs/sw" "$nfs/sw/bin"
on a sh -c 'cd "$1" && printf "#!/bin/sh\n[ \$# = 0 ] || \"\$(dirname \"\$0\")/bin/\$1\"\necho \"\$(cat \"\$(dirname \"\$0\")/data\")\"\n" >app.sh && printf "#!/bin/sh\necho a tool\n" >bin/tool.sh &&
    chmod +x app.sh bin/tool.sh && echo content >data && find . -exec touch -d 2020-01-01 {} +' sh "$nfs/sw"
# The kernel in the box does not tell a tracer of system calls (SECCOMP_RET_TRACE): --no-ptrace.
store_image() { on "$1" loadcast record --no-ptrace -- "$nfs/sw/app.sh"; }
store_image a >record.out 2>&1 || { cat record.out; exit 1; }
# field NAME: of the images in the store, one line each
field() { on b loadcast images --json | "$python" -c "import json, sys
for one in json.load(sys.stdin): print(one['$1'])"; }
# jobs MACHINE COUNT: one after another; those that were not served are counted in MACHINE.bad
jobs() {
    echo 0 >"$1.bad"
    for i in $(seq "$2"); do
        on "$1" loadcast run -- "$nfs/sw/app.sh" >"$1.out" 2>"$1.err" && [ "$(cat "$1.out")" = content ] && grep -q 'staged on 1 node' "$1.err" ||
            { cat "$1.out" "$1.err"; echo $(($(cat "$1.bad") + 1)) >"$1.bad"; }
    done
}
both() { # CMD...: on both machines at once, with the machine's name as the first argument
    "$1" a "$2" >a.log 2>&1 &
    other=$!
    "$1" b "$2" >b.log 2>&1
    wait "$other"
}

t 'it is NFS' '
    on b stat -f -c %T "$nfs" >out
    says nfs out
'
t 'an image that one machine has recorded is found by the other' '
    code 0 on b loadcast images
    says app.sh- out
    code 0 on b loadcast run -- "$nfs/sw/app.sh"
    says content out
    says "staged on 1 node" err
'
t 'two machines run jobs at once: all are served' '
    both jobs 10
    [ "$(cat a.bad b.bad)" = "0
0" ] || { cat a.log b.log; exit 1; }
'
learnt_on() { on "$1" sh -c 'loadcast info --files "$LOADCAST_STORE"/app.sh-*.lcast' >files && grep -qF bin/tool.sh files; }
# asked_on MACHINE: by paths, so far
asked_on() { on "$1" awk -v at="$nfs" '$1 == "device" { here = $5 == at } here && $1 ~ /^(LOOKUP|ACCESS|GETATTR|OPEN|OPEN_NOATTR|READ|READDIR|READLINK):$/ { n += $2 } END { print n + 0 }' /proc/self/mountstats; }
t 'what a job on one machine has learnt, the next one on the other does not ask any more' '
    jobs a 1
    if learnt_on a; then cat files; exit 1; fi
    code 0 on a loadcast run -- "$nfs/sw/app.sh" tool.sh
    says "a tool" out
    learnt_on_b() { learnt_on b; }
    wait_until learnt_on_b
    code 0 on b loadcast images show app.sh
    says "job a:" out
    code 0 on b env COBALT_JOBID=1 loadcast run -- "$nfs/sw/app.sh" tool.sh
    says "a tool" out
    cp out served
    node=$(on b sh -c "ls -d /dev/shm/loadcast-*/*/bin") && node=${node%/bin}
    plain=$(asked_on b)
    on b "$nfs/sw/app.sh" tool.sh
    before=$(asked_on b)
    [ "$before" -gt "$plain" ]
    code 0 on b env LOADCAST_NODE="$node" "$node/bin/launch" "$nfs/sw/app.sh" tool.sh
    [ "$(asked_on b)" = "$before" ] || { on b cat /proc/self/mountstats; exit 1; }
    same served out
    on b loadcast clean --all >/dev/null
'
recordings() { for i in $(seq "$2"); do store_image "$1" || return; done; }
t 'two machines record the same program at once: one image stays, and it is whole' '
    both recordings 5
    [ "$(field key | wc -l)" = 1 ] || { on b loadcast images; cat a.log b.log; exit 1; }
    on b find "$LOADCAST_STORE" -name ".*" -type f | nothing
    jobs a 1
    jobs b 1
    [ "$(cat a.bad b.bad)" = "0
0" ]
'
t 'one machine changes a file and the other one is not given the old content' '
    on a sh -c "echo changed >\"$nfs/sw/data.new\" && mv \"$nfs/sw/data.new\" \"$nfs/sw/data\""
    # What b still believes to be there by its own cache, NFS tells it anew when it opens.
    changed() { [ "$(on b "$nfs/sw/app.sh")" = changed ]; }
    wait_until changed
    code 0 on b loadcast run -- "$nfs/sw/app.sh"
    says changed out
    code 0 on a loadcast run -- "$nfs/sw/app.sh"
    says changed out
    on a sh -c "echo content >\"$nfs/sw/data\""
'
t 'an image that is removed while the other machine runs jobs: each of them runs' '
    outputs() { for i in $(seq "$2"); do [ "$(on "$1" loadcast run -q -- "$nfs/sw/app.sh")" = content ] || echo "job $i"; done; }
    outputs b 10 >b.log 2>&1 &
    other=$!
    for i in 1 2 3 4; do
        on a loadcast images remove app.sh || :
        store_image a >/dev/null 2>&1
    done
    wait $other
    nothing <b.log
'
t 'no room on the server: what is stored stays whole, and jobs run' '
    head -c 200M /dev/zero >/run/export/fill 2>/dev/null || :
    if store_image b >full.out 2>&1; then cat full.out; exit 1; fi
    [ "$(field key | wc -l)" = 1 ]
    jobs a 1
    rm /run/export/fill
    [ "$(cat a.bad)" = 0 ]
'
t 'a store that this machine may not write to: the line runs' '
    on b mount -o remount,ro "$nfs"
    code 0 on b loadcast run -- "$nfs/sw/app.sh"
    says content out
    says "staged on 1 node" err
'
finish
