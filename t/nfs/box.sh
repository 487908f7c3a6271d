# box.sh - run a test on a real NFS. Source it after lib.sh.
#
#   nfs_box               a Linux with NFS's server and client is started as a process (User-mode Linux), and this file
#                         runs once more in there; returns only inside
#   on a CMD..., on b ... inside: CMD on one of two machines, each with a network, a name, a /dev/shm and a mount of its
#                         own of the same NFS (version 4.2), at $nfs
#
# This needs no root, and nothing of the machine's own kernel: most containers and virtual machines have no NFS in theirs.
nfs_box() {
    [ -z "${NFS_BOX:-}" ] || return 0
    PATH=$PATH:/usr/sbin:/sbin
    for program in linux.uml modprobe rpc.nfsd rpc.mountd exportfs mount.nfs ip unshare nsenter; do
        command -v $program >/dev/null || skip_all "$program is not installed"
    done
    mkdir box && export NFS_BOX="$tmp/box"
    ln -s /usr/lib/uml box/lib # below which modprobe looks for modules
    printf '#!/bin/sh\nNFS_BOX=%s PATH=%s LOADCAST_BUILD=%s PROGRAMS=%s exec sh %s/nfs/init %s\n' "$NFS_BOX" "'$PATH'" \
        "$build" "${PROGRAMS:-}" "$here" "$here/$(basename "$0")" >box/start
    chmod +x box/start
    timeout 600 linux.uml mem=1G root=/dev/root rootfstype=hostfs rootflags=/ rw "init=$NFS_BOX/start" quiet umid="box$$" \
        con=null con0=null,fd:1 >box/console 2>&1 </dev/null || :
    [ -f box/status ] || { cat box/console; exit 1; }
    cat box/out
    exit "$(cat box/status)"
}
nfs=${NFS_BOX:-}/nfs
on() {
    nsenter_pid=$(cat "/run/box/$1") || return
    shift
    nsenter -t "$nsenter_pid" -m -n -u -- sh -c 'cd "$1" && shift && exec "$@"' sh "$PWD" "$@"
}
