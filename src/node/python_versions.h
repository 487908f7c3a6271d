/* SPDX-License-Identifier: MIT */
/* python_versions.h - the versions of Python that the import seam is made for. Freestanding. */
#ifndef LC_NODE_PYTHON_VERSIONS_H
#define LC_NODE_PYTHON_VERSIONS_H

/* 3.x, tested from the first to the last (doc/tested.md); with others the seam is off. */
enum { LC_PYTHON_FIRST_MINOR = 8, LC_PYTHON_LAST_MINOR = 13 };

/* client/python/module_lock.c: the attributes of importlib's locks of modules, and what acquire and
 * release do with them. Later versions count by lists: their locks are left to Python. */
enum { LC_PYTHON_MODULE_LOCK_LAST_MINOR = 11 };

#endif
