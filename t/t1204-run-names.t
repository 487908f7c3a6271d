#!/bin/sh
# loadcast run and stage with names nobody thinks of: of images, directories, jobs, users, homes and arguments;
# and the steps that --dry-run prints for them, pasted into shells. No root needed, but for other users.
. "$(dirname "$0")/lib.sh"
need_ptrace
unset LOADCAST LOADCAST_NODE LOADCAST_IMAGE SLURM_JOB_ID PBS_JOBID PBS_NODEFILE LSB_JOBID FLUX_JOB_ID COBALT_JOBID JOB_ID
mkdir -p sw node
export LOADCAST_DIR=$tmp/node
printf '#!/bin/sh\ncat "$(dirname "$0")/data"\n' >sw/app.sh
echo content >sw/data
# Each argument in brackets: an empty one shows too.
printf '#!/bin/sh\ncat "$(dirname "$0")/data"; printf "<%%s>" "$@"; echo\n' >sw/args.sh
chmod +x sw/app.sh sw/args.sh
find sw -exec touch -d 2020-01-01 {} +
loadcast record -o app.lcast --manage sw -- sw/args.sh >/dev/null 2>&1 || skip_all 'cannot record here'
left() { find "${1:-node}" -mindepth 1 | grep -v "loadcast-[0-9]*$" || :; }
is_clean() { [ -z "$(left "$@")" ]; }
gone() { wait_until is_clean "$@" || { left "$@"; return 1; }; }
# A Slurm of one node: what it is asked to start is all that matters here.
mkdir slurm
cat >slurm/srun <<'E'
#!/bin/sh
# With $HOLD: wait until that file is there.
[ -z "${HOLD:-}" ] || { touch "$HOLD.waits"; until [ -e "$HOLD" ]; do sleep 0.05; done; }
while [ "${1#-}" != "$1" ]; do shift; done
exec "$@"
E
chmod +x slurm/srun
one_node() { export PATH=$tmp/slurm:$PATH SLURM_JOB_ID=4713 SLURM_JOB_NUM_NODES=1; }
shells="sh"
if command -v bash >/dev/null; then shells="sh bash"; fi
# paste: the steps in $tmp/steps, in each shell; what they print is that of the line
paste_steps() {
    for shell in $shells; do
        code 0 $shell -eu ./steps
        says content "$tmp/out"
        [ $# = 0 ] || same "$1" "$tmp/out"
    done
}
nl='
'
t 'images: a dash, blanks, quotes, dollars, newlines, patterns, bytes that are no text' '
    for name in "-x.lcast" "--help" "a b.lcast" "it'\''s.lcast" "say \"x\".lcast" "\$HOME \`id\`.lcast" "back\\slash" "two${nl}lines.lcast" "~" "*?[a]" \
        "$(printf "\377\376.lcast")" "a=b.lcast" "@loadcast {}" "%s%n"; do
        cp app.lcast "./$name"
        code 0 loadcast run --stats --image "$name" -- sw/app.sh
        says content out
        grep -q "^saved  *[1-9]" err || { cat err; exit 1; }
        LOADCAST_IMAGE=$name code 0 loadcast run -q --image "$name" -- sw/app.sh
        says content out
        code 0 loadcast run --dry-run --image "$name" -- sw/app.sh
        cp out steps
        paste_steps
        mv "./$name" kept && mv kept app.lcast
        gone
    done
'
t 'no image of such a name: what to do can be pasted' '
    code 0 loadcast run --image "an image" -- sw/app.sh
    says "loadcast run --record --image '\''an image'\'' -- ..." err
    code 0 loadcast run --image -x -- sw/app.sh
    says "loadcast run --record --image ./-x -- ..." err
'
t '--dry-run before anything is recorded: all steps, from the pilot on' '
    for name in new.lcast "-a new'\''one.lcast"; do
        code 0 loadcast run --dry-run --record --manage sw --image "$name" -- sw/args.sh "a b" "\$x"
        [ ! -e "./$name" ]
        gone
        cp out steps
        for shell in $shells; do
            rm -f "./$name"
            code 0 $shell -eu ./steps
            # The pilot and the line.
            [ "$(grep -cxF "<a b><\$x>" out)" = 2 ] || { cat steps out err; exit 1; }
            test -s "./$name"
        done
        gone
    done
'
t 'directories: the place it is run in, that of the image, and one on the node that is not from the root on' '
    for here in "a b" "it'\''s \"here\"" "\$HOME;id" "-n" "two${nl}lines"; do
        mkdir -p "./$here" && cp -r sw app.lcast "./$here/"
        cd "./$here"
        mkdir -p node
        loadcast record -o app.lcast --manage sw -- sw/app.sh >/dev/null 2>&1
        code 0 loadcast run --stats --image "$PWD/app.lcast" -- "$PWD/sw/app.sh"
        says content "$tmp/out"
        grep -q "^saved  *[1-9]" "$tmp/err" || { cat "$tmp/err"; exit 1; }
        loadcast run --dry-run --image app.lcast -- "$PWD/sw/app.sh" >steps
        paste_steps
        gone "$tmp/node"
        cd "$tmp"
    done
    for dir in node ./node node/ sw/../node; do
        code 0 loadcast run --stats --dir $dir --image app.lcast -- sw/app.sh
        grep -q "^saved  *[1-9]" err || { cat err; exit 1; }
        LOADCAST_DIR=$dir code 0 loadcast run --stats --image app.lcast -- sw/app.sh
        grep -q "^saved  *[1-9]" err || { cat err; exit 1; }
        [ "$(cd / && loadcast stage -q --dir "$tmp/$dir" "$tmp/app.lcast")" = "$(loadcast stage -q --dir $dir app.lcast)" ]
        code 0 loadcast stage --clean --dir $dir app.lcast
        gone
    done
'
t 'arguments arrive as they are, by run and by what --dry-run prints' '
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    set -- "" "a b" "it'\''s" "\"q\"" "\$HOME" "\`id\`" "\\" "*" "~" "new${nl}line" -n -- "A=b c" "a;b|c&d" "#" "!" "{a,b}" "$(printf "\001\377")" "$tmp/node/loadcast-0/x"
    sw/args.sh "$@" >want
    one_node
    for launcher in "" "env B=1" "srun -n1" "mpiexec.openmpi -n 1 --oversubscribe" "mpiexec.mpich -n 1"; do
        [ -z "$launcher" ] || command -v "${launcher%% *}" >/dev/null || continue
        $launcher sw/args.sh "$@" >plain 2>/dev/null
        code 0 loadcast run --image app.lcast -- $launcher sw/args.sh "$@"
        same plain out
        code 0 loadcast run --dry-run --image app.lcast -- $launcher sw/args.sh "$@"
        cp out steps
        paste_steps plain
    done
    loadcast clean --dir "$LOADCAST_DIR" >/dev/null
    gone
'
t 'jobs of any name check and stage once, and stay in their own directory' '
    long=$(printf "%0100d" 7)
    for job in 12 "1 2" "../../x" "a/b" "17.server.centre" "17[4].server" "x${nl}y" "-" "." ".." "$long" "$(printf "\377")" "ƒ2Vx" "'\''"; do
        export FLUX_JOB_ID=$job
        code 0 loadcast run --stats --image app.lcast -- sw/app.sh
        says content out
        grep -q "^check .*entries" err || { cat err; exit 1; }
        code 0 loadcast run --stats --image app.lcast -- sw/app.sh
        says "stage      done by an earlier run of this job" err
        # Nothing but notes and node directories, all in the one directory.
        [ "$(find node -mindepth 1 -maxdepth 1 | wc -l)" = 1 ]
        find node -mindepth 2 -maxdepth 2 ! -name ".job.flux-*" ! -name ".[0-9a-f]*.lock" ! -name "[0-9a-f]*" | nothing
        code 0 loadcast clean --dir "$LOADCAST_DIR"
        gone
    done
    # An empty one is none.
    FLUX_JOB_ID= code 0 loadcast run --stats --image app.lcast -- sw/app.sh
    gone
    for job in 4711_3 "x y"; do SLURM_JOB_ID=$job code 0 loadcast run --with "" --image app.lcast -- sw/app.sh; SLURM_JOB_ID=$job loadcast clean --dir "$LOADCAST_DIR" >/dev/null; done
    gone
'
t 'a note of a job that is damaged is none' '
    export FLUX_JOB_ID=18
    code 0 loadcast run --image app.lcast -- sw/app.sh
    note=$(find node -name ".job.flux-18")
    for text in "" "{" "{}" "[]" "$(sed "s/\"id\"/\"was\"/" "$note")" "$(sed "s/\"use\": \"[^\"]*\"/\"use\": 7/" "$note")"; do
        printf "%s" "$text" >"$note"
        code 0 loadcast run --stats --image app.lcast -- sw/app.sh
        says content out
        grep -q "^check .*entries" err || { cat err; exit 1; }
    done
    loadcast clean --dir "$LOADCAST_DIR" >/dev/null
    gone
