/* SPDX-License-Identifier: MIT */
/* says.c - a library that tells which one it is */
const char *libname_says(void);

const char *libname_says(void)
{
    return TEXT;
}
