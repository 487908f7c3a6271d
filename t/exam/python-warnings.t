#!/bin/sh
# A module without bytecode in a tree that nobody may write to is compiled at each start, and the compiler's
# warnings are seen each time. Bytecode that 'record' makes must not swallow them.
. "$(dirname "$0")/../lib.sh"
need_ptrace
export LOADCAST_DIR=$tmp/node PYTHONDONTWRITEBYTECODE=1
mkdir -p node app
echo 'print("is" is 1)' >app/compared.py
printf 'pattern = "\\d"\n' >app/escaped.py
printf '# quiet\nprint("quiet")\n' >app/quiet.py
program='import sys; sys.path.insert(0, "app"); import quiet, compared, escaped; print(escaped.pattern)'
loadcast record -o app.lcast --manage "$tmp/app" -- "$python" -c "$program" >/dev/null 2>record.err

t 'as recorded: the same warnings, at each start' '
    "$python" -c "$program" >plain 2>plain.err
    says SyntaxWarning plain.err
    for _ in 1 2; do
        loadcast exec -q app.lcast -- "$python" -c "$program" >served 2>served.err
        same plain served
        same plain.err served.err
    done
'
for how in error always default ignore error::DeprecationWarning; do
    t "with -W $how" '
        a=0; b=0
        "$python" -W $how -c "$program" >plain 2>plain.err || a=$?
        loadcast exec -q app.lcast -- "$python" -W $how -c "$program" >served 2>served.err || b=$?
        test $a = $b
        same plain served
        same plain.err served.err
    '
done
t 'a module without warnings is compiled into the image, and check keeps it so' '
    says "1 modules had no good bytecode and were compiled" record.err
    loadcast info --files app.lcast >out
    says "/quiet.cpython" out
    lacks "/compared.cpython" out
    echo "print(1 is 2)" >>app/quiet.py
    loadcast check app.lcast >out
    "$python" -c "$program" >plain 2>plain.err
    loadcast exec -q app.lcast -- "$python" -c "$program" >served 2>served.err
    same plain.err served.err
'
finish
