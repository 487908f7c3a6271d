#!/bin/sh
# loadcast run: what it starts besides the launch line, and what it does not wait for; the site's defaults and the
# launchers' stand-ins in front of PATH. One machine, no root needed.
. "$(dirname "$0")/lib.sh"
. "$here/run_app.sh"
. "$here/installed.sh"
export LOADCAST_STORE=$tmp/store LOADCAST_CONF= OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
run_app <<'E'
env) env; exit ;;
E
need_openmpi() { command -v mpiexec.openmpi >/dev/null || skip "openmpi-bin is not installed"; }
local_mpi="mpiexec.openmpi --oversubscribe --bind-to none"
# asked LOG: look-ups in the directory that the image manages
asked() { awk -F '\t' -v dir="$tmp/sw/lib" 'index($4, dir) == 1 && $2 !~ /^read|^getdents/ { n++ } END { print n + 0 }' "$1"; }
mkdir sw/lib && touch sw/lib/one
loadcast record -o app.lcast --manage sw --add "$tmp/sw/lib" >/dev/null 2>&1

t 'our own steps do not search managed directories; the line does, as it would without us' '
    need_openmpi
    export LD_LIBRARY_PATH=$tmp/sw/lib:/usr/lib/none PATH=$PATH:$tmp/sw/bin
    no_leak_check loadcast trace --log plain.log -o /dev/null -- $local_mpi -n 1 sw/app.sh >out
    says content out
    [ "$(asked plain.log)" -gt 0 ]
    no_leak_check loadcast trace --log run.log -o /dev/null -- loadcast run -q --stats --image app.lcast -- $local_mpi -n 1 sw/app.sh >out
    says content out
    # The check asks one question per entry; the image is opened to see what it manages.
    [ "$(asked run.log)" -le $(($(asked plain.log) + 8)) ] || { echo "plain $(asked plain.log), run $(asked run.log)"; grep sw/lib run.log | cut -c 1-200 | head -50; exit 1; }
    loadcast run -q --image app.lcast -- $local_mpi -n 1 sw/app.sh env >out
    grep -qx "LD_LIBRARY_PATH=$tmp/sw/lib:/usr/lib/none" out || { grep LD_LIB out; exit 1; }
    gone
'
t 'what a launcher needs is found out once: the next run does not ask its loader again' '
    need_openmpi
    command -v strace >/dev/null || skip "strace is not installed"
    export LD_LIBRARY_PATH=$tmp/sw/lib:/usr/lib/none LOADCAST_STORE=$tmp/facts
    for run in 1 2; do
        no_leak_check strace -f -qq -v -s 4096 -e trace=execve -o calls.$run \
            loadcast run -q --via mpi --image app.lcast -- $local_mpi -n 1 sw/app.sh >out
        says content out
        gone
    done
    # Starts of the launcher and of what stages over its MPI by which only their libraries are asked for.
    loader_asked() { grep -F "\"LD_TRACE_LOADED_OBJECTS=1\"" "$1" | grep -oE "execve\(\"([^\"]*/mpiexec.openmpi|$build/[^\"]*)\"" | sort -u; }
    loader_asked calls.1 >asked
    says mpiexec.openmpi asked
    says stage-mpi asked
    loader_asked calls.2 | nothing
'
t 'a launcher that needs a managed directory starts with it' '
    need_openmpi
    mkdir -p bin
    library=$(ldd "$(command -v mpiexec.openmpi)" | sed -n "s/.*libopen-rte[^ ]* => \([^ ]*\) .*/\1/p")
    [ -n "$library" ] || skip "mpiexec has no library of its own"
    # The loader does not find a library that is renamed in the program.
    name=$(basename "$library")
    sed "s/$name/$(echo "$name" | tr r z)/g" "$(readlink -f "$(command -v mpiexec.openmpi)")" >bin/mpiexec.openmpi && chmod +x bin/mpiexec.openmpi
    cp "$library" "sw/lib/$(echo "$name" | tr r z)"
    bin/mpiexec.openmpi --version >out 2>&1 && skip "the library is found"
    export PATH=$tmp/bin:$PATH LD_LIBRARY_PATH=$tmp/sw/lib
    mpiexec.openmpi --version >out 2>&1 || skip "the copy cannot be started"
    code 0 loadcast run --image app.lcast -- $local_mpi -n 1 sw/app.sh
    says content out
    says "staged on 1 node" err
    rm -rf bin "sw/lib/$(echo "$name" | tr r z)"
    gone
