#!/bin/sh
# Somebody has made what is called as the victim's directory will be called: then it gets another name, which
# nobody can foresee. The job is as fast as ever, and nothing of the other user's is used.
. "$(dirname "$0")/../lib.sh"
. "$here/attack/users.sh"
. "$here/attack/evil.sh"
chown $victim_uid app.lcast
mkdir shared && chmod 1777 shared
taken=$tmp/shared/loadcast-$victim_uid
loadcast() { victim env LOADCAST_DIR="$tmp/shared" "$build/loadcast" "$@"; }
show='echo "node $LOADCAST_NODE"'
# used FILE: the node directory that it says is below another name, which is the victim's and closed
used() {
    node=$(sed -n "s/^node //p" "$1")
    case $node in "$taken".*/*) ;; *) echo "not another name: '$node'"; cat "$1" err; return 1 ;; esac
    [ ! -e "${node%/*}" ] || [ "$(stat -c %u%a "${node%/*}")" = ${victim_uid}700 ]
}
# kinds CMD...: with each of the things that he may have put there
kinds() {
    for kind in directory link file pipe closed dangling; do
        case $kind in
        directory) attacker mkdir -p "$taken/0123456789abcdef/bin" ;;
        link) attacker mkdir -m 777 -p attacker/trap && attacker chmod 777 attacker/trap && attacker ln -s "$tmp/attacker/trap" "$taken" ;;
        file) attacker touch "$taken" ;;
        pipe) attacker mkfifo -m 666 "$taken" ;;
        closed) attacker mkdir -m 700 "$taken" ;;
        dangling) attacker ln -s "$tmp/nowhere" "$taken" ;;
        esac
        "$@" || { echo "$kind"; return 1; }
        ls -A attacker/trap 2>/dev/null | nothing
        rm -rf "$taken" "$taken".*
    done
}
twice() {
    code 0 loadcast exec app.lcast -- sh -c "$show"
    used out && cp out first
    code 0 loadcast exec app.lcast -- sh -c "$show"
    same first out
    [ "$(ls -d "$taken".* | wc -l)" = 1 ]
}
t 'exec is served from another name, and finds it again' 'kinds twice'
t 'many at once end up in few, and all are served' '
    attacker mkdir "$taken"
    for i in 1 2 3 4 5 6 7 8; do loadcast exec -q app.lcast -- sh -c "$show" >out.$i 2>err.$i & done
    wait
    for i in 1 2 3 4 5 6 7 8; do used out.$i; done
    loadcast exec -q app.lcast -- sh -c "$show" >last
    used last
    rm -rf "$taken" "$taken".*
'
by_run() {
    for wrap in auto never; do
        code 0 loadcast run --wrap $wrap --image app.lcast -- sh -c "$show"
        used out || return 1
        find shared -mindepth 1 -user $victim_uid | nothing
    done
}
t 'run too: before the program, and by variables alone' 'kinds by_run'
t 'what --dry-run prints finds it' '
    attacker mkdir "$taken"
    for wrap in auto never; do
        loadcast run --dry-run --wrap $wrap --image "$tmp/app.lcast" -- sh -c "$show" >steps
        code 0 victim env PATH="$build:$PATH" LOADCAST_DIR="$tmp/shared" sh -e ./steps
        used out
    done
    rm -rf "$taken" "$taken".*
'
t 'the front line of a node where it has the usual name finds another by itself' '
    attacker mkdir "$taken"
    node=$(loadcast stage -q app.lcast)
    loadcast run --dry-run --image app.lcast -- sh -c "$show" >steps
    { echo "node=$taken/${node##*/}"; sed -n "/^node=/,\$p" steps | sed "s/^node=.*//; /stage --clean/d"; } >line
    code 0 victim sh ./line
    used out
    # Names that only look like it are no other name: they are not his.
    attacker mkdir -p "$taken.0/${node##*/}/bin" && attacker cp evil "$taken.0/${node##*/}/bin/launch" && attacker chmod -R 755 "$taken.0"
    code 0 victim sh ./line
    used out
    unmarked
    rm -rf "$taken" "$taken".*
'
t 'status, --stats and clean know it; what is foreign is left alone' '
    attacker mkdir "$taken"
    node=$(loadcast stage -q app.lcast)
    code 0 loadcast status
    says "node       $node" out
    says "belongs to another user" err
    code 0 loadcast run --stats --keep --image app.lcast -- sh -c "$show"
    used out
    grep -q "^saved  *[1-9]" err || { cat err; exit 1; }
    code 0 loadcast clean --all --dir "$tmp/shared"
    says "removed    $node" out
    [ "$(ls shared)" = "loadcast-$victim_uid" ]
    rm -rf "$taken"
'
finish
