#!/bin/sh
# Large stacks of others with their symbol bindings replayed and every one looked up again by ld.so: none
# different. t0703 has numpy, scipy and GPAW; this one needs packages that only 'make check-long' installs.
. "$(dirname "$0")/../lib.sh"
need_ptrace
mkdir -m 700 node
export HOME="$tmp" LOADCAST_DIR="$tmp/node"

t 'torch' '
    "$python" -c "import torch" 2>/dev/null || skip "no python3-torch"
    set -- "$python" -c "import torch; print(torch.linalg.det(torch.eye(3)), torch.ones(2, 2) @ torch.ones(2, 2))"
    "$@" >plain
    code 0 loadcast record --manage /usr --manage /lib -o app.lcast -- "$@"
    code 0 loadcast exec -q --verify-bindings app.lcast -- "$@"
    same plain out
    grep -E "^verified +[0-9,]+ bindings looked up again: 0 different" err
    grep -E "^bindings +[1-9][0-9,]* replayed in [0-9,]+ groups; 0 groups refused" err
    code 0 loadcast exec -q app.lcast -- "$@"
    same plain out
'
finish
