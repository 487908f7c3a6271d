/* SPDX-License-Identifier: MIT */
/* tar.h - write a tar archive (POSIX ustar) of texts */
#ifndef LC_DOCTOR_TAR_H
#define LC_DOCTOR_TAR_H

#include <stddef.h>

/* Add a file of mode 0600; the name has at most 99 bytes. 0, or -1 with errno. */
int lc_tar_add(int fd, const char *name, const void *bytes, size_t len);

/* Write the end of the archive. 0, or -1 with errno. */
int lc_tar_finish(int fd);

#endif
