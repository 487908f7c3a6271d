/* SPDX-License-Identifier: MIT */
/* end.c - a process that ends by itself frees its row (node/starts.h): it has not died of us */
#include "client/preload/next.h"
#include "client/preload/path_query.h"
#include "node/starts.h"

static void process_end(void)
{
    const struct lc_node *node = lc_client_node();

    if (node)
        lc_start_end(node);
}

__attribute__((destructor)) static void preload_end(void)
{
    process_end();
}

/* These run no destructors. */
EXPORT(_Noreturn void, _exit, int status)
{
    process_end();
    NEXT(void, _exit, (int))(status);
    __builtin_unreachable();
}

EXPORT(_Noreturn void, _Exit, int status)
{
    process_end();
    NEXT(void, _Exit, (int))(status);
    __builtin_unreachable();
}
