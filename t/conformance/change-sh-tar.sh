# SPDX-License-Identifier: MIT
# A tree unpacked over itself and beside itself.
chmod -R u+rwX data; tar cf all.tar data; mkdir beside; tar xf all.tar -C beside; diff -r --no-dereference data beside/data && echo equal
rm -rf data; ls data 2>&1 | wc -l; tar xf all.tar; diff -r --no-dereference data beside/data && echo equal; cat data/file data/to-dir/deep/leaf; rm -rf beside data; ls
