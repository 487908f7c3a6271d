/* SPDX-License-Identifier: MIT */
/* messages.h - text for people, composed here and printed by the command that called */
#ifndef LC_LAUNCH_MESSAGES_H
#define LC_LAUNCH_MESSAGES_H

enum lc_message_kind {
    LC_MESSAGE_NOTE,    /* how the work goes on; not shown with --quiet */
    LC_MESSAGE_WARNING, /* something failed, or was left out */
    LC_MESSAGE_QUOTE,  /* a line that a launcher wrote to standard error, below a message of ours */
    LC_MESSAGE_OUTPUT, /* a line that a launcher wrote to standard output while it staged */
    LC_MESSAGE_STEP,   /* --dry-run: lines of a job script, for standard output */
};

/* Where messages go. 'text' is one line without its newline; LC_MESSAGE_STEP may have several. */
struct lc_messages {
    void (*show)(void *arg, enum lc_message_kind kind, const char *text);
    void *arg;
};

/* Compose one and show it. */
void lc_message(const struct lc_messages *messages, enum lc_message_kind kind, const char *format,
                ...) __attribute__((format(printf, 3, 4)));

#endif
