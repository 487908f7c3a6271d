# dlmopen of a path into the base namespace: ld.so does not tell an auditor the name.
. "$traps/dlmopen.sh"
sed -i 's/LM_ID_NEWLM/LM_ID_BASE/; s/dlopen(".\/libx.so", RTLD_NOW)/dlmopen(LM_ID_BASE, ".\/libx.so", RTLD_NOW)/' m.c
prog main m.c -ldl

want='refused'
