#!/bin/sh
# Every request is counted once, by operation and result, and nothing else is.
. "$(dirname "$0")/lib.sh"
. "$here/stormfs.sh"
mkdir -p src/dir/sub
echo hello >src/file
echo inner >src/dir/sub/inner
ln -s file src/link
# Files changed within the last tick of the clock are not trusted to stay as they are.
ticked() { "$python" -c "import os, time; exit(time.time() - os.stat('src/link', follow_symlinks=False).st_ctime < 0.11)"; }
wait_until ticked
reset() { stormfs ctl "$tmp/m1" reset; }

t 'a fresh mount has been asked for nothing' '
    storm --cache-s 60
    is "$(count requests)" 0
    is "$(stat_of "s[\"total\"][\"operations\"]")" "{}"
'
t 'ctl itself asks nothing of the mount' '
    for i in 1 2 3; do stormfs ctl m1 stats >/dev/null; stormfs ctl m1 reset; done
    (cd m1 && stormfs ctl . stats >/dev/null && stormfs ctl "$tmp/m1/" stats >/dev/null)
    reset
    stormfs ctl m1 freeze
    stormfs ctl m1 thaw
    is "$(count requests)" 0
'
t 'a miss is one LOOKUP, absent' '
    reset
    [ ! -e m1/nothing ]
    is "$(count LOOKUP absent) $(count LOOKUP)" "1 0"
    is "$(count LOOKUP absent)" "$(count requests)"
'
t 'reading a file: LOOKUP, OPEN, READ and the close' '
    reset
    cat m1/file >/dev/null
    wait_until eval "test \"\$(count RELEASE)\" = 1"
    is "$(count LOOKUP) $(count OPEN) $(count READ) $(count RELEASE)" "1 1 1 1"
    is "$(count FLUSH error)" 1
    is "$(count requests)" 5
    is "$(stat_of "s[\"total\"][\"bytes_read\"]")" 6
'
t 'a second time: from the caches, but for the open' '
    reset
    cat m1/file >/dev/null
    wait_until eval "test \"\$(count RELEASE)\" = 1"
    is "$(count OPEN)" 1
    is "$(count requests)" 2
'
t 'a chain of directories is looked up once' '
    reset
    [ -e m1/dir/sub/inner ] && [ -e m1/dir/sub/inner ]
    is "$(count LOOKUP)" 3
    is "$(count requests)" 3
'
t 'a symbolic link: LOOKUP and READLINK' '
    reset
    readlink m1/link >/dev/null
    is "$(count READLINK)" 1
'
t 'listing: OPENDIR, READDIR(PLUS), RELEASEDIR' '
    reset
    ls -f m1/dir >/dev/null
    wait_until eval "test \"\$(count RELEASEDIR)\" = 1"
    is "$(count OPENDIR)" 1
    [ $(($(count READDIR) + $(count READDIRPLUS))) -ge 1 ]
'
t 'what fails otherwise is an error' '
    reset
    $python -c "
import os
try: os.getxattr(\"m1/file\", \"bogus.name\")
except OSError: pass"
    is "$(count GETXATTR ok) $(count GETXATTR absent) $(count GETXATTR error)" "0 0 1"
'
t 'writing to a read-only mount asks nothing' '
    reset
    if echo x >m1/file; then false; fi
    is "$(count OPEN error)$(count SETATTR error)$(count WRITE)" 000
'
t 'the question for a terminal is counted, but not charged' '
    reset
    exec 3<m1/file
    charged=$(stat_of "s[\"server\"][\"requests\"]")
    if [ -t 3 ]; then false; fi
    is "$(count IOCTL error)" 1
    is "$(stat_of "s[\"server\"][\"requests\"]")" "$charged"
    exec 3<&-
'
t 'totals are the sum of the mounts' '
    stop_stormfs
    mounts="$tmp/m1 $tmp/m2"
    storm
    cat m1/file m1/link m2/file >/dev/null
    stat m2/absent || :
    is "$(stat_of "sum(m[\"requests\"] for m in s[\"mounts\"])")" "$(count requests)"
    is "$(stat_of "[m[\"operations\"][\"OPEN\"][\"ok\"] for m in s[\"mounts\"]]")" "[2, 1]"
    is "$(stat_of "[m[\"mount\"][-2:] for m in s[\"mounts\"]]")" "['\''m1'\'', '\''m2'\'']"
    stop_stormfs
'
t 'with --cache-s 0 every call asks again' '
    storm --cache-s 0
    for i in 1 2 3 4 5; do [ -e m1/file ]; done
    is "$(count LOOKUP)" 5
    stop_stormfs
'
t 'misses are asked again, unless --negative-cache-s' '
    storm --cache-s 60
    for i in 1 2 3; do [ ! -e m1/absent ]; done
    is "$(count LOOKUP absent)" 3
    stop_stormfs
    storm --cache-s 60 --negative-cache-s 60
    for i in 1 2 3; do [ ! -e m1/absent ]; done
    is "$(count LOOKUP absent)" 1
    stop_stormfs
'
t 'directories can be cached longer than files' '
    storm --cache-s 0 --dir-cache-s 60
    for i in 1 2 3; do [ -e m1/dir/sub/inner ]; done
    is "$(count LOOKUP)" 5
    stop_stormfs
'
t 'each mount has a cache of its own' '
    mounts="$tmp/m1 $tmp/m2"
    storm --cache-s 60
    cat m1/file m1/file m2/file >/dev/null
    is "$(count READ)" 2
    stop_stormfs
'
t 'content is cached until the file changes, also with --cache-s 0' '
    storm --cache-s 0
    cat m1/file m1/file >/dev/null
    is "$(count READ)" 1
    echo changed >src/file
    is "$(cat m1/file)" changed
    is "$(count READ)" 2
    stop_stormfs
'
t 'reset is for everything' '
    storm --service-us 10
    cat m1/file >/dev/null
    [ "$(stat_of "s[\"server\"][\"requests\"]")" -gt 0 ]
    wait_until eval "test \"\$(count RELEASE)\" = 1"
    reset
    is "$(stat_of "[s[\"server\"][\"requests\"], s[\"server\"][\"busy_s\"], s[\"total\"][\"requests\"]]")" "[0, 0.0, 0]"
    stop_stormfs
'
t 'the charged requests are those to the metadata server' '
    storm --service-us 1000
    cat m1/file >/dev/null
    wait_until eval "test \"\$(count RELEASE)\" = 1"
    is "$(stat_of "s[\"server\"][\"requests\"]")" "$(($(count requests) - $(count READ) - 1 - 1))"
    is "$(stat_of "s[\"server\"][\"busy_s\"] / s[\"server\"][\"requests\"]")" 0.001
    stop_stormfs
'
t 'statistics can be read by people' '
    storm
    cat m1/file >/dev/null
    code 0 stormfs ctl m1 stats
    says "LOOKUP" out
    says "requests" out
    says "waited: mean" out
    stop_stormfs
'
t 'counting is exact with many processes' '
    storm --cache-s 0
    for i in $(seq 16); do
        (n=0; while [ $n -lt 50 ]; do [ -e m1/absent ] || n=$((n + 1)); done) &
    done
    wait
    is "$(count LOOKUP absent)" 800
    stop_stormfs
'
finish
