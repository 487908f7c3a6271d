#!/bin/sh
# What examples/ holds: Slurm's job scripts are submitted to a real Slurm, the others are read by the tools that
# are here; and steps printed by --dry-run, pasted into an allocation.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
. "$here/installed.sh"

t 'every job script is one the shell reads' '
    for file in "$src"/examples/*.sh; do
        sh -n "$file"
        if command -v bash >/dev/null; then bash -n "$file"; fi
        grep -q "loadcast " "$file"
    done
    command -v shellcheck >/dev/null || skip "shellcheck is not installed; the shell alone has read them"
    shellcheck -s sh "$src"/examples/*.sh
'
t 'Flux, PBS and LSF: the lines in their job scripts are understood' '
    PBS_O_WORKDIR=$tmp PBS_NODEFILE=$tmp/nodes
    export PBS_O_WORKDIR PBS_NODEFILE
    printf "a\nb\n" >nodes
    for word in flux jsrun mpiexec; do
        printf "#!/bin/sh\ncase \$1 in --version) echo PALS version 1.2;; *) echo \"\$0 \$*\" >>$tmp/ran;; esac\n" >$word
        chmod +x $word
    done
    PATH=$tmp:$PATH
    for kind in flux lsf pbs; do
        rm -f ran
        code 0 env PATH="$tmp:$PATH" sh "$src/examples/$kind-job.sh"
        lacks "understood" err
        says "recording: " err
        # The pilot (one task), then the line itself.
        says " -n 1 " ran
        tail -n 1 ran | grep -q "python3 app.py$" || { cat ran err; exit 1; }
    done
'
t 'the Lmod file and the Spack package are what their tools read' '
    "$python" -c "compile(open(\"$src/examples/spack/packages/loadcast/package.py\").read(), \"package.py\", \"exec\")"
    if command -v lua >/dev/null || command -v luac >/dev/null; then
        luac -p "$src/examples/modulefile.lua" 2>/dev/null || lua -e "assert(loadfile(\"$src/examples/modulefile.lua\"))"
    fi
'

[ "$(id -u)" = 0 ] || { finish; exit; }
command -v srun >/dev/null && [ -x /usr/sbin/munged ] && [ -x /usr/sbin/slurmctld ] && [ -x /usr/sbin/slurmd ] || { finish; exit; }
need_cluster
need_ptrace
mkdir sw
echo 'import json, sys; print("app", *sys.argv[1:], json.__name__)' >sw/app.py
cluster up 2 --fs none --slots 2 --keep "$tmp" --keep "$build" >/dev/null || exit 1
slurm() { (cd "$tmp/sw" && timeout 200 "$src/tools/cluster" --name "$name" slurm -- "$@"); }
nothing_staged() { cleaned; for n in n1 n2; do cluster node $n -- find /dev/shm -maxdepth 2 -name "[0-9a-f]*" -path "*/loadcast-[0-9]*/*"; done | nothing; }
# submit SCRIPT: as it is, on two nodes
submit() {
    sed "s/--nodes=64 --ntasks-per-node=128/--nodes=2 --ntasks-per-node=2/" "$src/examples/$1" >"sw/$1"
    status=0
    slurm sbatch -W -Q -o "$tmp/job.out" -e "$tmp/job.err" "$tmp/sw/$1" || status=$?
    [ $status = 0 ] || { cat job.out job.err; return 1; }
}
# Python lies on a local disk here: managed is what the script is told to.
t 'slurm-job.sh: records, runs, runs again in the same job, cleans' '
    sed "s,--record,--record --manage $tmp/sw --wait 60s," "$src/examples/slurm-job.sh" >job.sh
    sed "s/--nodes=64 --ntasks-per-node=128/--nodes=2 --ntasks-per-node=2/" job.sh >sw/slurm-job.sh
    slurm sbatch -W -Q -o "$tmp/job.out" -e "$tmp/job.err" "$tmp/sw/slurm-job.sh" || { cat job.out job.err; exit 1; }
    [ "$(grep -c "^app json" job.out)" = 5 ] || { cat job.out job.err; exit 1; }
    [ "$(grep -c "^app --second json" job.out)" = 4 ]
    says "recording: srun -N 1 -n 1 " job.err
    [ "$(grep -c "staged on" job.err)" = 1 ]
    says "staged on 2 nodes" job.err
    nothing_staged
    loadcast images export app.py sw/app.lcast
'
t 'slurm-steps.sh: the same step by step' '
    submit slurm-steps.sh
    [ "$(grep -c "^app json" job.out)" = 8 ] || { cat job.out job.err; exit 1; }
    nothing_staged
'
t 'the module of the stand-ins: sbatch of a script as it always was, with a plain srun' '
    install_once
    mkdir -p "$prefix/etc"
    echo "wait = 60s" >"$prefix/etc/loadcast.conf"
    printf "#!/bin/sh\n#SBATCH --nodes=2 --ntasks-per-node=2\nsrun python3 app.py as always\n" >sw/always.sh
    PATH=$(with_module printenv PATH)
    export PATH
    slurm sbatch -W -Q -o "$tmp/job.out" -e "$tmp/job.err" "$tmp/sw/always.sh" || { cat job.out job.err; exit 1; }
    [ "$(grep -c "^app as always json" job.out)" = 4 ] || { cat job.out job.err; exit 1; }
    [ "$(grep -c "staged on 2 nodes" job.err)" = 1 ] || { cat job.err; exit 1; }
    for n in n1 n2; do cluster node $n -- loadcast clean --all >/dev/null; done
    nothing_staged
'
t 'steps that --dry-run prints work in an allocation, and outside of one' '
    slurm salloc -Q -N2 loadcast run --dry-run --wait 60s --image app.lcast -- srun -n4 --export="ALL,A=a b" python3 app.py >steps
    says "SLURM_EXPORT_ENV" steps || says "--export" steps
    code 0 slurm salloc -Q -N2 sh -e "$tmp/steps"
    [ "$(grep -c "^app json" out)" = 4 ] || { cat steps out err; exit 1; }
    slurm loadcast run --dry-run --image app.lcast -- srun -N2 -n4 python3 app.py >steps 2>/dev/null
    says "exec -q" steps
    code 0 slurm sh -e "$tmp/steps"
    [ "$(grep -c "^app json" out)" = 4 ] || { cat steps out err; exit 1; }
    for n in n1 n2; do cluster node $n -- loadcast clean --all >/dev/null; done
'
finish
