#!/bin/sh
# Who stages is chosen by what it costs: the image's bytes times the nodes against the starts of a launcher, as earlier
# jobs have measured both. The shared disk of these tests is a stormfs, the launcher a script.
. "$(dirname "$0")/lib.sh"
. "$here/run_app.sh"
. "$here/stormfs.sh"
run_app <<'EOS'
EOS
head -c 9000000 /dev/urandom >sw/big
loadcast record -o src/app.lcast --manage sw --add "$tmp/sw/big" -- sw/app.sh >/dev/null 2>&1 || skip_all 'cannot record here'
# fuse: the type by which a rate is kept
disk=fact.disk-bytes-s-65735546 step=fact.step-s-3
mkdir bin
printf '#!/bin/sh\nexit 1\n' >bin/mpiexec.hydra && chmod +x bin/mpiexec.hydra
PATH=$tmp/bin:$PATH
storm
keep() { mkdir -p -m 700 "$LOADCAST_STORE" && printf '%s\n' "$2" >"$LOADCAST_STORE/$1"; }
nodes() { seq -f 'far%g' "$1" | paste -sd,; }
# choice NODES [OPTION...]: what a dry run says of who stages
choice() {
    hosts=$(nodes "$1")
    shift
    code 0 loadcast run --dry-run "$@" --image m1/app.lcast -- mpiexec.hydra -hosts "$hosts" -n 400 sw/app.sh
    head -n 1 out
}
by_ranks() { choice "$@" | grep -q "^# the first rank on each node stages: " || { head -n 1 out; return 1; }; }
by_step() { choice "$@" | grep -q "^# a step of its own stages: " || { head -n 1 out; return 1; }; }

t 'few nodes: the ranks; many: a step; a dry run prints both estimates' '
    by_ranks 2
    head -n 1 out | grep -qE "that costs less \(9.* MB, 2 nodes: by ranks [0-9.]+ ms, by a step [0-9.]+ ms\)$" || { head -n 1 out; exit 1; }
    by_step 400
    head -n 1 out | grep -qE "that costs less \(9.* MB, 400 nodes: by ranks 3\.[0-9]+ s, by a step [0-9.]+ ms\)$" || { head -n 1 out; exit 1; }
'
t 'what earlier jobs measured decides' '
    keep $step 10
    by_ranks 400
    rm "$LOADCAST_STORE/$step"
    keep $disk 1000000
    by_step 2
    rm "$LOADCAST_STORE/$disk"
'
t 'what cannot have been measured does not' '
    for value in "" ten -1 nan inf 1e300 0; do
        keep $step "$value"
        by_step 400
        keep $disk "$value"
        by_ranks 2
    done
    rm "$LOADCAST_STORE"/fact.*
'
t '--via overrules it' '
    by_ranks 400 --via ranks
    says "stages: --via ranks" out
    by_step 2 --via fs
    says "stages: --via fs" out
'
t 'a job keeps the rate of a slow disk that it has read an image from; a new value counts a quarter' '
    stop_stormfs
    storm --bandwidth 40
    code 0 loadcast run -q --image m1/app.lcast -- sw/app.sh
    says content out
    awk "{ exit !(NF == 1 && \$1 > 1e6 && \$1 < 60e6) }" "$LOADCAST_STORE/$disk" || { cat "$LOADCAST_STORE/$disk"; exit 1; }
    keep $disk 1e12
    stop_stormfs # the kernel has read the image by now
    storm --bandwidth 40
    code 0 loadcast run -q --image m1/app.lcast -- sw/app.sh
    awk "{ exit !(\$1 > 7.4e11 && \$1 < 9e11) }" "$LOADCAST_STORE/$disk" || { cat "$LOADCAST_STORE/$disk"; exit 1; }
    rm "$LOADCAST_STORE/$disk"
'
t 'a job keeps what a step took' '
    command -v mpiexec.openmpi >/dev/null || skip "openmpi-bin is not installed"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    code 0 loadcast run -q --stats --via fs --image m1/app.lcast -- mpiexec.openmpi -n 1 sw/app.sh
    says content out
    awk "{ exit !(NF == 1 && \$1 > 0) }" "$LOADCAST_STORE/fact.step-s-2" || { ls "$LOADCAST_STORE"; exit 1; }
'
t 'a store that cannot be used: what is assumed at first counts' '
    chmod 755 "$LOADCAST_STORE"
    by_step 400
    by_ranks 2
    chmod 700 "$LOADCAST_STORE"
'
stop_stormfs
finish
