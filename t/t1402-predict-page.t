#!/bin/sh
# The page of 'loadcast predict': what is written, and what a browser makes of it.
. "$(dirname "$0")/lib.sh"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || :)
CHROMIUM=$chromium
export CHROMIUM
HOME=$tmp # Chromium keeps things there
XDG_CONFIG_HOME=$tmp/config
export HOME XDG_CONFIG_HOME
cat >trace.json <<EOS
{"format": "loadcast-trace", "format_version": 1, "provenance": {"command": ["loadcast", "trace", "--", "<script>alert(1)</script>"]},
 "outcome": {"wall_s": 3.0}, "totals": {"metadata": {"ok": 990, "failed": 4681}, "kinds": {"open": {"ok": 495, "failed": 4681}},
 "bytes_read": 0, "bytes_mapped": 2360000000, "files": 495}}
EOS
loadcast predict --machine sierra-lustre --trace trace.json --html page.html --json page.json >/dev/null 2>err ||
    skip_all "$(cat err)"

t 'the page is one file that asks for nothing and runs nothing' '
    grep -q "Content-Security-Policy" page.html
    grep -oE "(src|href|url)[=(][\"'\'']?[^ >\"'\'']+" page.html | grep -v "href=\"#" | nothing
    grep "<script" page.html | nothing
    says "&lt;script&gt;alert(1)&lt;/script&gt;" page.html
'
t 'a page that cannot be written is said; a page that was there stays' '
    echo old >p.html
    mkdir dir
    code 1 loadcast predict --machine juropa --trace trace.json --html dir
    code 1 loadcast predict --machine juropa --trace nosuch.json --html p.html
    test "$(cat p.html)" = old
'
t 'in a browser: marks and table hold the figures of the JSON, in light and dark, narrow and wide' '
    command -v node >/dev/null && [ -n "$chromium" ] || skip "no node, or no Chromium"
    "$src/tools/npm-fetch" "$build/npm-test" 2>npm.err || skip "$(cat npm.err)"
    node "$here/page_check.js" "$build/npm-test/node_modules" predict "$tmp/page.html" "$tmp/page.json"
'
finish
