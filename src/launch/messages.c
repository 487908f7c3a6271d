/* SPDX-License-Identifier: MIT */
/* messages.c - text for people, composed here and printed by the command that called */
#include "launch/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void lc_message(const struct lc_messages *messages, enum lc_message_kind kind, const char *format,
                ...)
{
    char *text = NULL;
    va_list args;

    if (!messages->show)
        return;
    va_start(args, format);
    if (vasprintf(&text, format, args) >= 0) {
        messages->show(messages->arg, kind, text);
        free(text);
    }
    va_end(args);
}
