#!/bin/sh
# The shell that system() and popen() start inside the C library comes from node memory, too: /bin/sh
# itself lies on the slow disk here, as on nodes without a disk of their own.
if [ -z "${LOADCAST_TEST_SHELL:-}" ]; then
    export LOADCAST_TEST_SHELL=1
    unshare -m true 2>/dev/null && exec unshare -m "$0" "$@"
    echo '1..0 # SKIP cannot make a mount namespace'
    exit 0
fi
. "$(dirname "$0")/lib.sh"
. "$here/zero.sh"
command -v stormfs >/dev/null 2>&1 || skip_all 'no stormfs in this build'
need_ptrace
shell=$(readlink -f /bin/sh)
mkdir -p tree/bin tree/forest
cp -L "$shell" tree/bin/sh
cp "$PROGRAMS/shells" tree/bin/
for i in 1 2 3; do echo $i >tree/forest/$i; done
zero_disk "$tmp/tree"
mount --bind "$m/bin/sh" "$shell" 2>err || skip_all "cannot bind: $(cat err)"
at_exit "umount '$shell'"

# The lines of 'loadcast run' are started by that shell.
ways='by_exec launch'
t 'system and popen start a shell from node memory' '
    record_options="--manage $m --manage ${shell%/*}"
    zero "$m/bin/shells" "$m/forest"
    says "by system" served
    says "got a line" served
'
t 'a script is started with its shell from node memory' '
    printf "#!/bin/sh\necho \"script \$0\"\n" >tree/bin/script
    chmod 755 tree/bin/script
    record_options="--manage $m --manage ${shell%/*}"
    zero "$m/bin/sh" -c "$m/bin/script; $m/bin/script"
'
finish
