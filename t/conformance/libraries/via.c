/* SPDX-License-Identifier: MIT */
/* via.c - a library that asks the library it needs */
const char *CALLS(void);
const char *NAME(void);

const char *NAME(void)
{
    return CALLS();
}
