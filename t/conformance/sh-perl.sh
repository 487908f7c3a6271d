# SPDX-License-Identifier: MIT
# Perl's own ways: -e, opendir, stat, require, do.
command -v perl >/dev/null || exit 0
perl -e 'print -e "data/file", -d "data", -l "data/to-file", -s "data/big", (-e "data/none") // "no", "\n"'
perl -e 'opendir D, "data/sub"; print join(" ", sort readdir D), "\n"; print join(" ", map { sprintf "%o", $_ } (stat "data/file")[2]), "\n"'
perl -e 'open F, "<", "data/none" or print "$!\n"; open F, "data/file"; print <F>; print readlink "data/chain", "\n"; print glob("data/sub/n*"), "\n"'
perl -MFile::Find -e 'find(sub { push @a, $File::Find::name }, "data/sub"); print join(" ", sort @a), "\n"'
