# watch.sh - lines without an image, which are watched: source it after lib.sh and zero.sh
#
#   watch_disk              a Python tree on a slow disk ($m, as of zero.sh); watching is on, the store is empty
#   watched CMD...          run 'loadcast CMD' without an image: output and status as of plain; waits for the image
#                           ($status, plain, first, first.err)
#   plain_and_watched CMD   the same for programs that leave no image worth having
#   second_asks_nothing CMD by the image that was made: as plain, and not one request, also with the disk frozen
#   watched_once CMD...     run it without an image, and say nothing of ours
#   is_stored               the store knows something; 'forget' empties it
#   watch_in_memory         logs are in memory, as they are by default; else they are where the tests are, mostly on a disk
#   nothing_watches         no process that watches is left: each keeps a directory in $LOADCAST_DIR

watch_disk() {
    command -v stormfs >/dev/null 2>&1 || skip_all 'no stormfs'
    "$here/python_tree" "$tmp/tree" >/dev/null 2>&1 || skip_all 'cannot make a tree of Python'
    for program in bash ls sh; do cp -L "$(command -v $program)" "$tmp/tree/bin/" || skip_all 'cannot copy'; done
    zero_disk "$tmp/tree"
    watch_begin
}
watch_begin() {
    export LOADCAST_WATCH=1 LOADCAST_STORE="$tmp/store"
    store=$LOADCAST_STORE
    [ -d "$store" ] || mkdir -m 700 "$store"
    unset LOADCAST_IMAGE LOADCAST_NODE
}
watch_in_memory() {
    LOADCAST_DIR=$(mktemp -d /dev/shm/loadcast-test.XXXXXX 2>/dev/null) || LOADCAST_DIR=$tmp/node
    [ "$LOADCAST_DIR" = "$tmp/node" ] || at_exit "rm -rf '$LOADCAST_DIR'"
    export LOADCAST_DIR
}
forget() { wait_until nothing_watches && rm -rf "${store:?}"/*; }
is_stored() { [ -n "$(find "$store" -name '*.json')" ]; }
nothing_watches() { [ -z "$(ls -d "$LOADCAST_DIR"/loadcast-watch.* 2>/dev/null)" ]; }
plain_and_watched() {
    status=0
    job "$@" >plain 2>plain.err || status=$?
    forget
    got=0
    job "$build/loadcast" run -- "$@" >first 2>first.err || got=$?
    [ "$got" = "$status" ] || { echo "status $got instead of $status"; cat first.err; return 1; }
    same plain first || return # whoever calls this may do so in front of '||', where the shell exempts it from 'set -e'
    says "watched" first.err || return
    grep -v "^loadcast run: no image of" first.err >first.own || :
    same plain.err first.own
}
watched() {
    plain_and_watched "$@"
    wait_until is_stored
    local_image=$(find "$store" -name '*.lcast')
    [ -n "$local_image" ] || { echo "no image"; return 1; }
}
second_asks_nothing() {
    by_run true # the first run of a job checks the image
    plain=some
    asks_nothing by_run "$@"
}
watched_once() {
    watch_begin
    forget
    loadcast run --manage "$tmp" -- "$@" 2>once.err || return
    grep -v "^loadcast run: no image of .* is watched" once.err >&2 || :
    says "is watched" once.err
}
