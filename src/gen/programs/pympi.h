/* SPDX-License-Identifier: MIT */
/* pympi.h - what the sources of pyMPI share; tables made by gen include it without Python */
#ifndef PYMPI_H
#define PYMPI_H

/* Modules linked into the executable, besides 'mpi'; ends with a zeroed entry. */
struct static_module {
    const char *name;
    void *(*init)(void);
};
extern const struct static_module static_modules[];

/* pynamic-bigexe's own code: bigexe_functions[i](x) is x + bigexe_steps * (i % 100 + 1). */
extern long (*const bigexe_functions[])(long);
extern const int bigexe_count;
extern const long bigexe_steps;
void *PyInit_bigexe(void);

#endif
