/* SPDX-License-Identifier: MIT */
/* embed.c - a program with a Python inside, a built-in module of its own, and a second life */
#include <Python.h>

static PyObject *answer(PyObject *self, PyObject *args)
{
    (void)self;
    (void)args;
    return PyLong_FromLong(42);
}

static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "own", NULL, -1, methods};

static PyObject *begin(void)
{
    return PyModule_Create(&module);
}

int main(void)
{
    PyImport_AppendInittab("own", begin);
    for (int life = 0; life < 2; life++) {
        Py_Initialize();
        if (PyRun_SimpleString("import json, own, time, app.inner.leaf as l\n"
                               "print(json.__file__, own.answer(), time.__spec__.origin, l.value,\n"
                               "      l.__spec__)\n"))
            return 1;
        PyThreadState *main_thread = PyThreadState_Get(), *other = Py_NewInterpreter();
        if (!other || PyRun_SimpleString("import json, app; print(json.__file__, app.count)"))
            return 1;
        Py_EndInterpreter(other);
        PyThreadState_Swap(main_thread);
        if (Py_FinalizeEx() < 0)
            return 1;
    }
    return 0;
}
