#!/bin/sh
# 'ls -l' and others ask each file for extended attributes that hardly any has. That a recorded file had none was
# recorded, and is answered from node memory; one that has some, or gets one, is the file system's to answer.
. "$(dirname "$0")/../lib.sh"
. "$here/zero.sh"
command -v stormfs >/dev/null 2>&1 || skip_all 'no stormfs in this build'
need_ptrace
mkdir -p tree/other tree/share/below mnt node work
"$python" -c 'import os; os.getxattr' 2>/dev/null || skip_all 'no Python that asks for attributes'
for name in one two three; do echo $name >tree/share/$name; done
touch tree/other/marked
"$python" -c 'import os; os.setxattr("tree/other/marked", "user.colour", b"red")' 2>/dev/null || rm tree/other/marked
# A change so near to the recording might not show later: then nothing is recorded of it.
wait_until is_age 2 tree/share
stormfs --profile none --cache-s 0 --rw "$tmp/tree" "$tmp/mnt" 2>err || skip_all "no FUSE: $(cat err)"
zero_names "$tmp/tree"
cat >ask.py <<'PY'
import os, sys
for path in sys.argv[1:]:
    for name in None, "security.capability", "system.posix_acl_access", "system.posix_acl_default", "security.selinux", "user.colour":
        for follow in True, False:
            try:
                print(os.path.basename(path), name, os.getxattr(path, name, follow_symlinks=follow) if name
                      else os.listxattr(path, follow_symlinks=follow))
            except OSError as error:
                print(os.path.basename(path), name, error.errno)
PY
job() { (export SLURM_JOB_ID=1; cd "$tmp/work" && exec "$@"); }
asks() {
    stormfs ctl "$m" reset
    job "$@" >served 2>err || { cat err; return 1; }
    requests
}

t 'ls -l of recorded files asks nothing' '
    job loadcast record --manage "$m" -o "$tmp/ls.lcast" -- ls -l "$m/share" >plain 2>err
    job loadcast exec -q "$tmp/ls.lcast" -- ls -l "$m/share" >served
    asked=$(asks loadcast exec -q "$tmp/ls.lcast" -- ls -l "$m/share")
    same plain served
    test "$asked" = 0 || { echo "$asked requests"; stormfs ctl "$m" stats; return 1; }
'
files="$m/share/one $m/share/two $m/other/marked $m/share/absent $m/share"
t 'every answer is as without Loadcast' '
    job loadcast record --manage "$m" -o "$tmp/ask.lcast" -- "$python" "$tmp/ask.py" $files >plain 2>err
    job loadcast exec -q "$tmp/ask.lcast" -- "$python" "$tmp/ask.py" $files >served
    same plain served
    job loadcast exec -q "$tmp/ask.lcast" -- "$python" -c "
import os
for f in 0, 1:
    d = os.open(\"$m/share/one\", os.O_RDONLY)
    try: print(os.listxattr(d), os.getxattr(d, \"security.capability\"))
    except OSError as e: print(e.errno)" >by-descriptor
    test "$(sort -u by-descriptor)" = "$(job "$python" -c "
import os
try: print(os.getxattr(\"$m/share/one\", \"security.capability\"))
except OSError as e: print(e.errno)")"
'
t 'an attribute that the program sets is seen' '
    test -e tree/other/marked || skip "no user attributes here"
    job loadcast exec -q "$tmp/ask.lcast" -- "$python" -c "
import os
print(os.listxattr(\"$m/share/two\"))
os.setxattr(\"$m/share/two\", \"user.colour\", b\"blue\")
print(os.listxattr(\"$m/share/two\"), os.getxattr(\"$m/share/two\", \"user.colour\"))" >out 2>&1 || skip "the disk takes none: $(tail -1 out)"
    says "['"'"'user.colour'"'"'] b'"'"'blue'"'"'" out
    job loadcast check "$tmp/ask.lcast" >/dev/null
    job "$python" "$tmp/ask.py" $files >plain
    job loadcast exec -q "$tmp/ask.lcast" -- "$python" "$tmp/ask.py" $files >served
    same plain served
'
t 'a bad pointer for the name is an error and no crash' '
    job loadcast exec -q "$tmp/ask.lcast" -- "$python" -c "
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print(libc.getxattr(b\"$m/share/one\", ctypes.c_void_p(8), None, 0), ctypes.get_errno())" >out
    says "-1 14" out
'
finish
