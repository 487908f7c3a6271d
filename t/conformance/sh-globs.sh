# SPDX-License-Identifier: MIT
# The shell's own expansions and tests.
echo data/* data/sub/n* data/none* data/*/deep
for f in data/*; do
    for t in e f d L r w x s; do test -$t "$f" && printf %s $t; done
    echo " $f"
done
cd data/to-dir && pwd && pwd -P && cd .. && pwd && ls sub
[ file -ef twin ] && echo same
[ file -nt none ] && echo newer
