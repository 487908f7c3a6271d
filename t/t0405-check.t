#!/bin/sh
# One check per job: nobody gets yesterday's code.
. "$(dirname "$0")/lib.sh"

: "${PROGRAMS:=$build/t}"
# pack FILE: an image of $tmp/d, with the things below it asked for.
pack() { loadcast record -o "$1" --add "$tmp/d" 2>/dev/null; }
build_tree() {
    chmod -R u+w d 2>/dev/null; rm -rf d other
    mkdir -p d/pkg d/dir other
    echo 'x = 1' >d/pkg/m.py
    echo 'keep' >d/pkg/keep.py
    echo 'in dir' >d/dir/file
    ln -s pkg/m.py d/link
    find d -exec touch -h -d "${1:-2020-01-01}" {} + # the past: the trees are not "fresh"
}
content() { rm -rf u; loadcast unpack "$1" u >/dev/null; cat "u$tmp/$2"; }

build_tree
t 'an image that is true is not touched' '
    pack a.lcast
    before=$(stat -c %i a.lcast)
    code 0 loadcast check a.lcast
    says "the image is true" out
    [ "$(stat -c %i a.lcast)" = "$before" ]
'
t 'an edited module is read again' '
    echo "x = 2" >d/pkg/m.py
    code 0 loadcast check a.lcast
    grep -qE "^changed +$tmp/d/pkg/m.py: content, mtime$|^changed +$tmp/d/pkg/m.py: mtime$" out
    [ "$(content a.lcast d/pkg/m.py)" = "x = 2" ]
    code 0 loadcast check a.lcast
    says "the image is true" out
'
t 'a directory that is known completely and has not changed tells its absences; one that has changed is asked' '
    loadcast trace -- true >/dev/null 2>&1 || skip "no ptrace"
    rm -rf z && mkdir -p z/sub && echo 1 >z/there && find z -exec touch -d 2020-01-01 {} +
    cat >look.sh <<-E
	ls $tmp/z $tmp/z/sub >/dev/null
	for name in none none/deeper sub/none; do [ ! -e $tmp/z/\$name ] || echo "found \$name"; done
	E
    loadcast record -o z.lcast --manage "$tmp/z" -- sh look.sh 2>/dev/null
    asked() { awk -F "\t" -v path="$tmp/z/$2" "\$4 == path { n++ } END { print n + 0 }" "$1"; }
    code 0 no_leak_check loadcast trace --log z.log -o /dev/null -- loadcast check z.lcast
    [ "$(asked z.log none)$(asked z.log none/deeper)$(asked z.log sub/none)" = 000 ] || { cat z.log; exit 1; }
    [ "$(asked z.log sub)" -gt 0 ]
    code 0 no_leak_check loadcast trace --log z.log -o /dev/null -- loadcast check --deep z.lcast
    [ "$(asked z.log none)" -gt 0 ]
    touch z/none
    code 0 loadcast check z.lcast
    grep -qE "^appeared +$tmp/z/none$" out
    [ "$(loadcast exec -q z.lcast -- sh look.sh)" = "found none" ]
'
t 'what changed is said: size, mode, target' '
    mkdir -p w && echo 12345 >w/size && echo mode >w/mode && ln -s a w/link
    loadcast record -o w.lcast --add "$tmp/w" 2>/dev/null
    echo 123456789 >w/size && chmod 640 w/mode && ln -sf b w/link
    code 0 loadcast check w.lcast
    grep -qE "^changed +$tmp/w/size: size 6 -> 10" out
    grep -qE "^changed +$tmp/w/mode: mode 0644 -> 0640" out
    grep -qE "^changed +$tmp/w/link: " out
    echo 1 >w/size
    code 0 loadcast check --json w.lcast
    says "size 10 -> 2" out
