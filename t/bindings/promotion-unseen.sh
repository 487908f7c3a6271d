# The same, but the recording did not promote.
. "$traps/promotion.sh"
pilot='$serve ./main'
run='$serve ./main p'
want='refused'
