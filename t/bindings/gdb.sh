# A debugger's breakpoints in libraries.
command -v gdb >/dev/null || skip 'no gdb'
cc="$cc -g"
. "$traps/lazy.sh"
pilot='$serve ./main'
run='$serve gdb -nx -batch -ex "set breakpoint pending on" -ex "break g" -ex run -ex "print n" -ex delete -ex continue ./main'
wrap='sed -n "/Breakpoint.1,/p;/^.1/p;/exited/p;/SIG/p;/^[0-9]*$/p" | sed "s/process [0-9]*/process N/"'
want='any'
