/* SPDX-License-Identifier: MIT */
/* dl-namespaces.c - dlmopen: a second world of libraries */
#include "case.h"

int main(void)
{
    void *a = dlopen("lib/one/libname.so", RTLD_NOW);
    void *b = dlmopen(LM_ID_NEWLM, "lib/one/libname.so", RTLD_NOW);
    void *c = dlmopen(LM_ID_NEWLM, "lib/libvia_one.so", RTLD_NOW);
    Lmid_t id = 0;

    printf("%s\n", a && b && c ? "open" : dlerror());
    printf("%s\n",
           dlsym(a, "libname_says") == dlsym(b, "libname_says") ? "one copy" : "two copies");
    printf("%s\n", ((const char *(*)(void))dlsym(b, "libname_says"))());
    printf("%s\n", ((const char *(*)(void))dlsym(c, "via_one"))());
    dlinfo(c, RTLD_DI_LMID, &id);
    /* Its number is another one under any auditor. */
    printf("namespace %s\n", id > 0 ? "of its own" : "0");
    printf("closed %d %d %d\n", dlclose(b), dlclose(c), dlclose(a));
}
