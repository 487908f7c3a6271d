#!/bin/sh
# The results database on a network file system, for which stormfs stands in.
. "$(dirname "$0")/lib.sh"
. "$here/stormfs.sh"
mkresults=$PROGRAMS/mkresults
"$mkresults" a.db 40

t 'on a network file system each run is a file of its own, merged whole' '
    storm --rw --profile none
    "$mkresults" m1/r.db --timed 3 >/dev/null
    test "$(ls m1/r.db.spool/*.json | wc -l)" = 3
    test ! -e m1/r.db
    code 1 loadcast results list --db m1/r.db
    says "3 more runs are in" err
    says "loadcast results merge" err
    echo "{" >m1/r.db.spool/half.json
    code 1 loadcast results merge --db m1/r.db a.db
    says "43 added" out
    says "left '\''m1/r.db.spool/half.json'\'' where it is" err
    ls m1/r.db.spool | grep -x half.json
    test "$(ls m1/r.db.spool | wc -l)" = 1
    rm m1/r.db.spool/half.json
    code 0 loadcast results merge --db m1/r.db
    says "0 added" out
    ls m1 >names
    echo r.db | same - names
    code 0 loadcast results list --db m1/r.db
    test "$(wc -l <out)" = 44
    code 0 loadcast results prune --db m1/r.db --until 2026-06-01
    test "$(loadcast results list --db m1/r.db | wc -l)" = 4
    sh -c "echo process \$\$ on $(uname -n)" >m1/r.db.lock
    code 0 loadcast results merge --db m1/r.db
    test ! -e m1/r.db.lock
    echo "process 1 on another-host" >m1/r.db.lock
    code 1 loadcast results merge --db m1/r.db
    says "process 1 on another-host" err
    stop_stormfs
'
finish
