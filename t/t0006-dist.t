#!/bin/sh
# The tarball of 'make dist' builds where there is no network.
# LOADCAST_WHOLE=all builds all of it; else the configuration and the report page.
. "$(dirname "$0")/lib.sh"
git -C "$src" rev-parse -q --verify HEAD >/dev/null 2>&1 || skip_all 'not a git checkout'
# alone CMD...: without any network, and without the caches of this user.
alone() { env HOME="$tmp/home" unshare $([ "$(id -u)" = 0 ] || echo -r) --net -- "$@"; }
alone true 2>"$tmp/alone" || skip_all "no network namespaces: $(cat "$tmp/alone")"

t 'a tarball is made, twice the same' '
    mkdir one two
    code 0 "$src/tools/dist" one
    "$src/tools/dist" two >/dev/null 2>&1
    cmp one/loadcast-*.tar.xz two/loadcast-*.tar.xz
    tar -xJf one/loadcast-*.tar.xz
    mv loadcast-*/ tree
'
t 'it holds what git knows, nothing else' '
    (cd tree && find . -type f | sed "s,^\./,," | sort) >packed
    git -C "$src" ls-tree -r --name-only HEAD | sort >known
    same known packed
'
t 'it is configured and built without network' '
    code 0 alone meson setup tree/build tree
    code 0 alone ninja -C tree/build ${LOADCAST_WHOLE:-src/report/liblc_report.a}
    says "page.css" tree/build/src/report/page_files.c
'
[ -z "${LOADCAST_WHOLE:-}" ] || t 'the program built from it writes a page' '
    cp "$here/golden/0.1.0/results.db" results.db
    code 0 alone tree/build/loadcast report --db results.db --html page.html
    says "</svg>" page.html
'
finish
