#!/bin/sh
# Several ranks record one image, without locks.
. "$(dirname "$0")/lib.sh"
loadcast trace -- true >/dev/null 2>&1 || skip_all 'ptrace is not to be had here'

mkdir sw
for i in 0 1 2 3 4 5 6 7; do echo "file $i" >sw/$i; done
find sw -exec touch -d 2020-01-01 {} +
# rank R SIZE WAIT CMD...: as a launcher would start it; its messages in err.R
rank() {
    r=$1 n=$2 w=$3
    shift 3
    PMI_RANK=$r PMI_SIZE=$n loadcast record --wait "$w" -o a.lcast --manage sw -- "$@" >out.$r 2>err.$r
}

t 'four ranks unite into one image' '
    for r in 1 2 3; do rank $r 4 20s cat sw/$r & done
    rank 0 4 20s cat sw/0
    wait
    code 0 loadcast info --files a.lcast
    for r in 0 1 2 3; do says "sw/$r" out; done
    cat err.* | grep -c "written" | grep -qx 1
    [ ! -e a.lcast.parts-job ]
'
t 'a rank that dies costs only its part' '
    rm -f a.lcast
    rank 0 3 2s cat sw/0 &
    rank 2 3 2s cat sw/2
    wait
    code 0 loadcast info --files a.lcast
    says "sw/0" out
    says "sw/2" out
    lacks "sw/1" out
    grep -q "parts of 2 of 3 ranks came" err.*
'
t 'the lowest rank may be the one that dies' '
    rm -f a.lcast
    rank 2 3 1s cat sw/2 &
    rank 1 3 1s cat sw/1
    wait
    code 0 loadcast info --files a.lcast
    says "sw/1" out
    says "sw/2" out
    [ ! -e a.lcast.parts-job ]
'
t 'a failing rank keeps its status, and its part' '
    rm -f a.lcast
    rank 1 2 20s sh -c "cat sw/1; exit 5" &
    rank 0 2 20s cat sw/0
    s=0; wait $! || s=$?
    [ $s = 5 ]
    code 0 loadcast info --files a.lcast
    says "sw/1" out
'
t 'under a real launcher' '
    command -v mpiexec >/dev/null || skip "no mpiexec"
    rm -f a.lcast
    cat >prog <<E
#!/bin/sh
cat $tmp/sw/\${OMPI_COMM_WORLD_RANK:-\$PMI_RANK}
E
    chmod +x prog
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    oversubscribe=
    mpiexec --version 2>&1 | grep -q "Open MPI\|OpenRTE" && oversubscribe=--oversubscribe
    timeout 60 mpiexec $oversubscribe -n 4 loadcast record -o a.lcast --manage sw -- ./prog >log 2>&1 || { cat log; exit 1; }
    code 0 loadcast info --files a.lcast
    for r in 0 1 2 3; do says "sw/$r" out; done
    [ -z "$(ls -d a.lcast.parts-* 2>/dev/null)" ]
'
finish