'
t 'without HOME, USER, LOGNAME, TMPDIR, XDG_RUNTIME_DIR, with a HOME that is none' '
    code 0 env -i PATH="$PATH" LOADCAST_DIR="$LOADCAST_DIR" "$build/loadcast" run --stats --image app.lcast -- sw/app.sh
    says content out
    grep -q "^saved  *[1-9]" err || { cat err; exit 1; }
    for home in "" / relative /no/such "$tmp/app.lcast"; do
        HOME=$home USER="DOM\\user" LOGNAME="a@b" TMPDIR=/no/such XDG_RUNTIME_DIR=/no/such code 0 loadcast run --stats --image app.lcast -- sw/app.sh
        grep -q "^saved  *[1-9]" err || { cat err; exit 1; }
    done
    gone
'
t 'users of any name, or without one; an image they may not change, a home with any name' '
    [ "$(id -u)" = 0 ] || skip "needs root to be another user"
    chmod 755 "$tmp" && mkdir -p inst && mkdir -m 1777 places
    for file in loadcast loadcast-full launch preload.so audit.so node-kit.tgz; do cp "$build/$file" inst/; done
    one_node
    cp app.lcast readable.lcast && chmod 644 readable.lcast
    echo changed >sw/data
    uid=54320
    for user in "" "DOM\\user" "first.last+x" "user@REALM.ORG" "with blank" "\$x"; do
        uid=$((uid + 1))
        home="$tmp/home of ${user:-nobody}"
        mkdir -p "$home" && chown $uid "$home"
        as() { setpriv --reuid $uid --regid $uid --clear-groups env HOME="$home" USER="$user" LOGNAME="$user" LOADCAST_DIR="$tmp/places" PATH="$tmp/inst:$PATH" "$@"; }
        # What changed goes to the home directory, as nodes could not see it elsewhere.
        code 0 as loadcast run --stats --image readable.lcast -- srun -n1 sw/args.sh
        says changed out
        says "was recorded; updated" err
        grep -q "^saved  *[1-9]" err || { cat err; exit 1; }
        test -s "$home/.cache/loadcast"/readable.lcast.overlay-slurm-4713-*
        code 0 as loadcast run --stats --image readable.lcast -- srun -n1 sw/args.sh
        says "check      done by an earlier run of this job" err
        says changed out
        code 0 as loadcast clean
        rm -r "$home/.cache"
        code 0 as loadcast run --dry-run --image readable.lcast -- srun -n1 sw/args.sh
        says "loadcast check --overlay" out
        cp out steps
        for shell in $shells; do
            code 0 as $shell -eu "$tmp/steps"
            says changed out
        done
        code 0 as loadcast clean --all
        [ ! -e "places/loadcast-$uid" ] || gone "places/loadcast-$uid"
    done
