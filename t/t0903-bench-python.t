#!/bin/sh
# loadcast bench: relocatable environments, staging, cold and warm, stormfs, plain and with Loadcast.
. "$(dirname "$0")/lib.sh"
. "$here/bench.sh"
$python -c 'import numpy' 2>/dev/null || skip_all 'no numpy'
command -v stormfs >/dev/null && { : <>/dev/fuse; } 2>/dev/null && has_storm=yes || has_storm=
# A small package with a library of its own is enough for most of it.
mkdir -p packages/tiny
echo 'from tiny import more; VALUE = more.VALUE' >packages/tiny/__init__.py
echo 'import json, _decimal; VALUE = 42' >packages/tiny/more.py
export PYTHONPATH=$tmp/packages

t 'an environment runs wherever it is moved: interpreter, library and packages are its own' '
    code 0 loadcast bench env --package numpy "$tmp/env"
    says "numpy" env/.loadcast-env.json
    find env -name "*.pyc" | nothing
    unset PYTHONPATH
    mkdir moved
    mv env "moved/to here"
    LD_LIBRARY_PATH="$tmp/moved/to here/lib" "moved/to here/bin/python3" -B -c "
import numpy, sys, os
here = os.path.realpath(\"$tmp/moved/to here\")
for path in (sys.executable, os.__file__, numpy.__file__, sys.prefix):
    assert os.path.realpath(path).startswith(here), path
for line in open(\"/proc/self/maps\"):
    assert \"liblapack\" not in line and \"libblas\" not in line or here in line, line"
    command -v bash >/dev/null || skip "no bash"
    test "$(bash -c ". \"moved/to here/bin/activate\"; python3 -c \"import sys; print(sys.prefix)\"")" = "$tmp/moved/to here"
'
t 'a package that is not there, a place that is taken: said, and nothing is left' '
    code 1 loadcast bench env --package no_such_package "$tmp/env2"
    says "no_such_package" err
    ls -d env2* 2>/dev/null | nothing
    code 1 loadcast bench env --package numpy "$tmp/packages"
    says "packages" err
    test -e packages/tiny/more.py
    code 1 loadcast bench env --python no-such-python "$tmp/env2"
    says "no-such-python" err
'
t 'staged incrementally, verified in one process, staging time in every row' '
    loadcast bench env --package tiny "$tmp/tiny-env" >/dev/null
    unset PYTHONPATH
    code 0 bench --env "$tmp/tiny-env" --package tiny --target target --cache warm --max-runs 1 --no-count
    says "interpreter: $tmp/target/loadcast-bench/env-tiny/bin/python3" err
    says "tiny: $tmp/target/loadcast-bench/env-tiny/" err
    rows "rows[-1][\"metrics\"][\"copy_s\"] > 0 and rows[-1][\"place\"][\"python\"] != \"\""
    rows "[rows[-1][\"phases\"][p][\"max_ns\"] > 0 for p in (\"launch\", \"start\", \"import\", \"total\", \"from_barrier\")] == [True] * 5"
    echo "# more" >>tiny-env/lib/python3*/os.py 2>/dev/null || echo "# more" >>"$(find tiny-env -name os.py | head -1)"
    touch target/loadcast-bench/env-tiny/stale
    code 0 bench --env "$tmp/tiny-env" --package tiny --target target --cache warm --max-runs 1 --no-count
    grep -E "staged [1-3] files" err
    test ! -e target/loadcast-bench/env-tiny/stale
'
t 'set-up is verified: operations of one import are printed, and kept in every row' '
    need_ptrace
    unset PYTHONPATH
    code 0 bench --env "$tmp/tiny-env" --package tiny --target target --cache warm --max-runs 1
    grep -E "operations of one import, on the target: [0-9,]+ metadata \([0-9,]+ failed\), [0-9,]+ data, [0-9.]+ [kMG]?B read" err
    # What one process asks before anything is measured is what trace counts of one rank, but for the two scripts.
    rows "50 < rows[-1][\"metrics\"][\"import_operations\"] and abs(rows[-1][\"metrics\"][\"import_operations\"] - rows[-1][\"metrics\"][\"operations_per_rank\"]) < 40"
'
t 'an environment that opens files where it was copied from is refused' '
    need_ptrace
    unset PYTHONPATH
    cp -r tiny-env leaky-env
    echo data >leaky-env/data
    echo "open(\"$tmp/leaky-env/data\").close()" >>"$(find leaky-env -path "*tiny/more.py")"
    code 1 bench --env "$tmp/leaky-env" --package tiny --target target --cache warm --max-runs 1
    line "lines[0][\"status\"] == \"failed\" and \"leaky-env/data'\'' was opened, not its copy\" in lines[0][\"reason\"]"
'
t 'bytecode by choice' '
    unset PYTHONPATH
    test -n "$(find target/loadcast-bench/env-tiny -name "more*.pyc")"
    mkdir bare
    code 0 bench --env "$tmp/tiny-env" --package tiny --target bare --cache warm --max-runs 1 --no-count --bytecode exclude
    find bare -name "*.pyc" | nothing
'
t 'an environment whose modules come from elsewhere is refused before anything is measured' '
    unset PYTHONPATH
    cp -r tiny-env bent-env
    rm -r "$(find bent-env -type d -name tiny)"
    echo "import sys; sys.path.append(\"$tmp/packages\")" >"$(dirname "$(find bent-env -name os.py | head -1)")/sitecustomize.py"
    code 1 bench --env "$tmp/bent-env" --package tiny --target bare --cache warm --max-runs 1
    says "not right" err
    line "lines[0][\"status\"] == \"failed\" and \"NOT in the environment\" in lines[0][\"reason\"]"
'
t 'cold by what means is in the row; on a memory file system cold is refused, not faked' '
    unset PYTHONPATH
    [ -w /dev/shm ] && [ "$(stat -f -c %T /dev/shm)" = tmpfs ] || skip "no memory file system"
    memory=$(mktemp -d /dev/shm/loadcast-test.XXXXXX)
    at_exit "rm -rf $memory"
    code 4 bench --env "$tmp/tiny-env" --package tiny --target "$memory" --cache cold,warm --max-runs 1 --no-count --width 1,2
    rm -rf "$memory"
    says "not everything was measured: cold was refused" err
    line "[l[\"status\"] for l in lines] == [\"stopped\", \"done\"] * 2 and all(\"cold is refused\" in l[\"reason\"] for l in lines[::2])"
    rows "[(r[\"cache\"], r[\"status\"], \"cold is refused\" in r[\"reason\"]) for r in rows[-4:]] == [(\"cold\", \"stopped\", True), (\"warm\", \"done\", False)] * 2"
    cat >s.yaml <<-END
	cases: [{kind: python-import, env: $tmp/tiny-env, packages: [tiny]}]
	targets: [{name: made, path: bare, cold_command: "echo colder >>$tmp/colder"}]
	caches: [cold]
	max_runs: 2
	count: false
	END
    code 0 bench s.yaml
    line "lines[0][\"how\"] == \"command\""
    test "$(wc -l <colder)" = 2
    sed -i "s/echo colder.*\"/exit 1\"/" s.yaml
    code 4 bench s.yaml
    line "lines[0][\"status\"] == \"stopped\" and lines[0][\"median_s\"] is None"
'
t 'a disk: operations of one rank by trace, times the ranks' '
    need_ptrace
    unset PYTHONPATH
    code 0 bench --env "$tmp/tiny-env" --package tiny --target bare --cache warm --width 3 --max-runs 1 --with plain,loadcast
    line "lines[0][\"operations_per_rank\"] > 50 and lines[1][\"operations\"] > 0"
    # With Loadcast it is the check that asks: the whole job and its share per rank are one figure.
    line "all(l[\"operations\"] == 3 * l[\"operations_per_rank\"] for l in lines)"
'
t 'stormfs: plain and with Loadcast, cold and warm, with what the server did' '
    [ -n "$has_storm" ] || skip "no stormfs here"
    unset PYTHONPATH
    mkdir -p scratch memory
    LOADCAST_DIR=$tmp/memory TMPDIR=$tmp/scratch code 0 bench --env "$tmp/tiny-env" --package tiny --storm lustre:8 --width 1,4 --with plain,loadcast --max-runs 1 --bystander-limit 0
    line "len(lines) == 8 and all(l[\"status\"] == \"done\" for l in lines)"
    line "[l[\"how\"] for l in lines if l[\"cache\"] == \"cold\"] == [\"fresh mount\"] * 4"
    # The server answers one after another: busy is operations times service (9.5 us x 8). What a job does once, here
    # all that Loadcast does, is charged as one task.
    line "all(abs(l[\"server_busy_all_scaled_s\"] - l[\"operations\"] * 76e-6) < 1e-3 * l[\"server_busy_all_scaled_s\"] + 1e-6 for l in lines)"
    line "all(l[\"server_busy_s\"] > 0.9 * l[\"server_busy_all_scaled_s\"] for l in lines if l[\"with\"] == \"plain\")"
    line "all(l[\"server_busy_s\"] < 0.3 * l[\"server_busy_all_scaled_s\"] for l in lines if (l[\"with\"], l[\"cache\"]) == (\"loadcast\", \"cold\"))"
    line "all(l[\"cpu_control_s\"] > 0 for l in lines)"
    # Four ranks, since one cold check and reading the image of so small a package cost what two plain ranks do.
    # Four times the ranks are nearly four times the requests for the plain arm; with Loadcast none more, but for the
    # few by which one check differs from another (how the kernel cuts its reads).
    "$python" -c "
import json
lines = {(l[\"ranks\"], l[\"cache\"], l[\"with\"]): l[\"operations\"] for l in json.load(open(\"out\"))}
assert lines[4, \"cold\", \"plain\"] > 3 * lines[1, \"cold\", \"plain\"], lines
assert lines[4, \"cold\", \"loadcast\"] - lines[1, \"cold\", \"loadcast\"] < 60, lines
assert lines[4, \"cold\", \"loadcast\"] < lines[4, \"cold\", \"plain\"], lines"
    rows "all(m in rows[-1][\"metrics\"] or rows[-1][\"with\"] == \"plain\" for m in (\"check_s\", \"stage_s\", \"image_bytes\"))"
    # Another user waits for the server no longer than beside the plain job, however busy this machine is.
    rows "max(r[\"metrics\"][\"bystander_server_s\"] for r in rows[-8:] if r[\"with\"] == \"loadcast\" and r[\"ranks\"] == 4) <= min(r[\"metrics\"][\"bystander_server_s\"] for r in rows[-8:] if r[\"with\"] == \"plain\" and r[\"ranks\"] == 4)"
    rows "rows[-1][\"place\"][\"fs_type\"] == \"fuse.stormfs\""
    ls scratch memory | grep -v ":$" | nothing
'
t 'a full target: which file, why; nothing half-copied is left' '
    unset PYTHONPATH
    [ "$(id -u)" = 0 ] || skip "is not root"
    mkdir full
    unshare -m true 2>/dev/null || skip "no mount namespace"
    unshare -m sh -c "mount -t tmpfs -o size=1M none full && loadcast bench --work w2 --db r.db --json --env tiny-env --package tiny --target full; echo \$? >status; find full -name \"*.part\"" >out 2>err
    test "$(cat status)" = 1
    says "No space left on device" err
    lacks .part out
'
t 'without rights: fadvise, plain and with Loadcast, nothing outside the work directory' '
    [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || skip "is not root"
    [ "$(stat -f -c %T "$tmp")" != tmpfs ] || skip "what lies in memory is never cold"
    unset PYTHONPATH
    chmod 755 "$tmp"
    mkdir -m 755 user
    cp -r tiny-env user/env
    chown -R 65534:65534 user
    for f in loadcast loadcast-full bench-rank launch audit.so preload.so; do test ! -e "$build/$f" || cp "$build/$f" user/; done
    cp "$build"/*.so user/ 2>/dev/null || :
    chmod 755 user/*
    mkdir user/target && chown 65534 user/target
    (cd user && HOME=/nonexistent TMPDIR=$tmp/user LOADCAST_DIR=$tmp/user setpriv --reuid 65534 --regid 65534 --clear-groups \
        ./loadcast bench --work w --db r.db --env env --package tiny --target target --with plain,loadcast --max-runs 1 --no-count --json) >out 2>err || { cat out err; exit 1; }
    line "all(l[\"status\"] == \"done\" for l in lines) and len(lines) == 4"
    line "lines[0][\"how\"] == \"posix_fadvise (data only)\""
'
finish
