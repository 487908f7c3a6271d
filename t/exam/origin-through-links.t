#!/bin/sh
# A library that is reached through a link has the link's directory as its $ORIGIN, as ld.so has it:
# what it opens by a bare name is found beside the link, not beside the file.
. "$(dirname "$0")/../lib.sh"
need_compiler
need_ptrace

cat >outer.c <<'P'
#include <dlfcn.h>
#include <stdio.h>
void ask(const char *name);
void ask(const char *name)
{
    void *h = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    const char *(*says)(void) = h ? (const char *(*)(void))dlsym(h, "says") : NULL;
    printf("  %s: %s\n", name, says ? says() : dlerror());
}
P
# opener LIBRARY... [-- NAME...]: opens each, tells where it is, and lets it open each NAME
cat >opener.c <<'P'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    int names = 1;
    while (names < argc && strcmp(argv[names], "--") != 0)
        names++;
    for (int i = 1; i < names; i++) {
        char origin[PATH_MAX] = "";
        struct link_map *map = NULL;
        Dl_info info = {0};
        void *h = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        void (*ask)(const char *) = h ? (void (*)(const char *))dlsym(h, "ask") : NULL;
        if (h && !ask) { /* stays open */
            printf("%s: open\n", argv[i]);
            continue;
        }
        if (!ask || dlinfo(h, RTLD_DI_ORIGIN, origin) || dlinfo(h, RTLD_DI_LINKMAP, &map)) {
            printf("%s: %s\n", argv[i], dlerror());
            continue;
        }
        dladdr((void *)ask, &info);
        printf("%s: origin %s, name %s, file %s\n", argv[i], origin, map->l_name, info.dli_fname);
        for (int n = names + 1; n < argc; n++)
            ask(argv[n]);
        dlclose(h);
    }
    return 0;
}
P
# says FILE TEXT: a library that says TEXT
library() {
    mkdir -p "$(dirname "$1")"
    echo "const char *says(void); const char *says(void) { return \"$2\"; }" >says.c
    $cc -shared -fPIC says.c -o "$1"
}
mkdir -p app/store/outer/lib app/view/lib app/bin app/work
$cc -shared -fPIC outer.c -o app/store/outer/lib/libouter.so -Wl,--enable-new-dtags,-rpath,'$ORIGIN' -ldl
library app/store/outer/lib/libinner.so 'beside the file'
library app/store/inner/lib/libinner.so 'beside the link'
library app/view/lib/libonly.so 'in the view only'
ln -s ../../store/outer/lib/libouter.so app/view/lib/libouter.so
ln -s "$tmp/app/store/inner/lib/libinner.so" app/view/lib/libinner.so
ln -s store/outer/lib app/lib64
ln -s view app/current
$cc opener.c -o app/bin/opener -ldl
mkdir -p node && chmod 700 node

