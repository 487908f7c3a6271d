# SPDX-License-Identifier: MIT
# Programs that read: cat, grep, sort, diff, md5sum, tar, awk, head, cmp, wc.
cat data/file data/none data; grep -rl 'fox' data | sort; grep -c 9 data/big; head -c 20 data/big; tail -n 2 data/big
wc data/big data/file; md5sum data/big data/file data/none; cmp data/file data/twin; cmp data/file data/big
diff -r data/sub data/to-dir && echo equal; awk 'END { print NR, FILENAME }' data/big; sort -rn data/big | head -3
tar cf - data 2>/dev/null | tar tf - | sort; dd if=data/big bs=100 count=2 skip=3 2>/dev/null; od -c data/file | head -2
xargs -a data/sub/n1.txt echo; sed -n 2p data/big; cut -c1 data/file; cat <data/file; sh data/program a
