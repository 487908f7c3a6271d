#!/bin/sh
# The image as a file: info, unpack, refusals; and what the look-up half may not need.
. "$(dirname "$0")/lib.sh"
golden=$here/golden/image-v2.lcast
[ "$(uname -m)" = x86_64 ] || skip_all 'the golden file was made on x86_64'

t 'info shows provenance and totals' '
    code 0 loadcast info "$golden"
    says "7 files" out
    says "5 directories (3 complete)" out
    says "lustre on /app (mds@tcp:/app)" out
'
t 'info --files --dirs --absent --search list what is there' '
    code 0 loadcast info --files --dirs --absent --search "$golden"
    grep -qE "^file +9000  /app/lib64/libx.so$" out
    grep -qE "^made +8  /app/lib64/sub/m.pyc$" out
    grep -qE "^stat +77  /app/secret$" out
    grep -qE "^link +5  /app/lib -> lib64$" out
    grep -qE "^complete +9  /app$" out
    grep -qE "^absent +ENOENT  /app/none$" out
    says "/app/bin/tool: libx.so => /app/lib64/libx.so" out
    code 0 loadcast info --absent "$golden"
    [ "$(wc -l <out)" = 1 ]
'
t 'info --json is JSON and says the same' '
    code 0 loadcast info --json --files --dirs --absent --verify "$golden"
    "$python" - <<E
import json
d = json.load(open("out"))
assert d["totals"]["entries"] == 17 and d["verified"] and d["format"] == 2
assert [f["path"] for f in d["files"] if f["made"]] == ["/app/lib64/sub/m.pyc"]
assert d["absent"] == [{"path": "/app/none", "errno": "ENOENT"}]
assert {x["path"]: x["complete"] for x in d["directories"]}["/app"] is True
E
'
t 'info --verify notices one changed byte of content' '
    cp "$golden" bad.lcast
    printf X | dd of=bad.lcast bs=1 seek=4096 conv=notrunc status=none
    code 0 loadcast info bad.lcast
    code 3 loadcast info --verify bad.lcast
    says "damaged" err
'
t 'an image equals itself; a difference is named' '
    code 0 loadcast info --diff "$golden" "$golden"
    [ ! -s out ]
'
t 'refused, with the reason and status 3: newer, foreign, cut, empty, no image, missing' '
    cp "$golden" x.lcast; printf "\003" | dd of=x.lcast bs=1 seek=8 conv=notrunc status=none
    code 3 loadcast info x.lcast
    says "written by a newer version of Loadcast" err
    cp "$golden" x.lcast; printf "\267" | dd of=x.lcast bs=1 seek=16 conv=notrunc status=none
    code 3 loadcast info x.lcast
    says "checksum" err
    head -c 20000 "$golden" >x.lcast
    code 3 loadcast info x.lcast
    says "cut short" err
    : >x.lcast
    code 3 loadcast info x.lcast
    says "empty" err
    head -c 9999 /dev/zero >x.lcast
    code 3 loadcast unpack x.lcast d
    says "not a Loadcast image" err
    [ ! -e d ]
    code 3 loadcast info nowhere.lcast
    says "No such file" err
    code 3 loadcast info .
    code 2 loadcast info
    code 2 loadcast unpack "$golden"
'
t 'words changed and checksums right: every command refuses it or lives with it' '
    for seed in $(seq 80); do
        "${PROGRAMS:-$build/t}/damage" "$golden" hostile.lcast $seed
        for c in "info --files --dirs --absent --search --verify" "info --json" "unpack" "check"; do
            status=0
            rm -rf into
            [ "$c" != unpack ] || set -- into
            timeout 60 loadcast $c hostile.lcast "$@" >out 2>err || status=$?
            set --
            [ $status -le 3 ] || { echo "seed $seed, $c: status $status"; cat err; exit 1; }
        done
    done
    [ ! -e ../into ]
'
t 'unpack gives the tree back, hard links and times too' '
    code 0 loadcast unpack "$golden" d
    says "unpacked 6 files" out
    says "1 files are known by their stat only" out
    [ "$(stat -c %h d/app/hard)" = 2 ] && [ "$(stat -c %h d/app/twin)" = 1 ]
    [ "$(readlink d/app/lib64/up)" = ../bin ]
    [ "$(stat -c %s d/app/lib64/libx.so)" = 9000 ] && [ -x d/app/lib64/libx.so ]
    [ "$(stat -c %Y d/app/empty)" = 1700000022 ]
    code 1 loadcast unpack "$golden" d
    says "not empty" err
'
t 'the look-up half needs nothing from outside' '
    for a in "$build"/src/image/liblc_look.a.p/*.o; do nm "$a"; done |
        awk "\$1 == \"U\" && \$2 != \"_GLOBAL_OFFSET_TABLE_\" { need[\$2] = 1 } \$2 ~ /^[TtDdRrBb]\$/ { have[\$3] = 1 }
             END { for (n in need) if (!(n in have)) print n }" >undefined
    cat undefined
    [ ! -s undefined ]
    nm "$build"/src/image/liblc_look.a.p/look.c.o | grep -q " T lc_look_find"
'
t 'it keeps no writable data and no thread-local storage' '
    for a in "$build"/src/image/liblc_look.a.p/*.o; do
        readelf -SW "$a" >sections
        awk "/ \.(data|bss|tdata|tbss)[ .]/ && \$6 !~ /^0+\$/ && \$7 !~ /^0+\$/ { print }" sections
    done >writable
    cat writable
    [ ! -s writable ]
'
finish
