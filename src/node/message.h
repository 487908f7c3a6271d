/* SPDX-License-Identifier: MIT */
/* message.h - a message on standard error from a small program of ours that is about to become the
 * user's. Freestanding. */
#ifndef LC_NODE_MESSAGE_H
#define LC_NODE_MESSAGE_H

#include "image/bytes.h"
#include "node/syscall.h"

/* Write it. A reader that is gone, or a limit on the size of files (ulimit -f), loses the message
 * and does not end this process by SIGPIPE or SIGXFSZ. */
static inline void lc_message_write(const char *text)
{
    struct action { /* as the kernel's rt_sigaction has it */
        uintptr_t handler, flags, restorer;
        uint64_t mask;
    };
    enum { SIGNALS = 2, IGNORE = 1, MASK_BYTES = 8 };
    static const int signal[SIGNALS] = {13 /* SIGPIPE */, 25 /* SIGXFSZ */};
    const struct action ignore = {.handler = IGNORE};
    struct action before[SIGNALS] = {{0}, {0}};

    for (int i = 0; i < SIGNALS; i++)
        LC_SYS4(__NR_rt_sigaction, signal[i], &ignore, &before[i], MASK_BYTES);
    lc_sys_write(2, text, lc_bytes_length(text));
    for (int i = 0; i < SIGNALS; i++)
        LC_SYS4(__NR_rt_sigaction, signal[i], &before[i], 0, MASK_BYTES);
}

#endif
