#!/bin/sh
# gen when things go wrong: nothing of it stays, nothing of others goes.
. "$(dirname "$0")/lib.sh"
. "$here/gen.sh"

only="--modes cloadtest"
tiny="4 5 -u 1 5"

t 'a directory with somebody else'\''s file is left alone, also with --force' '
    mkdir theirs && echo precious >theirs/file
    code 1 loadcast gen $tiny $only --out theirs
    says "it has '\''file'\''" err
    code 1 loadcast gen $tiny $only --out theirs --force
    [ "$(ls -A theirs)" = file ] && [ "$(cat theirs/file)" = precious ]
'
t '--force replaces a workload and nothing else' '
    loadcast gen 9 5 -u 2 5 --search-dirs 2 $only --out w
    code 1 loadcast gen $tiny $only --out w
    says "--force" err
    code 0 loadcast gen $tiny $only --out w --force
    [ ! -e w/libmodule6.so ] && [ ! -e w/search ] && [ -e w/libmodule2.so ]
    w/cloadtest >o && says "passed!" o
'
t '--force with a foreign file inside removes ours, keeps theirs, and refuses' '
    loadcast gen $tiny $only --out mixed
    echo precious >mixed/notes && mkdir mixed/data && echo more >mixed/data/x
    code 1 loadcast gen $tiny $only --out mixed --force
    [ "$(cat mixed/notes)" = precious ] && [ "$(cat mixed/data/x)" = more ]
'
t 'a marker cannot lead --force outside' '
    mkdir trap && echo precious >victim
    { loadcast gen $tiny $only --out m2 >/dev/null; head -1 m2/.loadcast-gen; echo ../victim; echo "$tmp/victim"; } >trap/.loadcast-gen
    code 0 loadcast gen $tiny $only --out trap --force
    [ "$(cat victim)" = precious ]
'
t 'a link under one of our names is not followed' '
    loadcast gen $tiny $only --out l >/dev/null
    echo precious >target
    rm l/libmodule0.so && ln -s "$tmp/target" l/libmodule0.so
    code 0 loadcast gen $tiny $only --out l --force
    [ "$(cat target)" = precious ]
'
t '--keep-sources keeps them, and --force takes them away' '
    code 0 loadcast gen $tiny $only --keep-sources --out kept
    says libmodule0_fun0 kept/sources/libmodule0.c
    [ -e kept/sources/cloadtest.c ] && [ ! -e kept/.loadcast-work ]
    code 0 loadcast gen $tiny $only --force --out kept
    [ ! -e kept/sources ]
'
t 'an existing empty directory is used, and stays when the run fails' '
    mkdir empty
    code 1 loadcast gen $tiny $only --out empty --with-cc=/nowhere/cc
    [ -d empty ] && [ -z "$(ls -A empty)" ]
    code 1 loadcast gen $tiny $only --out fresh --with-cc=/nowhere/cc
    [ ! -e fresh ]
'
t 'a directory that cannot be made or written, a file in its place' '
    code 1 loadcast gen $tiny $only --out no/such/parent
    says "no/such/parent" err
    touch plain
    code 1 loadcast gen $tiny $only --out plain
    says "not a directory" err
'
t 'no compiler: nothing made, and it says what was tried' '
    mkdir bin
    code 1 env PATH=$tmp/bin $build/loadcast gen $tiny $only --out nocc
    says "no C compiler found" err
    says "--with-cc" err
    [ ! -e nocc ]
'
t 'a compiler that fails: its own words, nothing left' '
    printf "#!/bin/sh\necho internal compiler error: tired >&2\nexit 1\n" >bin/tired && chmod +x bin/tired
    code 1 loadcast gen $tiny $only --out nocc --with-cc=$tmp/bin/tired
    says "tired" err
    [ ! -e nocc ]
'
t 'a compiler and a header directory named by relative paths' '
    # A wrapper that goes by its name, as ccache and mpicc do.
    printf "#!/bin/sh\ncase \$0 in */mycc) exec cc \"\$@\" ;; esac\nexit 1\n" >bin/wrapper
    chmod +x bin/wrapper && ln -s wrapper bin/mycc && mkdir headers
    code 0 loadcast gen $tiny $only --with-cc=bin/mycc -i headers --out relative
    relative/cloadtest >o && says "passed!" o
    code 1 loadcast gen $tiny $only -i nowhere --out relative2
    says "nowhere" err
    [ ! -e relative2 ]
'
t 'a compiler that fails on the fifth file: nothing left' '
    cat >bin/fifth <<EOF
#!/bin/sh
case "\$*" in *libmodule2.c*) echo "fatal error: cannot go on" >&2; exit 1 ;; esac
exec cc "\$@"
EOF
    chmod +x bin/fifth
    code 1 loadcast gen $tiny $only --emit=c --out nocc --with-cc=$tmp/bin/fifth
    says "cannot go on" err
    [ ! -e nocc ]
'
t 'no MPI: its modes are left out by name, the rest is made' '
    code 3 loadcast gen $tiny --with-mpicc=/nowhere/mpicc --bigexe-size 10k --out nompi
    for m in pyMPI pynamic-pyMPI pynamic-sdb-pyMPI pynamic-bigexe cloadtest-mpi; do
        says "left out $m: no MPI compiler found" err
        [ ! -e nompi/$m ]
    done
    nompi/cloadtest >o && says "passed!" o
    json nompi/manifest.json "sorted(j[\"modes\"]) == [\"cloadtest\", \"mpi4py\"]"
