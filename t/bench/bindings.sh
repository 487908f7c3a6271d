# bindings.sh - what bindings.bench and bindings-coral.bench share: modules + utilities of so many
# functions; loading alone, warm, CPU time, plain and replay in turn, the least of each.
#
#   measure LABEL FILES UTILITIES FUNCTIONS ROUNDS       makes the workload and all figures
#   figure MODE HOW                                      plain, now, replay or unpruned: seconds
cc=${CC:-cc}
least() { sort -n | head -1; }
figure() { cut -d' ' -f1 <"$tmp/$1.$2" | least; }
memory() { cut -d' ' -f2 <"$tmp/$1.$2" | least; }

# Loading alone is compared with binding at once, as Python opens its modules: lazily the look-ups only
# come later. So the driver as a whole, start, import and visit, stands beside it: lazy or not, the
# better one counts.
driver() {
    command="$python $tmp/w/pynamic_driver_mpi4py.py"
    (cd "$tmp/w" && prepare driver "$command")
    for _ in $(seq "$1"); do
        node=$(cat "$tmp/driver.node")
        (cd "$tmp/w" && interleave 1 "$command" "LD_BIND_NOW=1 $command" \
            "LOADCAST_NODE=$node $node/bin/launch $command") >"$tmp/driver.times"
        for how in plain now replay; do
            sed -n "$(case $how in plain) echo 1 ;; now) echo 2 ;; *) echo 3 ;; esac)p" "$tmp/driver.times" |
                awk '{ print $NF, 0 }' >>"$tmp/driver.$how"
        done
    done
    plain=$({ figure driver plain; figure driver now; } | least)
    bar "$label libraries, Python's driver, start + import + visit + MPI: CPU" \
        "$(ratio "$plain" "$(figure driver replay)")" '>=' "$2" x \
        "plain $(figure driver plain) s, now $(figure driver now) s, replay $(figure driver replay) s"
}

# The launcher is what each rank runs; the image is staged before, as in a job.
prepare() {
    loadcast record -o "$tmp/$1.lcast" --manage "$tmp" -- $2 >/dev/null 2>"$tmp/$1.record"
    loadcast exec -q --dir "$tmp/node" "$tmp/$1.lcast" -- true
    node=$(ls -td "$tmp/node/loadcast-"*/*/ | head -1)
    echo "${node%/}" >"$tmp/$1.node"
}
run_once() {
    node=$(cat "$tmp/$1.node")
    $2 >>"$tmp/$1.plain"
    LD_BIND_NOW=1 $2 >>"$tmp/$1.now"
    LOADCAST_NODE=$node "$node/bin/launch" $2 >>"$tmp/$1.replay"
    LOADCAST_PRUNE=off LOADCAST_NODE=$node "$node/bin/launch" $2 >>"$tmp/$1.unpruned"
}

measure() {
    label=$1
    loadcast gen "$2" "$4" -u "$3" "$4" -n 150 --modes cloadtest,mpi4py --emit=elf --out "$tmp/w" >&2
    mkdir -m 700 "$tmp/node"
    at_exit "loadcast clean --dir $tmp/node --all"
    modules=$(($2 - $3))
    $cc -O2 "$src/t/bench/binder.c" -o "$tmp/binder" -ldl
    import="$tmp/binder import $tmp/w $modules" begin="$tmp/binder begin $tmp/w" linked="$tmp/linked linked"
    modes='import begin linked'
    names=$(cd "$tmp/w" && ls | sed -n 's/^lib\(module[0-9]*\)\.so$/-l\1/p' | sort -V)
    # The linker only has to write down their names: it need not read a million symbols for that.
    mkdir "$tmp/stubs"
    echo 'static int nothing; int *begin_nothing(void) { return &nothing; }' | $cc -shared -fPIC -xc - -o "$tmp/stub.so"
    for name in $names; do cp "$tmp/stub.so" "$tmp/stubs/lib${name#-l}.so"; done
    link="-L$tmp/stubs -Wl,--no-as-needed $names -Wl,-rpath,$tmp/w"
    # One library, and one program, that need all modules.
    echo 'int begin(void) { return 0; }' | $cc -shared -fPIC -xc - -xnone -o "$tmp/w/libmodulebegin.so" $link
    $cc -O2 "$src/t/bench/binder.c" -o "$tmp/linked" $link -ldl
    for mode in $modes; do
        eval "command=\$$mode"
        prepare $mode "$command"
        for _ in $(seq "$5"); do
            run_once $mode "$command"
            "$tmp/binder" floor "$tmp/w" >>"$tmp/floor.plain"
        done
        for how in plain now replay unpruned; do
            echo "$label $mode $how: $(figure $mode $how) s CPU, $(memory $mode $how) kB" >&2
        done
        loadcast status --dir "$tmp/node" | grep -A1 '^bindings' >&2 || :
    done
    echo "$label floor: $(figure floor plain) s" >&2
}
