/* SPDX-License-Identifier: MIT */
/* error.c - text of a failure */
#include "util/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 0))) static void error_format(struct lc_error *err,
                                                               const char *fmt, va_list ap)
{
    int saved = errno;

    if (err)
        vsnprintf(err->text, sizeof(err->text), fmt, ap);
    errno = saved;
}

int lc_error_set(struct lc_error *err, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    error_format(err, fmt, ap);
    va_end(ap);
    return -1;
}

int lc_error_errno(struct lc_error *err, const char *fmt, ...)
{
    int saved = errno;
    va_list ap;

    va_start(ap, fmt);
    error_format(err, fmt, ap);
    va_end(ap);
    if (err) {
        size_t len = strlen(err->text);
        snprintf(err->text + len, sizeof(err->text) - len, ": %s", strerror(saved));
    }
    errno = saved;
    return -1;
}

int lc_exit_of_start(int code)
{
    if (code == ENOENT)
        return LC_EXIT_NOT_FOUND;
    switch (code) {
    case EACCES:
    case ENOEXEC:
    case ETXTBSY:
    case E2BIG:
    case ELOOP:
    case EISDIR:
    case ENAMETOOLONG:
        return LC_EXIT_NOT_EXECUTABLE;
    default:
        return LC_EXIT_SELF;
    }
}

/* strerrorname_np() came with glibc 2.32; 512 to 516 are the kernel's own "restart this call". */
const char *lc_errno_name(int code)
{
    static const struct {
        int code;
        const char *name;
    } known[] = {
#define E(name) {name, #name}
        E(EPERM),
        E(ENOENT),
        E(ESRCH),
        E(EINTR),
        E(EIO),
        E(ENXIO),
        E(E2BIG),
        E(ENOEXEC),
        E(EBADF),
        E(ECHILD),
        E(EAGAIN),
        E(ENOMEM),
        E(EACCES),
        E(EFAULT),
        E(ENOTBLK),
        E(EBUSY),
        E(EEXIST),
        E(EXDEV),
        E(ENODEV),
        E(ENOTDIR),
        E(EISDIR),
        E(EINVAL),
        E(ENFILE),
        E(EMFILE),
        E(ENOTTY),
        E(ETXTBSY),
        E(EFBIG),
        E(ENOSPC),
        E(ESPIPE),
        E(EROFS),
        E(EMLINK),
        E(EPIPE),
        E(EDOM),
        E(ERANGE),
        E(EDEADLK),
        E(ENAMETOOLONG),
        E(ENOLCK),
        E(ENOSYS),
        E(ENOTEMPTY),
        E(ELOOP),
        E(ENOMSG),
        E(EIDRM),
        E(ECHRNG),
        E(EL2NSYNC),
        E(EL3HLT),
        E(EL3RST),
        E(ELNRNG),
        E(EUNATCH),
        E(ENOCSI),
        E(EL2HLT),
        E(EBADE),
        E(EBADR),
        E(EXFULL),
        E(ENOANO),
        E(EBADRQC),
        E(EBADSLT),
        E(EBFONT),
        E(ENOSTR),
        E(ENODATA),
        E(ETIME),
        E(ENOSR),
        E(ENONET),
        E(ENOPKG),
        E(EREMOTE),
        E(ENOLINK),
        E(EADV),
        E(ESRMNT),
        E(ECOMM),
        E(EPROTO),
        E(EMULTIHOP),
        E(EDOTDOT),
        E(EBADMSG),
        E(EOVERFLOW),
        E(ENOTUNIQ),
        E(EBADFD),
        E(EREMCHG),
        E(ELIBACC),
        E(ELIBBAD),
        E(ELIBSCN),
        E(ELIBMAX),
        E(ELIBEXEC),
        E(EILSEQ),
        E(ERESTART),
        E(ESTRPIPE),
        E(EUSERS),
        E(ENOTSOCK),
        E(EDESTADDRREQ),
        E(EMSGSIZE),
        E(EPROTOTYPE),
        E(ENOPROTOOPT),
        E(EPROTONOSUPPORT),
        E(ESOCKTNOSUPPORT),
        E(EOPNOTSUPP),
        E(EPFNOSUPPORT),
        E(EAFNOSUPPORT),
        E(EADDRINUSE),
        E(EADDRNOTAVAIL),
        E(ENETDOWN),
        E(ENETUNREACH),
        E(ENETRESET),
        E(ECONNABORTED),
        E(ECONNRESET),
        E(ENOBUFS),
        E(EISCONN),
        E(ENOTCONN),
        E(ESHUTDOWN),
        E(ETOOMANYREFS),
        E(ETIMEDOUT),
        E(ECONNREFUSED),
        E(EHOSTDOWN),
        E(EHOSTUNREACH),
        E(EALREADY),
        E(EINPROGRESS),
        E(ESTALE),
        E(EUCLEAN),
        E(ENOTNAM),
        E(ENAVAIL),
        E(EISNAM),
        E(EREMOTEIO),
        E(EDQUOT),
        E(ENOMEDIUM),
        E(EMEDIUMTYPE),
        E(ECANCELED),
        E(ENOKEY),
        E(EKEYEXPIRED),
        E(EKEYREVOKED),
        E(EKEYREJECTED),
        E(EOWNERDEAD),
        E(ENOTRECOVERABLE),
        E(ERFKILL),
        E(EHWPOISON),
#undef E
        {512, "ERESTARTSYS"},
        {513, "ERESTARTNOINTR"},
        {514, "ERESTARTNOHAND"},
        {516, "ERESTART_RESTARTBLOCK"},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (known[i].code == code)
            return known[i].name;
    return NULL;
}
