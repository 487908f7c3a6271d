#!/bin/sh
# loadcast run before a script with srun in it, on two nodes of Slurm's; on one of them another user has taken
# the name of the directory before that srun starts: the ranks are served, and his code does not run.
. "$(dirname "$0")/lib.sh"
. "$here/cluster.sh"
need_cluster
need_ptrace
command -v setpriv >/dev/null || skip_all 'no setpriv'
for program in munged slurmctld slurmd srun sbcast; do
    command -v $program >/dev/null || [ -x /usr/sbin/$program ] || skip_all "$program is not installed"
done
mkdir -m 1777 marks
mkdir sw
cat >evil.c <<E
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void leave_mark(void) { close(open("$tmp/marks/ran", O_CREAT | O_WRONLY, 0644)); }
unsigned la_version(unsigned version) { return version; }
int main(void) { return 0; }
E
${CC:-cc} -o evil evil.c && ${CC:-cc} -shared -fPIC -o evil.so evil.c || skip_all 'no compiler'
printf '#!/bin/sh\ncat "%s/sw/data" && echo "on $(uname -n), ${LOADCAST_NODE-nothing}"\n' "$tmp" >sw/app.sh
echo content >sw/data
chmod 755 "$tmp" sw/app.sh evil evil.so
find sw -exec touch -d 2020-01-01 {} +
loadcast record -o app.lcast --manage sw -- sw/app.sh >/dev/null 2>&1 || skip_all 'cannot record here'
cluster up 2 --fs none --keep "$tmp" --keep "$build" >/dev/null || exit 1
on() { node=$1; shift; (cd / && "$src/tools/cluster" --name "$name" node "$node" -- "$@"); }
cat >squat.sh <<E
set -e
mkdir -p "/dev/shm/loadcast-0/\$1/bin" && cd "/dev/shm/loadcast-0/\$1/bin"
cp "$tmp/evil.so" audit.so && cp "$tmp/evil.so" preload.so && cp "$tmp/evil" launch
chmod -R 755 /dev/shm/loadcast-0
E
nested() {
    printf '#!/bin/sh\ncd /tmp\n%s\n' "$1" >nested.sh && chmod 755 nested.sh
    shift
    (cd / && timeout 200 "$src/tools/cluster" --name "$name" slurm -- salloc -Q -N2 "$build/loadcast" run --wait 60s --image "$tmp/app.lcast" "$@" -- "$tmp/nested.sh")
}
away() { for n in n1 n2; do on $n sh -c "rm -rf /dev/shm/loadcast-0* /dev/shm/.loadcast*"; done; rm -f marks/ran; }
# What the script does first: the image's identity is known by then.
squat="$src/tools/cluster --name $name node n2 -- setpriv --reuid 54321 --regid 54321 --clear-groups sh $tmp/squat.sh \${LOADCAST_NODE##*/}"
unmarked() { [ ! -e marks/ran ] || { echo "code of the other user ran"; return 1; }; }
served() { [ "$(grep -c "^on $1, /" out)" = 1 ] || { cat out err; return 1; }; }
t 'srun found by PATH: ranks of both nodes are served' '
    away
    code 0 nested "srun -N2 -n2 $tmp/sw/app.sh"
    served n1
    served n2
    away
'
t 'the name is taken on one node: served all the same, and none of his code runs' '
    away
    code 0 nested "$squat || exit 9; srun -N2 -n2 $tmp/sw/app.sh" --with=
    unmarked
    served n1
    served n2
    away
'
t 'srun by its absolute path: nothing of ours goes to a node that nobody looked at' '
    away
    code 0 nested "$squat || exit 9; $(command -v srun) -N2 -n2 $tmp/sw/app.sh" --with=
    unmarked
    [ "$(grep -c "^on n[12], nothing" out)" = 2 ] || { cat out err; exit 1; }
    away
'
finish
