#!/bin/sh
# Round trips of trees nobody would make on purpose.
. "$(dirname "$0")/lib.sh"

mkdir h
"$python" - <<'E' || skip_all 'cannot make the tree'
import os
os.chdir("h")
os.mkdir("names")
for name in [b"new\nline", b"tab\there", b"\xff\xfe not utf8", b" lead", b"trail ", b"back\\slash", b"q'uo\"te",
             b"-dash", b"*", b"\x01\x7f", "ünï".encode(), b"a" * 255, b"..x", b"..."]:
    with open(b"names/" + name, "wb") as f:
        f.write(name)
os.mkdir("empty-dir")
open("empty-file", "w").close()
with open("sparse", "wb") as f:
    f.seek(5 << 20); f.write(b"x"); f.truncate(9 << 20)
with open("all-hole", "wb") as f:
    f.truncate(3 << 20)
os.link("sparse", "hard")
with open("twin-a", "wb") as f: f.write(b"same" * 5000)
with open("twin-b", "wb") as f: f.write(b"same" * 5000)
with open("large-a", "wb") as f: f.write(bytes(range(256)) * 8192)
with open("large-b", "wb") as f: f.write(bytes(range(256)) * 8192)
os.symlink("loop-b", "loop-a"); os.symlink("loop-a", "loop-b")
os.symlink("/nowhere/at/all", "dangling"); os.symlink(".", "self"); os.symlink("x" * 4000, "long-target")
os.mkfifo("fifo")
os.symlink("fifo", "to-fifo")
# As deep as the kernel lets one path be: 4,095 bytes with the directory we are in.
base = os.getcwd()
d = base
while len(d) + 201 < 4095:
    d += "/" + "d" * 199
    os.mkdir(d)
rest = 4095 - len(d) - 1
with open(d + "/" + "f" * min(rest, 255), "w") as f: f.write("deep")
n = base
os.chdir("..")
E
"$python" - <<'E'
import os
os.mkdir("deep"); os.chdir("deep")
for i in range(600):
    os.mkdir("x"); os.chdir("x")
open("bottom", "w").write("bottom")
E

t 'odd names, sparse and empty files, loops, 4,095-byte paths: the round trip is exact' '
    code 0 loadcast record -o h.lcast --add "$tmp/h"
    code 0 loadcast info --verify h.lcast
    code 0 loadcast unpack h.lcast u
    cat >compare.py <<E
import os, sys, stat
a, b = sys.argv[1].encode(), sys.argv[2].encode()
count = 0
def walk(x, y, top=True):
    global count
    names = sorted(os.listdir(x))
    other = sorted(os.listdir(y))
    gone = [n for n in names if n not in other]
    assert [n for n in gone if n != "fifo"] == [], gone
    assert set(other) <= set(names), other
    for n in names:
        if n in gone: continue
        s, t = os.lstat(n, dir_fd=x), os.lstat(n, dir_fd=y)
        assert stat.S_IFMT(s.st_mode) == stat.S_IFMT(t.st_mode), n
        count += 1
        if stat.S_ISLNK(s.st_mode):
            assert os.readlink(n, dir_fd=x) == os.readlink(n, dir_fd=y), n
        elif stat.S_ISDIR(s.st_mode):
            i, j = (os.open(n, os.O_RDONLY, dir_fd=d) for d in (x, y))
            walk(i, j, False)
            os.close(i); os.close(j)
        else:
            assert s.st_mtime_ns == t.st_mtime_ns, n
            i, j = (os.open(n, os.O_RDONLY, dir_fd=d) for d in (x, y))
            with os.fdopen(i, "rb") as p, os.fdopen(j, "rb") as q:
                assert p.read() == q.read(), n
sys.setrecursionlimit(5000)
walk(os.open(a, os.O_RDONLY), os.open(b, os.O_RDONLY))
print(count, "compared")
E
    code 0 "$python" compare.py "$tmp/h" "$tmp/u$tmp/h"
    [ "$(cut -d" " -f1 out)" -ge 45 ]
