#!/bin/sh
# loadcast LAUNCH LINE is loadcast run -- LAUNCH LINE; commands of ours come first, and typing errors are told.
. "$(dirname "$0")/lib.sh"
. "$here/run_app.sh"
run_app <<'EOS'
exit) exit "$2" ;;
kill) kill -"$2" $$ ;;
cat) cat ;;
EOS
mkdir -p bin
PATH=$tmp/bin:$PATH

t 'a program: its image is found, and its status, signals and streams are its own' '
    loadcast record --manage sw -- sw/app.sh >record.out 2>&1
    code 0 loadcast sw/app.sh
    says content out
    says "staged on 1 node" err
    code 7 loadcast sw/app.sh exit 7
    echo through | loadcast sw/app.sh cat >out 2>err
    says through out
    status=0
    sh -c "loadcast sw/app.sh kill USR1" 2>err || status=$?
    [ $status = 138 ]
    left | nothing
'
t 'seen through what stands before the program' '
    for before in "env A=1" "nice -n 1" "sh -c '\''exec \"\$@\"'\'' sh" "timeout 60" "time -p"; do
        [ "$before" != "time -p" ] || command -v time >/dev/null || continue
        eval "code 0 loadcast $before sw/app.sh"
        says content out
        says "staged on 1 node" err
    done
'
t 'a launcher' '
    command -v mpiexec >/dev/null || skip "no mpiexec"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    mpiexec -n 1 true 2>err || skip "mpiexec does not run here"
    code 0 loadcast mpiexec -n 2 sw/app.sh
    [ "$(grep -cx content out)" = 2 ]
    says "staged on 1 node" err
    left | nothing
    cp -p sw/app.sh sw/ranks.sh
    mpiexec -n 2 loadcast record --manage sw -- sw/ranks.sh >record.out 2>&1
    code 0 loadcast mpiexec -n 1 sw/ranks.sh
    says "staged on 1 node" err
'
t 'options behind the program are its own' '
    code 0 loadcast printf "%s\n" --help --version -- -x
    [ "$(cat out)" = "$(printf "%s\n" --help --version -- -x)" ]
'
t 'a command of ours comes before a program of its name, which a path still reaches' '
    printf "#!/bin/sh\necho mine\n" >bin/status && chmod +x bin/status
    code 0 loadcast status
    lacks mine out
    code 0 loadcast bin/status
    says mine out
    code 0 loadcast run -- status
    says mine out
'
t 'neither a command nor a program: did you mean; a path fails as it would without us' '
    code 2 loadcast recrod && says "did you mean '\''record'\''?" err
    code 2 loadcast mpiexce -n 4 ./a && says "did you mean '\''mpiexec'\''?" err
    code 2 loadcast pyhton3 app.py && says "did you mean '\''python3'\''?" err
    code 2 loadcast no-such-word && says "no command or program '\''no-such-word'\''" err
    code 2 loadcast --no-such-option
    code 127 loadcast ./no-such-program && says "No such file" err
    touch plain
    code 126 loadcast ./plain
    code 2 loadcast help sh
    [ ! -s out ]
'
t 'LOADCAST=0 runs it as if we were not there' '
    LOADCAST=0 code 0 loadcast sw/app.sh
    says content out
    [ ! -s err ]
'
t 'help shows it' '
    code 0 loadcast help
    says "loadcast LAUNCH LINE" out
    says " images " out
'
finish
