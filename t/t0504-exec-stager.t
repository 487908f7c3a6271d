#!/bin/sh
# One stages, the others wait; whatever happens to the one, the program runs.
. "$(dirname "$0")/lib.sh"
mkimage=$PROGRAMS/mkimage
unset LOADCAST LOADCAST_NODE LOADCAST_DIR LD_AUDIT LD_PRELOAD
mkdir -m 700 node
mkdir -p app/bin app/data
cp "$PROGRAMS/show" app/bin/show
for i in $(seq 40); do head -c 70000 /dev/urandom >app/data/$i; done
ln app/data/1 app/data/hard
"$mkimage" app.lcast app || exit 1
user=node/loadcast-$(id -u)

# Everything that is in the user's directory but finished node directories and their locks.
leftovers() { ls -A "$user" | grep -vE '^[0-9a-f]{16}$|^\.[0-9a-f]{16}\.lock$'; }
clean() { loadcast clean -q --all --dir node; }
# child_has_open PID PATTERN: a child of it has such a file open
child_has_open() {
    for child in $(cat "/proc/$1/task/$1/children"); do ls -l "/proc/$child/fd" 2>/dev/null; done | grep -q "$2"
}
# Runs as it should: from the staged copy, waiting for nobody, leaving nothing lying about.
runs() {
    code 3 timeout 60 loadcast exec --dir node --wait 600s app.lcast -- app/bin/show --exit 3
    says "/files$tmp/app/bin/show" out
    leftovers | nothing
    for i in 1 20 40 hard; do cmp app/data/$i "$user"/[0-9a-f]*/files$tmp/app/data/$i; done
}
can_inject() {
    strace -f -qq -o /dev/null -e trace=getpid -e inject=getpid:signal=KILL:when=99 true 2>/dev/null ||
        skip "strace cannot inject here"
}

t '16 processes at once: one stages, all run from it' '
    for i in $(seq 16); do
        { loadcast exec --dir node app.lcast -- app/bin/show >out.$i 2>err.$i; echo $? >rc.$i; } &
    done
    wait
    cat rc.* | sort -u >codes && test "$(cat codes)" = 0
    test "$(cat err.* | grep -c staged)" = 1
    test "$(cat out.* | grep ^exe= | sort -u | wc -l)" = 1
    grep -q "/files$tmp/app/bin/show" out.7
    test "$(ls "$user" | wc -l)" = 1
    rm -f rc.* err.* out.*
'
t 'a stager that is killed, at any step, is replaced by the next' '
    can_inject
    points=0
    for call in mkdirat openat write fchmod renameat linkat pread64 utimensat flock; do
        for when in 1 2 4 9; do
            clean
            no_leak_check strace -f -qq -o /dev/null -e trace=$call -e inject=$call:signal=KILL:when=$when \
                loadcast exec --dir node app.lcast -- app/bin/show >out 2>&1 </dev/null &
            wait $! 2>/dev/null || points=$((points + 1))
            runs
        done
    done
    echo "killed at $points points"
    test $points -ge 20
'
t 'those who wait take over at once when the stager dies' '
    can_inject
    clean
    # Stops in the middle of its work, holding the lock.
    no_leak_check strace -f -qq -o /dev/null -e trace=fchmod -e inject=fchmod:signal=STOP:when=2 \
        loadcast exec --dir node app.lcast -- app/bin/show >out 2>&1 </dev/null &
    strace=$!
    wait_until sh -c "ls -A $user 2>/dev/null | grep -q stage"
    stager=$(ls -A "$user" | sed -n "s/.*stage\.//p")
    { loadcast exec --dir node --wait 600s app.lcast -- app/bin/show >out.w 2>err.w; echo $? >rc.w; } &
    wait_until child_has_open $! "\.lock$"
    test ! -e rc.w
    kill -KILL $stager
    wait_until test -s rc.w
    test "$(cat rc.w)" = 0
    grep -q "/files$tmp/app/bin/show" out.w
    leftovers | nothing
    wait $strace || :
