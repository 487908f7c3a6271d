#!/bin/sh
# A path that does not fit is refused. Cut, it would be another path, which somebody else may have made.
. "$(dirname "$0")/../lib.sh"
. "$here/attack/users.sh"
. "$here/attack/evil.sh"
show='echo "node $LOADCAST_NODE"'
x() { printf "%$1s" | tr ' ' x; }
mkdir shared && chmod 1777 shared

# The victim's list of preloads is longer than 4,000 bytes. Its 4,000th falls into a name below a directory that
# all can write to: the attacker has made a file of that beginning.
t 'record: a long LD_PRELOAD is not cut to somebody else'\''s library' '
    need_ptrace
    mkdir lib && echo "int unused;" | ${CC:-cc} -shared -fPIC -xc - -o lib/$(x 190).so && chmod -R a+rX lib
    list= one=$tmp/lib/$(x 190).so
    while [ $((${#list} + ${#one} + 1)) -lt 3900 ]; do list=$list$one:; done
    last=$tmp/shared/$(x 200).so
    cp "$one" "$last"
    n=$((4000 - ${#list}))
    cut=$(printf %s "$last" | cut -c1-$n)
    case $cut in "$tmp/shared/"?*) ;; *) exit 1 ;; esac
    attacker cp evil.so "$cut" && attacker chmod 755 "$cut"
    cd victim
    code 0 victim env LD_PRELOAD="$list$last" "$build/loadcast" record -o "$tmp/victim/out.lcast" --manage "$tmp/app" -- sh -c "echo \${#LD_PRELOAD}; $tmp/app/true"
    [ "$(cat "$tmp/out")" -gt $((${#list} + ${#last})) ]
    unmarked
'
# deep N: a directory of the victim'\''s whose path has N characters
deep() {
    dir=$tmp/victim
    while [ ${#dir} -lt $(($1 - 201)) ]; do dir=$dir/$(x 150); done
    dir=$dir/$(x $(($1 - ${#dir} - 1)))
    victim mkdir -p "$dir" && [ ${#dir} = "$1" ]
}
t 'a directory for images whose path is too long: a reason, and the program runs' '
    for n in 420 600 1200 3000; do
        deep $n
        code 0 victim "$build/loadcast" exec --dir "$dir" "$tmp/app.lcast" -- sh -c "$show"
        [ "$(cat out)" = "node " ]
        says "too long" err
        for wrap in auto never; do
            code 0 victim "$build/loadcast" run --wrap $wrap --dir "$dir" --image "$tmp/app.lcast" -- sh -c "$show"
            [ "$(cat out)" = "node " ]
            says "too long" err
        done
        code 1 victim "$build/loadcast" stage --dir "$dir" "$tmp/app.lcast"
        says "too long" err
        find victim -name "loadcast*" -o -name ".loadcast*" | nothing
    done
'
t 'one that just fits is used by all' '
    deep 399
    code 0 victim "$build/loadcast" exec -q --dir "$dir" "$tmp/app.lcast" -- sh -c "$show"
    says "node $dir/loadcast-$victim_uid/" out
    for wrap in auto never; do
        code 0 victim "$build/loadcast" run --wrap $wrap --dir "$dir" --image "$tmp/app.lcast" -- sh -c "$show"
        says "node $dir/loadcast-$victim_uid/" out
    done
    attacker mkdir -p attacker/x
'
t 'an image whose name is too long' '
    long=$tmp/$(x 200)/$(x 4000)
    for name in "$long" "$long.lcast"; do
        code 0 victim "$build/loadcast" run --image "$name" -- sh -c "$show"
        [ "$(cat out)" = "node " ]
        says "name is too long" err
        code 0 victim env LOADCAST_IMAGE="$name" "$build/loadcast" run -- sh -c "$show"
        [ "$(cat out)" = "node " ]
    done
'
t 'bench and its places' '
    deep 3500
    code 1 victim "$build/loadcast" bench --case dummy --target "$dir" --no-count --width 1 --work "$tmp/victim/w" --db "$tmp/victim/b.db"
    says "too long a path" err
    deep 3960
    code 1 victim "$build/loadcast" bench env --package json "$dir/$(x 90)/$(x 30)"
    says "too long a path" err
    find victim -name "*.part-*" | nothing
'
t 'over MPI, from a directory of 300 characters' '
    command -v mpiexec.openmpi >/dev/null || skip "openmpi-bin is not installed"
    [ -x "$build/stage-mpi.openmpi" ] || skip "no stage-mpi"
    mkdir -m 700 own && dir=$tmp/own && dir=$dir/$(x $((150 - ${#dir}))) && dir=$dir/$(x 148) && mkdir -p "$dir"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    code 0 "$build/loadcast" stage --via mpi --dir "$dir" --wait 60s app.lcast -- mpiexec.openmpi -n 1 --oversubscribe true
    says "$dir/loadcast-0/" out
    find own -name stager | nothing
'
finish
