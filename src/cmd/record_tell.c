/* SPDX-License-Identifier: MIT */
/* record_tell.c - messages of loadcast record, on stderr */
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>

#include "cmd/record.h"
#include "image/image.h"
#include "util/human.h"

void lc_record_say(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("loadcast record: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

void lc_record_tell_nothing(const struct lc_recorded *did)
{
    lc_record_say(
        "nothing that was seen is managed, so no image was written; choose with --manage PREFIX or "
        "--add PATH");
    for (size_t i = 0; i < did->packed.mounts.count; i++) {
        const struct lc_pack_mount *m = did->packed.mounts.entry[i].value;
        lc_record_say("  seen: %s (%s paths)", did->packed.mounts.entry[i].key,
                      lc_human_count(m->seen).s);
    }
}

/* Print paths: a few, or all with --verbose. */
static void names_print(const struct lc_map *names, const char *why, bool is_verbose)
{
    enum { MOST = 5 };

    for (size_t i = 0; i < names->count; i++) {
        if (!is_verbose && i == MOST && names->count > MOST + 1) {
            lc_record_say("... and %s more such files (--verbose names them)",
                          lc_human_count(names->count - i).s);
            return;
        }
        lc_record_say("left to the file system: '%s', %s", names->entry[i].key, why);
    }
}

static void private_print(const struct lc_packed *p, bool is_verbose)
{
    names_print(&p->credentials, "a place of passwords and keys; --private packs it", is_verbose);
    names_print(&p->personal,
                "which only you may read and which is in no tree of software; --add or --private "
                "packs it",
                is_verbose);
}

static void left_out_print(const struct lc_record *how, const struct lc_recorded *did,
                           bool is_verbose)
{
    const struct lc_packed *p = &did->packed;

    if (p->written > 0)
        lc_record_say("%s paths were written during the pilot and are left out",
                      lc_human_count(p->written).s);
    if (p->too_large > 0)
        lc_record_say("%s files above %s are known by their stat only; see --max-file",
                      lc_human_count(p->too_large).s, lc_human_bytes((uint64_t)how->max_file).s);
    if (p->not_compiled > 0)
        lc_record_say(
            "%s modules were not compiled (the compiler warns or fails) and will be by each rank",
            lc_human_count(p->not_compiled).s);
    if (did->written.skipped > 0 && !is_verbose)
        lc_record_say(
            "%s files were left out or are known by their stat only (unreadable, changing, with "
            "file "
            "capabilities); --verbose names them",
            lc_human_count(did->written.skipped).s);
    if (did->written.retries > 0)
        lc_record_say("%s times a file changed while it was read and was read again",
                      lc_human_count(did->written.retries).s);
}

int lc_record_tell(const struct lc_record *how, const struct lc_recorded *did, double seconds,
                   bool is_verbose, struct lc_error *err)
{
    struct lc_image *image = lc_image_open(how->file, err);

    if (!image)
        return -1;
    struct lc_image_totals t = lc_image_count(image);
    lc_record_say(
        "'%s' %s: %s files (%s), %s directories (%s complete), %s links, %s absent paths, %s "
        "search "
        "results; %s in %s",
        how->file, did->is_added ? "added to" : "written", lc_human_count(t.files).s,
        lc_human_bytes(t.bytes).s, lc_human_count(t.directories).s, lc_human_count(t.complete).s,
        lc_human_count(t.links).s, lc_human_count(t.absent).s, lc_human_count(t.searches).s,
        lc_human_bytes(did->written.file_bytes).s, lc_human_seconds(seconds).s);
    if (did->packed.compiled > 0)
        lc_record_say("%s modules had no good bytecode and were compiled into the image",
                      lc_human_count(did->packed.compiled).s);
    left_out_print(how, did, is_verbose);
    private_print(&did->packed, is_verbose);
    lc_image_close(image);
    return 0;
}

void lc_record_tell_waiting(void *arg, unsigned threads)
{
    (void)arg;
    lc_record_say(
        "the program has ended; still following %u thread%s it left behind (Ctrl-C: pack now and "
        "leave them alone)",
        threads, threads == 1 ? "" : "s");
}

/* Recording ended before the program, as --for or --settle asked. */
static void end_print(const struct lc_trace_outcome *o, double settle_s)
{
    struct lc_buf why = {0};

    if (o->had_enough)
        lc_buf_printf(&why, "when it had asked for nothing new for %s",
                      lc_human_seconds(settle_s).s);
    lc_record_say("the program was ended after %s, %s; what it asked until then is recorded",
                  lc_human_seconds(o->wall_s).s,
                  why.len > 0 ? lc_buf_text(&why) : "the time it was given");
    lc_buf_free(&why);
}

void lc_record_tell_outcome(const struct lc_trace_outcome *o, double settle_s)
{
    bool has_ended = !o->is_running;

    if (o->was_ended)
        end_print(o, settle_s);
    else if (has_ended && WIFSIGNALED(o->status))
        lc_record_say("the program was ended by signal %d; what it asked until then is recorded",
                      WTERMSIG(o->status));
    else if (has_ended && WEXITSTATUS(o->status) != 0)
        lc_record_say("the program ended with status %d; what it asked until then is recorded",
                      WEXITSTATUS(o->status));
    if (o->has_foreign)
        lc_record_say("a program of another word size ran: what it asked was not seen");
    if (o->has_io_uring)
        lc_record_say("a program used io_uring: what it asked that way was not seen");
}
