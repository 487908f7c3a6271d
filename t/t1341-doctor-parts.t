#!/bin/sh
# loadcast doctor -- CMD: a program that behaves differently with a part of Loadcast is told, with the part; one that
# differs by itself is not blamed on any.
. "$(dirname "$0")/lib.sh"
. "$here/zero.sh"
need_compiler
need_ptrace
unset LOADCAST LOADCAST_NODE LOADCAST_IMAGE LD_AUDIT LD_PRELOAD SLURM_JOB_ID PBS_JOBID LSB_JOBID FLUX_JOB_ID JOB_ID
mkdir -m 700 own
mkdir sw
export TMPDIR=$tmp/own PYTHONDONTWRITEBYTECODE=1
json() { "$python" -c "import json, sys; d = json.load(open('$tmp/out')); print($1)"; }
# examines CODE OPTIONS... -- CMD: the exit status is CODE; nothing is left behind, neither files nor processes
examines() {
    want_code=$1
    shift
    code "$want_code" loadcast doctor --json --manage "$tmp/sw" "$@"
    find own -mindepth 1 | nothing
    find .memory -maxdepth 1 -name '*loadcast-bench*' | nothing
}
told() { json 'd["verdict"], d.get("part"), d.get("difference")'; cat err; }
names() { [ "$(json 'd["verdict"], d.get("part")')" = "part $1" ] || { told; return 1; }; }
verdict() { [ "$(json 'd["verdict"]')" = "$1" ] || { told; return 1; }; }

cat >sw/sum.py <<'P'
import sys
sys.path.insert(0, "SW")
import helper
print(sum(range(100)), helper.name, sys.stdin.read())
sys.exit(3)
P
sed -i "s,SW,$tmp/sw," sw/sum.py
echo 'name = "helper"' >sw/helper.py
find sw -exec touch -h -d 2020-01-01 {} +