'
t 'hard links stay one inode, equal files two; content is stored once' '
    [ "$(stat -c %i "u$tmp/h/hard")" = "$(stat -c %i "u$tmp/h/sparse")" ]
    code 0 loadcast info --json --files h.lcast
    "$python" - <<E
import json
d = json.load(open("out"))
f = {x["path"][len("$tmp/h/"):]: x for x in d["files"]}
assert f["hard"]["index"] == f["sparse"]["index"]
assert f["twin-a"]["index"] != f["twin-b"]["index"] and f["twin-a"]["xxh3_128"] == f["twin-b"]["xxh3_128"]
assert d["totals"]["content_bytes"] < d["totals"]["file_bytes"] - 2000000, d["totals"]
E
'
t 'a hard link that was read has its content, also if a name before it was only looked at' '
    mkdir linked; echo content >linked/a; ln linked/a linked/b; ln linked/a linked/c
    code 0 loadcast record -o linked.lcast --manage "$tmp/linked" -- sh -c "test -f linked/a; cat linked/b; test -f linked/c"
    code 0 loadcast info --json --files linked.lcast
    "$python" - <<E
import json
f = json.load(open("out"))["files"]
assert sorted(x["path"][-1] for x in f) == ["a", "b", "c"], f
assert len(set(x["index"] for x in f)) == 1 and all(x["xxh3_128"] for x in f), f
E
    code 0 loadcast unpack linked.lcast l
    same linked/b "l$tmp/linked/b"
'
t 'holes stay holes' '
    [ "$(($(stat -c %b h.lcast) * 512))" -lt 6000000 ]
'
t 'a tree of 600 levels' '
    code 0 loadcast record -o deep.lcast --add "$tmp/deep"
    code 0 loadcast unpack deep.lcast v
    [ "$(find "v$tmp/deep" -name bottom | wc -l)" = 1 ]
'
t 'special files are listed but not recorded' '
    code 0 loadcast info --json --dirs --files h.lcast
    "$python" - <<E
import json
d = json.load(open("out"))
assert "fifo" in {x["path"]: x["names"] for x in d["directories"]}["$tmp/h"]
assert not [x for x in d["files"] if x["path"].endswith("/fifo")]
E
'
t 'unreadable files keep their stat, and the reason is given' '
    [ "$(id -u)" != 0 ] || command -v setpriv >/dev/null || skip "no setpriv"
    mkdir -m 777 mine
    cat >run <<E
set -e
cd $tmp/mine
mkdir t; echo open >t/open; echo secret >t/closed; chmod 000 t/closed; mkdir t/dir; chmod 000 t/dir
$tmp/bin/loadcast record -v -o i.lcast --add $tmp/mine/t
chmod 700 t/dir
E
    mkdir bin; cp "$build"/loadcast "$build/loadcast-full" bin; chmod 755 "$tmp" bin
    if [ "$(id -u)" = 0 ]; then
        code 0 setpriv --reuid 65534 --regid 65534 --clear-groups sh run
    else
        code 0 sh run
    fi
    says "closed'\'': Permission denied" err
    code 0 loadcast info --files --dirs mine/i.lcast
    grep -qE "^stat +7  $tmp/mine/t/closed$" out
    grep -qE "^file +5  $tmp/mine/t/open$" out
    grep -qE "^directory +0  $tmp/mine/t/dir$" out
'
t 'a file that changes while it is read is read again; one that never rests is left out' '
    mkdir c
    echo quiet >c/once
    truncate -s 800M c/restless # long enough to read that a writer gets its turn on a busy machine
    "$python" - <<E &
import os, time
end = time.time() + 60 * ${PATIENCE:-1}
while time.time() < end and not os.path.exists("stop"):
    with open("c/restless", "r+b") as f:
        f.write(os.urandom(8))
    open("begun", "w").close()
E
    writer=$!
    wait_until test -e begun
    code 0 loadcast record -v -o c.lcast --max-file 1G --add "$tmp/c"
    touch stop; wait $writer
    says "was read again" err
    says "restless'\'': it keeps changing" err
    code 0 loadcast info --files c.lcast
    says "c/once" out
    lacks "c/restless" out
    code 0 loadcast info --verify c.lcast
'
rm -rf deep h u v
finish
