#!/bin/sh
# Programs that would show a wrong binding: each runs plainly, served without replay, with replay and
# verifying, and must say the same every time. t/bindings/NAME.sh is one trap; there
#   lib OUT SOURCE [FLAG...]   makes a shared library, prog OUT SOURCE [FLAG...] a program
#   run=COMMAND                what runs ('$serve ./main'); pilot=COMMAND what is recorded, if another
#   with=NAME=VALUE            an environment variable; run_with=: not while recording
#   between=CODE               what happens between recording and run
#   want=...                   replayed (nothing refused), refused [TEXT], all but one (group, after the start),
#                              nothing, any
#   skips=NAME                 an object that must not be replayed
#   unmanaged=1                the libraries are not in the image
#   $descriptors               the compiler's option for thread variables by descriptors (TLSDESC)
. "$(dirname "$0")/lib.sh"
cc=${CC:-cc}
cxx=${CXX:-c++}
traps=$here/bindings
command -v "$cc" >/dev/null || skip_all 'no compiler'
need_ptrace
mkdir -m 700 node

need_cxx() { command -v "$cxx" >/dev/null || skip 'no C++ compiler'; }
case $("$cc" -dumpmachine) in aarch64*) descriptors=-mtls-dialect=desc ;; *) descriptors=-mtls-dialect=gnu2 ;; esac
compiler() { case $1 in *.cc) echo "$cxx" ;; *) echo "$cc" ;; esac; }
lib() { out=$1 in=$2; shift 2; $(compiler "$in") -shared -fPIC "$in" -o "$out" -L. "$@" -Wl,-rpath,"$PWD"; }
prog() { out=$1 in=$2; shift 2; $(compiler "$in") "$in" -o "$out" -L. "$@" -Wl,-rpath,"$PWD"; }

# said FILE COMMAND SERVE [NAME=VALUE...]: its output and status
said() {
    file=$1 command=$2 serve=$3
    shift 3
    status=0
    env "serve=$serve" $with "$@" sh -c "$command" >"$file.raw" 2>"$file.err" || status=$?
    eval "${wrap:-cat}" <"$file.raw" >"$file"
    echo "status $status" >>"$file"
}
figure() {
    loadcast status --dir "$tmp/node" --json |
        $python -c 'import json,sys; print(json.load(sys.stdin)[0]["bindings"][sys.argv[1]])' "$1"
}

judge() {
    replayed=$(figure replayed) refused=$(figure refused)
    echo "replayed $replayed, refused $refused: $(figure first_refusal)"
    case $want in
    replayed) [ "$replayed" -ge 1 ] && [ "$refused" = 0 ] ;;
    refused*)
        [ "$refused" -ge 1 ]
        reason=${want#refused}
        figure first_refusal | grep -qF -e "${reason# }"
        ;;
    'all but one') [ "$replayed" -ge 2 ] && [ "$refused" = 1 ] ;;
    nothing) [ "$replayed" = 0 ] && [ "$refused" = 0 ] ;;
    esac
}

trap_one() {
    mkdir "$1" && cd "$1"
    run='$serve ./main' pilot='' between=: want=replayed skips='' unmanaged='' wrap='' with='' run_with=''
    . "$traps/$1.sh"
    manage=$PWD${unmanaged:+/main}
    said record "${pilot:-$run}" "loadcast record -o app.lcast --manage $manage --"
    says "'app.lcast'" record.err
    eval "$between"
    said plain "$run" '' $run_with
    served="loadcast exec -q --dir $tmp/node app.lcast --"
    said off "$run" "$served" $run_with LOADCAST_BINDINGS=0
    same plain off
    said replay "$run" "$served" $run_with LOADCAST_PRUNE=small
    same plain replay
    same plain.err replay.err
    judge
    [ -z "$skips" ] || loadcast info --bindings app.lcast | grep -q " not (.*$skips"
    said verify "$run" "$served" $run_with LOADCAST_BINDINGS=verify LOADCAST_PRUNE=small
    same plain verify
    [ "$(figure different)" = 0 ]
}

for file in ${TRAP:-"$traps"/*.sh}; do
    name=$(basename "$file" .sh)
    t "$name: $(sed -n '1s/^# //p' "$file")" 'trap_one "$name"'
    rm -rf "$tmp/node/loadcast-"* "${tmp:?}/$name"
done
t 'there are at least 40 of them' '[ "$(ls "$traps"/*.sh | wc -l)" -ge 40 ]'
finish
