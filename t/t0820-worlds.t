#!/bin/sh
# Older and newer worlds: Debian's Python with numpy starts from node memory under another C library, and
# asks its disk nothing. The worlds are made by debootstrap from the mirror this system uses itself.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip_all 'needs root (debootstrap, chroot)'
for tool in debootstrap patchelf stormfs; do
    command -v $tool >/dev/null 2>&1 || skip_all "no $tool"
done
need_ptrace
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep '/debian/$' | head -1)
[ -n "$mirror" ] || skip_all 'no mirror of Debian is set up'
unset LOADCAST LOADCAST_NODE LOADCAST_DIR LOADCAST_PYTHON

# Our tools come with the C library they were built for; what is loaded into programs needs none.
tools() {
    mkdir -p "$w/opt/loadcast/bin" "$w/opt/loadcast/lib" "$w/opt/loadcast/libexec/loadcast"
    cp "$build/loadcast" "$w/opt/loadcast/bin/"
    cp "$build/loadcast-full" "$build/launch" $(find "$build" -name '*.so') "$w/opt/loadcast/libexec/loadcast/"
    ldd "$build/loadcast-full" | awk '$2 == "=>" { print $3 } $1 ~ /^\// { print $1 }' | while read -r library; do
        cp -L "$library" "$w/opt/loadcast/lib/"
    done
    patchelf --set-interpreter "/opt/loadcast/lib/$(basename "$(patchelf --print-interpreter "$build/loadcast-full")")" \
        --force-rpath --set-rpath /opt/loadcast/lib "$w/opt/loadcast/libexec/loadcast/loadcast-full"
}
# world SUITE: make it in $tmp/SUITE, with a tree of Python of its own on a disk that counts
world() {
    w=$tmp/$1
    wget -q --spider -T 20 "${mirror}dists/$1/Release" || skip "the mirror has no $1"
    debootstrap --variant=minbase --include=python3,python3-numpy "$1" "$w" "$mirror" >"$tmp/debootstrap.log" 2>&1 ||
        { tail -20 "$tmp/debootstrap.log"; return 1; }
    prepare "$1"
}
prepare() {
    w=$tmp/$1
    mount -t proc proc "$w/proc"
    mkdir -p "$w/dev/shm" "$w/mnt" "$w/tmp/work"
    mount -t tmpfs -o mode=1777 tmpfs "$w/dev/shm"
    cp "$here/python_tree" "$w/tmp/python_tree"
    chroot "$w" /tmp/python_tree /tree
    tools
    stormfs --profile none --cache-s 0 "$w/tree" "$w/mnt"
}
# leave SUITE: unmount whatever is there
leave_world() {
    stormfs ctl "$tmp/$1/mnt" stop
    umount "$tmp/$1/dev/shm"
    umount "$tmp/$1/proc"
}
# in_world COMMAND...: with the job's software on the disk that counts
in_world() {
    chroot "$w" /usr/bin/env -C /tmp/work PYTHONHOME=/mnt PYTHONPATH=/mnt/lib/python3/dist-packages LD_LIBRARY_PATH=/mnt/lib \
        PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0 HOME=/mnt ${node:+LOADCAST_NODE="$node"} "$@"
}
requests() { stormfs ctl "$w/mnt" stats --json | "$python" -c 'import json, sys; print(json.load(sys.stdin)["total"]["requests"])'; }
# zero CODE: Python prints the same as plain and asks the disk nothing
zero() {
    image=/tmp/image.lcast
    node=
    rm -f "$w$image"
    in_world /opt/loadcast/bin/loadcast record -o $image --manage /mnt -- /mnt/bin/python3 -c "$1" >recorded 2>record.err || { cat record.err; return 1; }
    in_world /opt/loadcast/bin/loadcast exec -q $image -- /mnt/bin/python3 -c "$1" >staged
    same recorded staged
    stormfs ctl "$w/mnt" reset
    in_world /mnt/bin/python3 -c "$1" >plain 2>&1
    asked=$(requests)
    test "$asked" -gt 20 || { echo "the plain run asked only $asked: no control"; return 1; }
    node=$(cd "$w" && ls -td dev/shm/loadcast-*/[0-9a-f]*/ | head -1)
    node=/${node%/}
    stormfs ctl "$w/mnt" reset
    in_world "$node/bin/launch" /mnt/bin/python3 -c "$1" >served 2>&1
    test "$(requests)" = 0 || { stormfs ctl "$w/mnt" stats; stormfs ctl "$w/mnt" log 2>/dev/null | tail; return 1; }
    same plain served
}
for suite in ${LOADCAST_WORLDS:-buster bullseye trixie}; do
    at_exit "leave_world $suite"
    t "$suite: a world of its own" '
        world $suite
    '
    [ -d "$tmp/$suite/mnt/bin" ] || continue
    w=$tmp/$suite
    about=$(in_world /mnt/bin/python3 -c 'import platform, sys; print(" ".join(platform.libc_ver()), "Python", platform.python_version())')
    t "$suite ($about): python starts, asks nothing" '
        zero "import sys; print(sys.version, sys.path)"
    '
    t "$suite: numpy starts, asks nothing" '
        zero "import numpy; print(numpy.arange(10).sum(), numpy.__file__)"
    '
    t "$suite: the import seam is in use" '
        zero "import json.decoder, email.mime.text; print(json.__spec__.origin, json.__cached__)"
        in_world "$node/bin/launch" /mnt/bin/python3 -c "import importlib.machinery as m; print(m.FileFinder.find_spec)" >is
        says "<method " is
        in_world /opt/loadcast/bin/loadcast status --json >status
        "$python" -c "import json; assert any(n[\"counts\"][\"code\"] > 20 for n in json.load(open(\"status\")))"
    '
    t "$suite: programs of the world itself run with the client" '
        node=$(cd "$w" && ls -td dev/shm/loadcast-*/[0-9a-f]*/ | head -1); node=/${node%/}
        for c in "ls -l /mnt" "cat /etc/debian_version" "sh -c \"echo hello | sort\"" "perl -v"; do
            chroot "$w" sh -c "$c" >plain
            chroot "$w" env LOADCAST_NODE="$node" "$node/bin/launch" sh -c "$c" >served 2>&1
            same plain served
        done
    '
done
finish
