#!/bin/sh
# loadcast exec: a program from node memory, as if it had been started plainly.
. "$(dirname "$0")/lib.sh"
show=$PROGRAMS/show
mkimage=$PROGRAMS/mkimage
LOADCAST_DIR=$tmp/node
export LOADCAST_DIR
unset LOADCAST LOADCAST_NODE LD_AUDIT LD_PRELOAD SLURM_JOB_ID PBS_JOBID LSB_JOBID FLUX_JOB_ID JOB_ID
mkdir node app app/bin
cp "$show" app/bin/show
"$mkimage" app.lcast app || exit 1

t 'the staged program runs with its original argv[0] and its own status' '
    PATH=$tmp/app/bin:$PATH code 7 loadcast exec app.lcast -- show --exit 7
    says "argv[0]=show" out
    grep -qE "^exe=$tmp/node/loadcast-[0-9]+/[0-9a-f]{16}/files$tmp/app/bin/show$" out
    says "files to '\''$tmp/node/loadcast-" err
    grep -qE "takes [0-9.]+ [kM]B of this node" err
'
t 'a second run stages nothing and says nothing' '
    code 0 loadcast exec app.lcast app/bin/show a "b c" ""
    says "argv[0]=app/bin/show" out
    says "argv[2]=b c" out
    grep -qx "argv\[3\]=" out
    test ! -s err
'
t 'nothing but the three variables reaches the program, and no descriptor' '
    SHOWN=yes code 0 loadcast exec app.lcast -- app/bin/show
    says "SHOWN=yes" out
    says "LOADCAST_TELL=(unset)" out
    grep -qE "^LOADCAST_NODE=$tmp/node/loadcast-" out
    code 0 loadcast exec app.lcast -- sh -c "ls /proc/self/fd | wc -l"
    sh -c "ls /proc/self/fd | wc -l" >plain
    same plain out
'
t 'standard input and output are the program'\''s' '
    printf "one\ntwo\n" >in
    loadcast exec app.lcast -- cat <in >out
    same in out
'
t 'the death of the program by a signal is handed on, with and without --stats' '
    rc=0; sh -c "loadcast exec app.lcast -- app/bin/show --kill 15; exit \$?" >out 2>&1 || rc=$?
    test $rc = 143
    rc=0; sh -c "loadcast exec --stats app.lcast -- app/bin/show --kill 15; exit \$?" >out 2>err || rc=$?
    test $rc = 143
    says "processes " err
'
t '--stats waits, prints the counters, and keeps the status' '
    code 5 loadcast exec --stats app.lcast -- app/bin/show --exit 5
    says "programs started" err
    says "passed" err
'
t '--stats hands a signal on to the program' '
    loadcast exec --stats app.lcast -- app/bin/show --sleep 30 >out 2>err &
    pid=$!
    wait_until grep -q SHOWN out
    kill -TERM $pid
    rc=0; wait $pid || rc=$?
    test $rc = 143
'
t 'LOADCAST=0 switches everything off, whatever the image' '
    LOADCAST=0 code 3 loadcast exec nowhere.lcast -- app/bin/show --exit 3
    says "LD_PRELOAD=(unset)" out
    says "exe=$tmp/app/bin/show" out
    test ! -s err
'
t 'no such program: 127; not executable: 126; no command: 125' '
    PATH=$build:/usr/bin:/bin code 127 loadcast exec app.lcast -- no-such-program
    says "cannot execute '\''no-such-program'\'': No such file" err
    code 127 loadcast exec app.lcast -- app/bin/none
    : >plain
    code 126 loadcast exec app.lcast -- ./plain
    code 126 loadcast exec app.lcast -- app/bin
    code 125 loadcast exec app.lcast
    code 125 loadcast exec
    code 125 loadcast exec --onyl libs app.lcast true
    says "did you mean '\''--only'\''" err
'
t 'an unusable image: one line and the plain program; --strict: 125' '
    : >empty.lcast
    head -c 5000 app.lcast >cut.lcast
    head -c 9000 /dev/zero >zero.lcast
    for bad in nowhere.lcast empty.lcast cut.lcast zero.lcast app; do
        code 4 loadcast exec $bad -- app/bin/show --exit 4
        says "LOADCAST_NODE=(unset)" out
        says "running without it" err
        test "$(wc -l <err)" = 1
        code 125 loadcast exec --strict $bad -- app/bin/show
    done
'
t 'an image of another glibc, Python or architecture: says which, runs plainly' '
    "$mkimage" old.lcast app --glibc 2.12
    code 4 loadcast exec old.lcast -- app/bin/show --exit 4
    says "recorded with glibc 2.12, this machine has" err
    says "LD_PRELOAD=(unset)" out
    test "$(wc -l <err)" = 1
    "$mkimage" py.lcast app --python 3.1.4 --mount "$tmp"
    code 0 loadcast exec -q py.lcast -- "$python" -c pass
    says "recorded with Python 3.1.4" err
    test "$(wc -l <err)" = 1
    code 0 loadcast exec -q py.lcast -- app/bin/show
    test ! -s err
    "$python" "$here/programs/foreign.py" app.lcast arch.lcast
    code 0 loadcast exec arch.lcast -- app/bin/show
    says "architecture" err
    says "running without it" err
'
t 'options may stand before or behind the image' '
    code 3 loadcast exec -q app.lcast -- app/bin/show --exit 3
    code 3 loadcast exec app.lcast -q --stats -- app/bin/show --exit 3
    says "answered" err
    code 3 loadcast exec app.lcast app/bin/show --exit 3
    code 125 loadcast exec app.lcast --stast -- app/bin/show
    says "did you mean" err
