/* SPDX-License-Identifier: MIT */
/* change-rename-directory.c - a directory renamed or replaced takes all below it along */
#include "seen.h"

int main(void)
{
    seen("data/sub/deep/leaf");
    SHOW(rename("data/sub", "data/other"));
    seen("data/sub/deep/leaf");
    seen("data/sub");
    seen("data/other/deep/leaf");
    seen("data/to-dir/deep/leaf");
    SHOW(mkdir("data/sub", 0755));
    seen("data/sub/deep/leaf");
    seen("data/sub");
    SHOW(renameat2(AT_FDCWD, "data/sub", AT_FDCWD, "data/other", RENAME_EXCHANGE));
    seen("data/sub/deep/leaf");
    SHOW(unlink("data/to-dir"));
    SHOW(symlink("empty-dir", "data/to-dir"));
    seen("data/to-dir");
    seen("data/to-dir/deep/leaf");
    SHOW(rename("data/to-file", "data/to-dir2"));
    seen("data/to-dir2");
    seen("data/to-file");
}
