# SPDX-License-Identifier: MIT
# Programs found and run: PATH, scripts, env, command, exec, sub-shells.
PATH=$PWD/data:$PWD/bin:/usr/bin:/bin
program one; program-e two; program-nested three; program-bare four; program-lost; no-such-program
command -v program; type program | cat; env program five; env -i PATH="$PATH" program six; nice program seven
(cd data && ./program eight); exec program nine
