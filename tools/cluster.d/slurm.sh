# SPDX-License-Identifier: MIT
# slurm.sh - a Slurm of this cluster's own, in $dir/slurm. Needs launch.sh's environment.

slurm_check() {
    need_program munged munge
    need_program slurmctld slurmctld
    need_program slurmd slurmd
    need_program srun slurm-client
}

slurm_configure() {
    mkdir -p "$dir/slurm/state" "$dir/slurm/munge"
    chmod 755 "$dir/slurm/munge"
    (umask 077 && head -c 128 /dev/urandom >"$dir/slurm/munge/key")
    cat >"$SLURM_CONF" <<END
ClusterName=$name
SlurmctldHost=head($(address head))
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/slurm/munge/socket
CredType=cred/munge
MpiDefault=pmi2
ProctrackType=proctrack/$proctrack
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
SlurmctldTimeout=300
SlurmdTimeout=300
KillWait=2
StateSaveLocation=$dir/slurm/state
SlurmdSpoolDir=$dir/slurm/spool.%n
SlurmctldPidFile=$dir/slurm/slurmctld.pid
SlurmdPidFile=$dir/slurm/slurmd.%n.pid
SlurmctldLogFile=$dir/slurm/slurmctld.log
SlurmdLogFile=$dir/slurm/slurmd.%n.log
$(for node in $(all_nodes); do
    echo "NodeName=$node NodeAddr=$(address "$node") CPUs=$slots State=UNKNOWN"
done)
PartitionName=all Nodes=ALL Default=YES OverSubscribe=EXCLUSIVE MaxTime=INFINITE State=UP
END
    printf 'CgroupPlugin=cgroup/v1\nCgroupMountpoint=%s\n' "${freezer%/*}" >"$dir/slurm/cgroup.conf"
    # Open MPI's ranks need PMIx; some Slurms (Ubuntu 22.04's) are built without, and refuse its name.
    ! srun --mpi=list 2>&1 | grep -qw pmix || sed -i 's/^MpiDefault=.*/MpiDefault=pmix/' "$SLURM_CONF"
}

slurm_start_munge() {
    on head munged --key-file="$dir/slurm/munge/key" --socket="$dir/slurm/munge/socket" \
        --pid-file="$dir/slurm/munge/pid" --log-file="$dir/slurm/munge/log" \
        --seed-file="$dir/slurm/munge/seed" || fail 1 "munged does not start; see $dir/slurm/munge/log"
}
# Each node sees a part of the machine's freezer as the whole.
slurm_own_freezer() {
    own=$freezer/loadcast-cluster-$name/$1
    mkdir -p "$own" && on "$1" mount --bind "$own" "$freezer" || fail 1 "cannot give $1 a freezer of its own"
}
slurm_start_node() {
    mkdir -p "$dir/slurm/spool.$1"
    [ "$proctrack" != cgroup ] || slurm_own_freezer "$1"
    on "$1" slurmd -c -N "$1" -f "$SLURM_CONF" || fail 1 "slurmd does not start on $1; see $dir/slurm/slurmd.$1.log"
}
slurm_is_ready() {
    waiting=$(on head sinfo -h -N -o '%N %T' 2>/dev/null) || return 1
    for node in $(all_nodes); do
        ! is_alive "$node" || echo "$waiting" | grep -Eqx "$node (idle|mixed|allocated|completing)" || return 1
    done
}

# Once per cluster; a second caller waits for the first.
slurm_start() {
    slurm_check
    exec 9>"$dir/slurm.lock"
    flock 9 || fail 1 "cannot lock $dir/slurm.lock"
    if [ ! -e "$dir/slurm/up" ]; then
        slurm_configure
        slurm_start_munge 9>&-
        on head slurmctld -c -f "$SLURM_CONF" 9>&- || fail 1 "slurmctld does not start; see $dir/slurm/slurmctld.log"
        for node in $(all_nodes); do
            ! is_alive "$node" || slurm_start_node "$node" 9>&-
        done
        wait_for 30 slurm_is_ready 9>&- || fail 1 "nodes do not become idle; see $dir/slurm/*.log"
        touch "$dir/slurm/up"
    fi
    exec 9>&-
}
