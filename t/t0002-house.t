#!/bin/sh
# The house itself: installing, what is missing, what a reader trips over.
. "$(dirname "$0")/lib.sh"

t 'an installed tree has program and manual, and runs from where it is' '
    DESTDIR=$tmp/root meson install -C "$build" --no-rebuild >log
    program=$(find root -path "*/bin/loadcast" -type f)
    code 0 "$program" --version
    test ! -e "$build/doc/loadcast.1" || test -n "$(find root -name loadcast-trace.1)"
'
t 'installed examples name the prefix they were installed to' '
    prefix=$(meson introspect "$build" --buildoptions |
        "$python" -c "import json, sys; print([o[\"value\"] for o in json.load(sys.stdin) if o[\"name\"] == \"prefix\"][0])")
    examples=root$prefix/share/loadcast/examples
    for f in modulefile modulefile.lua modulefile-shims modulefile-shims.lua slurm-epilog.sh bench.cron loadcast-bench.service slurm-job.sh bench-small.yaml \
        spack/packages/loadcast/package.py; do
        test -f "$examples/$f"
        lacks /opt/loadcast "$examples/$f"
    done
    for f in modulefile modulefile.lua modulefile-shims modulefile-shims.lua; do says "$prefix" "$examples/$f"; done
    for f in slurm-epilog.sh bench.cron loadcast-bench.service; do says "$prefix/bin/loadcast" "$examples/$f"; done
    test -x "$examples/slurm-epilog.sh"
'
t 'the module finds program and manual, and hides no other manual' '
    [ -e /usr/share/modules/init/sh ] || skip "environment-modules is not installed"
    mkdir -p modules/loadcast
    cp "$src/examples/modulefile" modules/loadcast/1
    unset MANPATH
    sh -c ". /usr/share/modules/init/sh; module use $tmp/modules; module load loadcast/1
        echo \$PATH; man -w ls; manpath -q" >loaded
    prefix=$(sed -n "s/^set prefix //p" "$src/examples/modulefile")
    says "$prefix/bin:" loaded
    says "$(man -w ls)" loaded
    says "$prefix/share/man:" loaded
'
t 'an epilog that does not find the program says so, and does not drain the node' '
    SLURM_JOB_ID=1 SLURM_JOB_USER=$(id -un) LOADCAST_PROGRAM=/none code 0 sh "$src/examples/slurm-epilog.sh"
    says "nothing is cleaned; set LOADCAST_PROGRAM" err
'
t 'without apt, the missing packages are named for dnf and zypper' '
    mkdir bin
    for c in sh awk dirname id echo cat; do ln -s "$(command -v $c)" bin/; done
    PATH=$tmp/bin code 1 "$src/tools/deps" check
    says "dnf install" err
    says "jansson-devel" err
    says "zypper install" err
'
t 'a package is not asked for where its command came by other means' '
    mkdir other
    for c in sh awk dirname id echo cat grep cut tr; do ln -s "$(command -v $c)" other/; done
    printf "#!/bin/sh\necho unknown ok not-installed\n" >other/dpkg-query
    printf "#!/bin/sh\nexit 1\n" >other/apt-get
    printf "#!/bin/sh\necho 1000\n" >other/id.sh
    rm other/id; mv other/id.sh other/id
    : >other/npm
    chmod +x other/dpkg-query other/apt-get other/id other/npm
    PATH=$tmp/other code 1 "$src/tools/deps" check
    says " nodejs" err
    says " chromium" err
    tr " " "\n" <err | grep -x npm | nothing
'
t 'of several names of a package, the first the release has is asked for, whatever else is installed' '
    printf "#!/bin/sh\n[ \$4 != libclang-common-14-dev ] || echo installed\n" >other/dpkg-query
    for offered in "libclang-common-14-dev linux-tools-generic" "libclang-rt-dev libclang-common-14-dev linux-perf"; do
        printf "#!/bin/sh\ncase \" $offered \" in *\" \$2 \"*) ;; *) exit 100 ;; esac\n" >other/apt-cache
        chmod +x other/apt-cache
        PATH=$tmp/other code 1 "$src/tools/deps" check
        tr " " "\n" <err | grep -E "^(libclang|linux)-" | paste -sd " " >>asked
    done
    printf "%s\n" linux-tools-generic "libclang-rt-dev linux-perf" >expected
    same expected asked
