/* SPDX-License-Identifier: MIT */
/* hidden.h - how the front hides ld.so's variables from the program it starts
 *
 * "LD_PRELOAD=x" becomes "~D_PRELOAD=x", in place: the order of the environment does not change,
 * and the program restores the first letter before it does anything else. */
#ifndef LC_FRONT_HIDDEN_H
#define LC_FRONT_HIDDEN_H

#define LC_FRONT_LETTER 'L'
#define LC_FRONT_HIDDEN '~'

/* Change the first letter of every variable "?D_..." from 'from' to 'to'. */
static inline void lc_front_swap_letter(char **env, char from, char to)
{
    for (; *env; env++)
        if ((*env)[0] == from && (*env)[1] == 'D' && (*env)[2] == '_')
            (*env)[0] = to;
}

#endif
