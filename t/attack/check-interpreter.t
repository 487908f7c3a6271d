#!/bin/sh
# 'check' compiles bytecode by the interpreter that an image names: not by one that another user named or can change.
. "$(dirname "$0")/../lib.sh"
. "$here/attack/users.sh"
need_ptrace
version=$($python -c 'import sys; print("python%d.%d" % sys.version_info[:2])')

# tree OWNER DIR: a Python of its own, a module without bytecode, and an image of importing it.
tree() {
    mkdir -p "$2/bin" "$2/lib" && cp "$(readlink -f $python)" "$2/bin/$version" && echo "value = 1" >"$2/lib/module.py"
    touch -d 2020-01-01 "$2/lib/module.py" && chown -R "$1:$1" "$2"
}
image() {
    as_user "$1" "$tmp" env PYTHONPATH="$tmp/$2/lib" loadcast record -o "$3" --manage "$tmp/$2/lib" --add "$tmp/$2/lib/module.py" \
        -- "$tmp/$2/bin/$version" -c 'import module' 2>record.err || { cat record.err; return 1; }
    as_user "$1" "$tmp" loadcast info --files "$3" | grep -q __pycache__ || { echo "nothing was compiled"; cat record.err; return 1; }
}
# Whoever starts the interpreter now leaves a mark; the module changed, so that it must be compiled again.
arm() {
    printf '#!/bin/sh\nid -u >%s/mark\n' "$tmp" >armed && rm -f mark
    cp "$1/bin/$version" "$1/bin/python-before"
    cat armed >"$1/bin/$version"
    echo "value = 22" >"$1/lib/module.py"
}

t 'an image of another user starts nothing' '
    tree $attacker_uid attacker/sw
    image $attacker_uid attacker/sw attacker/app.lcast
    arm attacker/sw
    code 0 victim loadcast check --overlay victim/over.lcast attacker/app.lcast
    [ ! -e mark ]
    says "another user'\''s image names it" out
    grep "^gone .*__pycache__/module" out
'
t 'nor does what this user wrote from it' '
    echo "value = 333" >attacker/sw/lib/module.py
    code 0 victim loadcast check victim/over.lcast
    [ ! -e mark ]
    code 0 victim loadcast info --json victim/over.lcast
    lacks "\"executable\"" out
'
t 'a dry run starts nothing, and names what is out of date' '
    tree $victim_uid victim/sw
    image $victim_uid victim/sw victim/app.lcast
    arm victim/sw
    code 0 victim loadcast check -n victim/app.lcast
    [ ! -e mark ]
    grep "^outdated .*__pycache__/module" out
'
t 'an interpreter that others can write to, or to a directory on its way, is not started' '
    for open in victim/sw/bin/$version victim/sw/bin victim/sw; do
        for bit in g+w o+w; do
            mode=$(stat -c %a $open)
            chown $victim_uid:$attacker_uid $open && chmod $bit $open
            code 0 victim loadcast check --overlay victim/x.lcast victim/app.lcast
            [ ! -e mark ]
            says "others may write to" out
            chmod $mode $open
        done
    done
'
t 'nor one that an access control list lets another user write to, whatever its group' '
    chown -R $victim_uid:$victim_uid victim/sw
    cat >lists.py <<P
import os, struct, sys
acl = [(1, 7, 2**32 - 1), (2, 7, int(sys.argv[2])), (4, 5, 2**32 - 1), (16, 7, 2**32 - 1), (32, 5, 2**32 - 1)]
os.setxattr(sys.argv[1], "system.posix_acl_access", struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in acl))
P
    for open in victim/sw/bin/$version victim/sw/bin; do
        "$python" lists.py $open $attacker_uid 2>/dev/null || skip "no access control lists here"
        code 0 victim loadcast check --overlay victim/x.lcast victim/app.lcast
        [ ! -e mark ]
        says "others may write to" out
        "$python" -c "import os, sys; os.removexattr(sys.argv[1], \"system.posix_acl_access\")" $open
        chmod 755 $open
    done
'
t 'one that is safe is, also if an account for software owns it' '
    cp victim/sw/bin/python-before victim/sw/bin/$version
    chown -R $attacker_uid:$attacker_uid victim/sw/bin
    code 0 victim loadcast check victim/app.lcast
    grep "^recompiled .*__pycache__/module" out
'
finish
