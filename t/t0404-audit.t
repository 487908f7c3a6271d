#!/bin/sh
# The audit object in the pilot: what ld.so searched, and that it needs and disturbs nothing.
. "$(dirname "$0")/lib.sh"
so=$build/src/client/audit/loadcast-record.so
need_compiler

t 'it needs no library and no symbol, has no TLS, and marks its stack' '
    readelf -dW "$so" >dynamic
    lacks "NEEDED" dynamic
    lacks "TEXTREL" dynamic
    nm -D --undefined-only "$so" >undefined
    [ ! -s undefined ]
    readelf -lW "$so" >segments
    lacks " TLS " segments
    grep -E "GNU_STACK" segments | grep -q " RW "
    nm -D --defined-only "$so" | awk "{ print \$3 }" | sort >symbols
    printf "%s\n" la_activity la_objclose la_objopen la_objsearch la_preinit la_version | same - symbols
    case $(readelf -hW "$so" | sed -n "s/.*Machine: *//p") in
    *X86-64) readelf -nW "$so" | grep -q -w IBT ;;
    AArch64) readelf -nW "$so" | grep -q -w BTI ;;
    esac
'
# Two libraries of one name behind two RPATHs, and one behind RUNPATH.
mkdir a b
echo 'int f(void) { return 1; }' >f1.c
echo 'int f(void) { return 2; }' >f2.c
$cc -shared -fPIC -Wl,-soname,libf.so f1.c -o a/libf.so
$cc -shared -fPIC -Wl,-soname,libf.so f2.c -o b/libf.so
echo 'int f(void); int main(void) { return f(); }' >m.c
$cc m.c -o ma -La -lf -Wl,--disable-new-dtags,-rpath,"$tmp/a"
$cc m.c -o mb -Lb -lf -Wl,--enable-new-dtags,-rpath,"$tmp/b"
cat >d.c <<'E'
#include <dlfcn.h>
int main(void) { dlopen("libf.so", RTLD_NOW); dlopen("libnone.so", RTLD_NOW); return 0; }
E
$cc d.c -o d -ldl

t 'each program finds its own library, and the table says so' '
    : >log
    export LD_AUDIT="$so" LOADCAST_SEARCH_LOG="$tmp/log"
    code 1 ./ma
    code 2 ./mb
    LD_LIBRARY_PATH=$tmp/b code 0 ./d
    unset LD_AUDIT
    grep -qE "^found	[0-9a-f]{8,}	$tmp/ma	libf.so	$tmp/a/libf.so$" log
    grep -qE "^found	0	$tmp/mb	libf.so	$tmp/b/libf.so$" log
    grep -qE "^key	.*	$tmp/d	$tmp/b	" log
    grep -qE "^found	0	$tmp/d	libnone.so	$" log
'
t 'a library without RPATH is keyed by the RPATH of who needs it' '
    echo "int f(void); int g(void) { return f(); }" >mid.c
    echo "int g(void); int l(void) { return g(); }" >l.c
    echo "int l(void); int main(void) { return l(); }" >n.c
    $cc -shared -fPIC mid.c -o a/libmid.so -Lb -lf
    $cc -shared -fPIC l.c -o libl.so -La -lmid -Wl,-rpath-link,a -Wl,--disable-new-dtags,-rpath,"$tmp/a"
    $cc n.c -o n -L. -ll -Wl,-rpath-link,a -Wl,--enable-new-dtags,-rpath,"$tmp"
    : >log
    LD_AUDIT=$so LOADCAST_SEARCH_LOG=$tmp/log code 1 ./n
    grep -qE "^found	0	$tmp/n	libl.so	$tmp/libl.so$" log
    grep -qE "^found	[0-9a-f]{8,}	$tmp/a/libmid.so	libf.so	$tmp/a/libf.so$" log
    [ "$(awk "/lib(mid|f)\.so\t/ { print \$2 }" log | sort -u | wc -l)" = 1 ]
'
t 'without its log it goes away; with a bad one it stays silent' '
    LD_AUDIT=$so code 1 ./ma
    [ ! -s err ]
    LD_AUDIT=$so LOADCAST_SEARCH_LOG=/nowhere/log code 1 ./ma
    [ ! -s err ] && [ ! -s out ]
    [ ! -e /nowhere ]
'
t 'beside another auditor, those of ours that have nothing to do go unnoticed' '
    echo "unsigned la_version(unsigned v) { return v; }" >other.c
    $cc -shared -fPIC other.c -o other.so
    for ours in "$so" "$build/src/client/bindings/loadcast-bindings.so" "$build/audit.so"; do
        LD_AUDIT=$tmp/other.so:$ours code 1 ./ma
        [ ! -s err ]
        LD_AUDIT=$ours:$tmp/other.so code 1 ./ma
        [ ! -s err ]
        LD_LIBRARY_PATH=$tmp/b LD_AUDIT=$tmp/other.so:$ours:$ours code 0 ./d
        [ ! -s err ]
    done
'
t 'no descriptor is left open' '
    : >log
    LD_AUDIT=$so LOADCAST_SEARCH_LOG=$tmp/log code 0 sh -c "ls -l /proc/\$\$/fd"
    lacks "log" out
    lacks "environ" out
'
t 'record keeps the table, and the user'\''s own auditor' '
    loadcast trace -- true >/dev/null 2>&1 || skip "no ptrace"
    cat >user.c <<E
#include <link.h>
#include <stdio.h>
unsigned la_version(unsigned v) { FILE *f = fopen("$tmp/mine", "a"); if (f) fclose(f); return v; }
E
    $cc -shared -fPIC user.c -o user.so
    LD_AUDIT=$tmp/user.so code 1 loadcast record -o a.lcast --manage "$tmp" -- ./ma
    [ -e mine ]
    code 0 loadcast info --search a.lcast
    says "$tmp/ma: libf.so => $tmp/a/libf.so" out
    code 0 loadcast info --files a.lcast
    lacks "loadcast-record.so" out
    lacks "loadcast-search" out
'
t 'two answers to one question are none' '
    loadcast trace -- true >/dev/null 2>&1 || skip "no ptrace"
    printf "#!/bin/sh\n./d; mv b/libf.so c.so; ./d; mv c.so b/libf.so\n" >twice
    chmod +x twice
    LD_LIBRARY_PATH=$tmp/b:$tmp/a code 0 loadcast record -o two.lcast --manage "$tmp" -- ./twice
    code 0 loadcast info --search two.lcast
    lacks "$tmp/d: libf.so" out
    says "$tmp/d: libnone.so => not found" out
'
finish
