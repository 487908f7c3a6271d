/* SPDX-License-Identifier: MIT */
/* change-rename.c - files renamed: the old name is gone, the new one is there */
#include "seen.h"

int main(void)
{
    SHOW(rename("data/file", "data/moved"));
    seen("data/file");
    seen("data/moved");
    seen("data/to-file");
    SHOW(rename("data/big", "data/moved"));
    seen("data/moved");
    seen("data/big");
    SHOW(renameat(AT_FDCWD, "data/empty", AT_FDCWD, "data/sub/empty"));
    seen("data/sub/empty");
    seen("data/sub");
    SHOW(rename("data/none", "data/x"));
    SHOW(rename("data/moved", "nowhere/x"));
    SHOW(rename("data/moved", "data/sub"));
    SHOW(renameat2(AT_FDCWD, "data/moved", AT_FDCWD, "data/twin", RENAME_NOREPLACE));
    SHOW(renameat2(AT_FDCWD, "data/moved", AT_FDCWD, "data/twin", RENAME_EXCHANGE));
    seen("data/moved");
    seen("data/twin");
    SHOW(renameat2(AT_FDCWD, "data/moved", AT_FDCWD, "data/twin", 0x100));
    seen("data");
}