'
large() {
    mkdir -p big && cp sw/app.sh sw/data big && truncate -s 70M big/large && echo content >big/data
    printf "#!/bin/sh\nhead -c1 \"\$(dirname \"\$0\")/large\" >/dev/null; ls \"\$LARGE\"*; cat \"\$(dirname \"\$0\")/data\"\n" >big/app.sh
    find big -exec touch -d 2020-01-01 {} +
    export LARGE=$tmp/big.lcast
    code 0 loadcast record -o big.lcast --manage big -- big/app.sh
    [ "$(stat -c %s big.lcast)" -gt 70000000 ]
}
t 'a large image of which little changed is not rewritten while a job waits: its overlay stands beside it and goes with the job' '
    large
    before=$(stat -c %i.%y big.lcast)
    echo changed >big/data
    touch -d "2 days ago" big.lcast.overlay-old
    touch big.lcast.overlay-8 # a job that may still be there
    for again in 1 2; do
        code 0 loadcast run --stats --image big.lcast -- big/app.sh
        says changed out
        grep -qE "big.lcast.overlay-[0-9]{2,}" out # while it runs
        lacks "overlay-old" out
        grep -q "^saved  *[1-9]" err || { cat err; exit 1; }
        [ "$before" = "$(stat -c %i.%y big.lcast)" ]
        [ "$(ls big.lcast.*)" = big.lcast.overlay-8 ]
    done
    gone
    # In the job of a scheduler it stays for the next line of that job, which finds it staged.
    (one_node
    export LOADCAST_STORE=$tmp/facts
    code 0 loadcast run --stats --image big.lcast -- srun -n1 big/app.sh
    says changed out
    [ -s big.lcast.overlay-slurm-4713-* ]
    code 0 loadcast run --stats --image big.lcast -- srun -n1 big/app.sh
    says "check      done by an earlier run of this job" err
    says changed out
    # What is known of the image is not known anew of each overlay.
    code 0 loadcast run --stats --image big.lcast -- srun -n1 big/app.sh
    find "$LOADCAST_STORE" -name "fact.used-*" >facts.used
    [ "$(wc -l <facts.used)" = 1 ] || { cat facts.used; exit 1; }
    rm big.lcast.overlay-slurm-4713-* # somebody has cleaned up
    code 0 loadcast run --stats --image big.lcast -- srun -n1 big/app.sh
    says changed out
    [ -s big.lcast.overlay-slurm-4713-* ]
    code 0 loadcast clean --all)
    rm -rf big big.lcast*
