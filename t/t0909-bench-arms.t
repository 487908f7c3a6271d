#!/bin/sh
# loadcast bench: arms beside plain and Loadcast. A copy in node memory, a SquashFS image, libraries only.
. "$(dirname "$0")/lib.sh"
. "$here/bench.sh"
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 # bench traces 'check' to count what it asks: see lib.sh
mkdir -p packages/tiny/inner
: >packages/tiny/inner/__init__.py
echo 'from tiny import more; VALUE = more.VALUE' >packages/tiny/__init__.py
echo 'import json, _decimal; VALUE = 42' >packages/tiny/more.py
PYTHONPATH=$tmp/packages loadcast bench env --package tiny "$tmp/tiny-env" >/dev/null
export LOADCAST_DIR=$tmp/node
mkdir -m 700 node
{ : <>/dev/fuse; } 2>/dev/null && has_fuse=yes || has_fuse=
arms() { bench --env "$tmp/tiny-env" --package tiny --max-runs 1 "$@"; }
has_programs() { for program; do command -v "$program" >/dev/null || return 1; done; }
# Nothing of bench's is left: no mount, no memory, no process that holds them.
nothing_left() {
    grep "$tmp/node" /proc/self/mounts | nothing
    find "$tmp/node" -mindepth 1 | nothing
    no_process "bench-rank hold .*$tmp"
}
at_exit 'for dead in $(awk -v tmp="$tmp/" "index(\$2, tmp) == 1 { print \$2 }" /proc/self/mounts); do fusermount3 -u -z "$dead"; done'
no_process() { test -z "$(pgrep -f "$1")"; }

t 'an arm that is unknown, or named twice: said before anything is run' '
    code 2 arms --target target --with plain,squashfss
    says "did you mean '\''squashfs'\''" err
    code 2 arms --target target --with plain,nothing
    says "there are: plain, copy, squashfs, loadcast, loadcast-libs, spindle" err
    code 2 arms --target target --with copy,plain,copy
    says "twice" err
