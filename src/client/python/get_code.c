/* SPDX-License-Identifier: MIT */
/* get_code.c - SourceLoader.get_code: a module's code from its staged bytecode */
#include "client/python/seam.h"

#include "client/preload/libc.h"
#include "image/bytes.h"
#include "image/hash.h"

/* Offsets in the header of a .pyc file, and its length. */
enum { PYC_MAGIC = 0, PYC_FLAGS = 4, PYC_MTIME = 8, PYC_SIZE = 12, PYC_HEADER = 16 };
enum { OPEN_FLAGS = 02000000 /* O_RDONLY | O_CLOEXEC, as io.open_code has it */ };

/* A module whose code is requested. */
struct code_request {
    const struct lc_seam *seam;
    const struct lc_node *node;
    struct lc_scratch *scratch;
    const char *source; /* path of the source file */
    size_t source_len;
    const char *data; /* the .pyc file's content */
    uint64_t size;
    bool is_made;   /* 'record' compiled it: the interpreter alone would have read the source */
    bool is_denied; /* an audit hook has raised an exception, which is to be passed on */
};

/* int(os.stat().st_mtime), rounding of the float included */
static uint32_t python_mtime(const struct lc_inode *inode)
{
    double seconds = (double)inode->mtime + 1e-9 * inode->mtime_ns;

    return (uint32_t)(int64_t)seconds;
}

static uint32_t pyc_field(const char *data, size_t at)
{
    return lc_hash_read32((const unsigned char *)data + at);
}

/* Is the bytecode of this interpreter's version, and made from the source as it is now? */
static bool bytecode_is_current(const struct code_request *w, const struct lc_inode *source)
{
    return lc_bytes_equal(w->data + PYC_MAGIC, w->seam->magic, 4) &&
           pyc_field(w->data, PYC_FLAGS) == 0 &&
           pyc_field(w->data, PYC_MTIME) == python_mtime(source) &&
           pyc_field(w->data, PYC_SIZE) == (uint32_t)source->size;
}

/* Raise the audit events of opening the files, as if they had been opened. As in importlib, an
 * OSError raised for the bytecode is ignored. */
static bool open_events_raise(struct code_request *w)
{
    const struct lc_py *py = &w->seam->py;

    if (py->PySys_Audit("open", "ssi", w->scratch->full, "r", OPEN_FLAGS) != 0) {
        w->is_denied = !py->PyErr_ExceptionMatches(*(PyObject **)py->PyExc_OSError);
        return false;
    }
    if (w->is_made && py->PySys_Audit("open", "ssi", w->source, "r", OPEN_FLAGS) != 0) {
        w->is_denied = true;
        return false;
    }
    return true;
}

static PyObject *code_unmarshal(struct code_request *w)
{
    const struct lc_py *py = &w->seam->py;
    long len = (long)w->size - PYC_HEADER;

    if (!open_events_raise(w))
        return NULL;
    PyObject *code = py->PyMarshal_ReadObjectFromString(w->data + PYC_HEADER, len);
    if (code && !lc_py_is(py, code, py->PyCode_Type)) {
        py->Py_DecRef(code);
        return NULL;
    }
    return code;
}

/* The code object from the staged bytecode; NULL: ask the file system. The path of the bytecode is
 * written to w->scratch->full. */
static PyObject *code_read(struct code_request *w)
{
    size_t len = lc_spec_bytecode(w->seam, w->source, w->source_len, w->scratch->full, LC_PATH_MAX);
    struct lc_path_info source = lc_path_info_find(w->node, w->scratch, w->source, w->source_len),
                        file;
    PyObject *code = NULL;
    void *buffer;

    if (len == 0 || source.what != LC_PATH_FILE)
        return NULL;
    file = lc_path_info_find(w->node, w->scratch, w->scratch->full, len);
    if (file.what != LC_PATH_FILE || file.inode->size <= PYC_HEADER)
        return NULL;
    w->size = file.inode->size;
    w->is_made = w->node->look.entry[file.entry].flags & LC_ENTRY_MADE;
    w->data = lc_code_bytes(w->seam, w->node, w->scratch, &file, &buffer);
    if (w->data && bytecode_is_current(w, source.inode))
        code = code_unmarshal(w);
    if (buffer)
        free(buffer);
    return code;
}