'
t 'content that does not match its checksum is never served' '
    cp app.lcast bad.lcast
    printf X | dd of=bad.lcast bs=1 seek=4100 conv=notrunc status=none
    wait_until loadcast clean -q --all --dir node
    code 4 loadcast exec bad.lcast -- app/bin/show --exit 4
    says "does not match its checksum" err
    says "LOADCAST_NODE=(unset)" out
    ls -A node/loadcast-*/ | grep -v lock | nothing
'
t '--only libs stages programs and libraries, and no preload' '
    echo text >app/data
    "$mkimage" two.lcast app
    code 0 loadcast exec --only libs two.lcast -- app/bin/show
    says "LD_PRELOAD=(unset)" out
    says ".libs/files$tmp/app/bin/show" out
    says "staged 1 files" err
    code 125 loadcast exec --only some two.lcast -- true
'
t 'hard links stay one inode, equal files stay two; all is read-only' '
    mkdir twins && echo x >twins/a && ln twins/a twins/b && cp twins/a twins/c && ln -s a twins/d
    "$mkimage" twins.lcast twins
    code 0 loadcast exec twins.lcast -- true
    cd node/loadcast-*/*/files$tmp/twins
    test "$(stat -c %i a)" = "$(stat -c %i b)"
    test "$(stat -c %i a)" != "$(stat -c %i c)"
    test "$(stat -c %a a)" = 444
    test "$(stat -c %Y a)" = "$(stat -c %Y $tmp/twins/a)"
'
t 'an overlay is staged whole, with the content of its base' '
    mkdir changing && echo old >changing/a && echo same >changing/b && : >changing/empty
    "$mkimage" base.lcast changing
    echo newer >changing/a
    code 0 loadcast check --overlay over.lcast base.lcast
    code 0 loadcast exec over.lcast -- sh -c "cat \$LOADCAST_NODE/files$tmp/changing/*"
    printf "newer\\nsame\\n" >want
    same want out
'
t 'the directory holds what the client expects, and nobody else may look' '
    code 0 loadcast exec app.lcast -- app/bin/show
    node=$(sed -n "s/^LOADCAST_NODE=//p" out)
    test "$(stat -c %a $node)" = 700
    test "$(stat -c %a $node/..)" = 700
    test "$(stat -c %a $node/bin/launch)" = 555
    test "$(stat -c %a $node/index)" = 444
    test "$(stat -c %a $node/live)" = 600
    test -f $node/state
    test -f $node/about
'
t 'an installed tree finds its launcher and objects' '
    test -f "$build/build.ninja" || skip "not in a build directory"
    test ! -e "$build/cross.ini" || skip "built on another machine"
    DESTDIR=$tmp/root meson install -C "$build" --no-rebuild >log
    program=$(find root -path "*/bin/loadcast" -type f)
    code 0 "$program" exec app.lcast -- app/bin/show
    says "files$tmp/app/bin/show" out
'
t 'without its launcher it says so and runs plainly' '
    mkdir alone && cp "$build/loadcast" "$build/loadcast-full" alone/
    code 6 alone/loadcast exec app.lcast -- app/bin/show --exit 6
    says "install Loadcast whole" err
'
t 'an unprivileged user can do all this' '
    test "$(id -u)" = 0 || skip "not root: every test here ran unprivileged"
    command -v setpriv >/dev/null || skip "no setpriv"
    mkdir other other/bin && chmod 755 "$tmp" other && cp "$build/loadcast" "$build/loadcast-full" "$build/launch" other/bin/
    cp "$build"/*.so other/bin/ 2>/dev/null || :
    cp -r app other/ && chmod -R a+rX other && mkdir -m 1777 shared && chmod a+r app.lcast
    "$mkimage" other.lcast other/app && chmod a+r other.lcast
    LOADCAST_DIR=$tmp/shared code 0 setpriv --reuid 65534 --regid 65534 --clear-groups \
        other/bin/loadcast exec other.lcast -- other/app/bin/show
    says "exe=$tmp/shared/loadcast-65534/" out
    chmod 700 "$tmp"
'
loadcast clean -q --all --dir "$tmp/node"
t 'outside a job an edited file is served as it is now; --no-check leaves that out' '
    mkdir -p edit && echo one >edit/data && "$mkimage" edit.lcast edit
    code 0 loadcast exec --dir node edit.lcast -- cat edit/data
    says one out
    echo two >edit/data
    code 0 loadcast exec -q --no-check --dir node edit.lcast -- cat edit/data
    says one out
    code 0 loadcast exec --dir node edit.lcast -- cat edit/data
    says two out
    says "1 of " err
    says "changed since '\''edit.lcast'\'' was recorded; updated" err
    code 0 loadcast exec --dir node edit.lcast -- cat edit/data
    [ ! -s err ] || { cat err; exit 1; }
'
t 'in a job the first rank says that an image has not been checked for long, and a check renews it' '
    touch -d "2 hours ago" edit.lcast
    export SLURM_JOB_ID=77
    code 0 loadcast exec --dir node edit.lcast -- cat edit/data
    says "was last checked" err
    says "loadcast check edit.lcast" err
    OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 code 0 loadcast exec --dir node edit.lcast -- cat edit/data
    [ ! -s err ] || { cat err; exit 1; }
    loadcast check edit.lcast >/dev/null
    code 0 loadcast exec --dir node edit.lcast -- cat edit/data
    lacks "was last checked" err
    SLURM_JOB_START_TIME=$(($(date +%s) + 60)) code 0 loadcast exec --dir node edit.lcast -- cat edit/data
    says "was last checked" err
'
t 'a program started by exec has no child it did not make' '
    code 0 loadcast exec -q --dir node edit.lcast -- "$python" -c "
import os
try:
    os.waitpid(-1, 0)
except ChildProcessError:
    print(\"none\")"
    says none out
'
finish
