# The name that a recorded library is needed by leads, in the run, to the file of one that the recording did not see.
. "$traps/two-sonames.sh"
$cc -shared -fPIC f2.c -o b/other.so
between='rm a/libf.so; ln -s ../b/other.so a/libf.so; $cc -shared -fPIC f1.c -o f1.so'
pilot='$serve ./main'
run='$serve ./main ./b/other.so ./f1.so && $serve ./main ./f1.so ./b/other.so'
