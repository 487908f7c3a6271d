# STB_GNU_UNIQUE: one object for the whole process, whoever was loaded first.
cat >x.cc <<'E'
#include <cstdio>
template <class T> struct S { static int n; };
template <class T> int S<T>::n = 7;
extern "C" int NAME() { return ++S<int>::n; }
E
cat >m.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *a = dlopen("./liba.so", RTLD_NOW), *b = dlopen("./libb.so", RTLD_NOW);
    int (*f)(void) = (int (*)(void))dlsym(a, "fa"), (*g)(void) = (int (*)(void))dlsym(b, "fb");
    printf("%d", f());
    printf(" %d\n", g());
    return 0;
}
E
need_cxx
lib liba.so x.cc -DNAME=fa
lib libb.so x.cc -DNAME=fb
prog main m.c -ldl
