/* SPDX-License-Identifier: MIT */
/* syscalls.h - <sys/syscall.h>, with the numbers that older C libraries' headers lack
 *
 * From 424 on, a system call has the same number on all architectures. */
#ifndef LC_UTIL_SYSCALLS_H
#define LC_UTIL_SYSCALLS_H

#include <sys/syscall.h>

#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif
#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
#ifndef SYS_move_mount
#define SYS_move_mount 429
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

#endif
