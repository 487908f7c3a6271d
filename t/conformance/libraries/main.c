/* SPDX-License-Identifier: MIT */
/* main.c - a program that asks the library it is linked to */
#include <stdio.h>

const char *libname_says(void);

int main(void)
{
    puts(libname_says());
}
