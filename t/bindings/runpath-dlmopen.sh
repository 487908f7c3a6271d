# A plugin that dlmopen opens by a bare name in the base namespace is found by the RUNPATH of its caller.
. "$traps/runpath.sh"
sed -i '1i#define _GNU_SOURCE
s/dlopen("/dlmopen(LM_ID_BASE, "/' x.c
grep -q dlmopen x.c
lib liba.so x.c -DNAME=fa -Wl,-rpath,"$PWD/a" -ldl
lib libb.so x.c -DNAME=fb -Wl,-rpath,"$PWD/b" -ldl
