# bindings.sh - what bindings.bench and bindings-coral.bench share: modules + utilities of so many
# functions; warm, CPU time, plain and replayed in turn, the least of each.
#
#   measure LABEL FILES UTILITIES FUNCTIONS ROUNDS       makes the workload and all figures
#   load MODE HOW, total MODE HOW                        seconds: loading alone, with the visit
#   memory MODE HOW WHICH                                kilobytes: rss, pss or uss
# HOW is lazy, now (LD_BIND_NOW), replay, or off: replayed with --prune=off.
cc=${CC:-cc}
hows='lazy now replay off'
turns='lazy replay now off replay off replay' # whatever is over in a moment is disturbed more: more tries for its least
least() { sort -n | head -1; }
column() { cut -d' ' -f"$3" <"$tmp/$1.$2" | least; }
load() { column "$1" "$2" 1; }
total() { column "$1" "$2" 2; }
memory() { column "$1" "$2" "$(case $3 in rss) echo 3 ;; pss) echo 4 ;; *) echo 5 ;; esac)"; }
better() { printf '%s\n' "$@" | least; }

# run_as HOW NAME COMMAND: as each rank does, the image staged before
run_as() {
    node=$(cat "$tmp/$2.node")
    case $1 in
    lazy) $3 ;;
    now) LD_BIND_NOW=1 $3 ;;
    replay) LOADCAST_NODE=$node "$node/bin/launch" $3 ;;
    off) LOADCAST_PRUNE=off LOADCAST_NODE=$node "$node/bin/launch" $3 ;;
    esac
}
cpu() {
    $python -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print(use.ru_utime + use.ru_stime)' "$@"
}

