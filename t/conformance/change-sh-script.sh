# SPDX-License-Identifier: MIT
# A program replaced while it is in use, and run again.
data/program before; printf '#!/bin/sh\necho replaced $*\n' >data/program; data/program after
printf '#!/bin/sh\necho elsewhere $*\n' >data/next; chmod 755 data/next; mv data/next data/program; data/program then
chmod 644 data/program; data/program 2>/dev/null; echo $?; rm data/program; data/program 2>/dev/null; echo $?
