#!/bin/sh
# loadcast run before a script that starts launchers itself: those go through 'loadcast run' too, and what is
# ours in the environment is never given to them. One machine, with a Slurm that starts the program here.
. "$(dirname "$0")/lib.sh"
. "$here/run_app.sh"
run_app <<'E'
env) env; exit ;;
read) cat; exit ;;
fail) exit 7 ;;
kill) kill -TERM $$ ;;
E
# What srun itself was given, and what its program gets, are two things.
mkdir slurm bin
cat >slurm/srun <<E
#!/bin/sh
[ ! -e "$tmp/expired" ] || { echo "srun: error: Slurm job 4714 has expired" >&2; exit 1; }
env >"$tmp/given"
echo "\$*" >>"$tmp/lines"
while [ "\${1#-}" != "\$1" ]; do [ "\$1" != --version ] || { echo slurm-wlm 22.05; exit; }; shift; done
IFS=,
for variable in \${SLURM_EXPORT_ENV-}; do case \$variable in *=*) export "\$variable" ;; esac done
IFS=' '
exec "\$@"
E
chmod +x slurm/srun
export PATH=$tmp/slurm:$PATH
job() { /usr/bin/env SLURM_JOB_ID=4714 SLURM_JOB_NUM_NODES=1 "$@"; }
over() { SLURM_JOB_ID=4714 loadcast clean --all --dir "$tmp/node" >/dev/null; rm -f lines given; }
script() { printf '#!/bin/sh\n%s\n' "$1" >nested.sh && chmod +x nested.sh; }
# given_nothing: no variable of ours that names something on a node came to the launcher
given_nothing() { ! grep -E "^(LD_AUDIT|LOADCAST_NODE)=|/bin/preload.so|optional_static_tls=0x" given; }

t 'srun in a script: its ranks are served' '
    script "srun -n1 $tmp/sw/app.sh env; srun -n1 $tmp/sw/app.sh"
    code 0 job loadcast run --image app.lcast -- ./nested.sh
    grep -q "^LOADCAST_NODE=$tmp/node/loadcast-" out || { cat out err; exit 1; }
    grep -q "^LD_AUDIT=$tmp/node/" out
    says content out
    lacks "$build/shims" out
    given_nothing
    over
    gone
