# The other way round.
. "$traps/interpose-global.sh"
pilot='$serve ./main g'
run='$serve ./main l'
want='refused'
