/* SPDX-License-Identifier: MIT */
/* audit_fit.c - can the program be started under our auditor? Reserve memory for its thread
 * variables, or start it without the auditor */
#include "client/launch/launch.h"

#include "image/bytes.h"
#include "node/glibc_versions.h"
#include "node/parts.h"
#include "node/preflight.h"

/* AddressSanitizer refuses to run if its runtime is not the first library, unless this option is
 * set. */
static bool asan_checks_order(const struct lc_rank_start *l)
{
    static const char lenient[] = "verify_asan_link_order=0";
    const char *options = lc_launch_variable(l->env, "ASAN_OPTIONS");
    size_t n = sizeof(lenient) - 1;

    for (; options && *options; options++)
        if (lc_bytes_length(options) >= n && lc_bytes_equal(options, lenient, n))
            return false;
    return true;
}

static const char *audit_refusal(const struct lc_preflight *seen)
{
    if (seen->has_failed && !seen->has_tunable && seen->tls_bytes > lc_fit_free(seen->glibc))
        return "its thread variables (static TLS) do not fit, and its ld.so has no "
               "glibc.rtld.optional_static_tls (glibc before 2.32)";
    if (lc_glibc_audit_is_harmful(seen->glibc))
        return "glibc before 2.35 on aarch64: with an auditor, calls lose registers (glibc bug "
               "26643)";
    if (seen->tls_objects > LC_GLIBC_SAFE_TLS_OBJECTS && seen->glibc > LC_GLIBC_DTV_HIGHEST)
        return "more than 14 libraries with thread variables, and a glibc newer than those this "
               "Loadcast was tested with";
    return NULL;
}

static struct lc_fit fit_decide(struct lc_rank_start *l, const struct lc_found_program *program,
                                const struct lc_preflight *seen)
{
    struct lc_fit fit = {LC_FIT_YES, 0, seen->staged};
    const char *why = audit_refusal(seen);

    if (seen->has_tunable && seen->tls_bytes > lc_fit_free(seen->glibc))
        fit.tls_bytes = seen->tls_bytes < UINT32_MAX ? (uint32_t)seen->tls_bytes : UINT32_MAX;
    if (why)
        fit.kind = LC_FIT_NO_AUDIT;
    if (seen->has_asan && asan_checks_order(l)) {
        fit.kind = LC_FIT_NOTHING;
        why = "built with AddressSanitizer, which must come first";
    }
    if (why)
        lc_fit_note_refusal(l->node.live, why, program->path);
    return fit;
}

/* Measure once per node and program, and store the result. If the program failed for a reason of
 * its own, nothing is stored and the next start measures again. */
static struct lc_fit fit_measure(struct lc_rank_start *l, const struct lc_found_program *program,
                                 uint64_t key)
{
    char auditor[LC_NODE_LEN + 64];
    struct lc_preflight seen;
    struct lc_fit fit = {LC_FIT_YES, 0, 0};

    if (!lc_launch_auditor(l, auditor, sizeof(auditor)))
        return fit;
    if (program->is_privileged) { /* ld.so ignores LD_AUDIT for it */
        lc_fit_put(l->node.live->fit, key, &fit);
        return fit;
    }
    if (!lc_preflight_run(&seen, program->file, l->ours, auditor)) {
        fit.kind = LC_FIT_NO_AUDIT;
        lc_fit_note_refusal(l->node.live, "it could not be looked at beforehand", program->path);
        return fit;
    }
    fit = fit_decide(l, program, &seen);
    if (!seen.has_failed || fit.kind != LC_FIT_YES)
        lc_fit_put(l->node.live->fit, key, &fit);
    return fit;
}

/* The libraries of the start are read from the file system: count them as searches passed through.
 */
static void searches_count(const struct lc_rank_start *l, uint32_t staged)
{
    while (staged-- > 0)
        lc_node_count(&l->node, LC_COUNT_PASS_SEARCH);
}

enum lc_fit_kind lc_launch_fit(struct lc_rank_start *l, const struct lc_found_program *program)
{
    if (lc_launch_is_off(l, LC_AUDIT_VARIABLE)) /* it is not in l->ours */
        return LC_FIT_NO_AUDIT;
    uint64_t key = lc_fit_key_of(&program->stat, l->ours);
    struct lc_fit fit = lc_fit_find(l->node.live->fit, key);
    struct lc_fit_room room = lc_fit_room(lc_launch_variable(l->env, "GLIBC_TUNABLES"));

    if (fit.kind == LC_FIT_UNKNOWN)
        fit = fit_measure(l, program, key);
    if (fit.kind == LC_FIT_NO_AUDIT) {
        lc_launch_drop_audit(l);
        searches_count(l, fit.staged);
    }
    uint64_t wanted = lc_fit_wanted(&fit, l->node.state->tls_bytes, room.users);
    if (wanted != room.ours)
        lc_launch_set_tls_room(l, wanted);
    return fit.kind;
}
