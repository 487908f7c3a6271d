#!/bin/sh
# The promise for a user without rights, who mounts his disk through fusermount3: t0520 once more, by
# nobody, in a mount namespace with a FUSE device that nobody may open.
. "$(dirname "$0")/lib.sh"
. "$here/zero.sh"
[ "$(id -u)" = 0 ] || skip_all 'not root: the other tests have run without rights'
command -v fusermount3 >/dev/null || skip_all 'no fusermount3'
command -v setpriv >/dev/null || skip_all 'no setpriv'
[ -e /etc/mtab ] || skip_all 'no /etc/mtab, which fusermount3 needs to unmount'
[ -e "$build/stormfs" ] || skip_all 'no stormfs in this build'
mkdir -p own/t own/build/t
mkdir node && chown 65534:65534 node
chmod 755 "$tmp"
own_files own/build
cp "$build/stormfs" own/build/
cp "$PROGRAMS/trees" own/build/t/
cp "$here/lib.sh" "$here/wait.sh" "$here/zero.sh" "$here/python_tree" "$here/t0520-exec-zero.t" own/t/
chmod -R go+rX own
unshare -m true 2>/dev/null && mknod fuse c 10 229 2>/dev/null && chmod 666 fuse || skip_all 'cannot make a namespace'
LOADCAST_BUILD=$tmp/own/build PROGRAMS=$tmp/own/build/t TMPDIR=$tmp/node unshare -m sh -c '
    mount --bind fuse /dev/fuse &&
    exec setpriv --reuid 65534 --regid 65534 --clear-groups own/t/t0520-exec-zero.t' || echo 'Bail out! nobody cannot run it'
