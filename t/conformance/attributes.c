/* SPDX-License-Identifier: MIT */
/* attributes.c - extended attributes, file systems and limits by path */
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <sys/vfs.h>

#include "case.h"

int main(int argc, char **argv)
{
    (void)argc;
    name_places(argv[1]);
    for (int i = 0; i < n_places; i++) {
        const char *p = places[i].path;
        char value[64];
        struct statfs fs;
        struct statvfs vfs;
        printf("%s: getxattr %s", places[i].what,
               outcome(getxattr(p, "user.none", value, sizeof(value))));
        printf(" lgetxattr %s", outcome(lgetxattr(p, "user.none", value, sizeof(value))));
        printf(" listxattr %s", outcome(listxattr(p, value, sizeof(value))));
        int result = statfs(p, &fs);
        printf(" statfs %s", outcome(result));
        if (result == 0)
            printf(" type %lx", (long)fs.f_type);
        printf(" statvfs %s", outcome(statvfs(p, &vfs)));
        printf(" name max %ld\n", pathconf(p, _PC_NAME_MAX));
    }
}
