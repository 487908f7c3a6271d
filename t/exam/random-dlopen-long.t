#!/bin/sh
# The same with ten thousand seeds.
LOADCAST_SEEDS=10000 exec "$(dirname "$0")/random-dlopen.t"
