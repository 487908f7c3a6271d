# A plugin that the recording did not see is opened with RTLD_DEEPBIND, and closed.
. "$traps/unseen-plugin.sh"
sed -i 's/dlopen(v\[1\], RTLD_NOW)/dlopen(v[1], RTLD_NOW | RTLD_DEEPBIND)/; s/return 0/return dlclose(dlopen(".\/libp.so", RTLD_NOW))/' m.c
prog main m.c -ldl
want='all but one'
