# SPDX-License-Identifier: MIT
# launch.sh - the environment in which launchers find the nodes. 'run' and 'slurm' use it.

# OpenMPI: nodes and agent in place of ssh; more ranks than cores must not spin against each other.
openmpi_environment() {
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_MCA_plm_rsh_agent="$parts/agent"
    export OMPI_MCA_orte_default_hostfile="$dir/hosts.openmpi"
    export OMPI_MCA_btl_tcp_if_include=$network.0/24 OMPI_MCA_oob_tcp_if_include=$network.0/24
    export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
    export OMPI_MCA_mpi_yield_when_idle=1
    prrte_environment
}
# The same for the launcher of Open MPI 5, which is PRRTE.
prrte_environment() {
    export PRTE_MCA_plm_ssh_agent="$parts/agent"
    export PRTE_MCA_prte_default_hostfile="$dir/hosts.openmpi"
    export PRTE_MCA_prte_if_include=$network.0/24
    export PRTE_MCA_rmaps_default_mapping_policy=slot:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
}
# MPICH's hydra: the same. UCX would otherwise look for devices these nodes do not have.
mpich_environment() {
    export HYDRA_LAUNCHER=ssh HYDRA_LAUNCHER_EXEC="$parts/agent"
    export HYDRA_HOST_FILE="$dir/hosts.mpich" HYDRA_IFACE=eth0
    export UCX_NET_DEVICES=eth0 UCX_TLS=tcp,self,sysv
}
slurm_environment() {
    export SLURM_CONF="$dir/slurm/slurm.conf"
    # By the tree a rank may be sent a message while it is still in MPI_Init, and crashes there: 13 of 15
    # starts of 16 ranks on a loaded machine, 2 of 50 with the default, a ring and a tree. But the ring hangs
    # at 16 nodes.
    [ "$(all_nodes | wc -w)" -le 8 ] || export SLURM_PMIX_FENCE=tree
}
