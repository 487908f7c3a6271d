#!/bin/sh
# A pilot where ptrace is forbidden: the program tells of itself, through ld.so's and libc's seams.
. "$(dirname "$0")/lib.sh"
. "$here/zero.sh"
: "${PROGRAMS:=$build/t}"
"$PROGRAMS/no-ptrace" true || skip_all 'no seccomp filters here'
command -v "$python" >/dev/null || skip_all 'no python'
mkdir -p sw/bin sw/lib sw/share py/pkg work own
export TMPDIR="$tmp/own"
inside() { "$PROGRAMS/no-ptrace" loadcast record "$@"; }

cat >sw/bin/tool <<'E'
#!/bin/sh
cat "$(dirname "$0")"/../share/data
test -e "$(dirname "$0")"/../lib/none || :
E
chmod +x sw/bin/tool
echo data >sw/share/data
printf 'odd' >"sw/share/odd	\\ é
name"
echo 'x = 1' >py/pkg/__init__.py
find sw py -exec touch -h -d 2020-01-01 {} +

t 'it says that ptrace is forbidden, how it records, and what that misses' '
    code 0 inside -o a.lcast --manage sw -- sw/bin/tool
    [ "$(cat out)" = data ]
    says "ptrace is forbidden here" err
    says "recording through the client" err
    says "static and set-user-ID programs" err
    says "without libc" err
'
t 'script, interpreter, what they read, and what was not there' '
    code 0 loadcast info --files --absent a.lcast
    says "$tmp/sw/bin/tool" out
    says "$tmp/sw/share/data" out
    says "ENOENT  $tmp/sw/lib/none" out
