# The recording opened it without.
. "$traps/deepbind.sh"
pilot='$serve ./main'
