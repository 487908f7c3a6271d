/* SPDX-License-Identifier: MIT */
/* script_directory.c - modules that appear beside a script while the job runs
 *
 * Python looks for modules beside the script first. A job may write a module there and import it in
 * all ranks, also from another node, so a listing from the image does not prove that a module is
 * absent. But numpy and others try to import modules that exist nowhere, in every run: the names
 * that the pilot tried in vain are recorded as absent (pilot_imports.c), and only for others is the
 * disk asked, by one stat of the directory. */
#include "client/python/seam.h"

#include "image/bytes.h"

size_t lc_module_path(char *out, size_t size, const char *directory, size_t len, const char *name,
                      size_t name_len)
{
    static const char suffix[] = ".py";

    for (size_t i = 0; i < name_len; i++)
        if (name[i] == '.' || name[i] == '/')
            return 0;
    if (name_len == 0 || len + 1 + name_len + sizeof(suffix) > size)
        return 0;
    lc_bytes_move(out, directory, len);
    out[len] = '/';
    lc_bytes_move(out + len + 1, name, name_len);
    lc_bytes_move(out + len + 1 + name_len, suffix, sizeof(suffix));
    return len + name_len + sizeof(suffix);
}

/* A script's directory is listed, but never recorded as complete; those of installed software are
 * complete, and of the working directory there is no listing. */
static bool is_script_directory(const struct lc_node *node, const struct lc_path_info *dir)
{
    return dir->what == LC_PATH_DIRECTORY &&
           (dir->inode->flags & (LC_INODE_LISTED | LC_INODE_COMPLETE)) == LC_INODE_LISTED &&
           !lc_node_is_written(node, dir->entry);
}

static bool directory_may_have(const struct lc_node *node, struct lc_scratch *scratch,
                               const char *directory, size_t len, const char *name, size_t name_len)
{
    struct lc_path_info dir = lc_path_info_find(node, scratch, directory, len);

    if (!is_script_directory(node, &dir))
        return false;
    size_t n = lc_module_path(scratch->full, LC_PATH_MAX, directory, len, name, name_len);
    if (n == 0 || lc_path_info_find(node, scratch, scratch->full, n).what == LC_PATH_ABSENT)
        return false;
    return lc_node_directory_changed(node, directory, dir.entry, scratch->full);
}

bool lc_module_may_be_new(const struct lc_seam *s, PyObject *path, PyObject *fullname)
{
    const struct lc_py *py = &s->py;
    const struct lc_node *node = lc_client_node();
    size_t name_len, len;
    const char *name = lc_plain_text(py, fullname, &name_len);
    struct lc_scratch *scratch =
        name && node && !lc_node_is_off(node) ? lc_seam_scratch_take() : NULL;
    bool may_be = false;

    for (long i = 0; scratch && !may_be && i < py->PyList_Size(path); i++) {
        const char *directory = lc_plain_text(py, py->PyList_GetItem(path, i), &len);
        may_be = directory && directory[0] == '/' &&
                 directory_may_have(node, scratch, directory, len, name, name_len);
    }
    lc_seam_scratch_give(scratch);
    return may_be;
}
