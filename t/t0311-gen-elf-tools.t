#!/bin/sh
# What others make of the files gen writes itself: the dynamic linker, unwinders, debuggers, binutils.
. "$(dirname "$0")/lib.sh"
. "$here/gen.sh"

[ "$(uname -m)" = x86_64 ] || skip_all 'runs what it wrote for x86-64'
needs() { command -v "$1" >/dev/null || skip "no $1"; }
only="--modes cloadtest --emit=elf"
loadcast gen 6 30 -e -u 2 25 -n 40 $only --keep-sources --out w >/dev/null
loadcast gen 4 12 -e -u 2 9 -p $only --out p >/dev/null

t 'results: every function called alone, as compiled by gcc' '
    loadcast gen 6 30 -e -u 2 25 -n 40 --modes cloadtest --emit=c --out c
    $python "$here/elf_results.py" c w/sources >a
    $python "$here/elf_results.py" w w/sources >b
    [ "$(wc -l <a)" -gt 150 ]
    same a b
'
t 'look-ups: ld.so finds every symbol by either hash table, and no other' '
    mkdir look && cp w/lib*.so look
    $python "$here/elf_lookups.py" look/lib*[0-9].so look/libmodulebegin.so
'
t 'readelf reads everything, debug information included, without a warning' '
    for f in w/*.so p/*.so; do readelf -W -a -w "$f" 2>&1 >/dev/null | nothing; done
'
t 'eu-elflint finds the files well formed' '
    needs eu-elflint
    for f in w/*.so p/*.so; do eu-elflint -q --gnu-ld "$f"; done
'
t 'stripped files still load and run' '
    cp -r w s && strip s/lib*.so
    readelf -W -S s/libmodule0.so >sections
    lacks .symtab sections
    lacks .debug sections
    s/cloadtest >o && says "passed!" o
    LD_BIND_NOW=1 s/cloadtest >o && says "passed!" o
'
t 'objcopy takes debug information apart, and a linker links against the libraries' '
    objcopy --only-keep-debug w/libmodule0.so apart.debug
    echo "unsigned libmodule0_visit(void); int main(void) { return libmodule0_visit() == 0; }" >m.c
    cc m.c w/libmodule0.so -Wl,-rpath,$tmp/w -Wl,--allow-shlib-undefined -o m && ./m
'
t 'patchelf names what is needed' '
    needs patchelf
    patchelf --print-needed w/libmodule1.so >n
    printf "libutility0.so\nlibutility1.so\nlibc.so.6\n" >want
    same want n
    [ "$(patchelf --print-rpath w/libmodule1.so)" = "\$ORIGIN" ]
'
t 'only code is executable, nothing both writable and executable, relocated data is sealed' '
    readelf -W -l w/libmodule0.so >l
    grep " R E " l | grep -c LOAD | grep -qx 1
    lacks " RWE " l
    says GNU_RELRO l
    LD_BIND_NOW=1 w/cloadtest >o && says "passed!" o
'
t 'gdb: a backtrace with arguments, variables and lines through generated frames' '
    needs gdb
    pad=0123456789012345678901234567890123456789
    cat >g <<EOF
set breakpoint pending on
break libmodule1_fun1$pad
run
backtrace
up
info locals
EOF
    gdb -q -batch -nx -x g w/cloadtest >o 2>&1
    says "#0  libmodule1_fun1$pad (" o
    says "in libmodule1_fun0$pad (" o
    says "in libmodule1_visit () at ./libmodule1.c:" o
    says "in main ()" o
    grep -q "^h = [0-9]" o
    grep -q "^libmodule1_fun1${pad}_got = " o
    grep -q "^s1 = {" o
    line=$(sed -n "s/.*in libmodule1_fun0$pad .*libmodule1.c:\([0-9]*\)\$/\1/p" o | head -1)
    sed -n "${line}p" w/sources/libmodule1.c | grep -q "libmodule1_fun1$pad("
'
t 'gdb: the caller is found from every single instruction' '
    needs gdb
    cat >g <<EOF
set environment LD_BIND_NOW 1
break main
run >/dev/null
break *libutility0_fun0
continue
python
seen = 0
for i in range(4000):
    frame, chain = gdb.newest_frame(), []
    while frame and frame.is_valid() and len(chain) < 60:
        chain.append(frame.name())
        frame = frame.older()
    if "libmodule" not in str(chain) or chain[-1] not in ("main", "_start", "__libc_start_call_main", "__libc_start_main_impl"):
        print("lost at", gdb.newest_frame().pc(), chain)
        break
    seen += 1
    name = gdb.newest_frame().name() or ""
    gdb.execute("stepi" if "fun" in name or "plt" in name or not name else "finish", to_string=True)
print("steps", seen)
end
EOF
    loadcast gen 3 6 -u 1 1 $only --out tiny
    gdb -q -batch -nx -x g tiny/cloadtest >o 2>&1 || :
    tail -5 o
    lacks "lost at" o
    [ "$(sed -n "s/^steps //p" o)" -gt 500 ]
'
t 'a C++ exception passes through generated frames from any depth' '
    needs g++
    cat >throw.cc <<EOF
#include <cstdio>
#include <cstdlib>
extern "C" unsigned libmodule1_visit(void);
static int left;
struct thrown { int depth; };
extern "C" int puts(const char *) { if (--left == 0) throw thrown{7}; return 0; }
int main()
{
    int caught = 0;
    for (int i = 1; i <= 400; i++) {
        left = i;
        try { libmodule1_visit(); } catch (thrown &t) { caught += t.depth; }
    }
    std::printf("caught %d\n", caught);
}
EOF
    g++ throw.cc -rdynamic p/libmodule1.so -Wl,-rpath,$tmp/p -Wl,--allow-shlib-undefined -o throw
    LD_PRELOAD=$tmp/p/libmodule0.so ./throw >o
    says "caught 2800" o
'
t 'perf names the functions' '
    needs perf
    loadcast gen 4 400 -u 1 400 $only --out pf
    perf record -q -e cpu-clock -F 20000 -o perf.data pf/cloadtest >/dev/null 2>err || skip "perf cannot record here"
    perf report -i perf.data --stdio --sort symbol,dso 2>/dev/null >o
    grep -q "lib[mu][a-z]*[0-9]_fun[0-9]" o || { grep -q "_dl_\|do_lookup" o && skip "no sample in the short run"; head -30 o; false; }
'
t 'Python imports the modules and gets their results' '
    $python - <<EOF
import json, os, sys
sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)
sys.path.insert(0, "w")
import libmodulebegin, libmodulefinal
assert libmodulebegin.begin_break_here() == 0 and libmodulefinal.break_here() == 0
for lib in json.load(open("w/manifest.json"))["libraries"]:
    if lib["kind"] == "module":
        m = __import__(lib["name"])
        assert getattr(m, lib["name"] + "_entry")() == lib["checksum"], lib
EOF
'
t 'libraries alone need no compiler' '
    mkdir nobin
    PATH=$tmp/nobin code 0 "$build/loadcast" gen 4 5 -u 1 5 --modes mpi4py --out alone
    [ -e alone/libmodule2.so ] && [ ! -e alone/.loadcast-work ]
'
t 'debug information is counted apart, and does not count for --total-size' '
    code 0 loadcast gen 6 10 -u 2 10 --total-size 2M --debug-info --modes mpi4py --out sized
    says "of debug information" out
    loadcast gen --describe sized --json >j
    json j "1.8e6 < sum(l[\"elf\"][\"bytes\"] - l[\"elf\"][\"sections\"][\"debug\"] for l in j[\"libraries\"]) < 2.2e6"
    json j "sum(l[\"elf\"][\"sections\"][\"debug\"] for l in j[\"libraries\"]) > 5e5"
'
t 'interrupted while it writes: ends by the signal, leaves nothing' '
    $python -c "import os, signal
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(\"loadcast\", \"loadcast gen 600 1250 -e -u 200 1250 -n 100 --modes mpi4py --out cut\".split())" &
    wait_until eval "ls cut/libmodule*.so >/dev/null 2>&1"
    kill -INT $!
    got=0; wait $! || got=$?
    [ $got = 130 ]
    [ ! -e cut ]
'
t 'on a terminal it shows the time left, and Ctrl-C there leaves nothing either' '
    code 130 env TERM=xterm $python "$here/pty_run.py" "building [#" "\x03" \
        loadcast gen 300 900 -e -u 100 900 -n 60 --modes mpi4py --out bar
    says " left" out
    [ ! -e bar ]
'
t 'a machine that is not known, an emitter that does not fit' '
    code 2 loadcast gen 3 3 --arch vax --out x
    code 2 loadcast gen 3 3 --emit=c --arch aarch64 --out x
    says "--with-cc" err
    code 2 loadcast gen 3 3 --emit=pascal --out x
    [ ! -e x ]
'
finish
