#!/bin/sh
# The user's store of images: found by what a line runs, kept below its cap, and no obstacle whatever state it is in.
. "$(dirname "$0")/lib.sh"
. "$here/run_app.sh"
run_app <<'EOS'
exit) exit "$2" ;;
EOS
mv app.lcast outside.lcast
store=$LOADCAST_STORE
mkdir -p sw/other
cp -p sw/app.sh sw/data sw/other
recorded() { loadcast record --manage sw -- "$@" >record.out 2>&1 || { cat record.out; return 1; }; }
# field NAME: of the images in the store, one line each
field() { loadcast images --json | "$python" -c "import json, sys
for one in json.load(sys.stdin): print(one['$1'])"; }
is_root() { [ "$(id -u)" = 0 ]; }

t 'record without -o, then run without --image: found, counted, listed' '
    recorded sw/app.sh
    [ "$(stat -c %a "$store")" = 700 ]
    code 0 loadcast run -- sw/app.sh ignored arguments
    says content out
    says "staged on 1 node" err
    code 0 loadcast run --stats -- "$tmp/sw/app.sh"
    [ "$(field jobs)" = 2 ]
    field misses | grep -x "[0-9]*"
    code 0 loadcast images
    says "app.sh-" out
    says "/sw/app.sh" out
    left | nothing
'
t 'run --record without --image records for the store, once' '
    rm -rf "$store"
    code 0 loadcast run --record --manage sw -- sw/app.sh
    says "recording: " err
    says "staged on 1 node" err
    code 0 loadcast run --record --manage sw -- sw/app.sh
    lacks "recording: " err
    [ "$(field jobs)" = 2 ]
    code 0 loadcast run --dry-run --record -- sw/other/app.sh
    says "record -o $store/app.sh-" out
    [ "$(field key | wc -l)" = 1 ]
'
t '--image comes first, then LOADCAST_IMAGE, the store, and the old name' '
    rm -rf "$store"
    cp outside.lcast app.sh.lcast
    code 0 loadcast run --dry-run -- sw/app.sh && says "image=app.sh.lcast" out
    recorded sw/app.sh
    code 0 loadcast run --dry-run -- sw/app.sh && says "image=$store/app.sh-" out
    LOADCAST_IMAGE=outside.lcast code 0 loadcast run --dry-run -- sw/app.sh && says "image=outside.lcast" out
    LOADCAST_IMAGE=nowhere code 0 loadcast run --image app.sh.lcast --dry-run -- sw/app.sh && says "image=app.sh.lcast" out
    rm app.sh.lcast
'
t 'two programs of one name do not share an image, nor do two search paths' '
    code 0 loadcast run -- sw/other/app.sh
    says "no image of '\''app.sh'\'' yet" err
    LD_LIBRARY_PATH=$tmp/libs code 0 loadcast run -- sw/app.sh
    says "no image of '\''app.sh'\'' yet" err
    recorded sw/other/app.sh
    [ "$(field key | sort -u | wc -l)" = 2 ]
    code 1 loadcast images show app.sh
    says "fits" err
    code 0 loadcast run -- env LD_LIBRARY_PATH= nice -n 1 sw/other/app.sh
    says "staged on 1 node" err
'
t 'no image: one sentence, none with -q, and neither staging nor a question to the launcher' '
    rm -rf "$store"
    mkdir -p bin
    printf "#!/bin/sh\necho called \"\$@\" >>$tmp/calls\nshift 2\nexec \"\$@\"\n" >bin/mpiexec
    chmod +x bin/mpiexec
    for made in no yes; do
        [ $made = no ] || recorded sw/other/app.sh
        rm -f calls
        PATH=$tmp/bin:$PATH code 0 loadcast run -- mpiexec -n 1 sw/app.sh
        says content out
        [ "$(wc -l <err)" = 1 ]
        says "loadcast run --record -- ..." err
        [ "$(wc -l <calls)" = 1 ]
        PATH=$tmp/bin:$PATH code 0 loadcast run -q -- mpiexec -n 1 sw/app.sh
        [ ! -s err ]
    done
    code 125 loadcast run --strict -- sw/app.sh
    [ ! -s out ]
    left | nothing
'
t 'a program that asks nothing of shared disks is known as such: nothing is said any more' '
    mount=$(df --output=fstype sw | tail -n 1)
    case $mount in ext* | xfs | btrfs | tmpfs | overlay) ;; *) skip "the disk here is $mount" ;; esac
    code 125 loadcast record -- sw/app.sh
    says "nothing that was seen is managed" err
    code 0 loadcast run -- sw/app.sh
    [ ! -s err ]
    code 0 loadcast run --record -- sw/app.sh
    [ ! -s err ]
    code 125 loadcast run --strict -- sw/app.sh && says "asked nothing of shared file systems" err
    code 0 loadcast images && says "nothing to keep" out
    recorded sw/app.sh
    code 0 loadcast run -- sw/app.sh && says "staged on 1 node" err
