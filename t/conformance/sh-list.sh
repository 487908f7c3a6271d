# SPDX-License-Identifier: MIT
# Programs that list: ls, find, du, stat, tree walks.
ls -a data; ls -lL --time-style=full-iso data/sub | sed 1d; ls data/none; ls -d data/loop
find data -type f | sort; find -L data -maxdepth 2 | sort; find data -newer data/none; find data -empty | sort
find data -name '*.txt' -exec cat {} + | sort
stat -c '%n %F %s %a %U %h %Y' data/file data/to-file; stat -Lc '%n %F %s' data/to-dir
du -b data/big; readlink -f data/chain; realpath data/to-dir/deep data/none; realpath -e data/none
