#!/bin/sh
# What programs do with files they read works, and what they read is what is there.
. "$(dirname "$0")/lib.sh"
. "$here/stormfs.sh"
head -c 3000000 /dev/urandom >src/data
printf 'x' >src/one
: >src/empty
mkdir src/dir
echo inner >src/dir/inner

compare() { diff -r --no-dereference "$1" "$2"; }

storm --cache-s 5
for seed in 1 2 3; do
    t "random reads of every kind are the same as on the disk (seed $seed)" '
        fs-read-check m1/data src/data 400 $seed
        fs-read-check m1/one src/one 50 $seed
        fs-read-check m1/empty src/empty 50 $seed
    '
done
t 'the same without caches, and through a narrow data path' '
    storm --cache-s 0
    fs-read-check m1/data src/data 300 4
    storm --bandwidth 500 --latency-us 50
    fs-read-check m1/data src/data 200 5
'
t 'a program on the mount runs' '
    cp /bin/true src/true
    cp "$(command -v fs-read-check)" src/
    printf "#!/bin/sh\necho script \$0\n" >src/script && chmod +x src/script
    storm
    m1/true
    is "$(m1/script)" "script m1/script"
    m1/fs-read-check m1/data src/data 20 1
'
t 'a shared library on the mount is loaded and called' '
    command -v cc >/dev/null || skip "no compiler"
    echo "int answer(void) { return 42; }" | cc -shared -fPIC -x c - -o src/libanswer.so
    is "$($python -c "import ctypes; print(ctypes.CDLL(\"$tmp/m1/libanswer.so\").answer())")" 42
'
t 'an executable mapping can be made' '
    $python -c "
import mmap
f = open(\"m1/data\", \"rb\")
m = mmap.mmap(f.fileno(), 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC, flags=mmap.MAP_PRIVATE)
assert m[:4096] == open(\"src/data\", \"rb\").read(4096)"
'
t 'a shared mapping of one file is one memory for all processes' '
    $python -c "
import mmap
f, g = open(\"m1/data\", \"rb\"), open(\"m1/data\", \"rb\")
a = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)
b = mmap.mmap(g.fileno(), 0, prot=mmap.PROT_READ)
assert a[:] == b[:] == open(\"src/data\", \"rb\").read()"
'
t 'symbolic links: relative, absolute, dangling, chains, loops' '
    ln -s dir/inner src/rel
    ln -s "$tmp/src/one" src/abs
    ln -s nowhere src/dangling
    ln -s rel src/chain
    ln -s loop src/loop
    for l in rel abs dangling chain loop; do is "$(readlink m1/$l)" "$(readlink src/$l)"; done
    is "$(cat m1/chain)" inner
    is "$(cat m1/abs)" x
    if cat m1/dangling 2>/dev/null || cat m1/loop 2>/dev/null; then false; fi
'
t 'hard links are one file' '
    ln src/one src/dir/other
    wait_until eval "[ \$(stat -c %h m1/one) = 2 ]" # not before the attributes have to be asked for again
    is "$(stat -c "%i %h" m1/one)" "$(stat -c "%i %h" m1/dir/other)"
    rm src/one
    wait_until test ! -e m1/one
    is "$(cat m1/dir/other)" x
    ln src/dir/other src/one
'
t 'odd names' '
    mkdir src/odd
    for n in " " "a b" "tab	bed" "new
line" "*" "-rf" "back\\slash" "quote\"s" "grün" ".hidden" "$(printf "\377\376")" "$(printf "%0255d" 1)"; do
        echo "$n" >"src/odd/$n"
        echo "$n" | cmp - "m1/odd/$n"
    done
    is "$(ls -a m1/odd | cksum)" "$(ls -a src/odd | cksum)"
    compare src/odd m1/odd
'
t 'a file above 4 GiB' '
    truncate -s 6G src/big
    printf end | dd of=src/big bs=1 seek=5368709120 conv=notrunc 2>/dev/null
    is "$(stat -c %s m1/big)" 6442450944
    is "$(dd if=m1/big bs=1 skip=5368709120 count=3 2>/dev/null)" end
    $python -c "
import os
a, b = (os.open(d + \"/big\", os.O_RDONLY) for d in (\"m1\", \"src\"))
for at in (4 << 30, (4 << 30) - 5, 5 << 30, (6 << 30) - 4, 6 << 30):
    assert os.pread(a, 100, at) == os.pread(b, 100, at)
assert os.lseek(a, 0, os.SEEK_DATA) == os.lseek(b, 0, os.SEEK_DATA)"
'
t 'a large directory is listed whole, with attributes' '
    mkdir src/many
    (cd src/many && seq -f "file-%g" 5000 | xargs touch)
    is "$(ls m1/many | wc -l)" 5000
    ls -lU --time-style=+%s m1/many | sort >listed
    ls -lU --time-style=+%s src/many | sort >there
    same listed there
    [ "$(count READDIRPLUS)" -gt 0 ]
'
t 'attributes are those of the source' '
    chmod 4711 src/true
    storm
    for f in data one empty dir true rel; do
        is "$(stat -c "%n %s %f %u %g %h %Y %X %i %b" m1/$f | cut -c4-)" "$(stat -c "%n %s %f %u %g %h %Y %X %i %b" src/$f | cut -c5-)"
    done
'
t 'statfs is that of the source' '
    is "$(stat -f -c "%S %b %l" m1)" "$(stat -f -c "%S %b %l" src)"
'
t 'extended attributes' '
    $python -c "
import os
try: os.setxattr(\"src/data\", \"user.note\", b\"text\")
except OSError: raise SystemExit(3)" || skip "the disk has none"
    $python -c "
import os
assert os.getxattr(\"m1/data\", \"user.note\") == b\"text\"
assert \"user.note\" in os.listxattr(\"m1/data\")
try: os.getxattr(\"m1/data\", \"user.absent\")
except OSError as e: assert e.errno == 61"
'
t 'a mount is read only unless it is asked for' '
    if echo x 2>/dev/null >m1/new || rm m1/one || mkdir m1/d || chmod 777 m1/one; then false; fi
    [ -e src/one ] && [ ! -e src/new ]
'
t 'what changes in the source is seen after the caches run out' '
    storm --cache-s 0
    echo old >src/changing
    is "$(cat m1/changing)" old
    echo newer >src/changing
    is "$(cat m1/changing)" newer
    echo replaced >src/tmp && mv src/tmp src/changing
    is "$(cat m1/changing)" replaced
    mv src/dir src/moved
    is "$(cat m1/moved/inner)" inner
    [ ! -e m1/dir ]
    rm src/changing && mkdir src/changing
    is "$(stat -c %F m1/changing)" directory
    mv src/moved src/dir
'
t 'a file that is open keeps its content when it is removed or replaced' '
    echo before >src/f
    exec 3<m1/f
    echo after >src/g && mv src/g src/f
    is "$(cat <&3)" before
    is "$(cat m1/f)" after
    exec 3<m1/f
    rm src/f
    is "$($python -c "import os; print(os.fstat(3).st_nlink)" )" 0
    is "$(cat <&3)" after
'
t 'locks on a read-only mount are kept by the client' '
    flock m1/one -c "flock -n m1/one true && exit 1; exit 0"
'
t 'no descriptor is left open for files nobody has open' '
    storm
    find m1 >/dev/null
    cat m1/many/* m1/data >/dev/null
    wait_until descriptors_below 40
'
t 'a process tree with its own interpreter: Python from the mount' '
    [ -d /usr/lib/python3 ] || skip "no Python in /usr/lib"
    stormfs /usr m2
    PYTHONHOME=$tmp/m2 "m2/bin/${python##*/}" -c "
import json, os
assert json.__file__.startswith(\"$tmp/m2/\"), json.__file__"
    stormfs ctl m2 stop
'
stop_stormfs
finish