# stage NAME: the node directory of its image
stage() {
    loadcast exec -q --dir "$tmp/node" "$tmp/$1.lcast" -- true
    node=$(ls -td "$tmp/node/loadcast-"*/*/ | head -1)
    echo "${node%/}" >"$tmp/$1.node"
}
prepare() {
    loadcast record -o "$tmp/$1.lcast" --manage "$tmp" -- $2 >/dev/null 2>"$tmp/$1.record"
    stage "$1"
}

make_programs() {
    modules=$(($2 - $3))
    loadcast gen "$2" "$4" -u "$3" "$4" -n 150 --modes cloadtest,mpi4py --emit=elf --out "$tmp/w" >&2
    mkdir -m 700 "$tmp/node" "$tmp/stubs"
    at_exit "loadcast clean --dir $tmp/node --all"
    $cc -O2 "$src/t/bench/binder.c" -o "$tmp/binder" -ldl
    names=$(cd "$tmp/w" && ls | sed -n 's/^lib\(module[0-9]*\)\.so$/-l\1/p' | sort -V)
    # The linker only has to write down their names: it need not read a million symbols for that.
    echo 'static int nothing; int *begin_nothing(void) { return &nothing; }' | $cc -shared -fPIC -xc - -o "$tmp/stub.so"
    for name in $names; do cp "$tmp/stub.so" "$tmp/stubs/lib${name#-l}.so"; done
    link="-L$tmp/stubs -Wl,--no-as-needed $names -Wl,-rpath,$tmp/w"
    # One library, and one program, that need all modules (its name is not one that the driver would import).
    echo 'int begin(void) { return 0; }' | $cc -shared -fPIC -xc - -xnone -o "$tmp/w/liball.so" $link
    $cc -O2 "$src/t/bench/binder.c" -o "$tmp/linked" $link -ldl
}

measure() {
    label=$1
    make_programs "$@"
    import="$tmp/binder import $tmp/w $modules" begin="$tmp/binder begin $tmp/w $modules" linked="$tmp/linked linked $tmp/w $modules"
    modes='import begin linked'
    for mode in $modes; do
        eval "command=\$$mode"
        prepare $mode "$command"
        for _ in $(seq "$5"); do
            for how in $turns; do run_as $how $mode "$command" >>"$tmp/$mode.$how"; done
            for _ in 1 2 3; do "$tmp/binder" floor "$tmp/w" >>"$tmp/floor.lazy"; done
        done
        for how in $hows; do
            echo "$label $mode $how: load $(load $mode $how) s, with visit $(total $mode $how) s; $(memory $mode $how rss) kB, PSS $(memory $mode $how pss), USS $(memory $mode $how uss)" >&2
        done
        loadcast status --dir "$tmp/node" | grep -A1 '^bindings  ' >&2 || :
    done
    echo "$label floor: $(load floor lazy) s" >&2
}

# Loading alone is compared with binding at once, as Python opens its modules: lazily the look-ups only
# come later, so with the visit the better of both counts.
load_bars() {
    for mode in $modes; do
        best=$(better "$(total $mode lazy)" "$(total $mode now)")
        bar "$label libraries, $mode: CPU, bound at once against replay" \
            "$(ratio "$(load $mode now)" "$(load $mode replay)")" '>=' "$([ $mode = import ] && echo "$1" || echo "$2")" x \
            "now $(load $mode now) s, replay $(load $mode replay) s, --prune=off $(load $mode off) s, floor $(load floor lazy) s; with visit: plain $best s, replay $(total $mode replay) s, $(ratio "$best" "$(total $mode replay)") x"
        bar "$label libraries, $mode: CPU of loading against the floor" \
            "$(ratio "$(load $mode replay)" "$(load floor lazy)")" '<=' 4 x
        for which in pss uss; do
            bar "$label libraries, $mode: $which after the visit, replay against plain" \
                "$(ratio "$(memory $mode replay $which)" "$(better "$(memory $mode lazy $which)" "$(memory $mode now $which)")")" '<=' 1 x
        done
    done
    bar "$label libraries, import with --prune=off: CPU, bound at once against replay" \
        "$(ratio "$(load import now)" "$(load import off)")" '>=' "$3" x
}

# The pilot's own run counts once: what the bindings add to a recording may cost as much again.
record_bar() {
    with=$(cpu loadcast record -o "$tmp/r.lcast" --manage "$tmp" -- $import)
    without=$(cpu loadcast record --no-bindings -o "$tmp/r.lcast" --manage "$tmp" -- $import)
    plain=$(better "$(total import lazy)" "$(total import now)")
    bar "$label libraries: CPU of the run and of recording its bindings against the plain run" \
        "$(awk "BEGIN { print 1 + ($with - $without) / $plain }")" '<=' 2 x \
        "record $with s, --no-bindings $without s, plain $plain s"
    rm -f "$tmp/r.lcast"
}
bytes_bar() {
    bytes=$(loadcast info --bindings --json "$tmp/import.lcast" | $python -c 'import json,sys; b=json.load(sys.stdin)["bindings"]; print(b["bytes"] / b["bindings"])')
    bar "$label libraries: bytes per binding in the image" "$bytes" '<=' 10 B
}

# driver ROUNDS TARGET: start, import, visit and MPI of the Python driver; lazy or not, the better counts
driver() {
    $python -c 'import mpi4py' 2>/dev/null || return 0
    command="$python $tmp/w/pynamic_driver_mpi4py.py"
    (cd "$tmp/w" && prepare driver "$command")
    cd "$tmp/w"
    for _ in $(seq "$1"); do
        node=$(cat "$tmp/driver.node")
        cpu $command >>"$tmp/driver.lazy"
        cpu env LD_BIND_NOW=1 $command >>"$tmp/driver.now"
        for _ in 1 2 3; do cpu env LOADCAST_NODE="$node" "$node/bin/launch" $command >>"$tmp/driver.replay"; done
    done
    plain=$(better "$(load driver lazy)" "$(load driver now)")
    bar "$label libraries, Python's driver, start + import + visit + MPI: CPU" \
        "$(ratio "$plain" "$(load driver replay)")" '>=' "$2" x \
        "lazy $(load driver lazy) s, now $(load driver now) s, replay $(load driver replay) s"
}