'
t 'copy: packed once, unpacked for each job, run from there; nothing of it stays' '
    has_programs tar zstd || skip "no tar or zstd"
    code 0 arms --target target --cache warm --width 1,2 --with plain,copy --no-count
    line "[(l[\"with\"], l[\"status\"]) for l in lines] == [(\"plain\", \"done\"), (\"copy\", \"done\")] * 2"
    rows "all(m in rows[-1][\"metrics\"] for m in (\"prepare_s\", \"stage_s\", \"image_bytes\")) and \"check_s\" not in rows[-1][\"metrics\"]"
    # One archive, which the usual programs read.
    archive=$(echo target/loadcast-bench/images/*.tar.zst)
    zstd -dcq "$archive" | tar -t --ignore-zeros >list
    says "env-tiny/lib/" list
    grep -q "tiny/more.py" list
    nothing_left
'
# A suite on a stormfs whose clients never ask again for what they know: with caches of one second, as most have, the
# number of look-ups depends on how busy this machine is. suite_steady WITH...
suite_steady() {
    printf "%s\n" "cases: [{kind: python-import, packages: [tiny], env: $tmp/tiny-env}]" \
        "targets: [{name: storm, stormfs: {profile: none, options: --cache-s 1e6 --negative-cache-s 1e6}}]" \
        "widths: [1, 4]" "with: [$1]" "caches: [$2]" "min_runs: 1" "max_runs: 1" >steady.yaml
}
t 'copy: the ranks ask the shared disk nothing, whatever they load' '
    has_programs tar zstd stormfs && [ -n "$has_fuse" ] || skip "no stormfs, tar or zstd"
    suite_steady plain,copy cold
    code 0 bench steady.yaml
    line "[l[\"operations\"] > 100 for l in lines] == [True, False] * 2"
    # Only the archive is read, as often at four ranks as at one: one reader for each of its parts, of which there are
    # more where there are more cores.
    parts=$(zstd -lv "$(find "$work" -name "*.tar.zst")" | sed -n "s/.*Zstandard Frames: *//p")
    test "$parts" -ge 5
    line "lines[1][\"operations\"] == lines[3][\"operations\"] < 10 + 4 * $parts"
    nothing_left
'
t 'loadcast: one check for each job, outside a scheduler as in one, where exec itself makes none' '
    need_ptrace
    has_programs stormfs && [ -n "$has_fuse" ] || skip "no stormfs"
    suite_steady loadcast cold
    sed -i "s/--cache-s 1e6 --negative-cache-s 1e6/--cache-s 0 --negative-cache-s 0/; s/widths: .*/widths: [1]/" steady.yaml
    rm -f r.db
    code 0 bench steady.yaml
    code 0 env PBS_JOBID=1 loadcast bench --work "$work" --db "$tmp/r.db" --json --bystander-limit 0 steady.yaml
    rows "len(rows) == 2 and rows[0][\"metrics\"][\"operations\"] == rows[1][\"metrics\"][\"operations\"] > 50"
    nothing_left
'
t 'memory of a node and the time after an edit, for every arm; the edit is undone' '
    need_ptrace
    has_programs tar zstd mksquashfs squashfuse_ll fusermount3 && [ -n "$has_fuse" ] || skip "no squashfuse, tar or zstd"
    rm -f r.db
    code 0 arms --target target --cache warm --with plain,copy,squashfs,loadcast
    rows "all((\"edit_s\" in r[\"metrics\"]) == (r[\"with\"] != \"plain\") for r in rows)"
    rows "all(r[\"metrics\"][\"memory_bytes\"] > 1e6 for r in rows)"
    # All of the tree, against what is used of it.
    tree=$(du -s --block-size=1 target/loadcast-bench/env-tiny | cut -f1)
    rows "all(0.9 * $tree < r[\"metrics\"][\"memory_bytes\"] < 1.2 * $tree for r in rows if r[\"with\"] == \"copy\")"
    rows "all(r[\"metrics\"][\"memory_bytes\"] < 0.8 * $tree for r in rows if r[\"with\"] == \"loadcast\")"
    find target -name "*.loadcast-edit" | nothing
    same tiny-env/lib/python3/dist-packages/tiny/__init__.py target/loadcast-bench/env-tiny/lib/python3/dist-packages/tiny/__init__.py
    nothing_left
'
# ctime: the original is renamed, and gets its name back
t 'what is edited is the module that is measured, also one inside another package' '
    need_ptrace
    for i in 1 2; do
        : >begin
        code 0 bench --env "$tmp/tiny-env" --package tiny.inner --max-runs 1 --target target --cache warm --with loadcast
    done
    find target/loadcast-bench -newercm begin -name "__init__.py" >edited
    [ "$(wc -l <edited)" = 1 ] || { cat edited; exit 1; }
    grep -q "/tiny/inner/__init__.py$" edited
'
t 'squashfs: mounted for each job, run through the mount, unmounted' '
    has_programs mksquashfs squashfuse_ll fusermount3 stormfs && [ -n "$has_fuse" ] || skip "no squashfuse or /dev/fuse"
    suite_steady plain,squashfs cold,warm
    code 0 bench steady.yaml
    line "all(l[\"status\"] == \"done\" for l in lines)"
    line "all(l[\"operations\"] < 30 for l in lines if l[\"with\"] == \"squashfs\")"
    rows "all(m in rows[-1][\"metrics\"] for m in (\"prepare_s\", \"stage_s\", \"image_bytes\"))"
    nothing_left
'
t 'loadcast-libs: programs and libraries from memory, everything else from the disk' '
    need_ptrace
    has_programs stormfs cc && [ -n "$has_fuse" ] || skip "no stormfs or compiler"
    code 0 arms --storm none --cache cold --width 4 --with plain,loadcast-libs,loadcast
    line "all(l[\"status\"] == \"done\" for l in lines)"
    line "lines[2][\"operations\"] < lines[1][\"operations\"]"
    # The modules of Python hide what is spared there. A program of 20 libraries asks for nothing else.
    loadcast gen 20 20 --search-dirs 2 --modes cloadtest --out libraries >/dev/null
    code 0 bench --workload libraries --mode cloadtest --max-runs 1 --storm none --cache cold --width 4 --with plain,loadcast-libs
    line "[(l[\"with\"], l[\"status\"]) for l in lines] == [(\"plain\", \"done\"), (\"loadcast-libs\", \"done\")]"
    line "lines[1][\"operations\"] < lines[0][\"operations\"] / 2"
    nothing_left
'
t 'a program that an arm needs is missing: the arm is named and left out, the others are measured' '
    has_programs tar || skip "no tar"
    mkdir bin
    for program in sh env tar sort awk find timeout printenv true rm mkdir; do ln -s "$(command -v $program)" bin/$program; done
    code 0 env PATH="$tmp/bin" "$(command -v loadcast)" bench --work "$work" --db "$tmp/r.db" --json --bystander-limit 0 --env "$tmp/tiny-env" --package tiny --max-runs 1 --target target --cache warm --width 1,2 --with plain,copy,squashfs,spindle --no-count
    says "'\''copy'\'' is left out: '\''zstd'\'' is not installed" err
    says "'\''spindle'\'' is left out: '\''spindle'\'' is not installed" err
    says "'\''squashfs'\'' is left out: '\''mksquashfs'\'' is not installed" err
    line "[(l[\"with\"], l[\"status\"]) for l in lines] == [(\"plain\", \"done\"), (\"copy\", \"stopped\"), (\"squashfs\", \"stopped\"), (\"spindle\", \"stopped\")] * 2"
    rows "[r[\"reason\"] for r in rows if r[\"with\"] == \"copy\"][-1].startswith(\"'\''copy'\'' is left out\")"
'
t 'an archive that cannot be made is a failed row that says why' '
    has_programs tar zstd || skip "no tar or zstd"
    mkdir bad-bin
    printf "#!/bin/sh\necho this zstd is broken >&2\nexit 1\n" >bad-bin/zstd
    chmod +x bad-bin/zstd
    code 1 env PATH="$tmp/bad-bin:$PATH" loadcast bench --work "$work" --db "$tmp/r.db" --json --bystander-limit 0 --env "$tmp/tiny-env" --package tiny --max-runs 1 --target target --cache warm --with plain,copy --no-count
    line "[(l[\"with\"], l[\"status\"]) for l in lines] == [(\"plain\", \"done\"), (\"copy\", \"failed\")] and \"cannot pack\" in lines[1][\"reason\"]"
    ls target/loadcast-bench/images/*.part* 2>/dev/null | nothing
    nothing_left
'
t 'a target that is read-only: packed files are kept in the work directory' '
    [ "$(id -u)" != 0 ] || skip "root may write everywhere"
    has_programs tar zstd || skip "no tar or zstd"
    chmod a-w target/loadcast-bench/images
    code 0 arms --target target --cache warm --with copy --no-count
    chmod u+w target/loadcast-bench/images
    test -e "$work"/images/*.tar.zst
    nothing_left
'
# waiting_run WITH [PLACE]: bench in the background, with ranks that wait; $bench_pid. $tmp/held: they run from there.
waiting_run() {
    mkdir -p stage
    printf "#!/bin/sh\necho \$0 >$tmp/held\nexec sleep 1000\n" >stage/wait
    chmod +x stage/wait
    rm -f held
    loadcast bench --work "$work" --db "$tmp/r.db" --command "{target}/wait" --stage stage --target target --cache warm \
        --with "$1" --width 2 --max-runs 1 --no-count >bench.out 2>bench.err &
    bench_pid=$!
    wait_until test -s held
    grep -q "$tmp/${2:-node}/" held
}
ends_clean() {
    wait_until no_process "bench-rank .*$tmp"
    wait_until no_process "squashfuse_ll .*$tmp"
    wait_until rmdir "$tmp/node" # it is empty
    mkdir -m 700 "$tmp/node"
    nothing_left
}
for arm in copy squashfs; do
    t "$arm: interrupted, and killed: no mount, no memory, no process is left" "
        if [ $arm = copy ]; then has_programs tar zstd || skip 'no tar or zstd'
        else has_programs mksquashfs squashfuse_ll fusermount3 && [ -n '$has_fuse' ] || skip 'no squashfuse'; fi
        for signal in TERM KILL; do
            waiting_run $arm
            kill -\$signal \$bench_pid
            wait \$bench_pid || :
            ends_clean
        done
    "
done
t 'squashfs: killed together with what holds the mount and serves it: the mount does not stay' '
    has_programs mksquashfs squashfuse_ll fusermount3 && [ -n "$has_fuse" ] || skip "no squashfuse"
    waiting_run squashfs
    kill -KILL $(pgrep -f "bench-rank hold .*$tmp/node") $(pgrep -f "squashfuse_ll .*$tmp/node") $bench_pid
    ends_clean
    # Nobody was left that could unmount it: the next bench does.
    mkdir -p -m 700 node/loadcast-bench.Dead00/mount
    mount_of_dead=$tmp/node/loadcast-bench.Dead00/mount
    squashfuse_ll "$(find target -name "*.squashfs" | head -n 1)" "$mount_of_dead"
    kill -KILL $(pgrep -f "squashfuse_ll .*Dead00")
    wait_until no_process "squashfuse_ll .*Dead00"
    grep -q "$mount_of_dead" /proc/self/mounts
    code 0 arms --target target --cache warm --with squashfs --no-count
    nothing_left
'
# A stand-in for Spindle, of which only the life of a session is tested: it prints a number, runs lines without doing
# anything else, and notes what it was called for. The real one is not a package of any distribution.
mkdir fake-bin
cat >fake-bin/spindle <<END
#!/bin/sh
case " \$* " in
*" --start-session "*) echo "start \$*" >>$tmp/sessions; wc -l <$tmp/sessions ;;
*" --end-session "*) echo "end \$2" >>$tmp/sessions ;;
*" --run-in-session "*) echo "run \$2" >>$tmp/sessions; shift 3; exec "\$@" ;;
esac
END
chmod +x fake-bin/spindle
session_words() { cut -d " " -f 1 sessions | tr "\n" " "; }
t 'spindle (a stand-in): each run, cold or warm, has a session of its own, which is ended' '
    rm -f r.db sessions
    PATH=$tmp/fake-bin:$PATH code 0 arms --target target --cache warm --width 2 --with plain,spindle --no-count
    line "[(l[\"with\"], l[\"status\"]) for l in lines] == [(\"plain\", \"done\"), (\"spindle\", \"done\")]"
    test "$(session_words)" = "start run end start run end " # the warm-up, and the run
    rows "rows[-1][\"metrics\"][\"stage_s\"] > 0 and \"prepare_s\" not in rows[-1][\"metrics\"]"
    grep -q -- "--no-mpi --location=$tmp/node/loadcast-bench.*--python-prefix=.*/env-tiny --start-session" sessions
    nothing_left
'
t 'spindle (a stand-in): its session is ended after a run that failed, and one that cannot start is a failed row' '
    rm -f sessions
    PATH=$tmp/fake-bin:$PATH code 1 bench --command false --target target --cache warm --with spindle --max-runs 1 --no-count
    test "$(session_words)" = "start run end "
    mkdir dead-bin
    printf "#!/bin/sh\necho no allocation here >&2\nexit 1\n" >dead-bin/spindle
    chmod +x dead-bin/spindle
    PATH=$tmp/dead-bin:$PATH code 1 arms --target target --cache warm --with plain,spindle --no-count
    line "[(l[\"with\"], l[\"status\"]) for l in lines] == [(\"plain\", \"done\"), (\"spindle\", \"failed\")] and \"no allocation here\" in lines[1][\"reason\"]"
    nothing_left
'
t 'spindle (a stand-in): bench is killed: its session is ended' '
    rm -f sessions
    # shellcheck disable=SC2030,SC2031
    (PATH=$tmp/fake-bin:$PATH && export PATH && waiting_run spindle target/loadcast-bench && kill -KILL $bench_pid)
    wait_until grep -q "^end" sessions
    ends_clean
'
finish
