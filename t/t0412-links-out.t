#!/bin/sh
# Links on the slow disk that lead away from it: Debian's sitecustomize.py, modules' configuration.
. "$(dirname "$0")/lib.sh"
. "$here/zero.sh"
command -v stormfs >/dev/null 2>&1 || skip_all 'no stormfs in this build'
need_ptrace
"$here/python_tree" "$tmp/tree" || skip_all 'no Python to copy'
cp -L "$(command -v cat)" tree/bin/
mkdir -p local/etc tree/etc-dir
echo 'here = __file__' >local/sitecustomize.py
echo local >local/etc/file
packages=tree/lib/python3/dist-packages
mkdir -p $packages
ln -s "$tmp/local/sitecustomize.py" $packages/sitecustomize.py
ln -s "$tmp/local/etc" tree/etc
ln -s etc/file tree/chain
ln -s "$tmp/local/none" tree/dangling
find tree local -exec touch -h -d 2020-01-01 {} +
zero_disk "$tmp/tree"
record_options="--manage $m"

t 'the link is recorded, what is behind it is not' '
    record_and_stage "$tmp/a.lcast" "$m/bin/python3" -c "
import os, sitecustomize
print(sitecustomize.here, open(\"$m/etc/file\").read(), open(\"$m/chain\").read(), os.path.exists(\"$m/dangling\"))"
    code 0 loadcast info --files a.lcast
    says "$m/lib/python3/dist-packages/sitecustomize.py -> $tmp/local/sitecustomize.py" out
    says "$m/etc -> $tmp/local/etc" out
    says "$m/chain -> etc/file" out
    grep "$tmp/local" out | grep -v -e "->" | nothing
'
t 'zero operations through links that lead away' '
    zero "$m/bin/python3" -c "
import os, sitecustomize
print(sitecustomize.here, open(\"$m/etc/file\").read(), open(\"$m/chain\").read(), os.stat(\"$m/etc/\").st_ino,
      os.path.exists(\"$m/dangling\"), os.path.lexists(\"$m/dangling\"), os.access(\"$m/chain\", os.R_OK), os.readlink(\"$m/chain\"))"
'
t 'a file behind the link is always the one that is there now' '
    record_and_stage "$tmp/b.lcast" "$m/bin/cat" "$m/etc/file"
    echo newer >local/etc/file
    [ "$(launch "$m/bin/cat" "$m/etc/file")" = newer ]
    echo more >local/etc/other
    [ "$(launch "$m/bin/cat" "$m/etc/other")" = more ]
'
t 'a link that leads elsewhere now is found by check' '
    mkdir local/etc2; echo second >local/etc2/file
    ln -sfn "$tmp/local/etc2" tree/etc
    code 0 loadcast check a.lcast
    code 0 loadcast exec -q a.lcast -- "$m/bin/cat" "$m/etc/file"
    [ "$(cat out)" = second ]
'
finish