/* Set the file name in a code object to the present path of its source. */
static bool fix_filename(const struct lc_seam *s, PyObject *code, PyObject *path)
{
    const struct lc_py *py = &s->py;
    PyObject *is = py->PyObject_GetAttr(code, s->names.co_filename), *done = NULL;
    bool same = is && py->PyUnicode_Compare(is, path) == 0;

    if (is && !same)
        done = py->PyObject_CallFunctionObjArgs(s->fix_filename, code, path, NULL);
    lc_py_drop(py, is);
    lc_py_drop(py, done);
    return same || done;
}

static bool attribute_is(const struct lc_py *py, PyObject *object, PyObject *name, PyObject *value)
{
    PyObject *is = py->PyObject_GetAttr(object, name);

    lc_py_drop(py, is);
    return is == value;
}

/* Is the call as importlib makes it, with none of the loader's methods replaced? */
static bool call_is_usual(const struct lc_seam *s, PyObject *self, PyObject *fullname)
{
    const struct lc_py *py = &s->py;
    bool is = lc_py_is(py, self, s->source_loader) &&
              attribute_is(py, s->source_loader, s->names.path_stats, s->path_stats) &&
              attribute_is(py, s->source_loader, s->names.get_data, s->get_data) &&
              lc_sys(s, s->names.pycache_prefix) == py->_Py_NoneStruct &&
              lc_py_is(py, fullname, py->PyUnicode_Type);
    PyObject *name = is ? py->PyObject_GetAttr(self, s->names.name) : NULL;

    is = name && lc_py_is(py, name, py->PyUnicode_Type) &&
         py->PyUnicode_Compare(name, fullname) == 0;
    lc_py_drop(py, name);
    return is;
}

/* The code object, or NULL: call the method that was replaced, unless *is_denied. */
static PyObject *code_find(const struct lc_seam *s, PyObject *self, bool *is_denied)
{
    const struct lc_py *py = &s->py;
    struct code_request w = {.seam = s, .node = lc_client_node()};
    lc_client_note_part(LC_PART_NONE, LC_PART_PYTHON);
    PyObject *path = py->PyObject_GetAttr(self, s->names.path), *code = NULL;

    w.source = lc_plain_text(py, path, &w.source_len);
    if (w.source && w.node && !lc_node_is_off(w.node) && (w.scratch = lc_scratch_take())) {
        lc_start_note_load(w.node);
        code = code_read(&w);
    }
    lc_scratch_give(w.scratch);
    if (code && !fix_filename(s, code, path)) {
        py->Py_DecRef(code);
        code = NULL;
    }
    if (code)
        lc_node_count_unmarshalled(w.node, w.size);
    lc_py_drop(py, path);
    *is_denied = w.is_denied;
    lc_client_note_part(LC_PART_PYTHON, LC_PART_NONE);
    return code;
}

/* SourceLoader.get_code(self, fullname) */
static PyObject *get_code(PyObject *self, PyObject *const *args, long count, PyObject *names)
{
    const struct lc_seam *s = lc_seam();
    PyObject *code = NULL;
    bool is_denied = false;

    if (!names && count == 1 && call_is_usual(s, self, args[0]))
        code = code_find(s, self, &is_denied);
    if (code || is_denied)
        return code;
    s->py.PyErr_Clear();
    return lc_call_original(s, s->get_code, self, args, count, names);
}

struct lc_py_method *lc_source_get_code(void)
{
    static struct lc_py_method method = {
        "get_code", get_code, LC_PY_FASTCALL | LC_PY_KEYWORDS,
        "get_code($self, fullname)\n--\n\nConcrete implementation of InspectLoader.get_code.\n\n"
        "Reading of bytecode requires path_stats to be implemented. To write\n"
        "bytecode, set_data must also be implemented.\n\n"};

    return &method;
}
