#!/bin/sh
# Limits that are too tight for Loadcast, disks that are full or cannot be written, streams that are closed: the line
# still runs, and ends as without us, whether it is watched, has an image in the store, or is started by exec.
. "$(dirname "$0")/lib.sh"
need_ptrace
need_compiler
command -v prlimit >/dev/null || skip_all 'no prlimit'
unset LOADCAST LOADCAST_NODE LOADCAST_IMAGE LOADCAST_CONF SLURM_JOB_ID PBS_JOBID COBALT_JOBID
export LOADCAST_WATCH=1 PYTHONDONTWRITEBYTECODE=1
cat >static.c <<'C'
#include <unistd.h>
int main(void) { return write(1, "static\n", 7) == 7 ? 5 : 6; }
C
$cc -static -o static static.c 2>/dev/null || skip_all 'no static programs here'
program="import json, decimal, sys; print(1, flush=True); sys.exit(3)"
ulimit -c 0
code 3 loadcast record -o app.lcast --manage /usr/lib -- "$python" -c "$program" || exit 1
nothing_watches() { ! ls -d "$LOADCAST_DIR"/loadcast-watch.* >/dev/null 2>&1; }
# limited OUTPUT LIMITS CMD...: what CMD says to a pipe under these limits of prlimit, and its status
limited() {
    to=$1 limits=$2
    shift 2
    { got=0; timeout 60 prlimit $limits "$@" 2>&1 </dev/null || got=$?; echo "status $got"; } |
        grep -v "^loadcast[ :]" | sed "s/0x[0-9a-f]*/ADDRESS/g" >"$to"
}
# begin WAY LINE...: set $words, which start the line by this way
begin() {
    wait_until nothing_watches
    rm -rf "$LOADCAST_STORE"
    mkdir -m 700 "$LOADCAST_STORE"
    way=$1
    shift
    case $way in
    word) words=$build/loadcast ;;
    watched) words="$build/loadcast run -q --manage /usr/lib --" ;;
    stored) words="$build/loadcast run -q --" ;;
    exec) words="$build/loadcast exec -q $tmp/app.lcast --" ;;
    nothing) words="$build/loadcast exec -q nothing.lcast --" ;;
    esac
    [ "$way" != stored ] || loadcast images import app.lcast -- "$@" >/dev/null 2>&1 || return 1
}
# as_plain LIMITS: both programs, by each way, as without Loadcast
as_plain() { line_as_plain "$1" "$tmp/static" && line_as_plain "$1" "$python" -c "$program"; }
line_as_plain() {
    these=$1
    shift
    limited plain "$these" "$@"
    for each in word watched stored exec; do
        [ $each != stored ] || [ "$1" = "$python" ] || continue
        begin $each "$@"
        limited got "$these" $words "$@"
        same plain got || { echo "$these, $each: $*"; return 1; }
    done
}

