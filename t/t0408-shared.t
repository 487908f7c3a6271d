#!/bin/sh
# Recording and checking on a shared file system, where nothing need be said about what is managed.
. "$(dirname "$0")/lib.sh"
[ -x "$build/stormfs" ] || skip_all 'stormfs is not built here'
[ -w /dev/fuse ] || skip_all '/dev/fuse cannot be used'
loadcast trace -- true >/dev/null 2>&1 || skip_all 'ptrace is not to be had here'
command -v cc >/dev/null || skip_all 'no compiler'

mkdir -p src/sw/bin src/sw/lib src/sw/share src/py/pkg src/user m
echo 'int f(void) { return 0; }' >f.c
echo 'int f(void); int main(void) { return f(); }' >p.c
cc -shared -fPIC f.c -o src/sw/lib/libf.so
cc p.c -o src/sw/bin/prog -Lsrc/sw/lib -lf -Wl,-rpath,'$ORIGIN/../lib'
echo 'x = 1' >src/py/pkg/__init__.py
echo data >src/user/data
find src -exec touch -d 2020-01-01 {} +
STORMFS_DIR=$tmp/ctl
export STORMFS_DIR
mkdir -m 700 ctl
at_exit 'stormfs ctl "$tmp/m" stop; umount -l "$tmp/m"'
stop_stormfs() { stormfs ctl "$tmp/m" stop 2>/dev/null || :; }
storm() { stop_stormfs; stormfs "$@" "$tmp/src" "$tmp/m"; }

t 'programs, libraries and their directories by type of file system' '
    storm
    code 0 loadcast record -o a.lcast -- m/sw/bin/prog
    code 0 loadcast info --files --dirs --search a.lcast
    says "$tmp/m/sw/bin/prog" out
    says "$tmp/m/sw/lib/libf.so" out
    grep -qE "complete .*$tmp/m/sw/lib$" out
    says "libf.so => " out
    code 0 loadcast info --files a.lcast
    lacks "libc.so" out
    code 0 loadcast info a.lcast
    says "fuse" out
'
t 'a Python package, but not the data beside it' '
    cd m/user
    PYTHONPATH=$tmp/m/py code 0 loadcast record -o "$tmp/p.lcast" -- "$python" -c "import pkg; open(\"data\").read()"
    cd "$tmp"
    code 0 loadcast info --files p.lcast
    says "m/py/pkg/__init__.py" out
    grep -q "^made .*m/py/pkg/__pycache__" out
    lacks "user/data" out
    lacks " /usr/" out
'
t 'check on a new mount of the same file system finds nothing changed' '
    wait_until is_age 2 p.lcast # nothing in it is fresh any more
    storm --latency-us 200 --service-us 0 --cache-s 1
    code 0 loadcast check --json a.lcast
    says "\"events\": []" out
'
t 'a change behind it is seen' '
    echo "x = 2" >src/py/pkg/__init__.py
    storm
    code 0 loadcast check p.lcast
    grep -q "^changed .*m/py/pkg/__init__.py: " out
    grep -q "^recompiled .*m/py/pkg/__pycache__" out
'
stop_stormfs
finish
