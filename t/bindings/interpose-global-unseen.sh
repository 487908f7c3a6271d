# The recording opened it locally, the run opens it RTLD_GLOBAL: another scope, another binding.
. "$traps/interpose-global.sh"
pilot='$serve ./main l'
run='$serve ./main g'
want='refused'