'
t 'calls and programs are counted as by ptrace, also those that are repeated' '
    printf "#!/bin/sh\nn=300; while [ \$n -gt 0 ]; do [ -e $tmp/sw/share/data ] && [ ! -e $tmp/sw/none ]; n=\$((n - 1)); done; cat $tmp/sw/share/data\n" >often
    chmod +x often
    counted() { loadcast info --json "$1" | "$python" -c "import json, sys
p = json.load(sys.stdin)
p = p.get(\"provenance\", p)
print(p[\"operations_asked\"], p[\"programs_run\"])"; }
    code 0 inside -o a.lcast --manage sw -- ./often
    counted a.lcast >counted
    rm a.lcast
    read -r asked programs <counted
    # 300 times two, and a little; the programs: sh and cat.
    [ "$asked" -ge 450 ] && [ "$asked" -le 650 ] && [ "$programs" = 2 ] || { cat counted; exit 1; }
'
t 'a library that is opened by a second name of its file is packed under both' '
    command -v cc >/dev/null || skip "no compiler"
    echo "int f;" | cc -shared -fPIC -x c - -o sw/lib/libf.so
    ln sw/lib/libf.so sw/lib/hard.so
    code 0 inside -o twice.lcast --manage sw -- "$python" -c "
import ctypes
for name in \"libf\", \"hard\": ctypes.CDLL(\"$tmp/sw/lib/%s.so\" % name)"
    code 0 loadcast info --files twice.lcast
    for name in libf hard; do grep -q "^file .*/sw/lib/$name.so" out; done
    rm sw/lib/libf.so sw/lib/hard.so
'
t 'names that need escapes; relative paths; another working directory' '
    code 0 inside -o odd.lcast --manage sw -- "$python" -c "
import os
os.chdir(\"work\")
for n in os.listdir(\"../sw/share\"): open(os.path.join(\"../sw/share\", n)).read()
fd = os.open(\"../sw\", os.O_RDONLY); os.stat(\"share/data\", dir_fd=fd); os.open(\"bin/tool\", os.O_RDONLY, dir_fd=fd)"
    code 0 loadcast unpack odd.lcast unpacked
    [ "$(find unpacked -name "odd*" -type f -printf x)" = x ]
    [ "$(find unpacked -name "odd*" -exec cat {} +)" = odd ]
    [ -f "unpacked$tmp/sw/bin/tool" ]
'
t 'globs with escapes, classes and braces find what they find without a pilot' '
    (mkdir -p globs/dir && cd globs && touch plain "st*r" "qu?st" ".hidden" "back\\slash" "[br]" dir/x)
    cat >globs.py <<-"END"
	import ctypes; open("sw/share/data").close()
	libc = ctypes.CDLL(None)
	class Found(ctypes.Structure):
	    _fields_ = [("n", ctypes.c_size_t), ("path", ctypes.POINTER(ctypes.c_char_p)), ("offs", ctypes.c_size_t), ("rest", ctypes.c_char * 256)]
	for pattern in b"*", b".*", b"st\\*r", b"qu\\?st", b"back\\\\slash", b"\\[br\\]", b"[a-p]*", b"{plain,dir}/*", b"no\\ne", b"d\\ir/*", b"\\":
	    for flags in 0, 1 << 6, 1 << 10, 1 << 4, 1 << 1:
	        found = Found()
	        code = libc.glob(b"globs/" + pattern, flags, None, ctypes.byref(found))
	        print(pattern, flags, code, [found.path[i] for i in range(found.n)])
	END
    "$python" globs.py >plain
    grep -q "st.r" plain
    code 0 inside -o globs.lcast --manage sw -- "$python" globs.py
    same plain out
'
t 'children by fork, exec, posix_spawn, system; threads that open while others fork' '
    for n in 1 2 3 4 5 6; do echo $n >sw/share/f$n; done
    find sw -exec touch -h -d 2020-01-01 {} +
    code 0 inside -o kids.lcast --manage sw -- "$python" -c "
import os, subprocess, threading
d = \"$tmp/sw/share/f\"
if os.fork() == 0: open(d + \"1\").read(); os._exit(0)
os.wait()
subprocess.run([\"cat\", d + \"2\"])
os.waitpid(os.posix_spawnp(\"cat\", [\"cat\", d + \"3\"], os.environ), 0)
os.system(\"cat \" + d + \"4\")
subprocess.run([\"env\", \"-i\", \"cat\", d + \"6\"])
def opens():
    for _ in range(200): open(d + \"5\").close()
ts = [threading.Thread(target=opens) for _ in range(12)]
[t.start() for t in ts]
for _ in range(5): subprocess.run([\"true\"])
[t.join() for t in ts]"
    code 0 loadcast info --files kids.lcast
    for n in 1 2 3 4 5; do says "$tmp/sw/share/f$n" out; done
    lacks "$tmp/sw/share/f6" out    # an environment of its own: not seen, as was said
'
t 'what is written is left out, and so are its directories from being complete' '
    mkdir -p rw/bin rw/data; cp "$(command -v sh)" rw/bin/sh; find rw -exec touch -h -d 2020-01-01 {} +
    code 0 inside -o w.lcast --manage rw -- rw/bin/sh -c "echo x >rw/data/made; cat rw/data/made; mv rw/data/made rw/data/moved; rm rw/data/moved; mkdir rw/data/dir"
    code 0 loadcast info --files --dirs --absent w.lcast
    lacks "rw/data/made" out
    lacks "rw/data/moved" out
    grep "complete.*rw/data" out | nothing
'
t 'the exit status is the program'\''s own, also by a signal' '
    code 7 inside -o s.lcast --manage sw -- sh -c "cat sw/share/data; exit 7"
    says "ended with status 7" err
    code 127 inside -o s2.lcast -- nonesuch
    code 126 inside -o s2.lcast -- "$tmp/sw/share/data"
    got=0; inside -o s3.lcast --manage sw -- sh -c "cat sw/share/data; kill -TERM \$\$" >out 2>err || got=$?
    [ "$got" = 143 ]
    says "ended by signal 15" err
'
t '--for: the image is written, the program goes on' '
    code 0 inside -o for.lcast --manage sw --for 0.5s -- sh -c "cat sw/share/data; . $here/wait.sh; wait_until test -e for.lcast; cat sw/share/f1"
    says "goes on by itself" err
    [ "$(cat out)" = "data
1" ]
    code 0 loadcast info --files for.lcast
    lacks "share/f1" out
'
t 'a static program is recorded itself, and what it misses is said' '
    command -v gcc >/dev/null || skip "no compiler"
    echo "int main(void) { return 0; }" >s.c
    gcc -static -o sw/bin/static s.c 2>/dev/null || skip "no static libc"
    touch -d 2020-01-01 sw/bin/static sw/bin
    code 125 inside -o none.lcast --manage sw -- sw/bin/static
    says "told nothing of itself" err
    code 0 inside -o static.lcast --manage sw -- "$python" -c "import subprocess; subprocess.run([\"$tmp/sw/bin/static\"])"
    code 0 loadcast info --files static.lcast
    says "sw/bin/static" out
'
t 'the user'\''s own LD_PRELOAD and LD_AUDIT are kept' '
    code 0 env LD_PRELOAD=libm.so.6 "$PROGRAMS/no-ptrace" loadcast record -o l.lcast --manage sw -- sh -c "cat sw/share/data; grep -c libm[.-] /proc/self/maps"
    [ "$(tail -1 out)" -gt 0 ]
'
t 'unprivileged' '
    [ "$(id -u)" = 0 ] || skip "not root: every other test shows it"
    command -v setpriv >/dev/null || skip "no setpriv"
    mkdir -p nobody whole/bin whole/libexec/loadcast
    cp "$build/loadcast" "$PROGRAMS/no-ptrace" whole/bin/
    cp "$build/loadcast-full" whole/libexec/loadcast/
    cp "$build"/src/client/*/loadcast-*.so whole/libexec/loadcast/
    chmod 777 nobody own; chmod 755 "$tmp"; chmod -R a+rX whole
    code 0 env HOME="$tmp/nobody" setpriv --reuid 65534 --regid 65534 --clear-groups \
        whole/bin/no-ptrace whole/bin/loadcast record -o nobody/n.lcast --manage sw -- sw/bin/tool
    says "recording through the client" err
    code 0 loadcast info --files nobody/n.lcast
    says "$tmp/sw/share/data" out
'
# What libc opens for itself (locales, time zones) passes by every wrapper, in the pilot as later.
t 'the same image as by ptrace, but for files that libc opens for itself' '
    loadcast trace -- true >/dev/null 2>&1 || skip "ptrace is not to be had here"
    program="import sys
try: import numpy
except ImportError: import json, sqlite3"
    code 0 inside -o in.lcast --manage /usr -- "$python" -c "$program"
    code 0 loadcast record -o by.lcast --no-bindings --manage /usr -- "$python" -c "$program"
    loadcast info --diff in.lcast by.lcast >differ || :
    grep -v -e /locale -e /gconv -e "content .*/ld-" -e zoneinfo -e localtime -e "/usr/share$" differ | nothing
    a=$(loadcast info --search in.lcast | grep -c " -> " || :) b=$(loadcast info --search by.lcast | grep -c " -> " || :)
    [ "$a" = "$b" ]
'
t 'symbol bindings are recorded, and are those that ld.so finds' '
    mkdir -p bound && cp -L "$python" bound/python && mkdir -m 700 memory
    code 0 inside -o bound.lcast --manage bound -- bound/python -c pass
    code 0 loadcast info --bindings bound.lcast
    lacks loadcast-pilot.so out
    code 0 loadcast exec --dir memory --no-check --verify-bindings bound.lcast -- bound/python -c pass
    grep "bindings looked up again: 0 different" err
    grep "bindings   [1-9].* 0 groups refused" err
    code 0 loadcast clean --all --dir memory
'
t 'nothing is left behind' '
    find own -mindepth 1 | nothing
'
unset TMPDIR
# The promise, from such an image: judged by the disk's own counters.
prepare_disk() {
    command -v stormfs >/dev/null 2>&1 && "$here/python_tree" "$tmp/tree" || return 1
    for program in bash ls; do cp -L "$(command -v $program)" tree/bin/ || return 1; done
    cp "$PROGRAMS/trees" tree/bin/
    mkdir -p tree/forest/a/b/c tree/forest/empty
    for i in 1 2 3; do echo $i >tree/forest/a/$i; echo $i >tree/forest/a/b/c/$i; done
    ln -s a/b tree/forest/to-b
    ln -s nowhere tree/forest/dangling
    ln -s .. tree/forest/a/up
    zero_disk "$tmp/tree"
}
if (skip_all() { exit 1; }; prepare_disk) >/dev/null 2>&1; then
    zero_names "$tmp/tree"
    record_under=$PROGRAMS/no-ptrace
    t 'zero operations: import numpy' '
        test -d tree/lib/python3/dist-packages/numpy || skip "no numpy"
        zero "$m/bin/python3" -c "import numpy; print(numpy.arange(10).sum(), numpy.__file__)"
        says "recording through the client" record.err
    '
    t 'zero operations: python that starts python; bash with its children' '
        zero "$m/bin/python3" -c "import subprocess, sys; print(subprocess.check_output([sys.executable, \"-c\", \"print(1)\"]))"
        zero "$m/bin/bash" -c "echo hello; $m/bin/ls -d $m/bin; type ls >/dev/null"
    '
    t 'zero operations: trees walked inside the C library' '
        record_options="--manage $m"
        zero "$m/bin/trees" "$m/forest"
        says "nftw down: 0, 14 names" served
    '
fi
finish
