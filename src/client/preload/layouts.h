/* SPDX-License-Identifier: MIT */
/* layouts.h - what is copied from the C library's headers, for the test that compares both.
 *
 * Our copies and the headers cannot be included together: each side makes its own table of this
 * list, layouts_ours.c and layouts_test.c. */
#ifndef LC_PRELOAD_LAYOUTS_H
#define LC_PRELOAD_LAYOUTS_H

#include <stddef.h>

struct lc_layout {
    const char *name; /* as we call it */
    size_t offset, size;
};

/* TYPE(ours, theirs), FIELD(our type, our field, their type, their field), VALUE(ours, theirs) */
#define LC_LAYOUTS(TYPE, FIELD, VALUE)                                  \
    TYPE(struct lc_fts, FTS)                                            \
    FIELD(struct lc_fts, cur, FTS, fts_cur)                             \
    FIELD(struct lc_fts, child, FTS, fts_child)                         \
    FIELD(struct lc_fts, array, FTS, fts_array)                         \
    FIELD(struct lc_fts, dev, FTS, fts_dev)                             \
    FIELD(struct lc_fts, path, FTS, fts_path)                           \
    FIELD(struct lc_fts, rfd, FTS, fts_rfd)                             \
    FIELD(struct lc_fts, pathlen, FTS, fts_pathlen)                     \
    FIELD(struct lc_fts, nitems, FTS, fts_nitems)                       \
    FIELD(struct lc_fts, compare, FTS, fts_compar)                      \
    FIELD(struct lc_fts, options, FTS, fts_options)                     \
    FIELD(struct lc_ftsent, cycle, FTSENT, fts_cycle)                   \
    FIELD(struct lc_ftsent, parent, FTSENT, fts_parent)                 \
    FIELD(struct lc_ftsent, link, FTSENT, fts_link)                     \
    FIELD(struct lc_ftsent, number, FTSENT, fts_number)                 \
    FIELD(struct lc_ftsent, pointer, FTSENT, fts_pointer)               \
    FIELD(struct lc_ftsent, accpath, FTSENT, fts_accpath)               \
    FIELD(struct lc_ftsent, path, FTSENT, fts_path)                     \
    FIELD(struct lc_ftsent, error, FTSENT, fts_errno)                   \
    FIELD(struct lc_ftsent, symfd, FTSENT, fts_symfd)                   \
    FIELD(struct lc_ftsent, pathlen, FTSENT, fts_pathlen)               \
    FIELD(struct lc_ftsent, namelen, FTSENT, fts_namelen)               \
    FIELD(struct lc_ftsent, ino, FTSENT, fts_ino)                       \
    FIELD(struct lc_ftsent, dev, FTSENT, fts_dev)                       \
    FIELD(struct lc_ftsent, nlink, FTSENT, fts_nlink)                   \
    FIELD(struct lc_ftsent, level, FTSENT, fts_level)                   \
    FIELD(struct lc_ftsent, info, FTSENT, fts_info)                     \
    FIELD(struct lc_ftsent, flags, FTSENT, fts_flags)                   \
    FIELD(struct lc_ftsent, instr, FTSENT, fts_instr)                   \
    FIELD(struct lc_ftsent, statp, FTSENT, fts_statp)                   \
    VALUE(offsetof(struct lc_ftsent, name), offsetof(FTSENT, fts_name)) \
    VALUE(LC_FTS_COMFOLLOW, FTS_COMFOLLOW)                              \
    VALUE(LC_FTS_LOGICAL, FTS_LOGICAL)                                  \
    VALUE(LC_FTS_NOCHDIR, FTS_NOCHDIR)                                  \
    VALUE(LC_FTS_NOSTAT, FTS_NOSTAT)                                    \
    VALUE(LC_FTS_PHYSICAL, FTS_PHYSICAL)                                \
    VALUE(LC_FTS_SEEDOT, FTS_SEEDOT)                                    \
    VALUE(LC_FTS_XDEV, FTS_XDEV)                                        \
    VALUE(LC_FTS_OPTIONS, FTS_OPTIONMASK)                               \
    VALUE(LC_FTS_NAMEONLY, FTS_NAMEONLY)                                \
    VALUE(LC_FTS_STOP, FTS_STOP)                                        \
    VALUE(LC_FTS_D, FTS_D)                                              \
    VALUE(LC_FTS_DC, FTS_DC)                                            \
    VALUE(LC_FTS_DEFAULT, FTS_DEFAULT)                                  \
    VALUE(LC_FTS_DNR, FTS_DNR)                                          \
    VALUE(LC_FTS_DOT, FTS_DOT)                                          \
    VALUE(LC_FTS_DP, FTS_DP)                                            \
    VALUE(LC_FTS_ERR, FTS_ERR)                                          \
    VALUE(LC_FTS_F, FTS_F)                                              \
    VALUE(LC_FTS_INIT, FTS_INIT)                                        \
    VALUE(LC_FTS_NS, FTS_NS)                                            \
    VALUE(LC_FTS_NSOK, FTS_NSOK)                                        \
    VALUE(LC_FTS_SL, FTS_SL)                                            \
    VALUE(LC_FTS_SLNONE, FTS_SLNONE)                                    \
    VALUE(LC_FTS_AGAIN, FTS_AGAIN)                                      \
    VALUE(LC_FTS_FOLLOW, FTS_FOLLOW)                                    \
    VALUE(LC_FTS_NOINSTR, FTS_NOINSTR)                                  \
    VALUE(LC_FTS_SKIP, FTS_SKIP)                                        \
    VALUE(LC_FTS_ROOT, FTS_ROOTLEVEL)                                   \
    TYPE(struct lc_glob, glob_t)                                        \
    FIELD(struct lc_glob, pathc, glob_t, gl_pathc)                      \
    FIELD(struct lc_glob, pathv, glob_t, gl_pathv)                      \
    FIELD(struct lc_glob, offs, glob_t, gl_offs)                        \
    FIELD(struct lc_glob, flags, glob_t, gl_flags)                      \
    FIELD(struct lc_glob, closedir, glob_t, gl_closedir)                \
    FIELD(struct lc_glob, readdir, glob_t, gl_readdir)                  \
    FIELD(struct lc_glob, opendir, glob_t, gl_opendir)                  \
    FIELD(struct lc_glob, lstat, glob_t, gl_lstat)                      \
    FIELD(struct lc_glob, stat, glob_t, gl_stat)                        \
    VALUE(LC_GLOB_ALTDIRFUNC, GLOB_ALTDIRFUNC)                          \
    TYPE(struct lc_ftw, struct FTW)                                     \
    FIELD(struct lc_ftw, base, struct FTW, base)                        \
    FIELD(struct lc_ftw, level, struct FTW, level)                      \
    VALUE(LC_FTW_PHYSICAL, FTW_PHYS)                                    \
    VALUE(LC_FTW_MOUNT, FTW_MOUNT)                                      \
    VALUE(LC_FTW_CHDIR, FTW_CHDIR)                                      \
    VALUE(LC_FTW_DEPTH, FTW_DEPTH)                                      \
    VALUE(LC_FTW_ACTIONS, FTW_ACTIONRETVAL)                             \
    VALUE(LC_FTW_FILE, FTW_F)                                           \
    VALUE(LC_FTW_DIRECTORY, FTW_D)                                      \
    VALUE(LC_FTW_UNREADABLE, FTW_DNR)                                   \
    VALUE(LC_FTW_NO_STAT, FTW_NS)                                       \
    VALUE(LC_FTW_LINK, FTW_SL)                                          \
    VALUE(LC_FTW_DIRECTORY_DONE, FTW_DP)                                \
    VALUE(LC_FTW_LOST, FTW_SLN)                                         \
    VALUE(LC_FTW_STOP, FTW_STOP)                                        \
    VALUE(LC_FTW_SKIP_SUBTREE, FTW_SKIP_SUBTREE)                        \
    VALUE(LC_FTW_SKIP_SIBLINGS, FTW_SKIP_SIBLINGS)                      \
    FIELD(struct dirent, d_ino, struct dirent64, d_ino)                 \
    FIELD(struct dirent, d_off, struct dirent64, d_off)                 \
    FIELD(struct dirent, d_reclen, struct dirent64, d_reclen)           \
    FIELD(struct dirent, d_type, struct dirent64, d_type)               \
    FIELD(struct dirent, d_name, struct dirent64, d_name)               \
    TYPE(struct stat, struct stat)                                      \
    FIELD(struct stat, st_dev, struct stat, st_dev)                     \
    FIELD(struct stat, st_ino, struct stat, st_ino)                     \
    FIELD(struct stat, st_mode, struct stat, st_mode)                   \
    FIELD(struct stat, st_nlink, struct stat, st_nlink)                 \
    FIELD(struct stat, st_uid, struct stat, st_uid)                     \
    FIELD(struct stat, st_gid, struct stat, st_gid)                     \
    FIELD(struct stat, st_rdev, struct stat, st_rdev)                   \
    FIELD(struct stat, st_size, struct stat, st_size)                   \
    FIELD(struct stat, st_blksize, struct stat, st_blksize)             \
    FIELD(struct stat, st_blocks, struct stat, st_blocks)               \
    FIELD(struct stat, st_atime, struct stat, st_atim.tv_sec)           \
    FIELD(struct stat, st_atime_nsec, struct stat, st_atim.tv_nsec)     \
    FIELD(struct stat, st_mtime, struct stat, st_mtim.tv_sec)           \
    FIELD(struct stat, st_mtime_nsec, struct stat, st_mtim.tv_nsec)     \
    FIELD(struct stat, st_ctime, struct stat, st_ctim.tv_sec)           \
    FIELD(struct stat, st_ctime_nsec, struct stat, st_ctim.tv_nsec)     \
    TYPE(struct lc_signal_mask, sigset_t)                               \
    VALUE(LC_SPAWN_SET_DEFAULT, POSIX_SPAWN_SETSIGDEF)                  \
    VALUE(LC_SPAWN_SET_MASK, POSIX_SPAWN_SETSIGMASK)

/* Our side of it; *count is how many. */
const struct lc_layout *lc_layouts_ours(size_t *count);

#endif