'
t 'outside a job too: what the launcher inside staged is gone at the end' '
    script "mpiexec -n 1 $tmp/sw/app.sh env"
    printf "#!/bin/sh\n[ \"\$1\" != --version ] || { echo \"mpiexec (OpenRTE) 4.1\"; exit; }\nenv >\"$tmp/given\"
    while [ \"\${1#-}\" != \"\$1\" ]; do case \$1 in -n|--map-by|--bind-to|-x) shift;; esac; shift; done
    IFS=\";\"; for v in \${OMPI_MCA_mca_base_env_list-}; do export \"\$v\"; done; IFS=\" \"; exec \"\$@\"\n" >bin/mpiexec
    chmod +x bin/mpiexec
    PATH=$tmp/bin:$PATH code 0 loadcast run --image app.lcast -- ./nested.sh
    grep -q "^LOADCAST_NODE=$tmp/node/loadcast-" out || { cat out err; exit 1; }
    given_nothing
    gone
'
t 'by its absolute path: nothing of ours is given to it' '
    for how in "$tmp/slurm/srun -n1 env" "exec $tmp/slurm/srun -n1 env" "timeout 60 $tmp/slurm/srun env" \
        "env GLIBC_TUNABLES=glibc.rtld.optional_static_tls=0x0000000000001000:glibc.malloc.check=0 $tmp/slurm/srun env" \
        "cd $tmp/slurm; $python -c \"import subprocess; subprocess.run([\\\"./srun\\\", \\\"env\\\"])\"" \
        "unset LD_AUDIT; $tmp/slurm/srun env"; do
        script "$how"
        rm -f given
        code 0 job loadcast run --image app.lcast -- ./nested.sh
        given_nothing
        grep -qE "LD_AUDIT=|LD_PRELOAD=|LOADCAST_NODE=" out && { cat out; exit 1; } || :
    done
    over
'
t 'what the user has in LD_PRELOAD, GLIBC_TUNABLES and PATH stays' '
    script "srun -n1 true; cat $tmp/given; $tmp/slurm/srun -n1 env"
    LD_PRELOAD=libm.so.6 GLIBC_TUNABLES=glibc.malloc.check=0 PATH="$PATH::/a b" code 0 job loadcast run --image app.lcast -- ./nested.sh
    [ "$(grep -c "^LD_PRELOAD=libm.so.6$" out)" = 2 ] || { cat out; exit 1; }
    [ "$(grep -c "^GLIBC_TUNABLES=glibc.malloc.check=0$" out)" = 2 ]
    grep -q "^PATH=$PATH::/a b$" out
    over
'
t 'standard input, exit status and signals are the launcher'\''s own' '
    script "exec srun -n1 $tmp/sw/app.sh read"
    echo typed | job loadcast run -q --image app.lcast -- ./nested.sh >out
    says typed out
    script "exec srun -n1 $tmp/sw/app.sh fail"
    code 7 job loadcast run -q --image app.lcast -- ./nested.sh
    script "srun -n1 $tmp/sw/app.sh kill; echo status \$?"
    code 0 job loadcast run -q --image app.lcast -- ./nested.sh
    says "status 143" out
    script "srun -n1 $tmp/none; echo status \$?"
    job loadcast run -q --image app.lcast -- ./nested.sh >out 2>err
    grep -qE "status 12[67]" out || { cat out err; exit 1; }
    over
'
t 'a question to a launcher stages nothing; one that is not there is not found' '
    script "srun --version; mpirun -n 1 true; echo status \$?"
    rm -f lines
    PATH=$tmp/slurm:$build:/nowhere code 0 job "$build/loadcast" run -q --image app.lcast -- /bin/sh ./nested.sh
    says "slurm-wlm 22.05" out
    says "status 127" out
    over
'
t 'loadcast run within the script: as it always was, once' '
    script "loadcast run --image $tmp/app.lcast -- srun -n1 $tmp/sw/app.sh env"
    code 0 job loadcast run --image app.lcast -- ./nested.sh
    [ "$(grep -c "^LOADCAST_NODE=" out)" = 1 ]
    [ "$(grep "^LD_PRELOAD=" out | grep -o /bin/preload.so | wc -l)" = 1 ] || { cat out; exit 1; }
    lacks "$build/shims" out
    given_nothing
    over
'
t 'LOADCAST=0 within the script, or this Loadcast is gone: the launcher alone' '
    for how in LOADCAST=0 LOADCAST_RUN=/no/such LOADCAST_RUN=; do
        script "$how srun -n1 $tmp/sw/app.sh env"
        code 0 job loadcast run --image app.lcast -- ./nested.sh
        lacks LOADCAST_NODE= out
        lacks /bin/preload.so out
        given_nothing
    done
    over
'
t 'an image that no process used: said, with the reason' '
    code 0 loadcast run --image app.lcast -- "$build/bench-dummy"
    says "no process used" err
    code 0 job loadcast run --image app.lcast -- srun -n1 "$build/bench-dummy"
    says "no process used the image on 1 node: the program is static" err
    over
    code 127 job loadcast run --image app.lcast -- srun -n1 "$build/bench-dummy.none"
    says "no process used the image on 1 node: the line failed" err
    over
    code 0 job loadcast run --stats --image app.lcast -- srun --export=NONE /bin/true
    says "no process used" err
    says "drops the environment" err
    code 0 loadcast run --image app.lcast -- sw/app.sh
    lacks "no process used" err
    code 0 loadcast run -q --image app.lcast -- "$build/bench-dummy"
    nothing <err
    over
'
t 'the job is cancelled, srun reaches no node any more: said first, and this machine is cleaned' '
    job loadcast run --image app.lcast -- srun -n1 sh -c "touch $tmp/expired; kill -TERM \$PPID; exec sleep 60" >out 2>err || :
    rm -f expired
    grep -n "" err >numbered
    grep -q "^[12]:loadcast run: no node answered .srun. (status 1): srun: error: Slurm job 4714 has expired; what lies on this machine is removed" numbered || { cat err; exit 1; }
    lost() { [ -z "$(find node -path "*/bin/launch")" ]; }
    wait_until lost
    over
'
finish