'
t 'where that is asked for, packages that a system does not offer are left out and named' '
    mkdir some
    cp -P other/* some/
    printf "#!/bin/sh\n[ ! -e $tmp/installed ] || echo installed\n" >some/dpkg-query
    printf "#!/bin/sh\ncase \"\$*\" in *gpaw | *chromium) exit 100 ;; esac\n" >some/apt-get
    printf "#!/bin/sh\n[ \$1 = apt-get ] || echo \"\$*\" >$tmp/installed\n" >some/sudo
    chmod +x some/dpkg-query some/apt-get some/sudo
    PATH=$tmp/some code 0 "$src/tools/deps" --offered check
    says "not offered here: gpaw" err
    says "not offered here: chromium" err
    says libjansson-dev installed
    lacks gpaw installed
'
t 'an unknown target of deps is refused by usage' '
    code 2 "$src/tools/deps"
'
t 'every command of the front door has a manual page' '
    loadcast --help | awk "/^  [a-z]/ { print \$1 }" >names
    test -s names
    for c in $(cat names); do test -f "$src/doc/man/loadcast-$c.1.scd" || { echo "no page: $c"; exit 1; }; done
'
t 'manual pages carry the version and the date of the newest release in CHANGELOG, the program its version' '
    release=$(sed -nE "/^## [0-9]/{s/^## (.*) \((.*)\)\$/\1 \2/p;q}" "$src/CHANGELOG.md")
    code 0 loadcast --version
    says "${release% *}" out
    [ -e "$build/doc/loadcast.1" ] || skip "no scdoc"
    for page in loadcast loadcast-run; do says ".TH \"$page\" \"1\" \"${release#* }\" \"Loadcast ${release% *}\"" "$build/doc/$page.1"; done
    grep -rhoE "/opt/loadcast/[0-9.]*[0-9]" "$src/examples" "$src/doc/for-centres.md" | sort -u >prefixes
    echo "/opt/loadcast/${release% *}" | same - prefixes
'
t 'every end-to-end test and benchmark is registered and executable' '
    for f in "$src"/t/t[0-9]*.t "$src"/t/attack/*.t "$src"/t/exam/*.t; do
        test -e "$f" || continue
        grep -q "'\''$(basename "$f" .t)'\''" "$src/t/meson.build" || { echo "not registered: $f"; exit 1; }
        test -x "$f"
    done
    for f in "$src"/t/bench/*.bench; do test -x "$f"; done
'
t 'every unit test beside its unit is built' '
    [ -n "$(find "$build/t" -name "test-*" -type f)" ] || skip "built without cmocka"
    meson introspect "$build" --targets | "$python" -c "
import json, sys
for target in json.load(sys.stdin):
    for group in target[\"target_sources\"]:
        print(*group.get(\"sources\", []), sep=\"\n\")" | grep "_test[.]c\$" | sed "s,^$src/,," | sort -u >built
    (cd "$src" && find src -name "*_test.c" | sort) >there
    same there built
'
t 'what is waited for is looked at each time, not once before the wait' '
    grep -rnE "wait_(until|within [0-9]+) (! )?(test|\[)[^;]*[^\\]\"\\$\([^(]" "$src/t" --include="*.t" --include="*.sh" --include="*.bench" |
        grep -v "/proc/" | nothing
'
t 'no unfinished marks, no machine paths' '
    cd "$src" && git rev-parse HEAD >/dev/null 2>&1 || skip "not a git checkout"
    git grep -nIE "\b(TODO|FIXME|XXX|HACK)\b" -- src tools doc "t/*.c" Makefile meson.build | nothing
    git grep -nIE "/(root|home)/[a-z]" -- . ":!t/t0002-house.t" | nothing
'
t 'a type name means one thing in the whole tree' '
    grep -rhoE "^(struct|enum|union) lc_[a-z_0-9]+ [{]" "$src/src" --include="*.[ch]" | awk "{ print \$2 }" | sort | uniq -d | nothing
'
t 'headers of other rooms are included only as the table in ARCHITECTURE.md says' '
    "$python" "$src/t/include_rule.py" "$src" | nothing
    mkdir -p rooms/src/util rooms/src/image rooms/src/attic
    cp "$src/ARCHITECTURE.md" rooms/
    echo "#include \"image/a.h\"" >rooms/src/util/a.c
    : >rooms/src/image/a.h
    : >rooms/src/attic/a.c
    "$python" "$src/t/include_rule.py" rooms >found
    printf "%s\n" "attic/a.c: its room is not in the table" "util/a.c: may not include image/a.h" | same - found
'
t 'no line ends in a space, every text ends in a newline, as .editorconfig says' '
    cd "$src" && git rev-parse HEAD >/dev/null 2>&1 || skip "not a git checkout"
    git grep -nIE "[[:space:]]+\$" -- . ":!t/golden" | nothing
    git grep -lI "" -- . ":!t/golden" | while read -r f; do [ ! -e "$f" ] || [ -z "$(tail -c 1 "$f")" ] || echo "$f"; done | nothing
'
t 'what programs leave in the directory they run in is not committed: only golden files are binary' '
    cd "$src" && git rev-parse HEAD >/dev/null 2>&1 || skip "not a git checkout"
    git ls-files -- . ":!t/golden" | sort >"$tmp/committed"
    git grep --cached -Ile "" -- . ":!t/golden" | sort | comm -23 "$tmp/committed" - | nothing
'
t 'shell scripts are clean for shellcheck, those that travel to nodes in every respect' '
    command -v shellcheck >/dev/null || skip "no shellcheck"
    cd "$src/src/launch/scripts" && shellcheck -x *.sh ../shims/launcher
    cd "$src" && git ls-files >/dev/null 2>&1 || skip "not a git checkout"
    # Variables of files that others source are not seen in each alone.
    for f in $(git ls-files tools "examples/*.sh" "t/*.sh" | grep -v "^t/.*/"); do
        case $f in *.sh) ;; *) head -n 1 "$f" | grep -q "^#!.*sh$" || continue ;; esac
        echo "$f"
    done | xargs shellcheck -s sh -S warning -e SC1090,SC1091,SC2154,SC2034
