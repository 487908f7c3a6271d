# Two libraries of one soname: who came first is taken for both.
mkdir -p a b
echo 'int f(void) { return 1; }' >f1.c
echo 'int f(void) { return 2; }' >f2.c
echo 'int f(void); int g(void) { return f(); }' >x.c
cat >m.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int main(int c, char **v)
{
    for (int i = 1; i < c; i++) dlopen(v[i], RTLD_NOW);
    int (*g)(void) = (int (*)(void))dlsym(dlopen("./libx.so", RTLD_NOW), "g");
    printf("%d\n", g());
    return 0;
}
E
$cc -shared -fPIC f1.c -o a/libf.so -Wl,-soname,libf.so
$cc -shared -fPIC f2.c -o b/libf.so -Wl,-soname,libf.so
$cc -shared -fPIC x.c -o libx.so -La -lf -Wl,-rpath,"$PWD/a"
prog main m.c -ldl
pilot='$serve sh -c "./main ./a/libf.so; ./main ./b/libf.so; ./main"'
run='$serve ./main ./a/libf.so && $serve ./main ./b/libf.so && $serve ./main ./b/libf.so ./a/libf.so && $serve ./main'
want='any'
