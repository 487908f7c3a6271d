#!/bin/sh
# Node.js asks for its modules by syscall(SYS_statx), past the C library's own function: answered as well.
. "$(dirname "$0")/../lib.sh"
. "$here/zero.sh"
command -v stormfs >/dev/null 2>&1 || skip_all 'no stormfs in this build'
need_ptrace
mkdir -p tree/modules/one mnt node work
echo 'exports.x = 1' >tree/modules/one/index.js
ln -s one tree/modules/link
stormfs --profile none --cache-s 0 "$tmp/tree" "$tmp/mnt" 2>err || skip_all "no FUSE: $(cat err)"
zero_names "$tmp/tree"
job() { (export SLURM_JOB_ID=1; cd "$tmp/work" && exec "$@"); }
cat >ask.py <<'PY'
import ctypes, platform, sys
libc, number = ctypes.CDLL(None, use_errno=True), {"x86_64": 332, "aarch64": 291}[platform.machine()]
for path in sys.argv[1:]:
    for flags in 0, 0x100, 0x10000000:
        for mask in 0xfff, 0x7ff:
            buffer = ctypes.create_string_buffer(256)
            ctypes.set_errno(0)
            rc = libc.syscall(ctypes.c_long(number), ctypes.c_long(-100), path.encode(), ctypes.c_long(flags), ctypes.c_long(mask), buffer)
            # Size, mode, inode and times; not the access time, which a read may change.
            print(path, flags, mask, rc, ctypes.get_errno(), buffer.raw[16:56].hex(), buffer.raw[112:136].hex())
PY
t 'the same answers, and no request' '
    set -- "$python" "$tmp/ask.py" "$m/modules/one" "$m/modules/one/index.js" "$m/modules/link" "$m/modules/absent" "$m/modules/one/index.js/x"
    job "$@" >plain
    job loadcast record --manage "$m" -o "$tmp/app.lcast" -- "$@" >recorded 2>err
    job loadcast exec -q "$tmp/app.lcast" -- "$@" >served
    same plain served
    stormfs ctl "$m" reset
    job loadcast exec -q "$tmp/app.lcast" -- "$@" >served
    asked=$(requests)
    test "$asked" = 0 || { echo "$asked requests"; stormfs ctl "$m" stats; return 1; }
'
t 'Node.js finds its modules without a request' '
    command -v node >/dev/null || skip "no node"
    set -- node -e "console.log(require(\"$m/modules/one\").x, require(\"$m/modules/link\").x)"
    job loadcast record --manage "$m" -o "$tmp/node.lcast" -- "$@" >plain 2>err
    job loadcast exec -q "$tmp/node.lcast" -- "$@" >served
    stormfs ctl "$m" reset
    job loadcast exec -q "$tmp/node.lcast" -- "$@" >served
    asked=$(requests)
    same plain served
    test "$asked" = 0 || { echo "$asked requests"; stormfs ctl "$m" stats; return 1; }
'
finish
