# A plugin that the recording did not see, with a library of its own, is opened before a recorded one.
echo 'int h(void) { return 3; }' >h.c
echo 'int h(void); int p(void) { return h(); }' >p.c
echo 'int f(void) { return 1; }' >f.c
echo 'int f(void); int g(void) { return f(); }' >x.c
cat >m.c <<'E2'
#include <dlfcn.h>
#include <stdio.h>
int main(int c, char **v)
{
    int (*p)(void) = c > 1 ? (int (*)(void))dlsym(dlopen(v[1], RTLD_NOW), "p") : NULL;
    int (*g)(void) = (int (*)(void))dlsym(dlopen("./libx.so", RTLD_NOW), "g");
    printf("%d %d\n", p ? p() : 0, g());
    return 0;
}
E2
lib libh.so h.c
lib libp.so p.c -lh
lib libf.so f.c
lib libx.so x.c -lf
prog main m.c -ldl
pilot='$serve ./main'
run='$serve ./main ./libp.so'
want='all but one'