'
t 'over MPI the step starts before the check: what the check finds is what is sent' '
    need_openmpi
    [ -x "$build/stage-mpi.openmpi" ] || skip "no stage-mpi"
    echo newer >sw/data
    code 0 loadcast run --via mpi --image app.lcast -- $local_mpi -n 1 sw/app.sh
    says newer out
    says "staged on 1 node by mpi" err
    gone
    # An image that the check refuses: nothing of the step is left.
    head -c 5000 app.lcast >cut.lcast
    code 0 loadcast run --via mpi --image cut.lcast -- $local_mpi -n 1 sw/app.sh
    says newer out
    says "running without it" err
    gone
'
t 'our own steps look for no devices; the line does, and a value of the user is kept' '
    need_openmpi
    [ -x "$build/stage-mpi.openmpi" ] || skip "no stage-mpi"
    mkdir -p bin
    printf "#!/bin/sh\necho \"\${HWLOC_COMPONENTS-none} \${HWLOC_PLUGINS_PATH-none}\" >>$tmp/starts\nexec $(command -v mpiexec.openmpi) \"\$@\"\n" >bin/mpiexec.openmpi && chmod +x bin/mpiexec.openmpi
    for user in none -opencl; do
        rm -f starts
        [ "$user" = none ] || export HWLOC_COMPONENTS=$user
        PATH=$tmp/bin:$PATH code 0 loadcast run --via mpi --image app.lcast -- $local_mpi -n 1 sw/app.sh
        gone
        says "staged on 1 node by mpi" err
        ours=$user
        [ "$user" != none ] || ours="-linux:pci,-linux:io,-pci"
        [ "$(grep -c -x -e "$ours /" starts)" -ge 1 ] || { cat starts; exit 1; }
        [ "$(grep -c -x -e "$user none" starts)" = 1 ] || { cat starts; exit 1; }
    done
    rm -rf bin
'
t 'a launcher that does not carry standard input: the step is begun again' '
    need_openmpi
    [ -x "$build/stage-mpi.openmpi" ] || skip "no stage-mpi"
    mkdir -p bin
    printf "#!/bin/sh\necho one >>$tmp/starts\nexec $(command -v mpiexec.openmpi) \"\$@\" </dev/null\n" >bin/mpiexec.openmpi && chmod +x bin/mpiexec.openmpi
    rm -f starts
    PATH=$tmp/bin:$PATH code 0 loadcast run --via mpi --image app.lcast -- $local_mpi -n 1 sw/app.sh
    says newer out
    says "staged on 1 node by mpi" err
    lacks "loadcast: " err
    [ "$(wc -l <starts)" -ge 3 ]
    rm -rf bin
    gone
'
t 'the prompt is not held by the cleaning; the next run and stage wait for it' '
    cat >slow.sh <<-E
	#!/bin/sh
	. "$here/wait.sh"
	let_go() { [ ! -e "$tmp/hold" ]; }
	case "\$*" in *"stager end"*) echo cleaning >"$tmp/slow"; wait_until let_go ;; esac
	exec "\$@"
	E
    chmod +x slow.sh
    echo newer >sw/data
    touch hold
    code 0 loadcast run -q --with ./slow.sh --wait 60s --image app.lcast -- sw/app.sh
    wait_until test -s slow
    [ -n "$(left)" ]
    # Neither its terminal nor its streams are those of the run.
    loadcast run --image app.lcast -- sw/app.sh >out 2>err &
    next=$!
    waits() { grep -q "clean" /proc/$next/comm || ls -l "/tmp/.loadcast-clean.$(id -u)".* >/dev/null 2>&1; }
    wait_until waits
    [ ! -s out ]
    rm hold
    wait $next
    says newer out
    says "staged on 1 node" err
    gone
    code 0 loadcast run -q --image app.lcast -- sw/app.sh
    node=$(loadcast stage -q app.lcast)
    [ "$(LOADCAST_NODE=$node "$node/bin/launch" sw/app.sh)" = newer ]
    loadcast stage -q --clean app.lcast
    gone
