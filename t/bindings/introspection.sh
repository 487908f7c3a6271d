# dladdr, dl_iterate_phdr, dlinfo, and .dynamic as others read it.
echo 'int g(void); int f(void) { return g(); } int (*p)(void) = g;' >x.c
echo 'int g(void) { return 1; }' >g.c
cat >m.c <<'E'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
static const char *base(const char *p) { const char *s = strrchr(p, '/'); return s ? s + 1 : p; }
static int show(struct dl_phdr_info *i, size_t n, void *a)
{
    (void)n; (void)a;
    if (strstr(i->dlpi_name, "libx") || strstr(i->dlpi_name, "libg"))
        printf("%s %d\n", base(i->dlpi_name), i->dlpi_phnum);
    return 0;
}
int main(void)
{
    Dl_info d; struct link_map *m;
    void *h = dlopen("./libx.so", RTLD_NOW), *f = dlsym(h, "f");
    dladdr(f, &d);
    printf("%s %s\n", base(d.dli_fname), d.dli_sname);
    dl_iterate_phdr(show, 0);
    dlinfo(h, RTLD_DI_LINKMAP, &m);
    for (ElfW(Dyn) *e = m->l_ld; e->d_tag; e++) {
        unsigned long v = e->d_un.d_val;
        if (e->d_tag == DT_RELA || e->d_tag == DT_JMPREL) v -= m->l_addr;
        if (e->d_tag == DT_RELA || e->d_tag == DT_RELASZ || e->d_tag == DT_RELACOUNT || e->d_tag == DT_PLTRELSZ || e->d_tag == DT_JMPREL || e->d_tag == DT_NEEDED)
            printf("%lx %lx\n", (unsigned long)e->d_tag, v);
    }
    return 0;
}
E
lib libg.so g.c
lib libx.so x.c -lg
prog main m.c -ldl
