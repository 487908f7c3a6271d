#!/bin/sh
# What gen writes itself against what the compiler and linker make of the same model.
. "$(dirname "$0")/lib.sh"
. "$here/gen.sh"

[ "$(uname -m)" = x86_64 ] || skip_all 'compares with the compiler of x86-64'
# Another distribution's gcc may protect the PLT (Ubuntu's does unless told not to) or bring other start
# files: not what we write.
printf '#!/bin/sh\nexec cc -fcf-protection=none "$@"\n' >plain-cc && chmod +x plain-cc
export CC="$tmp/plain-cc"
echo 'int x;' | "$CC" -shared -fPIC -xc - -o base.so -Wl,-z,lazy && readelf -W -r base.so >base.relocs
[ "$(grep -c R_X86_64 base.relocs)" = 7 ] || skip_all 'start files of another kind'

only="--modes cloadtest"
both() { # NAME OPTIONS...: one workload by each emitter, into NAME.c and NAME.elf
    name=$1
    shift
    loadcast gen "$@" $only --emit=c --out "$name.c" >/dev/null
    loadcast gen "$@" $only --emit=elf --out "$name.elf" >/dev/null
}
agree() {
    both "$@"
    $python "$here/elf_agree.py" "$1.c" "$1.elf"
    "$1.elf/cloadtest" >o && says "test passed!" o
    LD_BIND_NOW=1 "$1.elf/cloadtest" >o && says "test passed!" o
    same "$1.c/manifest.json" "$1.elf/manifest.json"
}
t 'both agree: modules that call each other, and utilities, with long names' '
    agree long 9 40 -e -u 3 30 -n 60
'
t 'both agree: another seed, a deep chain, many search directories' '
    agree deep 6 25 -u 2 30 -d 30 --seed 12345 --search-dirs 3
'
t 'both agree: no utilities, no chains, one function' '
    agree flat 2 6 -d 1 --seed 7
    agree one 2 1 -e --seed 99
'
t 'both agree: functions that print' '
    agree print 3 6 -e -u 1 6 -p --seed 3
    print.c/cloadtest >a
    print.elf/cloadtest >b
    grep _fun a >a.fun && grep _fun b >b.fun && same a.fun b.fun
'
t 'both agree: a library of thousands' '
    agree large 2 2500 -e -u 1 700 --seed 5
'
finish
