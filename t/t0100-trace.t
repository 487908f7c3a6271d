#!/bin/sh
# What 'loadcast trace' prints, writes and answers with.
. "$(dirname "$0")/lib.sh"
need_ptrace
json() { "$python" -c "import json,sys; j=json.load(open(sys.argv[1])); print($1)" "$2"; }

t 'the status of the program becomes ours' '
    code 0 loadcast trace -- true
    code 7 loadcast trace -- sh -c "exit 7"
'
t 'the signal that ends the program ends us' '
    code 143 sh -c "loadcast trace -- sh -c \"kill -TERM \\\$\\\$\"; exit \$?"
    code 139 sh -c "loadcast trace -- \"$PROGRAMS/families\" segv; exit \$?"
'
t 'a table: kinds, mounts, files, and the ranks that were asked for' '
    code 0 loadcast trace --ranks 1,24000 --server-rate 500 -- cat /etc/passwd
    says "metadata in all" out
    says "different files opened" out
    says "at 1 rank this is" out
    says "at 24,000 ranks this is" out
    test "$(grep -c "a server, answering 500 per second, needs" out)" = 2
'
t 'the extrapolation names machine and rate in each line' '
    code 0 loadcast trace --ranks 1,6144 --machine juropa -- cat /etc/passwd
    test "$(grep -c "juropa, answering 103,500 per second, needs" out)" = 2
    code 0 loadcast trace --ranks 6144 -- cat /etc/passwd
    says "sierra-lustre, answering 114,000 per second, needs" out
    code 0 loadcast trace --ranks 8192,8200,26305 --machine juropa --json f.json -- cat /etc/passwd
    test "$(grep "this is" out | sed "s/.* needs [^;]*//")" = "
