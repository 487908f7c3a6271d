# users.sh - two users on one node. Source it after ../lib.sh.
#
#   victim CMD...      run CMD as the user who starts jobs; attacker CMD... as another user of the node
#   $victim_uid, $attacker_uid, and a directory of each: $tmp/victim, $tmp/attacker (0755)
#
# The users are numbers that no account of this machine has, and no other test that runs now.
[ "$(id -u)" = 0 ] || skip_all 'two users need root'
command -v setpriv >/dev/null || skip_all 'no setpriv'
victim_uid=$((1000000 + 2 * $$)) attacker_uid=$((1000001 + 2 * $$))
chmod 1777 "$tmp"
for who in victim attacker; do
    eval "uid=\$${who}_uid"
    mkdir "$tmp/$who" && chown "$uid:$uid" "$tmp/$who"
done
as_user() {
    uid=$1 home=$2
    shift 2
    HOME=$home setpriv --reuid "$uid" --regid "$uid" --clear-groups "$@"
}
victim() { as_user $victim_uid "$tmp/victim" "$@"; }
attacker() { as_user $attacker_uid "$tmp/attacker" "$@"; }
unset LOADCAST LOADCAST_DIR LOADCAST_NODE LD_AUDIT LD_PRELOAD SLURM_JOB_ID PBS_JOBID LSB_JOBID FLUX_JOB_ID JOB_ID
# A checkout in somebody's private directory: the programs alone, where both users reach them.
if ! victim test -x "$build/loadcast"; then
    mkdir "$tmp/build"
    (cd "$build" && find . -type f \( -perm -u+x -o -name "node-kit*.tgz" \) ! -path '*.p/*' -print0 |
        tar -c --null -T - | tar -x -C "$tmp/build") || exit 1
    PROGRAMS=$tmp/build/t build=$tmp/build PATH=$tmp/build:$PATH
fi
