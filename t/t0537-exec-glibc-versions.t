#!/bin/sh
# A glibc that is newer or older than those tested: what rests on its inner ways is off, status says so, and
# the program runs as ever. The version is played by a gnu_get_libc_version of our own, which is preloaded into
# loadcast-full: its front leaves LD_PRELOAD out.
. "$(dirname "$0")/lib.sh"
need_compiler
need_ptrace
if is_sanitized; then skip_all 'the sanitizers'\'' runtime wants to stand first among the preloaded'; fi
mkdir -p app/lib node && chmod 700 node
export LOADCAST_DIR=$tmp/node
cat >app/f.c <<'P'
int f(void);
int f(void) { return 7; }
P
cat >use.c <<'P'
#include <dlfcn.h>
#include <fts.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
int f(void);
int main(int argc, char **argv)
{
    char *roots[] = {argv[argc - 1], NULL}, line[100] = "";
    glob_t g = {0};
    int names = 0;
    FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    while (fts && fts_read(fts))
        names++;
    if (fts)
        fts_close(fts);
    FILE *p = popen("echo said", "r");
    if (p && !fgets(line, sizeof(line), p))
        return 3;
    if (p)
        pclose(p);
    printf("%d %d names, ", f(), names);
    glob("app/l*", 0, NULL, &g);
    printf("%zu found, status %d, %s", (size_t)g.gl_pathc, system("exit 5") >> 8, line);
    if (!dlopen("libnone.so", RTLD_NOW))
        puts(dlerror());
    return 0;
}
P
$cc -shared -fPIC app/f.c -o app/lib/libf.so
$cc use.c -o app/use -Lapp/lib -lf -ldl -Wl,-rpath,"$tmp/app/lib"
# glibc VERSION CMD...: with a C library that says so
glibc() {
    echo "const char *gnu_get_libc_version(void); const char *gnu_get_libc_version(void) { return \"$1\"; }" >version.c
    $cc -shared -fPIC version.c -o "version-$1.so"
    version=$tmp/version-$1.so
    shift
    LD_PRELOAD=$version "$@"
}
app/use app/lib >plain
# with VERSION: recorded and run so; 'off' is what status says is off then, one on a line
with() {
    glibc "$1" "$build/loadcast-full" record -o "app-$1.lcast" --manage "$tmp/app" -- app/use app/lib >recorded 2>record.err
    same plain recorded
    glibc "$1" "$build/loadcast-full" exec "app-$1.lcast" -- app/use app/lib >served 2>exec.err
    same plain served
    loadcast status --dir "$tmp/node" >status
    loadcast status --dir "$tmp/node" --json | "$python" -c "
import json, sys
for n in json.load(sys.stdin):
    if n.get(\"image\", \"\").endswith(\"/app-$1.lcast\"):
        print(*n[\"untested_with_glibc\"], sep=\"\n\")" | sed "/^$/d" >off
}
replayed() {
    loadcast status --dir "$tmp/node" --json | "$python" -c "
import json, sys
print(sum(n[\"bindings\"][\"replayed\"] for n in json.load(sys.stdin) if n.get(\"image\", \"\").endswith(\"/app-$1.lcast\")))"
}
t 'a tested glibc: nothing is off' '
    with 2.36
    nothing <off
    grep untested status >odd || :
    nothing <odd
'
t 'a newer one: all of it is off, the program runs the same' '
    with 2.99
    test "$(wc -l <off)" -ge 9
    says "untested   with glibc 2.99, and therefore off: " status
    for part in "replay of symbol bindings" "library searches" "absent libraries" "fts" "glob" "system and popen"; do says "$part" off; done
    test "$(replayed 2.99)" = 0
'
t 'an older one, too' '
    with 2.27
    test "$(wc -l <off)" -ge 9
'
t 'before 2.35 names are not hidden from ld.so' '
    with 2.34
    echo "needed names hidden from ld.so" | same - off
'
finish
