# A plugin that the recording did not see brings a recorded library, which in the run needs another one than it did.
mkdir -p a b
echo 'int e(void) { return 1; }' >e1.c
echo 'int e(void) { return 2; }' >e2.c
echo 'int e(void); int f(void) { return e(); }' >f.c
echo 'int f(void); int p(void) { return f(); }' >p.c
echo 'int f(void); int g(void) { return f(); }' >x.c
cat >m.c <<'E2'
#include <dlfcn.h>
#include <stdio.h>
int main(int c, char **v)
{
    for (int i = 1; i < c; i++)
        dlopen(v[i], RTLD_NOW);
    int (*g)(void) = (int (*)(void))dlsym(dlopen("./libx.so", RTLD_NOW), "g");
    printf("%d\n", g());
    return 0;
}
E2
$cc -shared -fPIC e1.c -o a/libe.so -Wl,-soname,libe.so
$cc -shared -fPIC e2.c -o b/libe.so -Wl,-soname,libe.so
$cc -shared -fPIC f.c -o libf.so -La -le -Wl,-soname,libf.so -Wl,-rpath,"$PWD/a"
lib libp.so p.c -lf
lib libx.so x.c -lf
prog main m.c -ldl
pilot='$serve ./main ./a/libe.so'
run='$serve ./main ./b/libe.so ./libp.so ./a/libe.so && $serve ./main ./libp.so && $serve ./main ./a/libe.so ./libp.so'
want=any
