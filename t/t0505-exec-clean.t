#!/bin/sh
# status shows what is staged; clean removes what nobody uses, and only that.
. "$(dirname "$0")/lib.sh"
mkimage=$PROGRAMS/mkimage
unset LOADCAST LOADCAST_NODE LOADCAST_DIR LD_AUDIT LD_PRELOAD SLURM_JOB_ID PBS_JOBID LSB_JOBID FLUX_JOB_ID \
    COBALT_JOBID JOB_ID
mkdir -m 700 node
mkdir app
cp "$PROGRAMS/show" app/show
"$mkimage" app.lcast app || exit 1
echo more >app/more
"$mkimage" two.lcast app || exit 1
user=node/loadcast-$(id -u)
run() { image=$1; shift; loadcast exec -q --dir node "$image" -- "$@"; }
status() { code 0 loadcast status --dir node "$@"; }
clean() { want=$1; shift; code $want loadcast clean --dir node "$@"; }
count() { ls "$user" 2>/dev/null | wc -l; }

# in_container CMD: with process numbers of its own
in_container() { unshare ${rootless-} --fork --pid --mount-proc "$@"; }
[ "$(id -u)" = 0 ] || rootless=--map-current-user
t 'nothing staged: both say so' '
    status
    says "nothing is staged" out
    clean 0
    says "nothing to remove" out
    status --json
    test "$(cat out)" = "[]"
    code 2 loadcast status more
    code 2 loadcast clean more
    code 2 loadcast clean --al
'
t 'status: path, image, size, who, counters, paths that were passed through, what to do' '
    run app.lcast app/show >/dev/null
    cp app/show later.py && run app.lcast ./later.py >/dev/null
    status
    says "node       $tmp/$user/" out
    says "image      $tmp/app.lcast, staged 20" out
    grep -qE "^takes +[0-9.]+ [kM]B, serves all" out
    says "in use     by nobody" out
    grep -qE "^answered +[0-9]+: .*programs started" out
    grep -qE "$tmp/later.py .not recorded.$" out
    says "loadcast record -o $tmp/app.lcast --add" out
    status --json
    "$python" - "$tmp" <<E
import json, sys
(n,) = json.load(open("out"))
assert n["image"] == sys.argv[1] + "/app.lcast" and n["bytes"] > 10000 and n["serves"] == "all"
assert n["counts"]["exec"] == 1 and n["counts"]["passed"] >= 1 and n["processes"] == 0
assert [p for p in n["passed_paths"] if p["path"] == sys.argv[1] + "/later.py" and p["why"] == "pass_unknown"]
E
'
t 'the advice, pasted, mends it; other disks are none of it' '
    mkdir -p soft/part soft/case && echo data >soft/case/results.dat && cp app/show soft/show && echo one >soft/part/one.py && echo two >"soft/part/t w o.py"
    loadcast record -o soft.lcast --manage "$tmp/soft" --add "$tmp/soft/show" 2>err || { cat err; exit 1; }
    ask="cat $tmp/soft/part/one.py $tmp/soft/part/t?w?o.py /etc/passwd"
    code 0 loadcast exec -q --stats --dir node soft.lcast -- sh -c "$ask"
    grep -E "^ +[0-9]+  /(etc|usr|bin|lib)" err | nothing
    advice=$(sed -n "s/^to have them answered too: //p" err)
    eval "$advice" 2>err || { cat err; exit 1; }
    code 0 loadcast exec -q --stats --dir node soft.lcast -- sh -c "$ask"
    lacks "$tmp/soft/part/one.py" err
    says "2 files opened" err
'
t 'neither data nor a whole directory of the user is advised' '
    code 0 loadcast exec -q --stats --dir node soft.lcast -- sh -c "ls $tmp/soft/case; cat $tmp/soft/case/results.dat"
    says "$tmp/soft/case" err
    lacks "to have them answered" err
'
t 'clean removes it, and the empty directory of the user too' '
    clean 0
    says "removed    $tmp/$user/" out
    test ! -e "$user"
'
t 'not while a process uses it: by its registered name' '
    rm -f out.s
    loadcast exec -q --dir node app.lcast -- app/show --sleep 30 >out.s &
    pid=$!
    wait_until grep -q SHOWN out.s
    status
    says "in use     by 1 process, such as $pid" out
    clean 1 --all
    says "in use by 1 process, such as $pid" out
    test "$(count)" = 1
    run two.lcast true
    clean 1 --all
    test "$(count)" = 1
    kill $pid
    wait $pid 2>/dev/null || :
    clean 0
    test "$(count)" = 0
