/* SPDX-License-Identifier: MIT */
/* libc_names.h - the names under which the C library exports its path functions
 *
 * One list for the preload object, which serves them, and the pilot, which records them: each
 * macro applies X to every name of one function. Programs that were compiled with 64-bit
 * offsets, or against a glibc before 2.33, use other names than today's. A name that is missing
 * here is not served.
 */
#ifndef LC_PRELOAD_LIBC_NAMES_H
#define LC_PRELOAD_LIBC_NAMES_H

#define LC_LIBC_OPEN(X)     X(open) X(open64) X(__open) X(__open64)
#define LC_LIBC_OPENAT(X)   X(openat) X(openat64)
#define LC_LIBC_OPEN_2(X)   X(__open_2) X(__open64_2) /* open, with _FORTIFY_SOURCE */
#define LC_LIBC_OPENAT_2(X) X(__openat_2) X(__openat64_2)
#define LC_LIBC_CREAT(X)    X(creat) X(creat64)
#define LC_LIBC_FOPEN(X)    X(fopen) X(fopen64)
#define LC_LIBC_FREOPEN(X)  X(freopen) X(freopen64)

/* X(name, flags): the flags that fstatat would take. */
#define LC_LIBC_STAT(X)     X(stat, 0) X(stat64, 0) X(lstat, NOFOLLOW) X(lstat64, NOFOLLOW)
#define LC_LIBC_XSTAT(X)    X(__xstat, 0) X(__xstat64, 0) X(__lxstat, NOFOLLOW) X(__lxstat64, NOFOLLOW)
#define LC_LIBC_FSTATAT(X)  X(fstatat) X(fstatat64)
#define LC_LIBC_FXSTATAT(X) X(__fxstatat) X(__fxstatat64)
#define LC_LIBC_ACCESS(X)   X(access) X(eaccess) X(euidaccess)
#define LC_LIBC_SCANDIR(X)  X(scandir) X(scandir64)

#endif
