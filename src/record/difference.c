/* SPDX-License-Identifier: MIT */
/* difference.c - how a file differs from its recorded inode */
#include "record/difference.h"

#include <stdbool.h>

#include "util/human.h"

unsigned lc_difference(const struct lc_inode *was, const struct stat *st)
{
    bool has_size =
        S_ISREG(st->st_mode); /* of directories and links it depends on the file system */
    bool same_mtime =
        was->mtime == st->st_mtim.tv_sec && was->mtime_ns == (uint32_t)st->st_mtim.tv_nsec;
    bool same_ctime =
        was->ctime == st->st_ctim.tv_sec && was->ctime_ns == (uint32_t)st->st_ctim.tv_nsec;
    bool same_kind = (was->mode & S_IFMT) == (st->st_mode & S_IFMT);
    unsigned differs = 0;

    differs |= same_kind ? 0 : LC_DIFFERS_KIND;
    differs |= has_size && was->size != (uint64_t)st->st_size ? LC_DIFFERS_SIZE : 0;
    differs |= same_mtime ? 0 : LC_DIFFERS_MTIME;
    differs |= (was->mode & 07777) == (st->st_mode & 07777) ? 0 : LC_DIFFERS_MODE;
    differs |= was->uid == st->st_uid && was->gid == st->st_gid ? 0 : LC_DIFFERS_OWNER;
    differs |= was->ino == st->st_ino ? 0 : LC_DIFFERS_INODE;
    differs |= same_ctime ? 0 : LC_DIFFERS_CTIME;
    return differs;
}

static void word_add(struct lc_buf *out, const char *word)
{
    lc_buf_printf(out, "%s%s", out->len > 0 ? ", " : "", word);
}

/* Inode number and ctime are named only if nothing more telling differs. */
void lc_difference_tell(struct lc_buf *out, unsigned differs, const struct lc_inode *was,
                        const struct stat *st)
{
    if (differs & LC_DIFFERS_KIND) {
        word_add(out, "it is of another kind");
        return;
    }
    if (differs & LC_DIFFERS_SIZE) {
        lc_buf_printf(out, "size %s", lc_human_count(was->size).s);
        lc_buf_printf(out, " -> %s", lc_human_count((uint64_t)st->st_size).s);
    }
    if (differs & LC_DIFFERS_MODE) {
        word_add(out, "mode");
        lc_buf_printf(out, " %04o -> %04o", was->mode & 07777, (unsigned)st->st_mode & 07777);
    }
    if (differs & LC_DIFFERS_OWNER)
        word_add(out, "owner");
    if (differs & LC_DIFFERS_TARGET)
        word_add(out, "target");
    if (differs & LC_DIFFERS_CONTENT)
        word_add(out, "content");
    if (differs & LC_DIFFERS_MTIME)
        word_add(out, "mtime");
    if ((differs & LC_DIFFERS_INODE) && !(differs & LC_DIFFERS_MTIME))
        word_add(out, "inode");
    if ((differs & LC_DIFFERS_CTIME) && out->len == 0)
        word_add(out, "ctime");
    if (differs & LC_DIFFERS_MOUNT)
        word_add(out, "mount");
}