'
t 'not while a child uses it that never registered' '
    test -f "$build/preload.so" || skip "no client in this build"
    run app.lcast sh -c "app/show --sleep 30 >out.c & echo \$! >child"
    wait_until grep -q SHOWN out.c
    child=$(cat child)
    clean 1 --all
    says "such as $child" out
    kill "$child"
    wait_until sh -c "! kill -0 $child 2>/dev/null"
    clean 0 --all
'
t 'a process number that was given to another process is no user' '
    run app.lcast true
    node=$(echo "$user"/[0-9a-f]*)
    namespace=$(stat -L -c %i /proc/self/ns/pid)
    : >"$node/users/p.$$.1.$namespace"
    clean 0
    test "$(count)" = 0
'
t 'a process that has ended is no user, though nobody has waited for it' '
    sh -c "loadcast exec -q --dir node app.lcast -- app/show >out.z & echo \$! >ended; exec sleep 60" &
    pid=$!
    wait_until grep -q "^State:.Z" "/proc/$(wait_until test -s ended; cat ended)/status"
    clean 0
    kill $pid
    test "$(count)" = 0
'
t 'a process of which nothing can be told counts as alive' '
    run app.lcast true
    in_container true 2>/dev/null || skip "no pid namespaces here"
    : >"$(echo "$user"/[0-9a-f]*)/users/p.1234.5.6"
    # Whoever is in a container cannot see what is outside.
    code 1 in_container loadcast clean --dir node
    says "in use by" out
    test "$(count)" = 1
    rm "$user"/[0-9a-f]*/users/p.1234.5.6
    clean 0
'
t 'a job keeps what it staged between its steps; the others leave it' '
    SLURM_JOB_ID=11 run app.lcast true
    SLURM_JOB_ID=12 clean 0
    says "job slurm-11 may still want it" out
    SLURM_JOB_ID=12 run two.lcast true
    test "$(count)" = 2
    SLURM_JOB_ID=11 clean 0
    test "$(count)" = 1
    SLURM_JOB_ID=13 clean 0 --all
    test "$(count)" = 0
'
t 'two jobs share one; the last one to clean removes it' '
    SLURM_JOB_ID=11 run app.lcast true
    SLURM_JOB_ID=12 run app.lcast true
    SLURM_JOB_ID=11 clean 0
    test "$(count)" = 1
    SLURM_JOB_ID=12 clean 0
    test "$(count)" = 0
'
t 'exec removes stale ones of dead jobs, and not its own, used or recent ones' '
    run app.lcast true
    touch -d "2 hours ago" "$user"/[0-9a-f]*/users
    code 0 loadcast exec --dir node two.lcast -- true
    says "removed 1 stale node directory" err
    test "$(count)" = 1
    run app.lcast true
    test "$(count)" = 2
    clean 0
    SLURM_JOB_ID=11 run app.lcast true
    touch -d "2 hours ago" "$user"/[0-9a-f]*/users
    SLURM_JOB_ID=11 run two.lcast true
    test "$(count)" = 2
    clean 0 --all
    rm -f out.s
    loadcast exec -q --dir node app.lcast -- app/show --sleep 30 >out.s &
    pid=$!
    wait_until grep -q SHOWN out.s
    touch -d "2 hours ago" "$user"/[0-9a-f]*/users
    run two.lcast true
    test "$(count)" = 2
    kill $pid
    wait $pid 2>/dev/null || :
    clean 0
'
t 'status does not make a directory look used' '
    run app.lcast true
    touch -d "2 hours ago" "$user"/[0-9a-f]*/users
    status
    status
    says "last 2.0 h ago" out
    clean 0
'
t 'a damaged one is shown, and removed' '
    run app.lcast true
    rm "$user"/[0-9a-f]*/index
    status
    says "is damaged: no usable '\''index'\''" out
    status --json
    says "\"error\"" out
    clean 0
    test "$(count)" = 0
'
t 'what is foreign is left alone' '
    test "$(id -u)" = 0 || skip "needs root to make one"
    mkdir -m 700 "$user" && mkdir "$user/0123456789abcdef" && chown 65534 "$user"
    status
    says "belongs to another user" err
    clean 0 --all
    says "left alone" err
    test -d "$user/0123456789abcdef"
    rm -r "$user"
    mkdir -m 700 "$user" && ln -s "$tmp/app" "$user/0123456789abcdef" && ln -s "$tmp/app" "$user/.0123456789abcdef.stage.1"
    clean 0 --all
    test -f app/show
    rm -rf "$user"
'
t 'many start and clean at once: nobody fails, nothing is left' '
    for i in 1 2 3 4 5 6; do
        { for k in 1 2 3 4 5; do run app.lcast app/show --exit 3 >out.$i.$k 2>&1 || echo $? >>codes; done; } &
    done
    for i in $(seq 16); do loadcast clean -q --all --dir node >/dev/null 2>&1 || :; done
    wait
    test "$(sort -u codes)" = 3 && test "$(wc -l <codes)" = 30
    clean 0 --all
    test ! -e "$user"
