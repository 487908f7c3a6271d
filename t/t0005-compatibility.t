#!/bin/sh
# What Loadcast 0.1.0 wrote is read by today's programs, as doc/compatibility.md promises. The files: t/golden/README.md
. "$(dirname "$0")/lib.sh"
old=$here/golden/0.1.0
members() { "$python" "$here/json_members.py" "$@"; }
need_machine() { [ "$(uname -m)" = x86_64 ] || skip 'the golden file was made on x86_64'; }
# An image serves programs of the C library it was recorded with; what is linked with one needs it, or a later one.
need_libc() { need_machine; [ "$(getconf GNU_LIBC_VERSION)" = "glibc 2.36" ] || skip 'the golden file was made with glibc 2.36'; }

t 'image: every entry is there, with its content' '
    need_machine
    code 0 loadcast info --verify "$old/image.lcast"
    code 0 loadcast info --json --files --dirs --absent --search --bindings "$old/image.lcast"
    "$python" - "$old/json/info.json" out <<-"END"
	import json, sys
	old, new = (json.load(open(f)) for f in sys.argv[1:])
	for part in "id", "format", "totals", "provenance", "files", "links", "directories", "absent", "search":
	    assert old[part] == new[part], (part, old[part], new[part])
	END
    code 0 loadcast unpack "$old/image.lcast" unpacked
    says "good morning" unpacked/srv/app/share/greeting
'
t 'image: its program runs from node memory, with the library and the file it was recorded with' '
    need_libc
    mkdir node
    code 0 loadcast exec --no-check --dir "$tmp/node" "$old/image.lcast" -- /srv/app/hello
    printf "good morning\n42 -1\n" >expected
    same expected out
'
t 'node directory: one of another version is staged again, and the program runs' '
    need_libc
    mkdir -p again/loadcast-$(id -u)
    chmod 700 again/loadcast-$(id -u)
    tar -xzf "$old/node.tar.gz" -C again/loadcast-$(id -u) --no-same-owner
    node=$(echo again/loadcast-*/*)
    cp "$node/about" about.old
    code 0 loadcast exec --no-check --dir "$tmp/again" "$old/image.lcast" -- /srv/app/hello
    same expected out
    says "staged 3 files" err
    test -x "$node/bin/launch"
    if cmp -s about.old "$node/about"; then echo "it is the old one"; exit 1; fi
    code 0 loadcast status --json --dir "$tmp/again"
    members "$old/json/status.json" out
'
t 'trace log: record takes an image from it' '
    [ -d unpacked ] || skip "the golden image cannot be unpacked here"
    sed "s,/srv/app,$tmp/unpacked/srv/app,g" "$old/trace.log" >trace.log
    code 0 loadcast record -o traced.lcast --manage "$tmp/unpacked" --from-trace trace.log
    code 0 loadcast info --files --absent traced.lcast
    for f in hello lib/libanswer.so share/greeting share/none; do says "$tmp/unpacked/srv/app/$f" out; done
'
t 'results: a database is listed, shown, reported and written to' '
    cp "$old/results.db" results.db
    chmod u+w results.db
    code 0 loadcast results list --db results.db
    test "$(tail -n +2 out | wc -l)" = 16
    code 0 loadcast results show 72 --json --db results.db
    members "$old/json/show.json" out
    code 0 loadcast report --db results.db
    says "pynamic 100x50" out
    code 0 loadcast results merge --db results.db
    code 0 loadcast results import --db results.db "$old/export.json"
    test "$(loadcast results list --db results.db | tail -n +2 | wc -l)" = 16
'
t 'results: an export is imported whole' '
    code 0 loadcast results import --db fresh.db "$old/export.json"
    code 0 loadcast results export --json --db fresh.db
    "$python" -c "
import json, sys
old, new = (sorted(json.load(open(f)), key=lambda run: run[\"uid\"]) for f in sys.argv[1:])
assert old == new, (old, new)" "$old/export.json" out
'
t 'workload: bench runs one by its manifest, gen describes it' '
    need_machine
    libc_is_before 2.34 && skip "its program was linked with glibc 2.36"
    tar -xzf "$old/workload.tar.gz" --no-same-owner
    mkdir target
    code 0 loadcast bench --workload workload --mode cloadtest --target target --cache warm --no-count --max-runs 1 --db b.db --work "$tmp/work" --json
    says "\"done\": 1" out
    code 0 loadcast gen --describe workload --json
    members "$old/json/describe.json" out
'
t 'suite: every key is understood' '
    loadcast bench --help | grep -q SUITE.yaml || skip "built without suites in files"
    [ -d workload ] || skip "the golden workload does not run here"
    command -v stormfs >/dev/null || skip "no stormfs"
    code 0 loadcast bench --dry-run --work "$tmp/work" "$old/suite.yaml"
    says cloadtest out
'
t 'JSON: no member has gone or changed its type' '
    need_machine
    code 0 loadcast info --json --files --dirs --absent --search --bindings "$old/image.lcast"
    members "$old/json/info.json" out
    code 0 loadcast results list --json --db results.db --last 2
    members "$old/json/list.json" out
    code 0 loadcast report --json --db results.db
    members "$old/json/report.json" out
    mkdir -p target
    code 0 loadcast bench --case dummy --target target --cache warm --max-runs 1 --db b.db --work "$tmp/work" --json
    members "$old/json/bench.json" out
'
t 'JSON: no member has gone from what stage prints' '
    need_libc
    mkdir staged
    code 0 loadcast stage --json --dir "$tmp/staged" "$old/image.lcast"
    members "$old/json/stage.json" out
'
t 'JSON: no member has gone from what trace prints' '
    need_ptrace
    code 0 no_leak_check loadcast trace --json - --under / -- cat /dev/null
    members "$old/json/trace.json" out
'
t 'the comparison of members sees one that is gone, and one of another type' '
    printf "{\"a\": [{\"b\": 1}, {\"c\": null}], \"kinds\": {\"x\": {\"ok\": 1}}}" >1
    printf "{\"a\": [{\"b\": \"1\"}], \"kinds\": {\"y\": {}}}" >2
    code 1 members 1 2
    printf "%s\n" ".a[].b: was number, is str" ".a[].c: is gone" ".kinds.*.ok: is gone" >expected
    same expected out
    code 0 members 1 1
'
finish