'
t 'run --record remembers that, too' '
    mount=$(df --output=fstype sw | tail -n 1)
    case $mount in ext* | xfs | btrfs | tmpfs | overlay) ;; *) skip "the disk here is $mount" ;; esac
    rm -rf "$store"
    code 0 loadcast run --record -- sw/app.sh
    says "recording: " err
    says content out
    [ "$(field image)" = None ]
    code 0 loadcast run --record -- sw/app.sh
    [ ! -s err ]
    says content out
'
t 'images: show, export, remove, import' '
    rm -rf "$store"
    code 0 loadcast images && says "none yet" err && [ ! -s out ]
    code 0 loadcast images --json && [ "$(cat out)" = "[]" ]
    recorded sw/app.sh
    code 0 loadcast images show app.sh
    says "for        script $tmp/sw/app.sh" out
    code 0 loadcast images --json show "$(field key | cut -c 1-9)" && says "\"machine\"" out
    code 0 loadcast images export app.sh taken.lcast
    code 0 loadcast info taken.lcast
    code 0 loadcast images remove app.sh
    [ -z "$(ls "$store")" ]
    code 1 loadcast images remove app.sh && says "no image '\''app.sh'\''" err
    code 0 loadcast images import taken.lcast -- srun -n 3 sw/app.sh x
    [ "$(cat out)" = "$(field key)" ]
    code 0 loadcast run -- sw/app.sh && says "staged on 1 node" err
    loadcast images remove "$(field key)"
    code 0 loadcast images import taken.lcast
    code 0 loadcast run -- sw/app.sh && says "staged on 1 node" err
'
t 'import takes nothing but a whole image' '
    rm -rf "$store"
    head -c 9000 taken.lcast >cut.lcast
    for file in cut.lcast sw/data; do code 3 loadcast images import $file -- sw/app.sh; done
    code 1 loadcast images import nowhere -- sw/app.sh
    [ -z "$(ls -A "$store")" ]
    code 2 loadcast images import
    code 2 loadcast images lits && says "did you mean '\''list'\''" err
    code 2 loadcast images export x
'
t 'above the cap, what was not used for longest goes' '
    rm -rf "$store"
    for name in a b c; do mkdir -p sw/$name && cp -p sw/app.sh sw/data sw/$name && recorded sw/$name/app.sh; done
    touch -d "3 days ago" "$store"/*
    loadcast run -q -- sw/a/app.sh >/dev/null
    b=$(loadcast images | sed -n "s|^\([^ ]*\) .*/b/app.sh\$|\1|p")
    touch -d "2 days ago" "$store/$b.lcast"
    one=$(field bytes | sort -n | tail -n 1)
    code 0 loadcast images trim --cap $((2 * one)) && says "1 image removed" out
    field program >left && says /a/app.sh left && says /b/app.sh left && lacks /c/app.sh left
    LOADCAST_STORE_CAP=1 loadcast record --manage sw -- sw/c/app.sh 2>err
    says "removed 2 images from the store" err
    [ "$(field program | grep -c /c/app.sh)" = 1 ]
