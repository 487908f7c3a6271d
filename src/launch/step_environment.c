/* SPDX-License-Identifier: MIT */
/* step_environment.c - the environment that our own steps are started in */
#include "launch/step_environment.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/image.h"
#include "launch/step.h"
#include "node/mounts.h"
#include "store/facts.h"
#include "util/path.h"

/* Which directories are managed. */
struct managed {
    const struct lc_look *look;
    uint64_t held;
    struct lc_walk walk;
    char here[PATH_MAX]; /* the working directory */
    char keep[PATH_MAX]; /* the launcher's own directory, which stays in PATH */
};

/* Is a directory on a managed file system? Links that the image knows are followed; the file system
 * is not asked. */
static bool directory_is_managed(struct managed *m, const char *dir)
{
    char path[PATH_MAX], real[2 * PATH_MAX];

    if (lc_path_resolve(path, sizeof(path), m->here, dir) < 0)
        return false;
    if (lc_look_walk(m->look, path, strlen(path), 0, &m->walk).answer != LC_ANSWER_UNKNOWN)
        return true;
    if (m->walk.len >= sizeof(m->walk.path) || m->walk.at >= sizeof(m->walk.rest))
        return lc_mounts_is_managed(m->look, m->held, path);
    snprintf(real, sizeof(real), "%.*s%s", (int)m->walk.len, m->walk.path,
             m->walk.rest + m->walk.at);
    return lc_mounts_is_managed(m->look, m->held, path) ||
           lc_mounts_is_managed(m->look, m->held, real);
}

/* Copy the items of a list that are not managed. True if some were. */
static bool list_reduce(struct managed *m, const char *list, const char *separators,
                        const char *keep, struct lc_buf *kept)
{
    bool is_reduced = false, is_first = true;

    for (const char *at = list; at; at = *at ? at + 1 : NULL) {
        size_t n = strcspn(at, separators);
        char *item = strndup(at, n);
        bool drop = item && strcmp(item, keep) != 0 && directory_is_managed(m, *item ? item : ".");
        if (!drop && !is_first)
            lc_buf_putc(kept, ':');
        if (!drop)
            lc_buf_add(kept, at, n);
        is_first &= drop;
        is_reduced |= drop;
        free(item);
        at += n;
    }
    return is_reduced;
}

static void variable_reduce(struct managed *m, const char *name, const char *separators,
                            struct lc_argv *out)
{
    const char *old = getenv(name), *keep = strcmp(name, "PATH") == 0 ? m->keep : "";
    struct lc_buf kept = {0};

    if (old && *old && list_reduce(m, old, separators, keep, &kept)) {
        if (kept.len > 0)
            lc_argv_printf(out, "%s=%s", name, lc_buf_text(&kept));
        else
            lc_argv_add(out, name);
        out->failed |= kept.failed;
    }
    lc_buf_free(&kept);
}

/* A name without a slash in LD_PRELOAD may be a library of a directory that was taken out. */
static void preload_reduce(struct managed *m, struct lc_argv *out)
{
    const char *old = getenv("LD_PRELOAD");

    if (old && *old && out->count > 0)
        lc_argv_add(out, "LD_PRELOAD");
    else
        variable_reduce(m, "LD_PRELOAD", ": ", out);
}

static void changes_find(struct managed *m, struct lc_argv *out)
{
    static const char *const lists[] = {"PATH", "PYTHONPATH", "PYTHONHOME", "PERL5LIB"};

    variable_reduce(m, "LD_LIBRARY_PATH", ":;", out);
    preload_reduce(m, out);
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
        variable_reduce(m, lists[i], ":", out);
}

/* How the kernel starts a program: by the loader (1), alone because it is static (0), or in another
 * way (-1), a script for one. */
