/* SPDX-License-Identifier: MIT */
/* install.c - install the import seam in an interpreter that starts
 *
 * The interpreter's table of built-in modules (PyImport_Inittab, which programs may extend
 * before it starts) is replaced by a copy in which the initialiser of 'time' is ours. The
 * import system imports 'time' as soon as it can find files and before it looks for the first
 * one. Our initialiser installs the seam and calls the real one. Nothing else in the
 * interpreter is changed.
 */
#include "client/preload/python_hook.h"
#include "client/python/seam.h"

#include "client/preload/next.h"
#include "image/bytes.h"
#include "node/parts.h"
#include "node/starts.h"

enum { MOST_BUILTINS = 512 };

static struct {
    struct lc_seam seam;
    bool has_begun;
    bool is_pilot; /* nothing is answered; imports that find nothing are recorded */
    PyObject *(*time_init)(void);
    struct lc_py_builtin builtins[MOST_BUILTINS];
} self;

const struct lc_seam *lc_seam(void)
{
    return &self.seam;
}

/* sys.OBJECT.NAME as a number; -1, without an exception, if it is not a number. */
static long sys_number(const struct lc_py *py, const char *object, const char *name)
{
    PyObject *from = py->PySys_GetObject(object);
    PyObject *value = from ? py->PyObject_GetAttrString(from, name) : NULL;
    long n = value ? py->PyLong_AsLong(value) : -1;

    lc_py_drop(py, value);
    if (py->PyErr_Occurred())
        py->PyErr_Clear();
    return n;
}

static bool tail_append(struct lc_seam *s, const char *text)
{
    size_t n = lc_bytes_length(text);

    if (s->tail_len + n >= sizeof(s->tail))
        return false;
    lc_bytes_move(s->tail + s->tail_len, text, n + 1);
    s->tail_len += n;
    return true;
}

/* ".cpython-311" + ".opt-1" + ".pyc" */
static bool learn_tail(struct lc_seam *s)
{
    static const char *const level[] = {"", ".opt-1", ".opt-2"};
    const struct lc_py *py = &s->py;
    long optimize = sys_number(py, "flags", "optimize");
    PyObject *about = py->PySys_GetObject("implementation");
    PyObject *tag = about ? py->PyObject_GetAttrString(about, "cache_tag") : NULL;
    size_t len;
    const char *text = lc_plain_text(py, tag, &len);
    bool ok = text && optimize >= 0 && optimize <= 2 && tail_append(s, ".") &&
              tail_append(s, text) && tail_append(s, level[optimize]) && tail_append(s, ".pyc");

    lc_py_drop(py, tag);
    return ok;
}

static bool learn_magic(struct lc_seam *s, PyObject *external)
{
    const struct lc_py *py = &s->py;
    PyObject *magic = py->PyObject_GetAttrString(external, "MAGIC_NUMBER");
    char *bytes;
    long len = 0;
    bool ok = magic && py->PyBytes_AsStringAndSize(magic, &bytes, &len) == 0 && len == 4;

    if (ok)
        lc_bytes_move(s->magic, bytes, 4);
    lc_py_drop(py, magic);
    return ok;
}