t 'the control: without limits both programs run, and the second is watched and served' '
    as_plain ""
    says "status 3" plain
    begin watched
    code 3 loadcast run --manage /usr/lib -- "$python" -c "$program"
    says "is watched" err
    is_stored() { ls "$LOADCAST_STORE"/*.lcast; }
    wait_until is_stored
    code 3 loadcast run --stats -- "$python" -c "$program"
    says "saved" err
'
t 'no file may grow' 'for n in 0 1 512 100000; do as_plain --fsize=$n; done'
t 'few open files' 'for n in 3 4 5 6 7 8 10 12 16; do as_plain --nofile=$n; done'
t 'little address space' 'for mb in 2 8 17 20 30 60 100 300; do as_plain --as=$((mb * 1000000)); done'
t 'little memory for data' 'for mb in 1 8 12 20 30 60; do as_plain --data=$((mb * 1000000)); done'
t 'a small stack' 'for kb in 128 256 512 1024; do as_plain --stack=$((kb * 1000)); done'
t 'several at once' 'as_plain "--fsize=0 --nofile=6 --as=20000000 --core=0 --memlock=0 --sigpending=0"'
cat >unread.py <<'P'
import os, signal, subprocess, sys
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
read, write = os.pipe()
os.close(read)
code = subprocess.call(sys.argv[1:], stderr=write)
print("status", code if code >= 0 else 128 - code)
P
# unheard TO WAY LINE...: the same with messages, to a pipe that nobody reads, or to a file that may not grow
unheard() {
    to=$1
    begin "$2"
    shift 2
    words=$(echo "$words" | sed 's/ -q / /')
    case $to in
    pipe) "$python" unread.py $words "$@" >got 2>&1 ;;
    file) { got=0; prlimit --fsize=0 $words "$@" 2>messages || got=$?; echo "status $got"; } | cat >got ;;
    esac
}
t 'messages that nobody reads, or to a file that may not grow, do not end us before the line runs' '
    printf "cap = perhaps\nlearn = perhaps\n" >site.conf
    export LOADCAST_CONF=$tmp/site.conf
    for to in pipe file; do
        for way in word watched exec nothing; do
            unheard $to $way "$tmp/static"
            printf "static\nstatus 5\n" | same - got || { echo "$to, $way, static"; exit 1; }
            unheard $to $way "$python" -c "$program"
            printf "1\nstatus 3\n" | same - got || { echo "$to, $way"; exit 1; }
        done
    done
    code 3 loadcast exec nothing.lcast -- "$python" -c "$program" # the control: it says something
    says "running without it" err
'
t 'a line that cannot be started, and commands that are not a line' '
    code 127 prlimit --nofile=10 loadcast run -- "$tmp/nonesuch"
    code 127 prlimit --nofile=10 loadcast run -- nonesuch
    code 126 prlimit --nofile=10 loadcast "$tmp/static.c"
    printf "exit 9" >script && chmod +x script
    code 9 prlimit --nofile=14 loadcast ./script
    says "the limits here (ulimit) are too tight" err
    code 125 prlimit --nofile=5 loadcast exec --strict app.lcast -- "$python" -c "$program"
    code 0 prlimit --stack=900000 loadcast --version
    code 0 prlimit --stack=900000 loadcast info app.lcast
'
t 'no further process' '
    [ "$(id -u)" = 0 ] || skip "needs a user of its own"
    mkdir -p own
    chmod 755 "$tmp"
    chmod 644 app.lcast
    (cd "$build" && cp -r loadcast loadcast-full launch stager ./*.so node-kit*.tgz src/client/audit/loadcast-record.so src/client/pilot/loadcast-pilot.so "$tmp/own/")
    export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" # the search for leaks needs a further process
    uid=$((1000000 + $$))
    export LOADCAST_DIR=$tmp/own.dir LOADCAST_STORE=$tmp/own.store build=$tmp/own
    as="setpriv --reuid $uid --regid $uid --clear-groups"
    for most in 1 2 3 4; do
        for way in word watched stored exec; do
            wait_until nothing_watches # by its directory there
            rm -rf "$LOADCAST_DIR"
            mkdir -m 700 "$LOADCAST_DIR"
            begin $way "$python" -c "$program"
            chown -R $uid "$LOADCAST_DIR" "$LOADCAST_STORE"
            limited got "" $as prlimit --nproc=$most $words "$python" -c "$program"
            printf "1\nstatus 3\n" | same - got || { echo "$most processes, $way"; exit 1; }
        done
    done
'
t 'a store, /dev/shm and /tmp that cannot be written, or are full' '
    [ "$(id -u)" = 0 ] && unshare -m true || skip "cannot make a namespace"
    cat >inside.sh <<-"E"
	how=$1
	shift
	case $how in
	ro)
	    for d in /tmp /dev/shm /var/tmp; do mount --bind $d $d && mount -o remount,bind,ro $d; done ;;
	full)
	    for d in /dev/shm /var/tmp "$LOADCAST_STORE" "$LOADCAST_DIR"; do
	        mount -t tmpfs -o size=16k,mode=700 none $d
	        dd if=/dev/zero of=$d/other bs=4096 2>/dev/null
	    done ;;
	esac
	exec "$@"
	E
    for how in ro full; do
        for way in word watched stored exec; do
            begin $way "$python" -c "$program"
            limited got "" unshare -m sh inside.sh $how $words "$python" -c "$program"
            printf "1\nstatus 3\n" | same - got || { echo "$how, $way"; exit 1; }
            (unset LOADCAST_DIR; export LOADCAST_DIR; limited got "" unshare -m sh inside.sh ro $words "$python" -c "$program")
            printf "1\nstatus 3\n" | same - got || { echo "$how, $way, no LOADCAST_DIR"; exit 1; }
        done
    done
'
t 'closed streams: the program finds them closed, and its status is its own' '
    cat >streams.py <<-"P"
	import json, os
	closed = 0
	for fd in range(3):
	    try: os.fstat(fd)
	    except OSError: closed |= 1 << fd
	os._exit(100 + closed)
	P
    for way in word watched stored exec; do
        for closed in 0 1 2 3 4 5 6 7; do
            begin $way "$python" "$tmp/streams.py"
            got=0
            (
                [ $((closed & 1)) = 0 ] || exec <&-
                [ $((closed & 2)) = 0 ] || exec >&-
                [ $((closed & 4)) = 0 ] || exec 2>&-
                exec $words "$python" "$tmp/streams.py"
            ) || got=$?
            [ $got = $((100 + closed)) ] || { echo "$way: $got instead of $((100 + closed))"; exit 1; }
        done
    done
'
t 'nothing is left behind' 'wait_until nothing_watches'
finish