t 'the same: exit status, output and libraries; standard input is given to each run' '
    echo input | examines 0 -- "$python" sw/sum.py
    verdict same
    [ "$(json "sorted(set(r.get(\"status\") for r in d[\"runs\"]))")" = "[3]" ]
    [ "$(json "d[\"compared_libraries\"], d[\"image_was_used\"], d[\"recorded_for_this\"]")" = "True True True" ]
    echo input | code 0 loadcast doctor --manage "$tmp/sw" -- "$python" sw/sum.py
    says "same       exit status, output and libraries" out
    says "as it is, it ends so: exit status 3" out
    says "up to 19 times" err
    echo input | code 0 loadcast doctor -q --manage "$tmp/sw" -- "$python" sw/sum.py
    [ ! -s err ]
'
t '--dry-run lists the runs and runs nothing' '
    code 0 loadcast doctor --dry-run -- touch ran
    says "with everything" out
    says "without import seam" out
    says "without an image, watched for one" out
    [ ! -e ran ]
    code 0 loadcast doctor --dry-run --json -- touch ran
    [ "$(json "len(d)")" = 19 ]
'
t 'what differs by itself is no difference: time, process, address, random words, order' '
    cat >sw/itself.py <<-"P"
	import os, random, sys, tempfile, time
	print("pid", os.getpid(), "at", hex(id(sys)), "took %.6f s" % time.time(), "sum 4950")
	names = ["alpha", "beta", "gamma", "delta"]
	random.shuffle(names)
	print("\n".join(names))
	P
    examines 0 -- "$python" sw/itself.py
    verdict same
    printf "import uuid\nprint(\"id\", uuid.uuid4().hex.translate(str.maketrans(\"0123456789\", \"ghijklmnop\")), \"done\")\n" >sw/word.py
    examines 0 -- "$python" sw/word.py
    verdict same
    [ "$(json "d[\"compared_output\"]")" = "all but words that differ between plain runs" ]
'
# recorded CMD...: its image is app.lcast
recorded() { rm -f app.lcast && loadcast record -o app.lcast --manage "$tmp/sw" -- "$@" >record.out 2>&1 </dev/null || [ -e app.lcast ]; }
# odd_at RUN...: a program that prints something else in these runs, counted from 0
odd_at() {
    printf 'import os\nn = os.path.getsize("turns")\nopen("turns", "a").write("x")\nprint("odd" if n in (%s) else "usual")\n' "$1" >sw/odd.py
    : >turns
    recorded "$python" sw/odd.py
    : >turns
}
t 'with Loadcast it differs, and so does the third plain run: that is no difference' '
    odd_at 2,3,
    examines 0 --image app.lcast -- "$python" sw/odd.py
    verdict same
    [ "$(json "d[\"compared_output\"]")" = "all but words that differ between plain runs" ]
'
t 'with Loadcast it differs, and so does the last plain run: no part is blamed, status 0' '
    odd_at 2,5,7,
    examines 0 --image app.lcast -- "$python" sw/odd.py
    verdict itself
    [ "$(json "[r[\"run\"] for r in d[\"runs\"] if r[\"differs\"]]")" = "['\''everything-1'\'', '\''everything-2'\'', '\''plain-4'\'']" ]
    : >turns
    code 0 loadcast doctor --image app.lcast -- "$python" sw/odd.py
    says "itself     it differs between plain runs, too" out
'
t 'it differs with Loadcast once, and then not again: no part is blamed' '
    odd_at 2,
    examines 1 --image app.lcast -- "$python" sw/odd.py
    verdict unsteady
    odd_at 2,5,6, # the last time without the part that was found
    examines 1 --image app.lcast -- "$python" sw/odd.py
    verdict unsteady
'
# with_seam CODE: a program that runs CODE only if the import seam is there, which replaces a method by one that is no
# Python function
with_seam() {
    cat >sw/seam.py <<P
import importlib.machinery, os, signal, sys, time, types
sys.path.insert(0, "$tmp/sw")
import helper
if not isinstance(importlib.machinery.FileFinder.find_spec, types.FunctionType): $1
print("done", flush=True)
P
}
t 'other output by the import seam' '
    with_seam "print(\"seam\")"
    examines 1 --manage "$(dirname "$(dirname "$("$python" -c "import os; print(os.__file__)")")")" -- "$python" sw/seam.py
    names seam
    [ "$(json "d[\"off\"]")" = LOADCAST_PYTHON=0 ]
    [ "$(json "d[\"difference\"]")" = "standard output: plain '\''done'\'', here '\''seam'\''" ]
    code 1 loadcast doctor --manage "$tmp/sw" -- "$python" sw/seam.py
    says "differs    import seam" out
    says "LOADCAST_PYTHON=0 in the environment turns this part off" out
    says "report     with: loadcast doctor --bundle report.tar -- $python sw/seam.py" out
'
t 'a crash by the import seam' '
    with_seam "os.kill(os.getpid(), signal.SIGSEGV)"
    examines 1 -- "$python" sw/seam.py
    names seam
    [ "$(json "[r[\"signal\"] for r in d[\"runs\"] if r[\"differs\"]]")" = "[11, 11]" ]
    json "d[\"difference\"]" | grep -qF "killed by signal 11 (Segmentation fault), plain exit status 0"
'
t 'a program that hangs by the import seam is ended, with its children' '
    with_seam "(os.spawnlp(os.P_NOWAIT, \"sh\", \"sh\", \"-c\", \"echo \$\$ >>$tmp/sleepers; trap : TERM; exec setsid sleep 1000\"), time.sleep(1000))"
    : >sleepers
    examines 1 --timeout 3 -- "$python" sw/seam.py
    names seam
    json "d[\"difference\"]" | grep -qF "did not end in time, plain exit status 0"
    [ -s sleepers ]
    for pid in $(cat sleepers); do [ ! -e "/proc/$pid" ]; done
'
cat >sw/main.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
int a(int);
static int count(struct dl_phdr_info *i, size_t n, void *all)
{
    (void)n;
    *(int *)all += !strncmp(i->dlpi_name, "/proc/", 6); /* a memfd */
    return 0;
}
static void *load(const char *name) { return dlopen(name, RTLD_NOW); }
int main(int argc, char **argv)
{
    struct stat st;
    int objects = 0;
    for (int i = 2; i < argc; i++)
        if (!load(argv[i]))
            puts(dlerror());
    if (!strcmp(argv[1], "objects"))
        dl_iterate_phdr(count, &objects);
    if (!strcmp(argv[1], "extra") && getenv("LD_AUDIT"))
        load(SW "/libextra.so");
    printf("%d %d %d\n", a(1), stat(SW "/main.c", &st), objects);
    return 0;
}
C
(
    cd sw || exit 1
    echo 'int shared = 40; int b(int n); int b(int n) { return n * 2; }' >b.c
    echo 'int b(int); extern int shared; int a(int n); int a(int n) { return b(n) + shared++; }' >a.c
    so() { $cc -shared -fPIC -Wl,--no-as-needed -L. -Wl,-rpath,"$PWD" "$@"; }
    so b.c -o libb.so && so a.c -o liba.so -lb && so b.c -o libextra.so
    for m in m1 m2 m3; do echo "int a(int); int $m(void); int $m(void) { return a(1); }" >$m.c && so $m.c -o $m.so -la -lb; done
    $cc -DSW="\"$PWD\"" main.c -o main -L. -la -lb -ldl -Wl,-rpath,"$PWD"
) || skip_all 'the compiler makes no shared libraries'
find sw -exec touch -h -d 2020-01-01 {} +
t 'the same, in C' '
    examines 0 -- sw/main plain
    verdict same
'
t 'another library is loaded, nothing else differs: by the auditor' '
    examines 1 --manage "$tmp/sw" -- sw/main extra
    names auditor
    json "d[\"difference\"]" | grep -qF "loads '\''$tmp/sw/libextra.so'\'', which it does not load plainly"
    [ "$(json "[r[\"run\"] for r in d[\"runs\"] if r[\"traced\"] and not r[\"differs\"]][0]")" = plain-traced-1 ]
    examines 0 --no-libraries -- sw/main extra
    verdict same
'
t 'an image whose symbol bindings lie' '
    recorded sw/main plain
    "$PROGRAMS/misbind" app.lcast target
    examines 1 --image app.lcast -- sw/main plain
    names bindings
    [ "$(json "d[\"off\"]")" = LOADCAST_BINDINGS=0 ]
'
t 'an object more, as pruning makes one' '
    if libc_is_before 2.35; then skip "names are hidden from glibc 2.35 on"; fi
    export LOADCAST_PRUNE=small
    examines 1 -- sw/main objects sw/m1.so sw/m2.so sw/m3.so
    names pruning
'
x86_only() { [ "$(uname -m)" = x86_64 ] || skip 'faults are put into x86-64 code only'; }
# faulty OBJECT FUNCTION...: an installation of Loadcast, in inst, whose audit.so or preload.so dies in that function
faulty() {
    [ -d inst ] || { mkdir inst && own_files inst; }
    "$python" - "$@" <<'P'
import struct, subprocess, sys
for name, function in zip(sys.argv[1::2], sys.argv[2::2]):
    file = "inst/" + name
    lines = subprocess.check_output(["nm", "-D", file], text=True).split("\n")
    at = next(int(l.split()[0], 16) for l in lines if l.endswith(" " + function))
    data = bytearray(open(file, "rb").read())
    first, = struct.unpack_from("<Q", data, 32)
    for i in range(struct.unpack_from("<H", data, 56)[0]):
        kind, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", data, first + 56 * i)
        if kind == 1 and address <= at < address + size:
            data[at - address + offset:at - address + offset + 2] = b"\x0f\x0b" # ud2
    open(file, "wb").write(data)
P
    recorded sw/main plain
    code 1 inst/loadcast doctor --json --image app.lcast -- sw/main plain
}
t 'a fault in the preload' '
    x86_only
    faulty preload.so stat
    names preload
    [ "$(json "d[\"off\"]")" = LOADCAST_PRELOAD=0 ]
    json "d[\"difference\"]" | grep -qF "killed by signal 4 (Illegal instruction), plain exit status 0"
'
t 'a fault in the auditor' '
    x86_only
    rm -rf inst
    faulty audit.so la_preinit
    names auditor
    [ "$(json "d[\"off\"]")" = LOADCAST_AUDIT=0 ]
'
t 'faults in both: no part alone is named' '
    x86_only
    faulty preload.so stat # and audit.so, from before
    verdict several
'
t 'a fault in the recorder, with an image and without one' '
    x86_only
    rm -rf inst
    faulty src/client/audit/loadcast-record.so la_preinit
    names watching
    [ "$(json "d[\"off\"]")" = LOADCAST_WATCH=0 ]
    json "d[\"difference\"]" | grep -qF "killed by signal 4 (Illegal instruction), plain exit status 0"
    find own -mindepth 1 | nothing
    code 1 inst/loadcast doctor --json --manage "$tmp/sw" -- sw/main plain
    names watching
    find own -mindepth 1 | nothing
    code 1 inst/loadcast doctor --image app.lcast -- sw/main plain
    says "differs    watching for an image" out
    says "until then LOADCAST_WATCH=0 in the environment turns this part off" out
    if command -v mpiexec >/dev/null && OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpiexec -n 1 true; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        code 1 inst/loadcast doctor --json --timeout 60 --image app.lcast -- mpiexec -n 2 sw/main plain
        names watching
    fi
'
t 'a program that differs when it is watched; once only; and plainly too' '
    printf "import os\nif os.environ.get(\"LOADCAST_WATCH\") == \"1\": print(\"watched\")\nprint(\"done\")\n" >sw/sees.py
    examines 1 -- "$python" sw/sees.py
    names watching
    odd_at 3,
    examines 1 --no-libraries --image app.lcast -- "$python" sw/odd.py
    verdict unsteady
    odd_at 3,5,6,
    examines 0 --no-libraries --image app.lcast -- "$python" sw/odd.py
    verdict itself
'
t 'variables that Loadcast sets are no difference' '
    printf "#!/bin/sh\ncat $tmp/sw/main.c >/dev/null\nexport -p\nenv | sort\n" >sw/env.sh && chmod +x sw/env.sh
    examines 0 -- sw/env.sh
    verdict same
'
t 'a script, and the programs that it starts' '
    printf "#!/bin/sh\ncat $tmp/sw/main.c | wc -l\n$tmp/sw/main plain\nexit 5\n" >sw/script.sh && chmod +x sw/script.sh
    examines 0 -- sw/script.sh
    verdict same
'
t 'a launch line' '
    command -v mpiexec >/dev/null || skip "no mpiexec"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    mpiexec -n 1 true 2>err || skip "mpiexec does not run here"
    examines 0 --timeout 60 -- mpiexec -n 2 sw/main plain
    verdict same
    [ "$(json "d[\"image_was_used\"]")" = True ]
    with_seam "print(\"seam\")"
    examines 1 --timeout 60 -- mpiexec -n 2 "$python" sw/seam.py
    names seam
    # in a job, later runs rely on what earlier ones have staged
    recorded "$python" sw/seam.py
    export JOB_ID=7
    examines 1 --timeout 60 --image app.lcast -- mpiexec -n 2 "$python" sw/seam.py
    names seam
    examines 2 -- mpiexec --host elsewhere -n 2 sw/main plain
    says "on this machine" err
'
t 'the image of the store is used, and neither it nor a given one is changed' '
    recorded sw/main plain
    loadcast record --manage "$tmp/sw" -- sw/main plain >record.out 2>&1
    sum=$(cat app.lcast .store/*.lcast | cksum)
    touch sw/main.c
    examines 0 -- sw/main plain
    [ "$(json "d[\"recorded_for_this\"]")" = False ]
    examines 0 --image app.lcast -- sw/main plain
    [ "$sum" = "$(cat app.lcast .store/*.lcast | cksum)" ]
    rm -r .store
'
t 'what a run does is not remembered in the store' '
    mkdir -m 700 .store
    x86_only
    rm -rf inst
    faulty preload.so stat
    find .store -mindepth 1 | nothing
    if command -v mpiexec >/dev/null && OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpiexec -n 1 true; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        code 1 inst/loadcast doctor --json --timeout 60 --image app.lcast -- mpiexec -n 1 sw/main plain
        names preload
        find .store -mindepth 1 | nothing
    fi
'
t 'what was staged before is neither used nor removed' '
    recorded sw/main plain
    loadcast exec -q app.lcast -- sw/main plain
    find .memory | sort >before
    examines 0 --image app.lcast -- sw/main plain
    find .memory | sort | same before -
    loadcast clean -q --all --dir "$LOADCAST_DIR"
'
t 'status 2: nothing to execute, no image, no end, an input without end' '
    code 2 loadcast doctor -- ./no-such-program
    says "no-such-program" err
    code 2 loadcast doctor --image no.lcast -- sw/main plain
    says "cannot read the image '\''no.lcast'\''" err
    printf "no image" >bad.lcast
    code 2 loadcast doctor --image bad.lcast -- sw/main plain
    code 2 loadcast doctor --timeout 0.5 --image app.lcast -- sleep 1000
    says "does not end within 500 ms as it is" err
    mkfifo endless
    exec 8<>endless
    code 2 loadcast doctor --timeout 0.5 --image app.lcast -- sw/main plain <&8
    says "standard input did not end" err
    code 2 loadcast doctor --bundle report.tar
    code 2 loadcast doctor --bundle "$tmp/none/report.tar" -- sw/main plain
    find own -mindepth 1 | nothing
'
t 'asked to end, it ends the command and removes its files' '
    printf "#!/bin/sh\necho \$\$ >%s/started.new\nmv %s/started.new %s/started\nexec sleep 1000\n" "$tmp" "$tmp" "$tmp" >sw/sleeps.sh && chmod +x sw/sleeps.sh
    loadcast doctor --image app.lcast -- sw/sleeps.sh >out 2>err </dev/null &
    doctor=$!
    wait_until [ -e started ]
    kill $doctor
    status=0; wait $doctor || status=$?
    [ $status = 2 ]
    says "ended by signal 15" err
    [ ! -e "/proc/$(cat started)" ]
    find own -mindepth 1 | nothing
'
t 'by a user without rights' '
    [ "$(id -u)" = 0 ] || skip "not root: the other cases have run without rights"
    command -v setpriv >/dev/null || skip "no setpriv"
    rm -rf inst nobody && mkdir inst && own_files inst && chmod -R go+rX inst sw && chmod 755 . && mkdir -m 700 nobody nobody/memory && chown -R 65534:65534 nobody
    with_seam "print(\"seam\")"
    code 1 env HOME="$tmp/nobody" TMPDIR="$tmp/nobody" LOADCAST_DIR="$tmp/nobody/memory" LOADCAST_STORE="$tmp/nobody/store" ASAN_OPTIONS=detect_leaks=0 \
        setpriv --reuid 65534 --regid 65534 --clear-groups inst/loadcast doctor --json --manage "$tmp/sw" -- "$python" sw/seam.py
    names seam
    find nobody -mindepth 1 -not -path "nobody/memory*" | nothing
'
t 'where ptrace is forbidden, libraries are not compared, and that is said' '
    "$PROGRAMS/no-ptrace" true || skip "no seccomp filters here"
    recorded sw/main plain
    code 0 "$PROGRAMS/no-ptrace" loadcast doctor --image app.lcast -- sw/main plain
    says "same       exit status, output are as without" out
    says "libraries were not compared: loadcast trace: ptrace is forbidden here" out
'
finish