'
t 'a stager that does nothing is not waited for' '
    can_inject
    clean
    no_leak_check strace -f -qq -o /dev/null -e trace=fchmod -e inject=fchmod:signal=STOP:when=2 \
        loadcast exec --dir node app.lcast -- app/bin/show >out.s 2>&1 </dev/null &
    strace=$!
    wait_until sh -c "ls -A $user 2>/dev/null | grep -q stage"
    stager=$(ls -A "$user" | sed -n "s/.*stage\.//p")
    wait_until grep -q "^State:.[Tt]" /proc/$stager/status
    code 3 loadcast exec --dir node --wait 500ms app.lcast -- app/bin/show --exit 3
    says "has done nothing for 0.5 s; running without it" err
    says "exe=$tmp/app/bin/show" out
    kill -KILL $stager
    wait $strace || :
    runs
'
t 'a damaged node directory that nobody uses is staged anew' '
    for damage in "rm N/index" "rm N/state" "rm N/live" "rm N/bin/launch" "rm -r N/users" "truncate -s 100 N/index" \
        "truncate -s 10 N/state" "truncate -s 0 N/live" "printf 9 | dd of=N/state bs=1 seek=7 conv=notrunc status=none" \
        "rm -r N/bin N/files"; do
        clean
        runs
        node=$(echo "$user"/[0-9a-f]*)
        chmod -R u+w "$node"
        eval "$(echo "$damage" | sed "s,N/,$node/,g")"
        echo "after: $damage"
        runs
    done
'
t 'a damaged one that somebody uses stays: the program runs plainly' '
    clean
    loadcast exec -q --dir node app.lcast -- sleep 30 &
    sleeper=$!
    wait_until sh -c "ls $user/*/users 2>/dev/null | grep -q p.$sleeper"
    chmod u+w "$user"/[0-9a-f]*/state && truncate -s 10 "$user"/[0-9a-f]*/state
    code 3 loadcast exec --dir node app.lcast -- app/bin/show --exit 3
    says "in use by process $sleeper" err
    says "exe=$tmp/app/bin/show" out
    kill $sleeper
    wait $sleeper 2>/dev/null || :
    runs
'
t 'objects of another build are replaced, unless somebody uses them' '
    clean
    mkdir -p two && cp "$build/loadcast" "$build/loadcast-full" "$build/launch" two/ && cp "$build"/*.so two/ 2>/dev/null || :
    runs
    before=$(stat -c %i "$user"/[0-9a-f]*)
    touch -d "2001-01-01" two/launch
    loadcast exec -q --dir node app.lcast -- sleep 30 &
    sleeper=$!
    wait_until sh -c "ls $user/*/users 2>/dev/null | grep -q p.$sleeper"
    code 0 two/loadcast exec --dir node app.lcast -- app/bin/show
    test "$before" = "$(stat -c %i "$user"/[0-9a-f]*)"
    kill $sleeper
    wait $sleeper 2>/dev/null || :
    code 0 two/loadcast exec --dir node app.lcast -- app/bin/show
    says "staged" err
    says "/files$tmp/app/bin/show" out
'
t 'the user'\''s umask and limits neither stop the staging nor change for the program' '
    clean
    (umask 777; code 0 loadcast exec --dir node app.lcast -- sh -c "umask; app/bin/show") || exit 1
    chmod 600 out
    says 0777 out
    says "/files$tmp/app/bin/show" out
    clean
    code 0 sh -c "ulimit -f 20; loadcast exec --dir node app.lcast -- app/bin/show"
    says "File too large; running without it" err
    says "exe=$tmp/app/bin/show" out
    leftovers | nothing
    code 0 sh -c "ulimit -n 12; loadcast exec --dir node app.lcast -- app/bin/show"
    says "exe=$tmp" out
'
t 'the image goes away after staging: nobody minds; before: plainly' '
    clean
    "$mkimage" gone.lcast app
    code 0 loadcast exec --dir node gone.lcast -- sh -c "rm gone.lcast; app/bin/show"
    code 3 loadcast exec --dir node gone.lcast -- app/bin/show --exit 3
    says "No such file" err
'
t 'a full staging directory of a dead stager of another image is removed too' '
    clean
    mkdir -m 700 -p "$user" && mkdir -p "$user/.0123456789abcdef.stage.1/files/deep" && : >"$user/.0123456789abcdef.dead.1"
    : >"$user/.0123456789abcdef.stage.1/files/deep/x" && chmod 444 "$user/.0123456789abcdef.stage.1/files/deep/x"
    runs
'
clean
finish
