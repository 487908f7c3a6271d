/* SPDX-License-Identifier: MIT */
/* ftw.h - <ftw.h> as the C library has it */
#ifndef LC_PRELOAD_FTW_H
#define LC_PRELOAD_FTW_H

enum { /* flags of nftw */
       LC_FTW_PHYSICAL = 1,
       LC_FTW_MOUNT = 2,
       LC_FTW_CHDIR = 4,
       LC_FTW_DEPTH = 8,
       LC_FTW_ACTIONS = 16
};

enum { /* what the program is told of a path */
       LC_FTW_FILE,
       LC_FTW_DIRECTORY,
       LC_FTW_UNREADABLE,
       LC_FTW_NO_STAT,
       LC_FTW_LINK,
       LC_FTW_DIRECTORY_DONE,
       LC_FTW_LOST
};

enum { LC_FTW_STOP = 1, LC_FTW_SKIP_SUBTREE = 2, LC_FTW_SKIP_SIBLINGS = 3 }; /* its answers */

struct lc_ftw { /* struct FTW */
    int base, level;
};

#endif
