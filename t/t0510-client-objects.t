#!/bin/sh
# What is loaded into other people's programs must load everywhere and disturb nothing.
. "$(dirname "$0")/lib.sh"
command -v readelf >/dev/null 2>&1 || skip_all 'no readelf'
objects=$(ls "$build"/preload.so "$build"/audit.so "$build"/src/client/pilot/loadcast-pilot.so 2>/dev/null)
test -n "$objects" || skip_all 'no client objects in this build'

t 'they need no library at all' '
    for o in $objects; do readelf -dW $o | grep NEEDED; done | nothing
'
t 'every undefined symbol is weak and has no version' '
    for o in $objects; do
        readelf --dyn-syms -W $o | awk "\$7 == \"UND\" && \$8 != \"\" && \$5 != \"WEAK\"" | nothing
        readelf -VW $o | grep -i "version needs" | nothing
    done
'
t 'nothing is exported but what they stand in front of' '
    readelf --dyn-syms -W "$build/preload.so" | awk "\$7 != \"UND\" && \$5 == \"GLOBAL\" { sub(/@.*/, \"\", \$8); print \$8 }" | sort -u >exported
    tr -d " \n" <"$src/src/client/preload/preload.map" | sed "s/.*global://; s/local.*//" | tr ";" "\n" | grep . | sort -u >listed
    same listed exported
    for s in memcpy memset malloc free strlen environ; do grep -x $s exported; done | nothing
'
t 'no thread-local storage, no executable stack, no text relocations, no writable code' '
    for o in $objects; do
        readelf -lW $o | grep -E " TLS | RWE " | nothing
        readelf -lW $o | grep -q "GNU_STACK.* RW "
        readelf -dW $o | grep -E "TEXTREL|RPATH|RUNPATH" | nothing
    done
'
t 'no stack protector, no sanitizer, no call into a C library' '
    for o in $objects; do readelf --dyn-syms -W $o | grep -E "__stack_chk|__asan|__ubsan|__tls_get_addr"; done | nothing
'
t 'the property note for indirect branches is there' '
    for o in $objects; do
        case $(readelf -hW $o | sed -n "s/.*Machine: *//p") in
        *X86-64) readelf -nW $o | grep -q -w IBT ;;
        AArch64) readelf -nW $o | grep -q -w BTI ;;
        esac
    done
'
t 'on aarch64 they load with pages of 64 KiB' '
    for o in $objects; do
        case $(readelf -hW $o | sed -n "s/.*Machine: *//p") in
        AArch64)
            readelf -lW $o | awk "\$1 == \"LOAD\" { print \$NF }" >alignments
            [ -s alignments ]
            while read -r alignment; do [ $((alignment)) -ge 65536 ]; done <alignments
            ;;
        esac
    done
'
t 'every spelling that libc exports of a path call we know is covered' '
    libc=$(ldd /bin/ls | awk "/libc\.so/ { print \$3 }")
    readelf --dyn-syms -W "$libc" | awk "\$7 != \"UND\" { sub(/@.*/, \"\", \$8); print \$8 }" | sort -u >libc
    readelf --dyn-syms -W "$build/preload.so" | awk "\$7 != \"UND\" { print \$8 }" | sort -u >covered
    # Left alone: a descriptor executed, and what glibc keeps for itself.
    grep -Ex "(__)?(l|f)?x?(open|openat|stat|statat|statx|access|faccessat|readlink|readlinkat|opendir|readdir|scandir|glob|realpath|fopen|freopen|creat|execv|execve|execvp|execvpe|posix_spawn|posix_spawnp)(64)?(_2|_chk|_r)?" libc |
        comm -23 - covered | grep -vx -e __fstat64 -e fexecve >missing || :
    test ! -s missing || { cat missing; exit 1; }
'
t 'a program runs the same with them loaded and nothing to serve' '
    for o in $objects; do
        variable=LD_PRELOAD; test "${o##*/}" != audit.so || variable=LD_AUDIT
        for c in "ls -l /usr" "sh -c \"echo /usr/*; cat /etc/passwd\"" "$python -c \"import os,glob; print(os.listdir(chr(47)), glob.glob(chr(47)+chr(42)), os.path.realpath(os.curdir))\""; do
            eval "$c" >plain
            env $variable="$o" sh -c "$c" >loaded
            same plain loaded
        done
    done
'
finish