# alike LIBRARY... -- NAME...: recorded without the names, the same as plain with them
alike() {
    libraries=
    for word; do [ "$word" = -- ] && break; libraries="$libraries $word"; done
    rm -rf node/* app.lcast
    (cd app/work && loadcast record -o "$tmp/app.lcast" --manage "$tmp/app" -- ../bin/opener $libraries) >recorded 2>&1
    (cd app/work && ../bin/opener "$@") >plain 2>plain.err
    (cd app/work && loadcast exec -q --dir "$tmp/node" "$tmp/app.lcast" -- ../bin/opener "$@") >served 2>served.err
    same plain served
    same plain.err served.err
    loadcast status --dir "$tmp/node" --json >status
    "$python" -c "import json; n = json.load(open(\"status\"))[0]; assert n[\"counts\"][\"load\"] > 0, n[\"counts\"]"
}

t 'a view: what the library opens by a bare name is found beside the link' '
    alike "$tmp/app/view/lib/libouter.so" -- libinner.so libonly.so
    says "libinner.so: beside the link" served
'
t 'the file itself: beside the file' '
    alike "$tmp/app/store/outer/lib/libouter.so" -- libinner.so libonly.so
    says "libinner.so: beside the file" served
'
t 'a directory that is a link, and one link after another' '
    alike "$tmp/app/lib64/libouter.so" "$tmp/app/current/lib/libouter.so" -- libinner.so libonly.so
    says "origin $tmp/app/lib64," served
    says "origin $tmp/app/current/lib," served
'
t 'spelled with dots, twofold slashes and relative to the working directory' '
    alike "$tmp/app//work/../view/./lib/libouter.so" ../view/lib/libouter.so ./../current/../lib64/libouter.so \
        "$tmp/app/view/lib/../../lib64/libouter.so" -- libinner.so libonly.so
'
t 'found by the search of ld.so, in a directory of LD_LIBRARY_PATH that is a link' '
    export LD_LIBRARY_PATH="$tmp/app/current/lib"
    alike libouter.so -- libinner.so libonly.so
    says "libinner.so: beside the link" served
'
# ld.so gives the name to a library that is loaded already, and finds it by that name, whoever asks.
t 'a name that one library has opened is that file for others, too' '
    for one in view/lib store/outer/lib; do
        for other in view/lib store/outer/lib; do
            cat >names.sh <<P
$tmp/app/bin/opener $tmp/app/$one/libinner.so $tmp/app/$one/libouter.so $tmp/app/$other/libouter.so -- libinner.so
P
            rm -rf node/* app.lcast
            sh names.sh >plain
            loadcast record -o app.lcast --manage "$tmp/app" -- sh names.sh >recorded
            same plain recorded
            loadcast exec -q --dir "$tmp/node" app.lcast -- sh names.sh >served
            same plain served
        done
    done
'
t 'dlopen of $ORIGIN/NAME by a library from node memory' '
    alike "$tmp/app/view/lib/libouter.so" "$tmp/app/store/outer/lib/libouter.so" "$tmp/app/current/lib/libouter.so" -- \
        "\$ORIGIN/libinner.so" "\${ORIGIN}/../lib/libonly.so" "\$ORIGIN/libnone.so" "\$ORIGINS/libinner.so"
    says "\$ORIGIN/libinner.so: beside the link" served
    says "\${ORIGIN}/../lib/libonly.so: in the view only" served
    says "\$ORIGIN/libnone.so: \$ORIGIN/libnone.so: cannot open shared object file" served
'
t 'the same where it was recorded so, and after the job has replaced it' '
    library app/view/lib/libtold.so "as recorded"
    library told-anew.so "written by the job"
    cat >move.sh <<P
$tmp/app/bin/opener $tmp/app/view/lib/libouter.so -- "\\\$ORIGIN/libtold.so"
[ \$# = 0 ] || mv $tmp/told-anew.so $tmp/app/view/lib/libtold.so
$tmp/app/bin/opener $tmp/app/view/lib/libouter.so -- "\\\$ORIGIN/libtold.so"
P
    rm -rf node/* app.lcast
    loadcast record -o app.lcast --manage "$tmp/app" -- sh move.sh >recorded 2>&1
    loadcast exec -q --dir "$tmp/node" app.lcast -- sh move.sh move >served
    grep -c "as recorded" served | grep -qx 1
    says "written by the job" served
'
t 'a link that was pointed elsewhere after staging is followed to where it points now' '
    alike "$tmp/app/view/lib/libouter.so" -- libinner.so
    $cc -shared -fPIC outer.c -o app/store/inner/lib/libouter.so -Wl,--enable-new-dtags,-rpath,"\$ORIGIN" -ldl
    cat >move.sh <<P
ln -sfn ../../store/inner/lib/libouter.so $tmp/app/view/lib/libouter.so
$tmp/app/bin/opener $tmp/app/view/lib/libouter.so -- libinner.so
P
    loadcast exec -q --dir "$tmp/node" "$tmp/app.lcast" -- sh move.sh >served
    sh move.sh >plain
    same plain served
'
finish