'
t 'scripts that travel in a command line are one line each, for every shell' '
    for script in launch/scripts/make_user_directory launch/scripts/rank_prefix launch/scripts/rank_self_staging launch/scripts/remove_copy \
        launch/scripts/run_from_package bench/scripts/copy_node bench/scripts/squashfs_node; do
        f=${script##*/}
        "$src/tools/join-shell" "$src/src/$script.sh" "$tmp/$f"
        [ "$(wc -l <"$f")" = 0 ]
        for shell in dash bash "busybox sh"; do
            command -v ${shell%% *} >/dev/null || continue
            $shell -n "$f"
        done
    done
    mkdir scripts
    printf "if a; then\n  b # why\nfi\n" >scripts/comment.sh
    code 1 "$src/tools/join-shell" scripts/comment.sh joined
    says "a comment behind a command" err
    printf "# all\nf() {\n  case \$1 in\n  a)\n    b\n    ;;\n  esac\n}\n. ./more.sh\nf a &&\n  g\n" >scripts/all.sh
    printf "g() (\n  c\n)\n" >scripts/more.sh
    "$src/tools/join-shell" scripts/all.sh joined
    echo "f() { case \$1 in a) b; ;; esac; }; g() ( c; ); f a && g" >expected
    printf "%s\n" "$(cat joined)" | same expected -
'
t 'nothing of ours lives on after a bus error: files that others can cut are not mapped' '
    grep -rnE "SIGBUS|longjmp" "$src/src" --include="*.[ch]" | grep -v "/launch/suspect_parts.c:" | nothing # it knows the number of the signal
    for f in $(find "$src/src" -name "*.c"); do
        if tr "\n" " " <"$f" | grep -oE "mmap\([^;]*;" | grep -qv -e "-1"; then echo "${f#"$src/src/"}"; fi
    done | LC_ALL=C sort >mapped
    # Memory without a name (memfd), the node directory, a file of this user or of root alone, and one that is not read.
    printf "%s\n" bench/drop_caches.c node/attach.c node/call_lines.c node/ld_cache.c record/call_lines_test.c stage/content_batch.c stage/mpi/stage-mpi.c stage/nodedir.c stage/readable_image.c \
        stage/stager/wire.c stormfs/server_file.c | same - mapped
'
t 'no test relies on a bare "! command", which cannot fail' '
    cat "$src"/t/t*.t "$src"/t/attack/*.t "$src"/t/exam/*.t 2>/dev/null | grep -nE "^ *! |; ! |do ! " | grep -v t0002-house | nothing
'
finish
