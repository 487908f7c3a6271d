/* SPDX-License-Identifier: MIT */
/* pilot_imports.c - in the pilot: show the recorder the imports that find nothing
 *
 * Python looks for a module in listings that it keeps, so the file system does not see the name of
 * a module that is nowhere. Here each such name is asked for beside the script, by a call that the
 * recorder sees: it is recorded as absent. What that is good for: see script_directory.c. */
#include "client/python/seam.h"

#include "client/preload/next.h"

/* Write the directory of the program's script to 'out', which has room for LC_PATH_MAX bytes; its
 * length, or 0 if there is no script. */
static size_t script_directory_find(const struct lc_seam *s, char *out)
{
    const struct lc_py *py = &s->py;
    PyObject *main = py->PyDict_GetItemString(py->PyImport_GetModuleDict(), "__main__");
    PyObject *file = main ? py->PyObject_GetAttr(main, s->names.__file__) : NULL;
    size_t len, end = 0;
    const char *script = lc_plain_text(py, file, &len);

    if (script && NEXT(char *, realpath, (const char *, char *))(script, out))
        for (size_t i = 0; out[i]; i++)
            end = out[i] == '/' ? i : end;
    lc_py_drop(py, file);
    return end;
}

static void absent_module_show(const struct lc_seam *s, PyObject *fullname)
{
    struct lc_scratch *scratch = lc_scratch_take();
    size_t name_len, len = scratch ? script_directory_find(s, scratch->staged) : 0;
    const char *name = len > 0 ? lc_plain_text(&s->py, fullname, &name_len) : NULL;

    if (name && lc_module_path(scratch->full, LC_PATH_MAX, scratch->staged, len, name, name_len))
        NEXT(int, access, (const char *, int))(scratch->full, 0);
    lc_scratch_give(scratch);
}

/* PathFinder.find_spec(cls, fullname, path=None, target=None) */
static PyObject *pilot_find_spec(PyObject *class, PyObject *const *args, long count,
                                 PyObject *names)
{
    const struct lc_seam *s = lc_seam();
    PyObject *none = s->py._Py_NoneStruct;
    PyObject *spec = lc_call_original(s, s->path_find_spec, class, args, count, names);

    if (spec == none && !names && count >= 1 && (count == 1 || args[1] == none))
        absent_module_show(s, args[0]);
    return spec;
}

struct lc_py_method *lc_pilot_find_spec(void)
{
    static struct lc_py_method method;

    method = *lc_path_find_spec();
    method.function = pilot_find_spec;
    return &method;
}