'
t 'seen through two mounts, the same files are the same: nothing is rewritten, edits are found' '
    command -v stormfs >/dev/null && unshare -rm true 2>/dev/null || skip "no FUSE or no namespaces"
    mkdir -p disk/pkg view
    echo "x = 1" >disk/pkg/m.py; echo "y = 1" >disk/pkg/n.py; ln -s m.py disk/pkg/link.py
    find disk -exec touch -h -d 2020-01-01 {} +
    unshare -m sh -ec "
        node() { stormfs --profile none $tmp/disk $tmp/view; \"\$@\"; stormfs ctl $tmp/view stop; }
        head() { mount --bind $tmp/disk $tmp/view; \"\$@\"; umount $tmp/view; }
        export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$tmp/view
        node loadcast record -o v.lcast --manage $tmp/view -- $python -c \"import pkg.m, pkg.n, pkg.link\"
        cp v.lcast recorded
        head loadcast check v.lcast >head.1
        node loadcast check v.lcast >node.1
        cmp v.lcast recorded
        echo \"x = 222\" >disk/pkg/m.py
        head loadcast check v.lcast >head.2
        node loadcast check v.lcast >node.2
        head loadcast check v.lcast >head.3
    " 2>two.err || { cat two.err head.1 node.1; exit 1; }
    for f in head.1 node.1 node.2 head.3; do says "the image is true" $f; done
    grep -qE "^changed +$tmp/view/pkg/m.py: size 6 -> 8" head.2
    rm -rf u && loadcast unpack v.lcast u >/dev/null
    grep -qx "x = 222" "u$tmp/view/pkg/m.py"
'
t 'an edit of equal length with the old times is seen too (ctime, or content if fresh)' '
    echo "x = 3" >d/pkg/m.py
    touch -d 2020-01-01 d/pkg/m.py
    code 0 loadcast check a.lcast
    [ "$(content a.lcast d/pkg/m.py)" = "x = 3" ]
'
t 'deleted: dropped, and its directory listed again' '
    rm d/pkg/keep.py
    code 0 loadcast check --json a.lcast
    "$python" - <<E
import json
e = {(x["what"], x["path"]) for x in json.load(open("out"))["events"]}
assert ("gone", "$tmp/d/pkg/keep.py") in e, e
assert ("relisted", "$tmp/d/pkg") in e, e
E
    code 0 loadcast info --files --dirs a.lcast
    lacks "keep.py" out
    grep -qE "complete +1  $tmp/d/pkg$" out
'
t 'renamed and added: the listing tells' '
    mv d/dir/file d/dir/renamed
    echo new >d/dir/new
    code 0 loadcast check a.lcast
    code 0 loadcast info --json --dirs --files a.lcast
    "$python" - <<E
import json
d = json.load(open("out"))
names = {x["path"]: sorted(x["names"] or []) for x in d["directories"]}
assert names["$tmp/d/dir"] == ["new", "renamed"], names
assert "$tmp/d/dir/file" not in [f["path"] for f in d["files"]]
E
'
t 'a directory replaced by a link: what was below it is found behind the link' '
    build_tree
    rm -f a.lcast; pack a.lcast
    mv d/pkg other/pkg
    echo "x = 9" >other/pkg/m.py
    ln -s ../other/pkg d/pkg
    code 0 loadcast check a.lcast
    code 0 loadcast info --files --dirs a.lcast
    says "$tmp/d/pkg -> ../other/pkg" out
    says "$tmp/other/pkg/m.py" out
    lacks "$tmp/d/pkg/m.py" out
    [ "$(content a.lcast other/pkg/m.py)" = "x = 9" ]
    code 0 loadcast check a.lcast
    says "the image is true" out
'
t 'a link that leads elsewhere' '
    build_tree
    rm -f a.lcast; pack a.lcast
    echo far >other/far
    ln -sfn ../other/far d/link
    code 0 loadcast check a.lcast
    code 0 loadcast info --files a.lcast
    says "$tmp/d/link -> ../other/far" out
    [ "$(content a.lcast other/far)" = far ]
'
t 'a file replaced by a directory and back' '
    rm d/dir/file; mkdir d/dir/file
    code 0 loadcast check a.lcast
    code 0 loadcast info --files --dirs a.lcast
    grep -qE "^directory +0  $tmp/d/dir/file$" out
    rmdir d/dir/file; echo again >d/dir/file
    code 0 loadcast check a.lcast
    code 0 loadcast info --files a.lcast
    says "$tmp/d/dir/file" out
'
t 'what was absent and appears is read' '
    loadcast trace -- true >/dev/null 2>&1 || skip "no ptrace"
    build_tree
    code 1 loadcast record -o b.lcast --manage d -- sh -c "cat d/pkg/m.py; test -e d/pkg/late.py"
    echo late >d/pkg/late.py
    code 0 loadcast check b.lcast
    grep -qE "^appeared +$tmp/d/pkg/late.py$" out
    [ "$(content b.lcast d/pkg/late.py)" = late ]
'
t 'changed modes count, a changed access time does not' '
    build_tree
    rm -f a.lcast; pack a.lcast
    touch -a d/pkg/m.py
    chmod 600 d/pkg/m.py
    code 0 loadcast check -n a.lcast
    says "nothing written" out
    code 0 loadcast check a.lcast
    code 0 loadcast info --json --files a.lcast
    "$python" -c "
import json
assert [f[\"mode\"] for f in json.load(open(\"out\"))[\"files\"] if f[\"path\"].endswith(\"m.py\")] == [0o600]"
'
t '--deep finds a change that the stat does not show' '
    build_tree
    rm -f a.lcast; pack a.lcast
    "$PROGRAMS/forge" a.lcast "$tmp/d/dir/file" "IN DIR
"
    code 0 loadcast check a.lcast
    says "the image is true" out
    [ "$(content a.lcast d/dir/file)" = "IN DIR" ]
    code 0 loadcast check --deep a.lcast
    grep -qE "^changed +$tmp/d/dir/file: " out
    [ "$(content a.lcast d/dir/file)" = "in dir" ]
'
t 'bytecode of our own making follows its source' '
    loadcast trace -- true >/dev/null 2>&1 || skip "no ptrace"
    build_tree
    rm -rf p.lcast
    PYTHONPATH=$tmp/d/pkg code 0 loadcast record -o p.lcast --manage d -- "$python" -c "import m"
    code 0 loadcast info --files p.lcast
    grep -q "^made .*__pycache__/m\." out
    code 0 loadcast check p.lcast
    says "the image is true" out
    echo "x = 12345" >d/pkg/m.py
    code 0 loadcast check p.lcast
    grep -q "^recompiled .*__pycache__/m\." out
    rm -rf u; loadcast unpack p.lcast u >/dev/null
    "$python" - <<E
import marshal, glob
f = glob.glob("u/**/m.*.pyc", recursive=True)[0]
ns = {}
exec(marshal.loads(open(f, "rb").read()[16:]), ns)
assert ns["x"] == 12345
E
    echo "x = (" >d/pkg/m.py
    code 0 loadcast check p.lcast
    grep -q "^gone .*__pycache__/m\." out
    [ -z "$(find d -name __pycache__)" ]
'
t 'a real .pyc that appears takes the place of a made one' '
    loadcast trace -- true >/dev/null 2>&1 || skip "no ptrace"
    build_tree
    rm -f p.lcast
    PYTHONPATH=$tmp/d/pkg code 0 loadcast record -o p.lcast --manage d -- "$python" -c "import m"
    "$python" -m compileall -q d/pkg
    code 0 loadcast check p.lcast
    code 0 loadcast info --files p.lcast
    grep -q "^file .*__pycache__/m\." out
    lacks "made  " out
'
t 'a library that appears in a searched directory drops the search table' '
    loadcast trace -- true >/dev/null 2>&1 || skip "no ptrace"
    command -v cc >/dev/null || skip "no compiler"
    mkdir -p lib1 lib2
    echo "int f(void) { return 0; }" >f.c; echo "int f(void); int main(void) { return f(); }" >m.c
    cc -shared -fPIC f.c -o lib2/libf.so
    cc m.c -o m -Llib2 -lf
    find lib1 lib2 m -exec touch -d 2020-01-01 {} +
    LD_LIBRARY_PATH=$tmp/lib1:$tmp/lib2 code 0 loadcast record -o s.lcast --manage "$tmp" -- ./m
    code 0 loadcast info --search s.lcast
    says "libf.so => $tmp/lib2/libf.so" out
    cp lib2/libf.so lib1/
    code 0 loadcast check s.lcast
    says "results dropped" out
    code 0 loadcast info --search s.lcast
    lacks "libf.so" out
'
t 'a read-only image gets a private overlay, which refers to it' '
    build_tree
    rm -f a.lcast; pack a.lcast
    sum=$(cksum a.lcast)
    echo "x = 77" >d/pkg/m.py
    code 0 loadcast check --overlay over.lcast a.lcast
    says "over.lcast" out
    [ "$sum" = "$(cksum a.lcast)" ]
    [ "$(content over.lcast d/pkg/m.py)" = "x = 77" ]
    [ "$(content over.lcast d/dir/file)" = "in dir" ]
    code 0 loadcast info --verify over.lcast
    says "base       $tmp/a.lcast" out
    code 0 loadcast check over.lcast
    says "the image is true" out
    echo "x = 78" >d/pkg/m.py
    code 0 loadcast check over.lcast
    [ "$(content over.lcast d/pkg/m.py)" = "x = 78" ]
    [ "$(content over.lcast d/dir/file)" = "in dir" ]
'
t 'changes that are small beside a large image go to an overlay, if that is wanted; all others to the image' '
    build_tree
    truncate -s 70M d/large && touch -d 2020-01-01 d/large # a hole: it takes no time to write
    rm -f a.lcast; pack a.lcast
    sum=$(stat -c %i.%s.%y a.lcast)
    echo "x = 77" >d/pkg/m.py
    code 0 loadcast check --overlay-if-large over.lcast a.lcast
    says "over.lcast" out
    [ "$sum" = "$(stat -c %i.%s.%y a.lcast)" ]
    [ "$(content over.lcast d/pkg/m.py)" = "x = 77" ]
    [ "$(stat -c %s over.lcast)" -lt 1000000 ]
    rm over.lcast
    code 0 loadcast check a.lcast # nobody asked for it
    [ "$(content a.lcast d/pkg/m.py)" = "x = 77" ]
    truncate -s 71M d/large # most of it is new
    code 0 loadcast check --overlay-if-large over.lcast a.lcast
    says "; updated in" out && [ ! -e over.lcast ]
    echo "x = 79" >d/pkg/m.py
    code 0 loadcast check --overlay-if-large nowhere/over.lcast a.lcast # cannot be written
    says "; updated in" out && [ "$(content a.lcast d/pkg/m.py)" = "x = 79" ]
    rm d/large && code 0 loadcast check a.lcast
    echo "x = 78" >d/pkg/m.py # a small image
    code 0 loadcast check --overlay-if-large over.lcast a.lcast
    says "; updated in" out && [ ! -e over.lcast ]
'
t 'as an unprivileged user: no right to write the image means an overlay below TMPDIR' '
    [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || skip "not root"
    chmod 755 "$tmp"; chmod -R a+rX d a.lcast; chmod 644 a.lcast
    mkdir -m 777 scratch
    mkdir bin; cp "$build"/loadcast "$build/loadcast-full" bin; chmod 755 bin
    run="setpriv --reuid 65534 --regid 65534 --clear-groups env TMPDIR=$tmp/scratch SLURM_JOB_ID=7"
    code 0 $run bin/loadcast check a.lcast
    over=$(tail -1 out)
    [ -O "$over" ] || [ "$(stat -c %u "$over")" = 65534 ]
    case $over in "$tmp"/scratch/loadcast-overlay-65534/*-7.lcast) ;; *) echo "$over"; exit 1 ;; esac
    [ "$(stat -c %a "$(dirname "$over")")" = 700 ]
    [ "$(content "$over" d/pkg/m.py)" = "x = 78" ]
    truncate -s 70M d/large && echo "x = 79" >d/pkg/m.py && code 0 loadcast check a.lcast && chmod 644 a.lcast
    echo "x = 78" >d/pkg/m.py
    code 0 $run bin/loadcast check --overlay-if-large "$tmp/over.lcast" a.lcast # beside an image of somebody else
    over=$(tail -1 out)
    case $over in "$tmp"/scratch/loadcast-overlay-65534/*) ;; *) echo "$over"; exit 1 ;; esac
    [ "$(content "$over" d/pkg/m.py)" = "x = 78" ]
    rm -rf d/large scratch/*; mkdir -m 777 scratch/loadcast-overlay-65534
    code 1 $run bin/loadcast check a.lcast
    says "not a private directory" err
'
t 'another user'\''s image in a shared directory, or one that shall not change: an overlay in HOME' '
    [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || skip "not root"
    mkdir -m 1777 shared && cp a.lcast shared/a.lcast && chmod 666 shared/a.lcast
    mkdir -m 700 home && chown 65534 home
    code 0 setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=$tmp/home SLURM_JOB_ID=7 bin/loadcast check shared/a.lcast
    case $(tail -1 out) in "$tmp"/home/.cache/loadcast/*-7.lcast) ;; *) cat out err; exit 1 ;; esac
    chmod 444 a.lcast
    sum=$(cksum a.lcast)
    mkdir own
    HOME=$tmp/own code 0 loadcast check a.lcast
    case $(tail -1 out) in "$tmp"/own/.cache/loadcast/*.lcast) ;; *) cat out; exit 1 ;; esac
    [ "$sum" = "$(cksum a.lcast)" ]
    [ "$(content "$(tail -1 out)" d/pkg/m.py)" = "x = 78" ]
    chmod 644 a.lcast
'
t 'overlays that name each other, or themselves, end with a reason' '
    build_tree
    for name in one two; do
        pack $name.lcast
        echo "x = $name" >d/pkg/m.py
        code 0 loadcast check --overlay over-$name.lcast $name.lcast
        build_tree 2021-01-01
    done
    mv over-one.lcast two.lcast
    mv over-two.lcast one.lcast
    for name in one two; do
        for c in info "unpack $name.lcast" check stage; do
            [ "${c#unpack}" != "$c" ] && set -- unpack $name.lcast into || set -- $c $name.lcast
            rc=0
            loadcast "$@" >out 2>err || rc=$?
            [ $rc = 3 ] || [ $rc = 1 ] || { echo "$*: status $rc"; cat err; exit 1; }
            says "is an overlay itself" err
        done
        LOADCAST_DIR=$tmp code 0 loadcast exec $name.lcast -- echo plain
        says plain out
        says "is an overlay itself" err
    done
    cp one.lcast two.lcast
    code 3 loadcast info two.lcast
    says "is an overlay itself" err
'
t 'refused images give status 3, a bad command line 2' '
    code 3 loadcast check nowhere.lcast
    head -c 5000 a.lcast >cut.lcast
    code 3 loadcast check cut.lcast
    says "cut short" err
    code 2 loadcast check
    code 2 loadcast check --jobs 0 a.lcast
'
finish