'
t 'two lines of one job that check a large image at the same time: each stages what it has checked' '
    large
    one_node
    echo changed >big/data
    HOLD=$tmp/hold loadcast run --stats --wait 60s --via fs --image big.lcast -- srun -n1 big/app.sh >first.out 2>first.err &
    first=$!
    wait_until test -e hold.waits # it has checked
    echo "changed again" >big/data
    code 0 loadcast run --stats --wait 60s --via fs --image big.lcast -- srun -n1 big/app.sh
    says "changed again" out
    grep -q "^saved  *[1-9]" err || { cat err; exit 1; }
    touch hold
    wait $first
    grep -qx changed first.out || { cat first.out first.err; exit 1; }
    lacks "without it" first.err
    grep -q "^saved  *[1-9]" first.err || { cat first.err; exit 1; }
    [ "$(ls big.lcast.overlay-slurm-4713-* | wc -l)" = 2 ]
    # Some day another line takes them away.
    touch -d "2 days ago" big.lcast.overlay-*
    code 0 loadcast clean --all
    (unset SLURM_JOB_ID SLURM_JOB_NUM_NODES
    code 0 loadcast run --image big.lcast -- big/app.sh)
    ls big.lcast.* 2>/dev/null | nothing
    gone
    rm -rf big big.lcast* hold*
'
t 'a large image in a directory that cannot be written: what changed goes to the home directory, or a private one' '
    [ "$(id -u)" = 0 ] || skip "needs root to be another user"
    large
    mkdir site && mv big.lcast site/
    echo changed >big/data
    mkdir home && chown 54330 home
    one_node
    as() { setpriv --reuid 54330 --regid 54330 --clear-groups env LOADCAST_DIR="$tmp/places" TMPDIR="$tmp/home" PATH="$tmp/inst:$PATH" "$@"; }
    for home in "$tmp/home" /no/such; do
        for launcher in "" "srun -n1"; do
            [ -z "$launcher" ] || [ $home != /no/such ] || continue # other nodes could not see it
            code 0 as HOME="$home" loadcast run --stats --image site/big.lcast -- $launcher big/app.sh
            says changed out
            says "was recorded; updated" err
            grep -q "^saved  *[1-9]" err || { cat err; exit 1; }
            as loadcast clean --all
        done
    done
    rm -rf big site home
'
finish
