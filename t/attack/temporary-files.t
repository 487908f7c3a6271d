#!/bin/sh
# Files that are being written: another user neither reads them before they have their name, nor leads them astray.
. "$(dirname "$0")/../lib.sh"
. "$here/attack/users.sh"
need_ptrace

mkdir shared && chmod 1777 shared
mkdir open && chmod 0777 open # a project's directory, without the sticky bit

# spy DIR OUT: whatever another user can read of new files in DIR and holds the secret is named in OUT.
cat >spy.py <<'P'
import os, sys
seen, dir, out, stop = set(), *sys.argv[1:4]
open(out, "w").close()
while not os.path.exists(stop):
    for name in os.listdir(dir):
        try:
            with open(os.path.join(dir, name), "rb") as f:
                if b"THE-SECRET" in f.read(1 << 16):
                    seen.add(name)
                    open(out, "w").write("\n".join(sorted(seen)) + "\n")
        except OSError:
            pass
P

t 'what only its owner may read is not readable while it is packed' '
    (echo THE-SECRET; head -c 60000000 /dev/urandom) >victim/weights
    chown $victim_uid victim/weights && chmod 600 victim/weights
    attacker $python spy.py shared attacker/found attacker/stop &
    spy=$!
    wait_until [ -e attacker/found ]
    victim loadcast record -o shared/app.lcast --add $tmp/victim/weights
    touch attacker/stop
    wait $spy
    nothing <attacker/found
    [ "$(stat -c %a:%u shared/app.lcast)" = 600:$victim_uid ]
    ls -A shared | grep -v "^app.lcast$" | nothing
'
t 'a link that stands where a temporary file is expected is not written through' '
    "$PROGRAMS/mkresults" victim/r.db 20 7 && chown $victim_uid victim/r.db
    victim sh -c "echo precious >victim/thesis; umask 022
        echo \$\$ >victim/pid; while [ ! -e attacker/go ]; do :; done
        exec loadcast results export --json --db victim/r.db -o open/runs.json" >export.out 2>&1 &
    export=$!
    wait_until [ -s victim/pid ]
    pid=$(cat victim/pid)
    attacker ln -s $tmp/victim/thesis open/runs.json.$pid.tmp
    attacker touch attacker/go
    wait $export || { cat export.out; exit 1; }
    echo precious | cmp - victim/thesis
'
t 'nor one that stands where the file itself is expected, unless it is the user'"'"'s own' '
    echo precious >victim/thesis && chown $victim_uid victim/thesis
    for file in report.json log table trace.json page.html; do attacker ln -s $tmp/victim/thesis open/$file; done
    refused() {
        victim loadcast "$@" >out 2>err || :
        says "a link of another user" err
        echo precious | cmp - victim/thesis
    }
    refused results export --json --db victim/r.db -o open/report.json
    refused report --db victim/r.db --html open/page.html
    refused trace --log open/log -- true
    refused trace -o open/table -- true
    refused trace --json open/trace.json -- true
    # His own link is followed, and so are names of what is open already.
    victim ln -s real.json victim/mine.json && victim ln -s $tmp/victim/mine.json victim/again.json
    code 0 victim loadcast results export --json --db victim/r.db -o victim/again.json
    [ -L victim/again.json ] && [ -L victim/mine.json ] && [ -s victim/real.json ]
    for name in stdout fd/3; do
        code 0 victim sh -c "loadcast results export --json --db victim/r.db -o /dev/$name >victim/std 3>&1"
        same victim/real.json victim/std
    done
    victim loadcast trace --log victim/log -o /dev/null -- true
    [ -s victim/log ]
'
t 'an environment is not built in a directory that another user has made for it' '
    victim sh -c "umask 022; echo \$\$ >victim/env-pid; while [ ! -e attacker/go-env ]; do :; done
        exec loadcast bench env --python $python --package json open/env" >env.out 2>&1 &
    made=$!
    wait_until [ -s victim/env-pid ]
    attacker mkdir -m 777 open/env.part-$(cat victim/env-pid) && attacker chmod 777 open/env.part-*
    attacker touch attacker/go-env
    wait $made || { cat env.out; exit 1; }
    find open/env ! -user $victim_uid | nothing
    [ "$(stat -c %a open/env)" = 755 ]
'
t 'names in a directory that others cannot list make the image its owner'"'"'s' '
    mkdir -p victim/tree/hidden && echo a >victim/tree/hidden/plan-b && chmod 711 victim/tree/hidden && chmod 644 victim/tree/hidden/plan-b
    chown -R $victim_uid victim/tree
    victim sh -c "umask 022; loadcast record -o shared/names.lcast --manage $tmp/victim/tree -- cat $tmp/victim/tree/hidden/plan-b"
    attacker sh -c "loadcast info --files shared/names.lcast" >out 2>&1 || :
    lacks plan-b out
    [ "$(stat -c %a shared/names.lcast)" = 600 ]
'
t 'what everybody may read and list goes into an image that everybody may read' '
    mkdir victim/all && echo a >victim/all/a && chown -R $victim_uid victim/all
    victim sh -c "umask 022; loadcast record -o shared/all.lcast --manage $tmp/victim/all -- cat $tmp/victim/all/a"
    [ "$(stat -c %a shared/all.lcast)" = 644 ]
    victim sh -c "umask 027; loadcast record -o shared/group.lcast --manage $tmp/victim/all -- cat $tmp/victim/all/a"
    [ "$(stat -c %a shared/group.lcast)" = 640 ]
'
finish
