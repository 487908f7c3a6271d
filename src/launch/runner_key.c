/* SPDX-License-Identifier: MIT */
/* runner_key.c - tools that run another program by their own means: containers, environments,
 * profilers
 *
 * Their options are not known here, so all words up to an interpreter or a script of Python count.
 * Where there is none, all do: better two images of one program than one of two. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "image/hash.h"
#include "launch/program_key.h"
#include "util/buf.h"
#include "util/path.h"

static bool is_runner(const char *program)
{
    static const char *const runners[] = {
        "apptainer",   "ch-run",     "conda",  "docker",  "gdb",    "mamba",
        "micromamba",  "ncu",        "nsys",   "perf",    "pipenv", "pixi",
        "podman",      "podman-hpc", "poetry", "pyenv",   "sarus",  "shifter",
        "singularity", "strace",     "uv",     "valgrind"};

    for (size_t i = 0; i < sizeof(runners) / sizeof(*runners); i++)
        if (strcmp(lc_path_base(program), runners[i]) == 0)
            return true;
    return false;
}

bool lc_runner_key_add(struct lc_key_search *search, const char *program, char *const *words)
{
    struct lc_buf before = {0};
    char hash[24];
    int i = 1;

    if (!is_runner(program))
        return false;
    for (; words[i] && !lc_key_is_interpreter(words[i]) && !lc_key_is_python_file(words[i]); i++)
        lc_buf_printf(&before, "%s\n", words[i]);
    snprintf(hash, sizeof(hash), "%016" PRIx64, lc_hash(lc_buf_text(&before), before.len));
    lc_key_add_file(search, "program", program);
    lc_store_key_add(search->key, "through", hash);
    if (words[i] && lc_key_is_interpreter(words[i]))
        lc_program_key_add(search, words + i);
    else if (words[i])
        lc_key_add_file(search, "script", words[i]);
    if (words[i])
        lc_store_key_name(search->key, words[i]);
    lc_buf_free(&before);
    return true;
}