'
t '--stats: what plain ranks would have asked, by the recording' '
    loadcast record -o bare.lcast --manage sw --add "$tmp/sw" >/dev/null 2>&1
    code 0 loadcast run --stats --image bare.lcast -- sw/app.sh
    lacks "that plain ranks" err
    loadcast record -o told.lcast --manage sw -- sw/app.sh >/dev/null 2>&1
    code 0 loadcast run --stats --image told.lcast -- sw/app.sh
    cp err once
    grep -qE "^asked      [0-9,]+ of about [1-9][0-9,]* operations that plain ranks would have asked" err || { cat err; exit 1; }
    code 0 loadcast run --stats --image told.lcast -- sh -c "sw/app.sh; sw/app.sh; sw/app.sh; sw/app.sh"
    about() { sed -n "s/^asked .* of about \([0-9]*\) .*/\1/p" "$1"; }
    [ "$(about err)" -gt "$(about once)" ]
    # An update keeps what was recorded.
    echo later >sw/data
    code 0 loadcast run --stats --image told.lcast -- sw/app.sh
    says later out
    [ "$(about err)" = "$(about once)" ]
    gone
'
mkdir slurm
cat >slurm/srun <<E
#!/bin/sh
echo "\$*" >>"$tmp/lines"
echo "\$PATH" >"$tmp/path"
while [ "\${1#-}" != "\$1" ]; do [ "\$1" != --version ] || { echo slurm-wlm 22.05; exit; }; shift; done
IFS=,
for variable in \${SLURM_EXPORT_ENV-}; do case \$variable in *=*) export "\$variable" ;; esac done
IFS=' '
exec "\$@"
E
chmod +x slurm/srun
cp app.lcast app.sh.lcast
job() { env SLURM_JOB_ID=4714 SLURM_JOB_NUM_NODES=1 PATH="$build/shims:$tmp/slurm:$PATH" "$@"; }
over() { SLURM_JOB_ID=4714 loadcast clean --all --dir "$tmp/node" >/dev/null; rm -f lines path; }
t 'stand-ins in front of PATH: an unchanged script goes through Loadcast, once' '
    printf "#!/bin/sh\nwhich srun\nsrun -n1 sw/app.sh env\nsrun -n1 sw/app.sh\n" >script.sh && chmod +x script.sh
    code 0 job ./script.sh
    says "$build/shims/srun" out
    [ "$(grep -c "^LOADCAST_NODE=$tmp/node/" out)" = 1 ] || { cat out err; exit 1; }
    [ "$(grep "^LD_PRELOAD=" out | grep -o /bin/preload.so | wc -l)" = 1 ]
    says "staged on 1 node" err
    lacks "$build/shims" path
    over
    for line in "loadcast run --" "loadcast run --image app.sh.lcast --"; do
        code 0 job $line srun -n1 sw/app.sh env
        [ "$(grep "^LD_PRELOAD=" out | grep -o /bin/preload.so | wc -l)" = 1 ] || { cat out err; exit 1; }
        [ "$(grep -c "sw/app.sh env$" lines)" = 1 ] || { cut -c 1-100 lines; exit 1; }
        over
    done
