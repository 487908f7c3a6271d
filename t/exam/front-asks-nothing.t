#!/bin/sh
# 'loadcast exec' in front of every rank, as the README has it, in an environment whose LD_LIBRARY_PATH, PATH,
# PYTHONPATH and HOME all lead to the managed disk: after staging, the whole command asks that disk nothing
# and runs while it is frozen, Loadcast's own start included.
. "$(dirname "$0")/../lib.sh"
. "$here/zero.sh"
command -v stormfs >/dev/null 2>&1 || skip_all 'no stormfs in this build'
need_ptrace
loadcast bench env --package json "$tmp/tree" >/dev/null 2>err || skip_all "no environment: $(cat err)"
mkdir -p tree/first tree/second tree/home tree/modules tree/images work node mnt
echo 'value = 42' >tree/modules/answer.py
cp /bin/true tree/bin/tool
echo 'int nothing;' | ${CC:-cc} -shared -fPIC -x c - -o tree/lib/libpre.so
stormfs --profile none --cache-s 0 "$tmp/tree" "$tmp/mnt" 2>err || skip_all "no FUSE: $(cat err)"
zero_names "$tmp/tree"
# The user's shell after '. DIR/bin/activate'. Loadcast itself is installed elsewhere and called by its path:
# a shell's own search in PATH is the shell's. In a job 'exec' does not check the image.
job() {
    (
        export HOME="$m/home" PATH="$m/first:$m/second:$m/bin:$PATH" LD_LIBRARY_PATH="$m/lib" \
            PYTHONPATH="$m/modules" PYTHONDONTWRITEBYTECODE=1 SLURM_JOB_ID=1
        [ -z "${preload:-}" ] || export LD_PRELOAD="$preload"
        cd "$tmp/work" && exec "$@"
    )
}
# asks N CMD...: the disk hears N requests
asks() {
    want=$1
    shift
    stormfs ctl "$m" reset
    job "$@" >out 2>err || { cat out err; return 1; }
    asked=$(requests)
    test "$asked" = "$want" || { echo "$asked requests instead of $want: $*"; stormfs ctl "$m" stats; return 1; }
}
# frozen CMD...: ends while the disk answers nobody
frozen() {
    stormfs ctl "$m" freeze
    job "$@" >out 2>err &
    ends_within 20 $! || { kill -KILL $!; stormfs ctl "$m" thaw; echo "hangs when frozen: $*"; return 1; }
    stormfs ctl "$m" thaw
    wait $!
}
front=$build/loadcast
say='import answer, json; print(json.dumps(answer.value))'
job "$front" record -o "$tmp/app.lcast" -- python3 -c "$say" >/dev/null 2>record.err
job "$front" exec "$tmp/app.lcast" -- python3 -c "$say" >first.out 2>first.err
node=$(ls -d "$tmp"/node/loadcast-*/*/ | head -1)
node=${node%/}

t 'the environment asks a lot without Loadcast' '
    stormfs ctl "$m" reset
    job env python3 -c "$say" >out
    test "$(requests)" -gt 200
    says 42 out
'
t 'what needs no image asks nothing: --version, --help, status' '
    asks 0 "$front" --version
    says "loadcast " out
    asks 0 "$front" exec --help
    asks 0 "$front" status
    says "in node memory" out
'
t 'exec asks nothing' '
    asks 0 "$front" exec "$tmp/app.lcast" -- python3 -c "$say"
    says 42 out
    asks 0 "$front" exec --stats "$tmp/app.lcast" -- python3 -c "$say"
'
t 'the staged launcher asks nothing' '
    asks 0 "$node/bin/launch" python3 -c "$say"
    says 42 out
'
t 'the search for the command in PATH was recorded' '
    job "$front" record -o "$tmp/tool.lcast" -- tool >/dev/null 2>err
    job "$front" exec "$tmp/tool.lcast" -- tool 2>err
    asks 0 "$front" exec "$tmp/tool.lcast" -- tool
'
t 'none of them hangs when the disk is frozen' '
    frozen "$front" --version
    frozen "$front" status
    frozen "$front" exec "$tmp/app.lcast" -- python3 -c "$say"
    says 42 out
    frozen "$node/bin/launch" python3 -c "$say"
    says 42 out
'
t 'run asks no more than check does' '
    stormfs ctl "$m" reset
    # One by one: what several threads look up at the same moment, the kernel asks once.
    job "$front" check --jobs 1 "$tmp/app.lcast" >out 2>err
    check=$(requests)
    test "$check" -gt 0
    stormfs ctl "$m" reset
    job "$front" run --image "$tmp/app.lcast" -- python3 -c "$say" >out 2>err
    run=$(requests)
    says 42 out
    test "$run" -le "$check" || { echo "$run requests, $check by check alone"; stormfs ctl "$m" stats; return 1; }
'
t 'a later run of the job asks nothing, and does not hang when the disk is frozen' '
    asks 0 "$front" run --image "$tmp/app.lcast" -- python3 -c "$say"
    says 42 out
    asks 0 "$front" run --stats --image "$tmp/app.lcast" -- python3 -c "$say"
    frozen "$front" run --image "$tmp/app.lcast" -- python3 -c "$say"
    says 42 out
'
t 'the program gets the environment that was given' '
    job env | grep -v "^_=" | sort >plain
    job "$front" exec "$tmp/app.lcast" -- env | grep -v -e "^_=" -e "^LD_AUDIT=" -e "^LD_PRELOAD=" -e "^LOADCAST_NODE=" | sort >served
    same plain served
    says "LD_LIBRARY_PATH=$m/lib" served
    LD_PRELOAD=libm.so.6 job "$front" exec "$tmp/app.lcast" -- env >served
    says "LD_PRELOAD=libm.so.6:" served
'
t 'a preload that lies on the disk is loaded into the program, from memory, and not into Loadcast' '
    preload=$m/lib/libpre.so
    job "$front" record -o "$tmp/pre.lcast" -- python3 -c "$say" >/dev/null 2>err
    job "$front" exec -q "$tmp/pre.lcast" -- python3 -c "$say" >out
    asks 0 "$front" --version
    asks 0 "$front" exec "$tmp/pre.lcast" -- python3 -c "import answer; print(\"libpre.so\" in open(\"/proc/self/maps\").read())"
    says True out
'
finish
