# A library that the recording did not see is opened RTLD_GLOBAL and defines what a recorded one binds to.
. "$traps/unseen-promoted.sh"
sed -i 's/RTLD_NOLOAD | //; s/c > 1/c > 3/' n.c
prog main n.c -ldl
run='$serve ./main a b'
