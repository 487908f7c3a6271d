#!/bin/sh
# The store on a slow shared disk: how much is asked of that, and what a job does when it becomes read-only or goes away.
. "$(dirname "$0")/lib.sh"
. "$here/run_app.sh"
. "$here/stormfs.sh"
run_app <<'EOS'
EOS
mkdir -m 700 src/store
LOADCAST_STORE=$tmp/m1/store
# asked MOST CMD...: the command asks no more of the disk than that
asked() {
    most=$1
    shift
    stormfs ctl m1 reset
    code 0 "$@"
    got=$(count requests)
    [ "$got" -le "$most" ] || { echo "$got requests, at most $most expected"; stormfs ctl m1 stats; return 1; }
}
t 'a line without an image asks it a handful, with nothing cached' '
    storm --rw --cache-s 0
    loadcast record --manage sw -- sw/app.sh 2>record.out
    asked 12 loadcast run -- sh -c :
    says "no image of" err
    stop_stormfs
'
t 'counting a job asks it little beside check and staging' '
    storm --rw --cache-s 0
    stormfs ctl m1 reset
    code 0 loadcast run -q --image m1/store/app.sh-*.lcast -- sw/app.sh
    named=$(count requests)
    asked $((named + 8)) loadcast run -q -- sw/app.sh
    says content out
    stop_stormfs
'
t 'a read-only disk: images are used' '
    storm --cache-s 0
    code 0 loadcast run -- sw/app.sh
    says content out
    says "staged on 1 node" err
    code 0 loadcast images
    says app.sh- out
    stop_stormfs
'
t 'a disk that is not mounted: the line runs' '
    code 0 loadcast run -- sw/app.sh
    says content out
    [ "$(wc -l <err)" = 1 ]
'
finish