static bool learn_names(struct lc_seam *s)
{
#define X(name)                                                     \
    if (!(s->names.name = s->py.PyUnicode_InternFromString(#name))) \
        return false;
    LC_PY_NAMES(X)
#undef X
    return true;
}

/* *to = object.name; false if there is no such attribute. */
static bool attribute_get(const struct lc_py *py, PyObject **to, PyObject *object, const char *name)
{
    return object && (*to = py->PyObject_GetAttrString(object, name));
}

static bool learn_classes(struct lc_seam *s, PyObject *external, PyObject *bootstrap, PyObject *imp)
{
    const struct lc_py *py = &s->py;
    PyObject *bound = NULL, *base = NULL;
    bool ok = attribute_get(py, &s->path_finder, external, "PathFinder") &&
              attribute_get(py, &s->file_finder, external, "FileFinder") &&
              attribute_get(py, &s->source_loader, external, "SourceFileLoader") &&
              attribute_get(py, &s->extension_loader, external, "ExtensionFileLoader") &&
              attribute_get(py, &s->module_spec, bootstrap, "ModuleSpec") &&
              attribute_get(py, &s->fix_filename, imp, "_fix_co_filename") &&
              attribute_get(py, &bound, s->path_finder, "find_spec") &&
              attribute_get(py, &s->path_find_spec, bound, "__func__") &&
              attribute_get(py, &s->file_find_spec, s->file_finder, "find_spec") &&
              attribute_get(py, &base, external, "SourceLoader") &&
              attribute_get(py, &s->init_module_attrs, bootstrap, "_init_module_attrs") &&
              attribute_get(py, &s->get_code, s->source_loader, "get_code") &&
              attribute_get(py, &s->path_stats, s->source_loader, "path_stats") &&
              attribute_get(py, &s->get_data, s->source_loader, "get_data");

    lc_py_drop(py, bound);
    s->source_base = base;
    return ok;
}

/* A spec made by this version's importlib: s->spec_model. */
static PyObject *ask_for_spec(const struct lc_seam *s, PyObject *external)
{
    const struct lc_py *py = &s->py;
    PyObject *function = py->PyObject_GetAttrString(external, "spec_from_file_location");
    PyObject *path = py->PyUnicode_InternFromString("/x.py"), *spec = NULL, *keywords = NULL;
    PyObject *loader =
        path ? py->PyObject_CallFunctionObjArgs(s->source_loader, s->names.name, path, NULL) : NULL;

    if (function && loader && (keywords = py->PyDict_New()) &&
        py->PyDict_SetItem(keywords, s->names.loader, loader) == 0 &&
        py->PyDict_SetItem(keywords, s->names.submodule_search_locations, py->_Py_NoneStruct) ==
            0) {
        PyObject *const args[] = {path};
        PyObject *tuple = py->PyTuple_New(2);
        if (tuple) {
            py->Py_IncRef(s->names.name);
            py->Py_IncRef(args[0]);
            py->PyTuple_SetItem(tuple, 0, s->names.name);
            py->PyTuple_SetItem(tuple, 1, args[0]);
            spec = py->PyObject_Call(function, tuple, keywords);
            py->Py_DecRef(tuple);
        }
    }
    lc_py_drop(py, function);
    lc_py_drop(py, path);
    lc_py_drop(py, loader);
    lc_py_drop(py, keywords);
    return spec;
}

/* Does the model have every attribute that we set, and can the values of all others be shared
 * between specs? */
static bool is_known_model(const struct lc_seam *s)
{
    const struct lc_py *py = &s->py;
    const struct lc_py_names *n = &s->names;
    PyObject *key, *value;
    long at = 0;
    int own = 0;

    while (py->PyDict_Next(s->spec_model, &at, &key, &value)) {
        if (key == n->name || key == n->loader || key == n->origin || key == n->_cached ||
            key == n->submodule_search_locations)
            own++;
        else if (value != py->_Py_NoneStruct && !lc_py_is(py, value, py->PyBool_Type) &&
                 !(lc_py_is(py, value, py->PyList_Type) && py->PyList_Size(value) == 0))
            return false;
    }
    return own == 5;
}

static bool learn_spec(struct lc_seam *s, PyObject *external)
{
    const struct lc_py *py = &s->py;
    PyObject *spec = ask_for_spec(s, external);

    s->spec_model = spec ? py->PyObject_GetAttrString(spec, "__dict__") : NULL;
    lc_py_drop(py, spec);
    return s->spec_model && lc_py_is(py, s->spec_model, py->PyDict_Type) && is_known_model(s);
}

/* The seam is not used in a free-threaded interpreter ("t" in sys.abiflags: there is no global
 * lock), if -v asks for messages about each import, or if the program has its own hook to open
 * code. */
static bool interpreter_is_usual(const struct lc_py *py)
{
    PyObject *flags = py->PySys_GetObject("abiflags");
    size_t len = 0;
    const char *text = lc_plain_text(py, flags, &len);

    for (size_t i = 0; text && i < len; i++)
        if (text[i] == 't')
            return false;
    return text && sys_number(py, "flags", "verbose") == 0 &&
           py->PyFile_SetOpenCodeHook(NULL, NULL) == 0;
}

/* At this moment sys.path_hooks holds only the hook for directories; zipimport adds its own before
 * it later. */
static bool learn_hook(struct lc_seam *s)
{
    const struct lc_py *py = &s->py;
    PyObject *hooks = py->PySys_GetObject("path_hooks");

    if (!hooks || !lc_py_is(py, hooks, py->PyList_Type) || py->PyList_Size(hooks) != 1)
        return false;
    s->file_hook = py->PyList_GetItem(hooks, 0);
    py->Py_IncRef(s->file_hook);
    return true;
}

/* The dictionary that PySys_GetObject() looks into; that function makes a new str of each name. */
static bool learn_sys(struct lc_seam *s)
{
    const struct lc_py *py = &s->py;
    PyObject *sys = py->PyDict_GetItemString(py->PyImport_GetModuleDict(), "sys");
    PyObject *dict = sys && lc_py_is(py, sys, py->PyModule_Type) ? py->PyModule_GetDict(sys) : NULL;

    if (!dict || py->PyDict_GetItemString(dict, "flags") != py->PySys_GetObject("flags"))
        return false;
    py->Py_IncRef(sys);
    py->Py_IncRef(dict);
    s->sys = sys;
    s->sys_dict = dict;
    return true;
}

static bool interpreter_learn(struct lc_seam *s)
{
    const struct lc_py *py = &s->py;
    PyObject *modules = py->PyImport_GetModuleDict();
    PyObject *external = py->PyDict_GetItemString(modules, "_frozen_importlib_external");
    PyObject *bootstrap = py->PyDict_GetItemString(modules, "_frozen_importlib");
    PyObject *imp = py->PyDict_GetItemString(modules, "_imp");

    s->bootstrap = bootstrap;
    return external && bootstrap && imp && interpreter_is_usual(py) && learn_tail(s) &&
           learn_sys(s) && learn_names(s) && learn_magic(s, external) &&
           learn_classes(s, external, bootstrap, imp) && learn_spec(s, external) && learn_hook(s);
}

static bool method_set(const struct lc_py *py, PyObject *class, PyObject *name, PyObject *method)
{
    bool ok = method && py->PyObject_SetAttr(class, name, method) == 0;

    lc_py_drop(py, method);
    return ok;
}

/* Each method works without the others, so a failure half way does no harm. */
static bool methods_replace(const struct lc_seam *s)
{
    const struct lc_py *py = &s->py;

    return method_set(py, s->file_finder, s->names.find_spec,
                      py->PyDescr_NewMethod(s->file_finder, lc_file_find_spec())) &&
           method_set(py, s->path_finder, s->names.find_spec,
                      py->PyDescr_NewClassMethod(s->path_finder, lc_path_find_spec())) &&
           method_set(py, s->source_base, s->names.get_code,
                      py->PyDescr_NewMethod(s->source_base, lc_source_get_code())) &&
           method_set(py, s->bootstrap, s->names._init_module_attrs,
                      py->PyCFunction_NewEx(lc_init_module_attrs(), NULL, NULL));
}

static bool seam_install(struct lc_seam *s, const struct lc_node *node)
{
    const struct lc_py *py = &s->py;

    if (!self.is_pilot)
        lc_code_open(&s->code, node);
    if (!interpreter_learn(s))
        return false;
    if (self.is_pilot)
        return method_set(py, s->path_finder, s->names.find_spec,
                          py->PyDescr_NewClassMethod(s->path_finder, lc_pilot_find_spec()));
    if (!methods_replace(s))
        return false;
    lc_import_steps_replace(s);
    return true;
}

/* The initialiser of 'time'. The seam is installed in the first interpreter only, not in later ones
 * and not after a restart. */
static PyObject *time_module_init(void)
{
    const struct lc_node *node = lc_client_node();

    lc_client_note_part(LC_PART_NONE, LC_PART_PYTHON);
    if (!__atomic_exchange_n(&self.has_begun, true, __ATOMIC_RELAXED) && (node || self.is_pilot) &&
        !seam_install(&self.seam, node))
        self.seam.py.PyErr_Clear();
    lc_client_note_part(LC_PART_PYTHON, LC_PART_NONE);
    return self.time_init();
}

static bool is_switched_off(char **env)
{
    static const char name[] = LC_PYTHON_VARIABLE "=0";

    for (; *env; env++)
        if (lc_bytes_same(*env, name))
            return true;
    return false;
}

/* Copy the table and put our initialiser at 'time'; false if the table is not as expected. */
static bool inittab_copy(const struct lc_py_builtin *from)
{
    for (size_t i = 0; i < MOST_BUILTINS; i++) {
        self.builtins[i] = from[i];
        if (!from[i].name)
            return self.time_init;
        if (!self.time_init && lc_bytes_same(from[i].name, "time") && from[i].init) {
            self.time_init = from[i].init;
            self.builtins[i].init = time_module_init;
        }
    }
    return false;
}

void lc_python_start(char **env)
{
    struct lc_py_builtin **table = lc_program_symbol("PyImport_Inittab");

    self.is_pilot = !lc_client_node();
    if (table && *table && !is_switched_off(env) && lc_py_find(&self.seam.py) &&
        inittab_copy(*table))
        *table = self.builtins;
}