'
t 'two jobs at once, and images removed under them' '
    rm -rf "$store"
    for i in 1 2 3; do loadcast run --record --manage sw -- sw/app.sh >out.$i 2>err.$i & eval "p$i=\$!"; done
    wait $p1 && wait $p2 && wait $p3
    for i in 1 2 3; do says content out.$i; done
    code 0 loadcast info "$(field image)"
    for i in 1 2 3; do loadcast run -q -- sw/app.sh >out.$i 2>err.$i & eval "p$i=\$!"; done
    loadcast images remove app.sh
    wait $p1 && wait $p2 && wait $p3
    for i in 1 2 3; do says content out.$i; done
    ls -A "$store" | grep -e tmp -e new | nothing
'
t 'a store that cannot be written: its images are used, a new one is for the run alone' '
    is_root || skip "needs root for a read-only mount"
    rm -rf "$store" && recorded sw/app.sh
    mkdir -p tmpdir
    cat >inside.sh <<-EOF
	mount --bind "$store" "$store" && mount -o remount,bind,ro "$store" || exit 77
	loadcast run -- sw/app.sh && loadcast run --record --manage sw -- sw/other/app.sh
	EOF
    TMPDIR=$tmp/tmpdir code 0 unshare -m sh inside.sh
    [ "$(grep -cx content out)" = 3 ] # one of them by the pilot
    says "cannot write to the store" err
    says "the image is for this run alone" err
    [ "$(grep -c "staged on 1 node" err)" = 2 ]
    [ -z "$(ls -A tmpdir)" ]
    [ "$(field key | wc -l)" = 1 ]
'
t 'a full disk: one that was to be recorded runs without, and nothing half is left' '
    is_root || skip "needs root for a small tmpfs"
    rm -rf "$store" && mkdir -m 700 "$store"
    cat >inside.sh <<-EOF
	mount -t tmpfs -o size=16k,mode=700 none "$store" || exit 77
	loadcast run --record --manage sw -- sw/app.sh
	status=\$?
	ls -A "$store" >$tmp/stored
	exit \$status
	EOF
    code 0 unshare -m sh inside.sh
    says content out
    says "left no image; running without it" err
    grep -e lcast stored | nothing
'
t 'beyond a limit on the size of files, the same' '
    rm -rf "$store"
    code 0 sh -c "ulimit -f 8; loadcast run --record --manage sw -- sw/app.sh"
    says content out
    says "left no image; running without it" err
    ls -A "$store" | grep lcast | nothing
    recorded sw/app.sh
    (ulimit -f 0 && loadcast run -- sh -c "sw/app.sh; kill -XFSZ \$\$" 2>&1 || echo "status $?") | cat >out
    says "status 153" out
    (ulimit -f 0 && loadcast run -- sw/app.sh 2>&1 && echo fine) | cat >out
    says content out && says fine out