'
t 'stand-ins: off by LOADCAST=0; questions, daemons and launchers in a rank go to the launcher itself' '
    over
    for line in "env LOADCAST=0 srun -n1 sw/app.sh env" "srun --version" "env LOADCAST_NODE=/none srun -n1 sw/app.sh env"; do
        code 0 job $line
        [ "$(wc -l <lines)" = 1 ] || { cat lines; exit 1; }
        lacks /bin/preload.so out
        nothing <err
        rm -f lines
    done
    printf "#!/bin/sh\necho daemon\n" >orted && chmod +x orted
    code 0 job srun -n1 ./orted
    says daemon out
    [ "$(wc -l <lines)" = 1 ]
    # No image: the line runs as it is.
    code 0 job env LOADCAST_QUIET=1 srun -n1 echo plain
    says plain out
    [ "$(grep -c "^-n1 echo plain" lines)" = 1 ]
    # Not there at all.
    code 127 env PATH="$build/shims:/usr/bin:/bin" mpirun.none
    over
'
over
t 'stand-ins as installed: their module loaded, a plain mpirun goes through Loadcast' '
    mpirun --version 2>/dev/null | grep -q "Open MPI" || skip "mpirun is not that of Open MPI"
    install_once
    mkdir -p packages
    echo "value = 6 * 7" >packages/answer.py
    cat >answers.py <<-E
	import answer, os
	os.write(1, ("%d from %s, %s" % (answer.value, answer.__file__, os.environ.get("LOADCAST_NODE", "plain")) + chr(10)).encode())
	E
    printf "#!/bin/sh\nwhich mpirun\nmpirun --oversubscribe --bind-to none -n 2 $python answers.py\n" >script.sh && chmod +x script.sh
    export PYTHONPATH=$tmp/packages PYTHONDONTWRITEBYTECODE=1
    code 0 with_module ./script.sh
    [ "$(grep -c "^42 from $tmp/packages/answer.py, plain$" out)" = 2 ] || { cat out err; exit 1; }
    "$installed" record --manage "$tmp/packages" -- "$python" answers.py >record.out 2>&1 || { cat record.out; exit 1; }
    code 0 with_module ./script.sh
    says "$prefix/libexec/loadcast/shims/mpirun" out
    [ "$(grep -c "^42 from $tmp/packages/answer.py, $tmp/node/loadcast-" out)" = 2 ] || { cat out err; exit 1; }
    says "staged on 1 node" err
    gone
    LOADCAST=0 code 0 with_module ./script.sh
    [ "$(grep -c "^42 from $tmp/packages/answer.py, plain$" out)" = 2 ] || { cat out err; exit 1; }
    nothing <err
'
conf() { printf "$@" >conf && export LOADCAST_CONF=$tmp/conf; }
t 'loadcast.conf: a line that is wrong is named and not used, the others are' '
    conf "# site\ndir = %s\nwait = soon\nvia=carrier\nquiet = perhaps\nwiat = 3s\njust words\n\n" "$tmp/other"
    mkdir -p other
    code 0 loadcast run --image app.lcast --stats -- sw/app.sh
    says "$(cat sw/data)" out
    says "loadcast run: $tmp/conf:3: wait:" err
    says "loadcast run: $tmp/conf:4: via: '\''carrier'\'' is none of auto, mpi, sbcast, fs" err
    says "loadcast run: $tmp/conf:5: '\''perhaps'\'' is neither yes nor no" err
    says "loadcast run: $tmp/conf:6: unknown name '\''wiat'\''; did you mean '\''wait'\''?" err
    says "loadcast run: $tmp/conf:7: '\''just words'\'' is not" err
    unset LOADCAST_DIR
    code 0 loadcast run --image app.lcast -- sw/app.sh env
    grep -q "^LOADCAST_NODE=$tmp/other/" out
    code 0 loadcast run --dir "$tmp/node" --image app.lcast -- sw/app.sh env
    grep -q "^LOADCAST_NODE=$tmp/node/" out
    gone
