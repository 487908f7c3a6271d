#!/bin/sh
# The results database on a bad day: refused, with the way out, and never overwritten.
. "$(dirname "$0")/lib.sh"
mkresults=$PROGRAMS/mkresults
"$mkresults" a.db 40

# refused CMD...: ends with 1 and leaves a.db byte for byte.
refused() {
    cp "$db" before
    code 1 "$@"
    cmp "$db" before
}
t 'words and options that make no sense get usage, with the nearest word' '
    code 2 loadcast results
    code 2 loadcast results lits --db a.db
    says "did you mean '\''list'\''?" err
    code 2 loadcast results show --db a.db
    code 2 loadcast results show x --db a.db
    code 2 loadcast results export --db a.db
    code 2 loadcast results list --status finished --db a.db
    code 2 loadcast results list --since yesterday --db a.db
    says "2026-01-31" err
    code 2 loadcast results import --db a.db
'
t 'no database yet: said, and none is made by looking' '
    code 1 loadcast results list --db none.db
    says "no results yet" err
    test ! -e none.db
    code 1 loadcast results show 99 --db a.db
    says "there is no run 99" err
'
t 'a damaged database is refused with the way out, and the way out works' '
    "$mkresults" whole.db 4000
    cp whole.db bad.db
    page=$(sqlite3 bad.db "SELECT pageno FROM dbstat WHERE name = '\''run'\'' AND pagetype = '\''leaf'\'' LIMIT 1 OFFSET 30")
    dd if=/dev/zero of=bad.db bs=4096 seek=$((page - 1)) count=1 conv=notrunc 2>/dev/null
    db=bad.db
    refused loadcast results list --db bad.db
    says "damaged" err
    says "loadcast results merge --salvage --db saved.db '\''bad.db'\''" err
    code 1 loadcast results merge --salvage --db saved.db bad.db
    says "could not be read" err
    n=$(loadcast results list --db saved.db | wc -l)
    test "$n" -gt 3900 && test "$n" -lt 4000
    cmp bad.db before
    cp whole.db half.db
    truncate -s 40960 half.db
    db=half.db
    refused loadcast results import --db half.db /dev/null
    says "nothing was changed" err
'
t 'a foreign database and a file of another kind are never touched' '
    sqlite3 foreign.db "CREATE TABLE cookies (name TEXT)"
    db=foreign.db
    refused loadcast results list --db foreign.db
    refused loadcast results merge --db foreign.db a.db
    says "not one of results" err
    yes "a letter to somebody" | head -n 500 >letter
    db=letter
    refused loadcast results list --db letter
    refused loadcast results merge --db letter a.db
    mkdir dir
    code 1 loadcast results merge --db dir a.db
    code 1 loadcast results list --db dir
'
t 'a newer schema is refused' '
    cp a.db new.db
    sqlite3 new.db "PRAGMA user_version = 99" >/dev/null
    db=new.db
    refused loadcast results list --db new.db
    refused loadcast results import --db new.db /dev/null
    says "newer Loadcast" err
'
t 'a locked database is waited for, then named, with who holds it to be found' '
    cp a.db locked.db
    mkfifo pipe
    sqlite3 locked.db <pipe >held &
    holder=$!
    exec 7>pipe
    echo "BEGIN IMMEDIATE; SELECT 1;" >&7
    wait_until test -s held
    code 0 loadcast results list --db locked.db
    code 1 loadcast results prune --db locked.db --status done
    says "locked" err
    says "fuser" err
    exec 7>&-
    wait $holder
    code 0 loadcast results prune --db locked.db --status done
'
t 'a full disk: said, and what was there is kept' '
    [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip "needs root and a mount namespace"
    loadcast results export --json --db a.db -o a.json
    mkdir small
    cat >try <<-"END"
	set -e
	mount -t tmpfs -o size=120k tmpfs small
	"$1" small/r.db 4
	loadcast results list --db small/r.db >small.before
	if loadcast results import a.json --db small/r.db 2>small.err; then exit 1; fi
	if loadcast results export --json --db a.db -o small/export 2>small.err2; then exit 1; fi
	loadcast results list --db small/r.db >small.after
	ls small >small.ls
	END
    unshare -m sh try "$mkresults"
    says "no space left" small.err
    says "No space left on device" small.err2
    same small.before small.after
    lacks export small.ls
'
t 'a phase that claims more ranks than it has samples is read without them' '
    cp a.db claim.db
    sqlite3 claim.db "UPDATE phase SET ranks = 2305843009213693953 WHERE run < 20; UPDATE phase SET ranks = -1 WHERE run > 30"
    code 0 loadcast results show 3 --db claim.db
    code 0 loadcast report --db claim.db
    code 0 loadcast report --db claim.db --html claim.html
'
t 'an import that is wrong in the middle brings in nothing, and says where' '
    loadcast results export --json --db a.db -o a.json
    sed "s/\"ranks\":16,/\"ranks\":-16,/" a.json >wrong.json
    code 1 loadcast results import wrong.json --db i.db
    says "run " err
    says "'\''ranks'\''" err
    test "$(loadcast results list --db i.db | wc -l)" = 1
    head -c 5000 a.json >cut.json
    code 1 loadcast results import cut.json --db i.db
    says "line" err
    echo "{}" >other.json
    code 1 loadcast results import other.json --db i.db
    says "results export --json" err
    code 1 loadcast results import absent.json --db i.db
    test "$(loadcast results list --db i.db | wc -l)" = 1
'
finish