'
t 'over a quota: nothing half is left, the image that was there stays, and lines run' '
    command -v strace >/dev/null || skip "strace is not installed"
    # over_quota CALL[:WHEN] CMD...: what writes into an image fails: pwrite64, but for import, which begins with a write. Messages are
    # written by write, too.
    over_quota() { call=$1; shift; no_leak_check strace -f -qq -o quota.calls -e trace=${call%%:*} -e inject=${call%%:*}:error=EDQUOT${call#${call%%:*}} "$@"; }
    rm -rf "$store"
    code 125 over_quota pwrite64 loadcast record --no-ptrace --manage sw -- sw/app.sh
    says content out
    says "Disk quota exceeded" err
    lacks " free" err # on the disk there may be more than the quota leaves
    code 1 over_quota write:when=1 loadcast images import outside.lcast -- sw/app.sh
    says "Disk quota exceeded" err
    find "$store" -type f | nothing
    recorded sw/app.sh
    cksum <"$(field image)" >before
    echo changed >sw/data
    code 0 over_quota pwrite64 loadcast run -- sw/app.sh
    says changed out
    grep -q "pwrite64.*EDQUOT" quota.calls
    cksum <"$(field image)" >after
    same before after
    ls -A "$store" | grep -e tmp -e new | nothing
    code 0 loadcast run -- sw/app.sh
    says changed out && says "staged on 1 node" err
    echo content >sw/data
    touch -d 2020-01-01 sw/data
'
t 'damaged images: the line runs with one sentence, and they are listed as damaged' '
    rm -rf "$store" && recorded sw/app.sh
    image=$(field image)
    cp "$image" good
    for damage in "head -c 3000 good" "head -c 100 /dev/zero" "printf \"\""; do
        rm -rf "$image" && $damage >"$image"
        code 0 loadcast run -- sw/app.sh
        says content out
        [ "$(grep -c "running without it" err)" = 1 ]
        code 0 loadcast images && says "(damaged)" out
        code 0 loadcast images show app.sh && says unusable out
    done
    echo "{" >"${image%.lcast}.json"
    code 0 loadcast images && says "(damaged)" out
    for how in "mkdir" "ln -s /etc/passwd" "mkfifo"; do
        rm -rf "$image" && $how "$image"
        code 0 loadcast run -- sw/app.sh
        says content out
        [ "$(wc -l <err)" = 1 ]
        code 0 loadcast images
    done
'
t 'a store of somebody else, one that others may enter, a link, a file: one sentence' '
    rm -rf "$store" && recorded sw/app.sh
    mv "$store" real
    try() { code 0 loadcast run -- sw/app.sh && says content out && says "will not use the store" err && [ "$(wc -l <err)" = 1 ]; }
    ln -s "$tmp/real" "$store" && try
    rm "$store" && echo >"$store" && try
    rm "$store" && mv real "$store" && chmod 755 "$store" && try
    code 1 loadcast images && says "not a private directory of yours" err
    code 125 loadcast record --manage sw -- sw/app.sh && says "give -o IMAGE" err
    if is_root; then chmod 700 "$store" && chown 65534 "$store" && try && chown 0 "$store"; fi
    chmod 700 "$store"
    code 0 loadcast run -- sw/app.sh && says "staged on 1 node" err
'
t 'what a dead process left behind blocks nobody' '
    image=$(field image) key=$(field key)
    rm "$image"
    touch "$store/.new-$key.json.0123456789abcdef" "$image.tmp.0123456789abcdef"
    mkdir "$image.parts-elsewhere"
    code 0 loadcast run --record --manage sw -- sw/app.sh
    says "staged on 1 node" err
    touch -d "2 days ago" "$store/.new-$key.json.0123456789abcdef" "$image.tmp.0123456789abcdef"
    code 0 loadcast images trim
    ls -A "$store" | grep -e tmp -e new | nothing
    rm -r "$image.parts-elsewhere"
'
t 'no home, and LOADCAST=0' '
    code 0 env -u HOME -u XDG_CACHE_HOME -u LOADCAST_STORE loadcast run -- sw/app.sh
    says content out && [ "$(wc -l <err)" = 1 ]
    before=$(field jobs)
    LOADCAST=0 code 0 loadcast run -- sw/app.sh
    [ ! -s err ] && [ "$(field jobs)" = "$before" ]
    code 0 env -u LOADCAST_STORE XDG_CACHE_HOME=$tmp/cache loadcast record --manage sw -- sw/app.sh
    ls cache/loadcast/app.sh-*.lcast
    code 0 env -u LOADCAST_STORE -u XDG_CACHE_HOME HOME=$tmp/home loadcast images
    [ ! -e home ]
    chmod 775 cache/loadcast # as another command of ours may have made it
    code 0 env -u LOADCAST_STORE XDG_CACHE_HOME=$tmp/cache loadcast run -- sw/app.sh
    says "staged on 1 node" err && [ "$(stat -c %a cache/loadcast)" = 700 ]
'
t 'a home that the nodes do not see: the line runs' '
    is_root || skip "needs root for a mount that hides the store"
    mkdir -p nodes
    cat >nodes/srun <<-EOF
	#!/bin/sh
	while [ "\${1#-}" != "\$1" ]; do case \$1 in -n | -N) shift ;; esac; shift; done
	exec unshare -m sh -c "mount -t tmpfs none $store && exec \"\\\$@\"" sh "\$@"
	EOF
    chmod +x nodes/srun
    PATH=$tmp/nodes:$PATH code 0 loadcast run -- srun -n 1 sw/app.sh
    says content out
    left | grep -v "lock$" | nothing
'
finish
