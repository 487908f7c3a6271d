# Another auditor that decides what symbols are bound to.
echo 'int f(void) { return 1; } int g(void) { return 2; }' >x.c
cat >audit.c <<'C'
#define _GNU_SOURCE
#include <link.h>
#include <string.h>
static int other(void) { return 3; }
unsigned la_version(unsigned v) { return v < LAV_CURRENT ? v : LAV_CURRENT; }
unsigned la_objopen(struct link_map *m, Lmid_t l, uintptr_t *c) { (void)m, (void)l, (void)c; return LA_FLG_BINDTO | LA_FLG_BINDFROM; }
uintptr_t la_symbind64(Elf64_Sym *s, unsigned n, uintptr_t *a, uintptr_t *b, unsigned *flags, const char *name)
{
    (void)n, (void)a, (void)b, (void)flags;
    return strcmp(name, "f") == 0 ? (uintptr_t)other : s->st_value;
}
C
cat >m.c <<'C'
#include <stdio.h>
int f(void), g(void); int main(void) { printf("%d %d\n", f(), g()); return 0; }
C
lib libx.so x.c
lib audit.so audit.c
prog main m.c -lx -Wl,-z,now
run_with=LD_AUDIT=$PWD/audit.so
want='refused'