'
# Processes are told apart by the time at which they were started. Emulators that answer for the kernel leave their size out.
stat_is_the_kernels() { sh -c 'read -r own </proc/self/stat; set -- $own; [ "${23}" != 0 ]'; }
t 'jobs that share a node: each ends for itself, and the end of the last removes the image' '
    stat_is_the_kernels || skip "an emulator answers /proc/self/stat, with a start time that each exec changes"
    clean 0 --all
    mkfifo first second
    for job in 21 22; do SLURM_JOB_ID=$job loadcast exec -q --dir node app.lcast -- sh -c "read word <$tmp/$([ $job = 21 ] && echo first || echo second)" & done
    both() { [ "$(find node -path "*/users/p.*" | wc -l)" = 2 ]; }
    wait_until both
    echo go >first
    one() { SLURM_JOB_ID=9 loadcast status --dir node | grep -q "by 1 process"; }
    wait_until one
    # The epilog of 21 runs while 22 is at work; 22 is the last.
    SLURM_JOB_ID=21 clean 1
    says "in use" out
    echo go >second
    wait
    SLURM_JOB_ID=22 clean 0
    test "$(count)" = 0
'
t 'a job that the scheduler no longer knows does not keep an image' '
    mkdir scheduler
    SLURM_JOB_ID=31 run app.lcast true
    for answer in "echo RUNNING" "exit 1" "sleep 30" ; do
        printf "#!/bin/sh\\n%s\\n" "$answer" >scheduler/squeue && chmod +x scheduler/squeue
        PATH=$tmp/scheduler:$PATH SLURM_JOB_ID=32 clean 0
        says "job slurm-31 may still want it" out
    done
    for answer in "echo COMPLETING" : "echo slurm_load_jobs error: Invalid job id specified >&2; exit 1"; do
        SLURM_JOB_ID=31 run app.lcast true
        printf "#!/bin/sh\\n%s\\n" "$answer" >scheduler/squeue
        PATH=$tmp/scheduler:$PATH SLURM_JOB_ID=32 clean 0
        test "$(count)" = 0
    done
'
t 'the epilog example removes what a job left, wherever the site stages' '
    mkdir -m 700 place2
    loadcast exec -q --dir place2 app.lcast -- true
    run app.lcast true
    SLURM_JOB_ID=11 SLURM_JOB_USER=$(id -un) LOADCAST_PROGRAM=$build/loadcast LOADCAST_DIR="$tmp/node $tmp/place2" \
        code 0 sh "$src/examples/slurm-epilog.sh"
    find node place2 -mindepth 2 | nothing
    test -d "$user" # its name stays the user'\''s
'
t 'a program in a container uses it as long as there is one, whatever its number' '
    in_container true 2>/dev/null || skip "no pid namespaces here"
    [ "$(stat -L -c %i /proc/self/ns/pid)" = 4026531836 ] || skip "not in the first pid namespace: nobody can tell"
    clean 0 --all
    mkfifo go
    in_container "$build/loadcast" exec -q --dir node app.lcast -- sh -c "read word <go" &
    job=$!
    registered() { [ -n "$(find node -path "*/users/p.*")" ] && [ "$(count)" = 1 ]; }
    wait_until registered
    clean 1 --all
    says "in use" out
    # In another container its number may be that of the cleaner, which is the first process, too.
    code 1 in_container loadcast clean --all --dir node
    says "in use" out
    cp -r "$(find node -path "*/users" -type d)" names
    echo go >go
    wait $job
    # Nobody in there removed the name.
    cp names/* "$(find node -path "*/users" -type d)/"
    clean 0 --all
    [ "$(count)" = 0 ]
'
t 'a process that sees another directory under that path is no user of this one' '
    test -f "$build/preload.so" || skip "no client in this build"
    [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null || skip "needs root and mount namespaces"
    clean 0 --all
    run app.lcast true
    [ "$(count)" = 1 ]
    unshare --mount sh -c "mount -t tmpfs none node && chmod 700 node &&
        exec \"$build/loadcast\" exec -q --dir \"$PWD/node\" app.lcast -- app/show --sleep 30" >out.other &
    job=$!
    wait_until grep -q SHOWN out.other
    # The same image at the same path, with the same process numbers.
    grep -q "$PWD/$user/" /proc/$job/maps || { cat /proc/$job/maps; exit 1; }
    clean 0 --all
    [ "$(count)" = 0 ]
    kill $job
    wait $job || :
'
finish
