#!/bin/sh
# The report page: what is written, and what a browser makes of it.
. "$(dirname "$0")/lib.sh"
mkresults=$PROGRAMS/mkresults
LOADCAST_DB=$tmp/a.db
export LOADCAST_DB
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || :)
CHROMIUM=$chromium
export CHROMIUM
HOME=$tmp # Chromium keeps things there
XDG_CONFIG_HOME=$tmp/config
export HOME XDG_CONFIG_HOME

"$mkresults" a.db 1600 3
loadcast report --html page.html
loadcast report --json >report.json
"$mkresults" h.db --hostile

# in_browser CHECK PAGE [JSON]; skipped where there is no browser to drive.
modules=
if ! command -v node >/dev/null || [ -z "$chromium" ]; then
    absent='no node, or no Chromium'
elif ! "$src/tools/npm-fetch" "$build/npm-test" --dev 2>npm.err; then
    absent=$(cat npm.err)
else
    modules=$build/npm-test/node_modules
fi
in_browser() {
    [ -n "$modules" ] || skip "$absent"
    node "$here/page_check.js" "$modules" "$1" "$tmp/$2" "$tmp/${3:-report.json}"
}
# with uPlot only: the rest of the page is the same without.
has_plots() { grep -q 'var uPlot=' "$tmp/page.html" || skip 'built without npm'; }

t 'the page is one file that asks for nothing: no address in it is loaded' '
    grep -q "Content-Security-Policy\" content=\"default-src .none.; style-src .unsafe-inline.; script-src .unsafe-inline.\"" page.html
    grep -oE "(src|href|url)[=(][\"'\'']?[^ >\"'\'']+" page.html | grep -v "href=\"#" | grep -v "^src=x" | grep -E "//|data:" | nothing
'
t 'it opens with the sentence of the report' '
    grep -A1 "class=\"hero\"" page.html | grep -q "<h1>Loadcast started 64 ranks of pynamic 100x50 [0-9]*.× sooner"
'
t 'the plotting library comes with its licence' '
    has_plots
    grep -q "uPlot (v1.6.32)" page.html
    grep -q "The MIT License" page.html
    grep -q "Copyright (c).*Leon Sorokin" page.html
'
t 'a page that cannot be written is said; a page that was there stays' '
    echo old >p.html
    mkdir dir
    code 1 loadcast report --html dir
    says "cannot write '\''dir'\''" err
    code 1 loadcast report --html none/p.html
    code 1 loadcast report --db none.db --html p.html
    (ulimit -f 100; loadcast report --html p.html 2>err) && exit 1
    says "File too large" err
    ls | grep "p.html[.]" | nothing
    says old p.html
    loadcast report --html - | grep -q "</html>"
    ln -s p.html link.html
    loadcast report --html link.html
    test -L link.html
    grep -q "</html>" p.html
    if [ -e /dev/full ]; then code 1 sh -c "loadcast report --html - >/dev/full"; fi
'
t 'hostile names are text in the file: no tag, no end of a script, no control character' '
    loadcast report --db h.db --html h.html
    grep -c "<script" h.html >n
    [ "$(cat n)" = 4 ] || { [ "$(cat n)" = 3 ] && lacks uPlot h.html; }
    grep -iE "<img|<script>alert|onerror=alert\(2\)>" h.html | nothing
    tr -d "\n" <h.html | grep -aP "[\x00-\x08\x0b-\x1f]" | nothing
    iconv -f UTF-8 -t UTF-8 h.html >/dev/null
'
t 'an empty database makes a page too' '
    "$mkresults" empty.db 0
    loadcast report --db empty.db --html empty.html
    grep -q "0 runs are kept here" empty.html
    [ -z "$modules" ] || node "$here/page_check.js" "$modules" nothing "$tmp/empty.html"
'
t 'without JavaScript: the same figures as SVG, their marks as in the report' 'in_browser svg page.html'
t 'every diagram is drawn, its marks match the report, nothing is requested, no console error' 'has_plots; in_browser marks page.html'
t 'the table of runs: sorted, filtered, searched, with provenance' 'in_browser table page.html'
t 'a mark tells its value and provenance, by mouse and by keyboard; the keyboard reaches everything' 'has_plots; in_browser tips page.html'
t 'light, dark, print, phone and desktop' 'has_plots; in_browser looks page.html'
t 'axe-core finds no serious fault of accessibility, in light and dark' 'has_plots; in_browser axe page.html'
t 'what became slower on one of three targets stands above everything, and leads to its diagrams' '
    has_plots
    "$mkresults" slow.db 16000 3
    sqlite3 slow.db "UPDATE run SET total_s = total_s * 1.4 WHERE target = '\''scratch'\'' AND started_ns > (SELECT max(started_ns) FROM run) - 15 * 86400000000000"
    loadcast report --db slow.db --html slow.html
    loadcast report --db slow.db --json >slow.json
    in_browser slower slow.html slow.json
'
t 'hostile names stay text in the browser' 'has_plots; loadcast report --db h.db --html h.html; in_browser hostile h.html'
t 'without npm at build time the build goes on, and says what is left out' '
    command -v meson >/dev/null && command -v ninja >/dev/null || skip "no meson"
    [ ! -d "$src/third-party" ] || skip "this tree brings what npm would fetch"
    LOADCAST_NO_NPM=1 meson setup "$tmp/plain" "$src" >setup.log
    says "interactive diagrams in report pages (needs npm" setup.log
    ninja -C "$tmp/plain" src/report/page_files.c >ninja.log
    says "page.css" plain/src/report/page_files.c
    lacks "uPlot" plain/src/report/page_files.c
'
t 'without the plotting library the diagrams stay SVG, and the rest of the script works' '
    sed "/^var uPlot=/d" page.html >plain.html
    lacks "var uPlot=" plain.html
    in_browser svg plain.html
    in_browser table plain.html
'
finish