; far beyond the widths that its numbers were fitted to
; it has fewer nodes; far beyond the widths that its numbers were fitted to"
    test "$(json "[(e[\"beyond_machine\"], e[\"beyond_fit\"]) for e in j[\"extrapolation\"]]" f.json)" = "[(False, False), (False, True), (True, True)]"
    code 125 loadcast trace --machine jurop -- cat /etc/passwd
    says "did you mean" err
'
t 'the extrapolation is what predict computes from the same trace' '
    code 0 loadcast trace --json f.json --ranks 24,6144 --machine juropa -- cat /etc/passwd
    code 0 loadcast predict --machine juropa --trace f.json --ranks 24,6144 --json p.json
    test "$(json "[e[\"seconds\"] for e in j[\"extrapolation\"]]" f.json)" = "$(json "[w[\"with\"][\"plain\"][\"worst_s\"] for w in j[\"widths\"]]" p.json)"
'
t 'with a rate alone it is the sum times the ranks over the rate, and the program once' '
    code 0 loadcast trace --json f.json --ranks 3 --server-rate 100 -- cat /etc/passwd
    test "$(json "j[\"extrapolation\"][0][\"operations\"] == 3 * (sum(j[\"totals\"][\"metadata\"].values()) - sum(j[\"totals\"][\"on_descriptor\"].values()))" f.json)" = True
    test "$(json "0 <= j[\"extrapolation\"][0][\"seconds\"] - j[\"extrapolation\"][0][\"operations\"] / 100 <= j[\"outcome\"][\"wall_s\"]" f.json)" = True
'
t 'the program keeps its own output; -o takes the table elsewhere' '
    code 0 loadcast trace -o table -- echo hello
    test "$(cat out)" = hello
    says "operations" table
'
t '--json - leaves standard output to the JSON alone' '
    code 0 loadcast trace --json - -- echo hello
    test "$(json "j[\"format\"]" out)" = loadcast-trace
    says hello err
'
t 'JSON carries figures and provenance' '
    code 0 loadcast trace --json f.json -- "$python" -c pass
    test "$(json "j[\"totals\"][\"kinds\"][\"exec\"][\"ok\"]" f.json)" = 1
    test "$(json "sorted(j[\"provenance\"])" f.json)" = "['\''command'\'', '\''host'\'', '\''kernel'\'', '\''machine'\'', '\''program'\'', '\''time'\'', '\''version'\'']"
    test "$(json "j[\"outcome\"][\"exit_status\"]" f.json)" = 0
'
t 'the log has thread, call, result and path of each call, in order' '
    code 0 loadcast trace --log log -- head -c 9 /etc/passwd
    test "$(grep -c "^#" log)" = 3
    head -1 log | grep -qx "# loadcast trace log 1"
    grep -Pq "^\d+\topenat\t\d+\t/etc/passwd$" log
    grep -Pq "^\d+\tread\t\d+\t/etc/passwd\tbytes=\d+$" log
    test "$(grep -v "^#" log | head -1 | cut -f 2)" = execve
'
t 'odd names stay on one line of the log' '
    mkdir odd; n=$(printf "odd/a\tb\nc\\\\d\377")
    : >"$n"
    code 0 loadcast trace --log log -- cat "$n"
    says "odd/a\\tb\\nc\\\\d\\xff" log
'
t 'bytes: read and mapped are counted apart' '
    head -c 100000 /dev/zero >data
    code 0 loadcast trace --json f.json --under data -- cat data
    test "$(json "j[\"totals\"][\"bytes_read\"]" f.json)" = 100000
'
t '--under counts one tree only, also by a link to it' '
    mkdir -p tree/sub; : >tree/sub/x; ln -s tree link
    code 0 loadcast trace --json f.json --under tree -- sh -c "cat tree/sub/x link/sub/x /etc/passwd; test -e link/sub/none || :"
    test "$(json "j[\"totals\"][\"kinds\"][\"open\"][\"ok\"]" f.json)" = 2
    test "$(json "j[\"totals\"][\"kinds\"][\"stat\"][\"failed\"]" f.json)" = 1
    test "$(json "j[\"totals\"][\"files\"]" f.json)" = 1
'
t 'relative paths, chdir and descriptors lead to absolute paths' '
    mkdir -p a/b; : >a/b/f
    code 0 loadcast trace --log log -- "$python" -c "
import os
os.chdir(\"a\"); open(\"b/f\"); os.chdir(\"b\"); os.stat(\"../b/f\")
d = os.open(\"..\", os.O_RDONLY); os.stat(\"b/f\", dir_fd=d)"
    test "$(grep -c "	$tmp/a/b/f	" log)" -ge 3
'
t 'failed look-ups name LD_LIBRARY_PATH, RUNPATH and RPATH entries' '
    command -v gcc >/dev/null || skip "no gcc"
    mkdir -p l1 l2 l3 real
    echo "int f(void) { return 0; }" | gcc -shared -fPIC -o real/libf.so -x c -
    echo "int f(void); int main(void) { return f(); }" >m.c
    gcc -o m1 m.c -Lreal -lf -Wl,--enable-new-dtags,-rpath,"\$ORIGIN/l2:\$ORIGIN/real"
    gcc -o m2 m.c -Lreal -lf -Wl,--disable-new-dtags,-rpath,"$tmp/l3:$tmp/real"
    LD_LIBRARY_PATH=$tmp/l1 code 0 loadcast trace -- ./m1
    grep -q "$tmp/l1 .*LD_LIBRARY_PATH entry 1" out
    grep -q "$tmp/l2 .*RUNPATH of $tmp/m1" out
    code 0 loadcast trace -- ./m2
    grep -q "$tmp/l3 .*RPATH of $tmp/m2" out
'
t 'failed look-ups name sys.path, PYTHONPATH and PATH entries' '
    mkdir -p pp/pack; : >pp/pack/__init__.py
    PYTHONPATH=$tmp/pp:$tmp/none code 0 loadcast trace --json f.json -- "$python" -S -B -c "import pack"
    says "PYTHONPATH entry 2, which does not exist" f.json
    grep -q "sys.path entry (PYTHONPATH 1) $tmp/pp, package pack" f.json
    mkdir bin1
    PATH=$tmp/bin1:$PATH code 0 loadcast trace -- sh -c "cat /dev/null; :"
    grep -q "$tmp/bin1 .*PATH entry 1" out
'
t 'what lies on kernel file systems is shown, but not counted' '
    code 0 loadcast trace --json f.json -o table -- cat /proc/self/stat
    test "$(json "[m[\"kinds\"][\"open\"][\"ok\"] for m in j[\"mounts\"] if m[\"point\"] == \"/proc\"]" f.json)" = "[1]"
    lacks "  /proc/self" table
'
t 'in a chroot, where no mount is listed for the root, calls are counted' '
    test "$(id -u)" = 0 || skip "chroot needs root"
    unshare -m true || skip "no mount namespaces"
    mkdir -p jail/proc jail/bin; cp "$build/loadcast" "$build/loadcast-full" jail/
    for f in /bin/cat "$build/loadcast-full"; do
        for lib in $(ldd $f | grep -o "/[^ ]*"); do mkdir -p "jail$(dirname $lib)"; cp -n "$lib" "jail$lib"; done
    done
    cp /bin/cat jail/bin/; : >jail/file
    code 0 unshare -m sh -c "mount -t proc proc jail/proc && chroot jail /loadcast trace -- /bin/cat /file"
    says "not in the mount table" out
    lacks "this is 0 operations" out
'
t 'everything works without privilege' '
    test "$(id -u)" = 0 || skip "not root: the other tests show it"
    chmod 755 "$tmp"
    code 0 setpriv --reuid 65534 --regid 65534 --clear-groups "$build/loadcast" trace -- cat /etc/passwd
    says "at 24,000 ranks" out
'
t 'bad input: one line, status 125' '
    code 125 loadcast trace --rnaks 3 -- true
    says "did you mean '\''--ranks'\''?" err
    code 125 loadcast trace --ranks 0 -- true
    says "from 1 to" err
    code 125 loadcast trace --ranks 1,x -- true
    code 125 loadcast trace --server-rate -5 -- true
    code 125 loadcast trace --for 0 -- true
    code 125 loadcast trace
    says "no command given" err
    code 125 loadcast trace --log /absent/log -- true
    says "cannot write the log to '\''/absent/log'\'': No such file or directory" err
    code 125 loadcast trace --json /absent/x.json -- true
    code 125 loadcast trace --under /absent -- true
    test "$(wc -l <err)" = 1
'
t 'bad input: a missing program gives 127, one without run bit 126' '
    code 127 loadcast trace -- no-such-program
    says "no such program in PATH" err
    code 127 loadcast trace -- /absent/program
    : >plain
    code 126 loadcast trace -- ./plain
    says "chmod +x" err
    chmod +x plain
    code 126 loadcast trace -- ./plain
    says "#! line" err
    code 126 loadcast trace -- /tmp
    test "$(wc -l <err)" = 1
'
t 'ptrace forbidden: says so and what to ask for' '
    command -v strace >/dev/null || skip "no strace to forbid it"
    code 125 no_leak_check strace -f -o /dev/null loadcast trace -- true
    says "ptrace is forbidden here" err
    says "SYS_PTRACE" err
'
t 'bad input: a failed start leaves existing files alone' '
    echo precious >keep
    code 127 loadcast trace --log keep -- no-such-program
    code 127 loadcast trace -o keep -- no-such-program
    test "$(cat keep)" = precious
'
t 'bad input: outputs that cannot be' '
    mkdir d
    code 125 loadcast trace --json d -- true
    code 125 loadcast trace --log - -- true
    code 125 loadcast trace --log same -o same -- true
    code 0 loadcast trace -o table --json /dev/null -- true
'
t 'a program that is being written is 126' '
    cp /bin/true busy; exec 7>>busy
    code 126 loadcast trace -- ./busy
    exec 7>&-
'
t 'a pipe among the opened objects does not hold the report' '
    mkdir -p d/sub; mkfifo d/p.so
    code 0 timeout 60 loadcast trace -o table -- "$python" -c "
import os
os.open(\"d/p.so\", os.O_RDWR)
for i in range(30):
    try: os.stat(\"d/sub/liba%d.so\" % i)
    except OSError: pass"
'
t 'names cannot command a terminal' '
    code 0 loadcast trace -- cat "$(printf "/absent\033[31m/x")" || :
    loadcast trace -- ls "$(printf "/absent\033[31m/x")" >table 2>/dev/null || :
    lacks "$(printf "\033")" table
'
t 'a script counts where it lies, its look-ups too' '
    test "$(id -u)" = 0 || skip "mounting needs root"
    unshare -m true || skip "no mount namespaces"
    cat >inner <<"END"
mkdir -p m && mount -t tmpfs t m && printf "#!/bin/sh\ntest -e %s/m/none\n" "$PWD" >m/dash && chmod +x m/dash
loadcast trace --json f.json -o table -- m/dash
mkdir -p n && loadcast trace --json g.json -o table -- sh -c "test -e n/x; mount -t tmpfs t n; test -e n/x; test -e n/x; umount n; test -e n/x"
END
    unshare -m sh ./inner || :
    test "$(json "[m[\"kinds\"][\"exec\"][\"ok\"] for m in j[\"mounts\"] if m[\"point\"].endswith(\"/m\")]" f.json)" = "[1]"
    test "$(json "[m[\"kinds\"][\"stat\"][\"failed\"] for m in j[\"mounts\"] if m[\"point\"].endswith(\"/m\")]" f.json)" = "[1]"
    test "$(json "[m[\"kinds\"][\"stat\"][\"failed\"] for m in j[\"mounts\"] if m[\"point\"].endswith(\"/n\")]" g.json)" = "[2]"
'
t 'a full disk under the log is said, and the program still runs' '
    test -c /dev/full || skip "no /dev/full"
    code 3 loadcast trace --log /dev/full -- sh -c "exit 3"
    says "is incomplete: No space left on device" err
'
t 'no descriptor of ours reaches the program' '
    code 0 ls /proc/self/fd
    cp out plain
    code 0 loadcast trace -o table --log log -- ls /proc/self/fd
    same plain out
'
t 'the manual page exists and lists every option' '
    command -v man >/dev/null || skip "no man"
    test -f "$build/doc/loadcast-trace.1" || skip "no scdoc"
    MANWIDTH=100 man -l "$build/doc/loadcast-trace.1" | col -b >page
    for o in --output --json --log --under --for --ranks --machine --server-rate --calls; do says "$o" page; done
    says "EXIT STATUS" page
'
finish