'
t 'no libpython: its modes are left out by name, the rest is made' '
    command -v mpicc >/dev/null || skip "no mpicc"
    printf "#!/bin/sh\nexit 1\n" >bin/nopython && chmod +x bin/nopython
    code 3 loadcast gen $tiny --with-python=$tmp/bin/nopython --bigexe-size 10k --out nopy
    says "left out pyMPI:" err
    lacks "left out cloadtest" err
    nopy/cloadtest >o && says "passed!" o
    [ -e nopy/cloadtest-mpi ] && [ ! -e nopy/pynamic-bigexe ]
    code 3 loadcast gen $tiny --with-python=/nowhere/python --bigexe-size 10k --out nopy --force
    says "no Python found" err
'
t 'a disk that fills up: said, and everything removed' '
    [ "$(id -u)" = 0 ] || skip "needs a small tmpfs, so root"
    unshare -m true 2>/dev/null || skip "no mount namespaces"
    mkdir disk
    cat >fill.sh <<EOF
mount -t tmpfs -o size=6m tmpfs $tmp/disk || exit 77
loadcast gen 12 1000 -u 4 1000 -n 100 $only --out $tmp/disk/w
echo "status \$?"
ls -A $tmp/disk
EOF
    unshare -m sh fill.sh >o 2>e || skip "cannot mount"
    cat o e
    says "status 1" o
    grep -Eq "disk full|no space for this" e
    [ "$(wc -l <o)" = 1 ]
'
t 'a disk that is full when the large code comes: said, and everything removed' '
    [ "$(id -u)" = 0 ] || skip "needs a small tmpfs, so root"
    sed "s/size=6m/size=15m/; s/gen 12 .* --out/gen 6 300 -u 2 300 --modes pynamic-bigexe --bigexe-size 14800k --out/" fill.sh >large.sh
    unshare -m sh large.sh >o 2>e || skip "cannot mount"
    cat o e
    grep -q "MPI\|libpython" e && skip "no MPI or libpython to build with"
    says "status 1" o
    says "disk full" e
    [ "$(wc -l <o)" = 1 ]
'
t 'a disk that is too small is refused before the work begins' '
    [ "$(id -u)" = 0 ] || skip "needs a small tmpfs, so root"
    sed -i "s/size=6m/size=2m/; s/12 1000/900 1250/" fill.sh
    unshare -m sh fill.sh >o 2>e || skip "cannot mount"
    says "takes at least" e
    [ "$(wc -l <o)" = 1 ]
'
t 'a limit on file size: said, and everything removed' '
    (ulimit -f 20; code 1 loadcast gen 6 300 -u 2 300 $only --out limited)
    cat err
    [ ! -e limited ]
'
for signal in INT:130 TERM:143 HUP:129; do
    status=${signal#*:} signal=${signal%:*}
    t "interrupted by $signal: ends by it, at once, and leaves nothing" "
        cat >bin/slow <<EOF
#!/bin/sh
case \"\\\$*\" in *visits.c*) echo \\\$\\\$ >$tmp/slow.pid; exec sleep 600 ;; esac
exec cc \"\\\$@\"
EOF
        chmod +x bin/slow
        rm -f slow.pid
        # Whoever started us may ignore the signal (nohup, a shell without job control): go through Python.
        $python -c 'import os, signal
signal.signal(signal.SIG$signal, signal.SIG_DFL)
os.execvp(\"loadcast\", \"loadcast gen 6 5 -u 1 5 --modes cloadtest --out cut --with-cc=$tmp/bin/slow\".split())' &
        wait_until test -s slow.pid
        kill -$signal \$!
        wait_until has_ended \$! # the compiler would go on for longer
        got=0; wait \$! || got=\$?
        [ \$got = $status ]
        [ ! -e cut ]
        has_ended \$(cat slow.pid)
    "
done
t 'started by somebody who ignores SIGCHLD, and under nohup' '
    code 0 $python -c "
import os, signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execvp(\"timeout\", \"timeout 60 loadcast gen 4 5 -u 1 5 --modes cloadtest --out nochld\".split())"
    nochld/cloadtest >o && says "passed!" o
    rm -f slow.pid
    nohup loadcast gen 6 5 -u 1 5 $only --out up --with-cc=$tmp/bin/slow >/dev/null 2>&1 &
    pid=$!
    wait_until test -s slow.pid
    kill -HUP $pid
    grep -q "^SigIgn:.*[13579bdf]$" /proc/$pid/status # SIGHUP is ignored still
    kill -0 $pid
    kill $pid
    wait $pid || :
    [ ! -e up ]
'
t 'killed half-way: the next run with --force clears what is there' '
    rm -f slow.pid
    loadcast gen 6 5 -u 1 5 $only --out half --with-cc=$tmp/bin/slow &
    pid=$!
    wait_until test -s slow.pid
    kill -KILL $pid
    kill $(cat slow.pid)
    wait $pid || :
    [ -e half/.loadcast-work ]
    code 1 loadcast gen $tiny $only --out half
    says "--force" err
    code 0 loadcast gen $tiny $only --out half --force
    [ ! -e half/.loadcast-work ] && half/cloadtest >o && says "passed!" o
'
t 'an ordinary user gets the same' '
    [ "$(id -u)" = 0 ] || skip "not root: everything ran unprivileged already"
    chmod 755 "$tmp" && mkdir user && chown 65534:65534 user
    setpriv --reuid 65534 --regid 65534 --clear-groups loadcast gen $tiny $only --out user/w
    user/w/cloadtest >o && says "passed!" o
    code 1 setpriv --reuid 65534 --regid 65534 --clear-groups loadcast gen $tiny $only --out $tmp/denied
    says "Permission denied" err
'
finish