'
t 'loadcast.conf: off for all, off for programs, quiet; the user has the last word' '
    conf "off = yes\n"
    code 0 loadcast run --image app.lcast -- sw/app.sh env
    lacks LOADCAST_NODE out
    nothing <err
    LOADCAST=1 code 0 loadcast run --image app.lcast -- sw/app.sh env
    says LOADCAST_NODE out
    conf "off_for = gmx_* app.sh\noff_for=other\nquiet = yes\n"
    for line in "sw/app.sh env" "sh sw/app.sh env" "srun -n1 sw/app.sh env"; do
        PATH=$tmp/slurm:$PATH code 0 loadcast run --image app.lcast -- $line
        lacks LOADCAST_NODE out
        nothing <err
    done
    cp sw/app.sh sw/app2.sh
    code 0 loadcast run --image app.lcast -- sw/app2.sh env
    says LOADCAST_NODE out
    nothing <err
    LOADCAST_QUIET=0 code 0 loadcast run --image app.lcast -- sw/app2.sh
    says "staged on 1 node" err
    gone
'
t 'loadcast.conf that others can write to, of another user, or none: said, and not used' '
    conf "off = yes\n"
    chmod 666 conf
    code 0 loadcast run --image app.lcast -- sw/app.sh env
    says LOADCAST_NODE out
    says "'\''$tmp/conf'\'' is not used: it must be" err
    rm conf && mkfifo conf
    code 0 loadcast run --image app.lcast -- sw/app.sh env
    says "is not used" err
    rm conf
    code 0 loadcast run --image app.lcast -- sw/app.sh env
    says "LOADCAST_CONF: no file" err
    [ "$(id -u)" = 0 ] || skip "needs root to be another user"
    conf "off = yes\n"
    chown 4242 conf
    code 0 loadcast run --image app.lcast -- sw/app.sh env
    says LOADCAST_NODE out
    says "is not used" err
    gone
'
t 'loadcast.conf beside the installation, else in /etc' '
    unset LOADCAST_CONF
    install_once
    mkdir -p "$prefix/etc"
    code 0 "$installed" run --image app.lcast -- sw/app.sh env
    says LOADCAST_NODE out
    printf "off = yes\n" >"$prefix/etc/loadcast.conf"
    code 0 "$installed" run --image app.lcast -- sw/app.sh env
    lacks LOADCAST_NODE out
    # That of the build is not beside an installation.
    code 0 loadcast run --image app.lcast -- sw/app.sh env
    says LOADCAST_NODE out
    gone
    [ "$(id -u)" = 0 ] || skip "needs root for another /etc"
    cp -a /etc etc
    printf "off = yes\n" >etc/loadcast.conf
    printf "dir = %s\n" "$tmp/node" >"$prefix/etc/loadcast.conf"
    elsewhere() { unshare -m sh -c "mount --bind $tmp/etc /etc && exec \"\$@\"" sh "$@"; }
    code 0 elsewhere loadcast run --image app.lcast -- sw/app.sh env
    lacks LOADCAST_NODE out
    nothing <err
    # The one beside the installation is read instead, not as well.
    code 0 elsewhere "$installed" run --image app.lcast -- sw/app.sh env
    says LOADCAST_NODE out
    gone
'
t '--wrap never: a line that has no image yet has nothing before its program either' '
    export LOADCAST_WATCH=1
    rm -rf "$LOADCAST_STORE" app.sh.lcast
    for line in "sw/app.sh" "srun -n1 sw/app.sh"; do
        rm -f lines
        PATH=$tmp/slurm:$PATH code 0 loadcast run --wrap never -- $line
        says "$(cat sw/data)" out
        lacks watched err
        [ "$line" = sw/app.sh ] || grep -qx -e "-n1 sw/app.sh" lines || { cut -c 1-100 lines; exit 1; }
    done
    [ ! -e "$LOADCAST_STORE" ]
    # Without it the stand-in of the launcher is given more words.
    PATH=$tmp/slurm:$PATH code 0 loadcast run --dry-run -- srun -n1 sw/app.sh
    says "one rank is watched" err
'
finish
