# SPDX-License-Identifier: MIT
# Programs that change: sed -i, mv, cp, rm, mkdir, ln, touch, chmod, install.
show() { ls data | sort | tr '\n' ' '; cat data/file data/new 2>&1; }
sed -i s/quick/slow/ data/file; show; cp data/big data/new; cmp data/big data/new && echo copied; rm data/big; show
mv data/new data/renamed; show; mkdir -p data/a/b/c; touch data/a/b/c/d; find data/a | sort; ln -sf renamed data/to-file
head -c 5 data/to-file; rm -r data/sub; ls data/to-dir; chmod 600 data/renamed; stat -c %a data/renamed
install -m 755 data/program data/installed; data/installed x; echo more >>data/file; show; : >data/file; show
sort -o data/sorted data/renamed; truncate -s 5 data/sorted; cat data/sorted; echo; rm "$(mktemp -p data)"; rmdir data/empty-dir; show