static int program_has_loader(const char *path)
{
    unsigned char head[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    ssize_t n = fd >= 0 && fstat(fd, &st) == 0 && !(st.st_mode & (S_ISUID | S_ISGID))
                    ? pread(fd, head, sizeof(head), 0)
                    : -1;
    Elf64_Ehdr elf;

    if (fd >= 0)
        close(fd);
    if (n < (ssize_t)sizeof(elf))
        return -1;
    memcpy(&elf, head, sizeof(elf));
    if (memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
        elf.e_phentsize != sizeof(Elf64_Phdr) || elf.e_phnum * sizeof(Elf64_Phdr) > (size_t)n ||
        elf.e_phoff > (size_t)n - elf.e_phnum * sizeof(Elf64_Phdr))
        return -1;
    for (int i = 0; i < elf.e_phnum; i++) {
        Elf64_Phdr part;
        memcpy(&part, head + elf.e_phoff + (size_t)i * sizeof(part), sizeof(part));
        if (part.p_type == PT_INTERP)
            return 1;
    }
    return 0;
}

/* Does the loader find all libraries of the program with these changes? */
static bool libraries_are_found(const char *program, const struct lc_argv *changes)
{
    char path[PATH_MAX], text[16384];
    struct lc_argv all = {0};

    int has_loader = lc_path_find_program(path, sizeof(path), program, NULL) == 0
                         ? program_has_loader(path)
                         : -1;
    if (has_loader <= 0)
        return has_loader == 0;
    lc_argv_add_all(&all, changes->item);
    lc_argv_add(&all, "LD_TRACE_LOADED_OBJECTS=1");
    int status = lc_step_ask(path, NULL, all.item, text, sizeof(text));
    lc_argv_free(&all);
    return status == 0 && !strstr(text, "not found") && !strstr(text, "error while");
}

static bool is_enough_for(struct lc_step_environment *e, const char *program, const char *helper)
{
    struct lc_buf more = {0};
    char known[16] = "";

    for (size_t i = 0; i < e->changes.count; i++)
        lc_buf_printf(&more, "%s\n", e->changes.item[i]);
    lc_buf_printf(&more, "%s", helper ? helper : "");
    if (!lc_launcher_fact_name(e->fact, "clean-step", program, lc_buf_text(&more)))
        e->fact[0] = '\0';
    lc_buf_free(&more);
    if (e->fact[0] && lc_store_fact_read(e->fact, known, sizeof(known)) && known[0])
        return strcmp(known, "yes") == 0;
    bool is_enough = libraries_are_found(program, &e->changes) &&
                     (!helper || libraries_are_found(helper, &e->changes));
    if (e->fact[0])
        lc_store_fact_write(e->fact, is_enough ? "yes" : "no");
    return is_enough;
}

void lc_step_environment_make(struct lc_step_environment *out, const char *image,
                              const char *program, const char *helper)
{
    struct lc_image *open = lc_image_open(image, NULL);
    struct managed *m = open ? calloc(1, sizeof(*m)) : NULL;
    char path[PATH_MAX] = "";

    *out = (struct lc_step_environment){0};
    if (m && getcwd(m->here, sizeof(m->here)) &&
        lc_path_find_program(path, sizeof(path), program, NULL) == 0) {
        m->look = &open->look;
        m->held = lc_mounts_held(&open->look);
        snprintf(m->keep, sizeof(m->keep), "%.*s", (int)lc_path_dir_len(path), path);
        changes_find(m, &out->changes);
    }
    free(m);
    lc_image_close(open);
    if (out->changes.failed || out->changes.count == 0 || !is_enough_for(out, path, helper))
        lc_argv_free(&out->changes);
}

/* hwloc's plugins load the libraries of X11, OpenCL and XML; and where a device's configuration is
 * emulated, reading that of all devices took a sixth of the processor time of a step (16 nodes on
 * two cores of a virtual machine). Launchers whose agent hands the environment on profit on all
 * nodes. */
void lc_step_environment_add(struct lc_argv *environment)
{
    static const char *const all[] = {"HWLOC_PLUGINS_PATH=/",
                                      "HWLOC_COMPONENTS=-linux:pci,-linux:io,-pci"};
    char name[64];

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (sscanf(all[i], "%63[^=]", name) == 1 && !getenv(name))
            lc_argv_add(environment, all[i]);
}

void lc_step_environment_refuse(struct lc_step_environment *environment)
{
    if (environment->fact[0])
        lc_store_fact_write(environment->fact, "no");
    lc_argv_free(&environment->changes);
}

void lc_step_environment_free(struct lc_step_environment *environment)
{
    lc_argv_free(&environment->changes);
}
