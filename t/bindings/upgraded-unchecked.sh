# Upgraded where nobody manages the files: told by build-id.
. "$traps/upgraded.sh"
between='lib libx.so x2.c'
unmanaged=1
