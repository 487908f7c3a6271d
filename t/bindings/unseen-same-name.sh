# A library that the recording did not see has the name of a recorded one, which is opened by its path.
. "$traps/two-sonames.sh"
pilot='$serve ./main ./a/libf.so'
run='$serve ./main ./b/libf.so ./a/libf.so && $serve ./main ./a/libf.so ./b/libf.so && $serve ./main ./b/libf.so'
