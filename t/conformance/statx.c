/* SPDX-License-Identifier: MIT */
/* statx.c - statx with its flags and masks */
#include "case.h"

int main(int argc, char **argv)
{
    static const int flags[] = {0,
                                AT_SYMLINK_NOFOLLOW,
                                AT_STATX_FORCE_SYNC,
                                AT_STATX_DONT_SYNC,
                                AT_STATX_FORCE_SYNC | AT_STATX_DONT_SYNC,
                                AT_EMPTY_PATH,
                                0x10};
    static const unsigned masks[] = {0, STATX_SIZE, STATX_BASIC_STATS, STATX_ALL, 0x80000000u};

    (void)argc;
    name_places(argv[1]);
    for (int i = 0; i < n_places; i++)
        for (size_t k = 0; k < sizeof(flags) / sizeof(*flags); k++)
            for (size_t j = 0; j < sizeof(masks) / sizeof(*masks); j++) {
                struct statx x;
                int result = statx(AT_FDCWD, places[i].path, flags[k], masks[j], &x);
                printf("%s %x %x: %s", places[i].what, flags[k], masks[j], outcome(result));
                if (result == 0)
                    printf(" mode %o uid %u size %ld mtime %ld.%u basic %x", x.stx_mode, x.stx_uid,
                           S_ISDIR(x.stx_mode) ? 0L : (long)x.stx_size,
                           masks[j] & STATX_MTIME ? (long)x.stx_mtime.tv_sec : 0,
                           masks[j] & STATX_MTIME ? x.stx_mtime.tv_nsec : 0,
                           x.stx_mask & STATX_BASIC_STATS & masks[j]);
                puts("");
            }
}
