#!/bin/sh
# Learning for a user without rights, who mounts his disk through fusermount3: t1320 and t1321 once more, by
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
cp "$here/lib.sh" "$here/wait.sh" "$here/stormfs.sh" "$here/learn.sh" "$here/t1320-learn.t" "$here/t1321-learn-limits.t" own/t/
chmod -R go+rX own
unshare -m true 2>/dev/null && mknod fuse c 10 229 2>/dev/null && chmod 666 fuse || skip_all 'cannot make a namespace'
# as_nobody TEST: its lines, one test each
as_nobody() {
    LOADCAST_BUILD=$tmp/own/build PROGRAMS=$tmp/own/build/t TMPDIR=$tmp/node HOME=$tmp/node unshare -m sh -c "
        mount --bind fuse /dev/fuse &&
        exec setpriv --reuid 65534 --regid 65534 --clear-groups own/t/$1" >lines 2>&1
    cat lines
    grep -q "^ok " lines
    grep "^not ok\|^Bail" lines | nothing
}
t 'a job learns, what is learnt is told and taken back' 'as_nobody t1320-learn.t'
t 'what is never learnt, and what gets in the way' 'as_nobody t1321-learn-limits.t'
finish
