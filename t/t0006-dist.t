#!/bin/sh
# The tarball of 'make dist' builds where there is no network, with all that a checkout fetches.
# LOADCAST_WHOLE=all builds all of it; else what could need the network: the configuration and the report page.
. "$(dirname "$0")/lib.sh"
git -C "$src" rev-parse -q --verify HEAD >/dev/null 2>&1 || skip_all 'not a git checkout'
[ -d "$build/npm/node_modules/uplot" ] || [ -d "$src/third-party/uplot" ] || skip_all 'the plotting library was not fetched when this was built'
# alone CMD...: without any network, and without the caches of this user.
alone() { env HOME="$tmp/home" unshare $([ "$(id -u)" = 0 ] || echo -r) --net -- "$@"; }
alone true 2>"$tmp/alone" || skip_all "no network namespaces: $(cat "$tmp/alone")"

t 'a tarball is made, twice the same' '
    mkdir one two
    code 0 "$src/tools/dist" "$build" one
    "$src/tools/dist" "$build" two >/dev/null 2>&1
    cmp one/loadcast-*.tar.xz two/loadcast-*.tar.xz
    tar -xJf one/loadcast-*.tar.xz
    mv loadcast-*/ tree
'
t 'it holds the plotting library and its licence, and what git knows, nothing else' '
    cd tree
    says "MIT License" third-party/uplot/LICENSE
    says "\"version\": \"$(sed -n "s/.*\"uplot\": \"\(.*\)\".*/\1/p" tools/npm/package.json)\"" third-party/uplot/package.json
    find . -type f ! -path "./third-party/*" | sed "s,^\./,," | sort >../packed
    git -C "$src" ls-tree -r --name-only HEAD | sort >../known
    cd ..
    same known packed
'
t 'without network it is configured with interactive diagrams, and its page embeds them' '
    code 0 alone meson setup tree/build tree
    lacks "interactive diagrams" out
    code 0 alone ninja -C tree/build ${LOADCAST_WHOLE:-src/report/liblc_report.a}
    says uPlot.iife.min.js tree/build/src/report/page_files.c
    test ! -e tree/build/npm
'
[ -z "${LOADCAST_WHOLE:-}" ] || t 'the program built from it writes a page with interactive diagrams' '
    cp "$here/golden/0.1.0/results.db" results.db
    code 0 alone tree/build/loadcast report --db results.db --html page.html
    says uPlot page.html
'
finish
