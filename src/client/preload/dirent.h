/* SPDX-License-Identifier: MIT */
/* dirent.h - glibc's struct dirent and dirent64, which are the same on our machines */
#ifndef LC_PRELOAD_DIRENT_H
#define LC_PRELOAD_DIRENT_H

#include <stdint.h>

struct dirent {
    uint64_t d_ino;
    int64_t d_off;
    uint16_t d_reclen;
    uint8_t d_type;
    char d_name[256];
};

enum { LC_TYPE_UNKNOWN = 0, LC_TYPE_DIRECTORY = 4 };

#endif
