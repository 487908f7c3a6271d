#!/bin/sh
# The published configurations at full size. Takes some minutes of two cores and 6 GB of disk.
. "$(dirname "$0")/lib.sh"
. "$here/gen.sh"
needs_mpi
command -v strace >/dev/null || skip_all 'no strace'
free=$(df -Pk "$tmp" | awk 'NR == 2 { print $4 }')
[ "$free" -gt 8000000 ] || skip_all 'needs 8 GB of disk'

within() { # FIGURE TARGET PERCENT
    echo "$1, expected $2 within $3 percent"
    awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN { d = a / b - 1; exit !(d * d <= p * p / 1e4) }'
}
bytes() { cat "$1"/lib*[0-9].so | wc -c; }
t 'archer: ten libraries, nine megabytes in all' '
    code 0 loadcast gen --preset archer --out archer
    [ "$(ls archer/lib*[0-9].so | wc -l)" = 10 ]
    within "$(bytes archer)" 9000000 5
    cd archer && ./pynamic-pyMPI pynamic_driver.py $(date +%s) >o && says "mpi test passed!" o
    rm -rf "$tmp/archer"
'
t 'juropa: 710 libraries, 32 MiB, many look-ups' '
    code 0 loadcast gen --preset juropa --bigexe-size 1M --out juropa
    [ "$(ls juropa/lib*[0-9].so | wc -l)" = 710 ]
    within "$(bytes juropa)" 33554432 5
    mpi 2 juropa/cloadtest-mpi $(date +%s.%N) >o && says "test passed!" o
    strace -qq -e trace=openat -o s juropa/cloadtest >o
    within "$(grep -c /search/ s)" $((710 * 6)) 10
    rm -rf juropa
'
t 'sierra: 495 libraries with 215 utilities in them, 1.1 GiB with debug information, 5,671 open and stat calls per task' '
    code 0 loadcast gen --preset sierra --out sierra
    [ "$(ls sierra/libmodule*[0-9].so | wc -l)" = 280 ] && [ "$(ls sierra/libutility*.so | wc -l)" = 215 ]
    within "$(bytes sierra)" 1181116006 3
    cat >counted <<EOF
#!/bin/sh
exec strace -f -qq -c -U name,calls -e trace=open,openat,stat,lstat,fstat,newfstatat,statx \
    -o $tmp/calls.\$OMPI_COMM_WORLD_RANK "\$@"
EOF
    chmod +x counted
    cd sierra && timeout 900 mpiexec -n 2 --bind-to none ../counted ./pyMPI pynamic_driver.py $(date +%s) >$tmp/o
    says "mpi test passed!" $tmp/o
    for r in 0 1; do
        within "$(awk "/total/ { print \$NF } " $tmp/calls.$r | tr -dc 0-9)" 5671 10
    done
    rm -rf "$tmp/sierra"
'
t 'coral: the sheet, line by line' '
    mkdir coral && cd coral
    code 0 "$build/config_pynamic.py" 900 1250 -e -u 350 1250 -n 150
    [ "$(ls libmodule*[0-9].so | wc -l)" = 550 ] && [ "$(ls libutility*.so | wc -l)" = 350 ]
    text=$(size -A pynamic-bigexe | awk "\$1 == \".text\" { print \$2 }")
    [ "$text" -gt 200000000 ]
    srun() { timeout 1200 mpiexec -n 1 "$@"; }
    srun ./pynamic-pyMPI pynamic_driver.py `date +%s` >o1 && says "mpi test passed!" o1
    srun ./pynamic-bigexe pynamic_driver.py `date +%s` >o2 && says "mpi test passed!" o2
    srun ./pyMPI pynamic_driver.py `date +%s` >o3 && says "mpi test passed!" o3
    srun ./pynamic-sdb-pyMPI pynamic_driver.py `date +%s` >o4 && says "mpi test passed!" o4
    srun $python pynamic_driver_mpi4py.py `date +%s` >o5 && says "mpi test passed!" o5
    timeout 600 ./cloadtest $(date +%s.%N) >o6 && says "test passed!" o6
'
finish
