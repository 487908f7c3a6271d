#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bindings_orders.py - random programs: are libraries initialised and finalised in ld.so's own order?

bindings_orders.py --loadcast BIN --cc CC [--cxx CXX] --work DIR [--programs N] [--first SEED]

Each program has libraries that need each other crosswise, some linked to it. It opens (by name or
path, lazily or not, some for all), asks and closes them at random, and some libraries do so while
they are initialised. They use each other's variables, thread-local ones too, and functions chosen by
the processor; handlers of atexit and destructors of static objects call what they need. The program
is recorded, every third after another order, and run without and with names hidden from ld.so, and
verifying. What it prints must be equal. Most of the programs have neither thread-local variables nor
C++: only in those are names hidden from dlopens. One line per program that differs; the last line says how
many names were hidden in all: none would prove nothing.
"""
import argparse, json, os, random, shutil, subprocess, sys

MAIN = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *handle[64];
static void ask(int n, int of)
{
    char name[32];
    snprintf(name, sizeof(name), "f%d", of);
    int (*f)(void) = handle[n] ? (int (*)(void))dlsym(handle[n], name) : 0;
    printf("ask %d for %d: %d\n", n, of, f ? f() : -1);
}
/* oN open by name, pN by path, lN lazily, gN for all, nN if it is there, cN close, sN,M ask, - close all */
static void act(const char *word, const char *dir)
{
    int n = atoi(word + 1), flags = word[0] == 'l' ? RTLD_LAZY : RTLD_NOW;
    char name[512];
    snprintf(name, sizeof(name), "%s/libl%d.so", dir, n);
    if (word[0] == 'g')
        flags |= RTLD_GLOBAL;
    if (word[0] == 'n')
        flags |= RTLD_NOLOAD;
    if (word[0] == 's')
        ask(n, atoi(strchr(word, ',') + 1));
    else if (word[0] == '-')
        for (n = 0; n < 64; n++)
            if (handle[n])
                printf("close %d %d\n", n, dlclose(handle[n])), handle[n] = NULL;
    if (word[0] == '-' || word[0] == 's')
        return;
    if (word[0] == 'c' && handle[n])
        printf("close %d %d\n", n, dlclose(handle[n])), handle[n] = NULL;
    if (word[0] == 'c')
        return;
    void *now = dlopen(word[0] == 'o' ? strrchr(name, '/') + 1 : name, flags);
    printf("%c %d %d\n", word[0], n, now != NULL);
    handle[n] = now ? now : handle[n];
}
int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        act(argv[i], argv[1]);
    return 0;
}
"""
LIBRARY = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
%(extern)s
%(declared)s
%(tls)s int t%(i)d = %(i)d;
%(begin)s
int f%(i)d(void) { return 1 + v%(i)d + t%(i)d++%(called)s; }
static int chosen%(i)d(void) { return %(i)d; }
%(chooser)s
int v%(i)d = 100 * %(i)d;
%(end)s
static void leave(void) { printf("a%(i)d %%d\n", f%(i)d()); }
__attribute__((constructor)) static void up(void) { puts("+%(i)d"); %(at_exit)s %(opens)s }
__attribute__((destructor)) static void down(void) { printf("-%(i)d %%d\n", f%(i)d()); fflush(stdout); }
%(object)s
"""
CHOOSER = {
    False: "int i%(i)d(void) { return chosen%(i)d(); }",
    True: "typedef int chosen_t(void); static chosen_t *choose%(i)d(void) { return chosen%(i)d; }\n"
          "int i%(i)d(void) __attribute__((ifunc(\"choose%(i)d\")));",
}
OBJECT = r"""
struct thing { ~thing() { std::printf("~%(i)d %%d\n", f%(i)d()); } };
static thing one;
static struct late { ~late() { static thing two; std::printf("late %(i)d %%d\n", i%(i)d()); } } second;
"""


def compile(args, where, name, text, needs, *more, is_cxx=False):
    source = "a.cc" if is_cxx else "a.c"
    with open(where + "/" + source, "w") as f:
        f.write(text)
    subprocess.check_call([args.cxx if is_cxx else args.cc, "-O0", "-w", source, "-o", name, "-Wl,--no-as-needed", "-L.",
                           *more, *["-ll%d" % n for n in needs], "-Wl,-rpath," + where, "-ldl"], cwd=where)


def library(args, r, where, i, count, is_plain):
    """Number i of so many needs others that come after it; whether t is thread-local is told by its number."""
    tls = lambda n: "__thread" if n % 3 == 0 and not is_plain else ""
    needs = r.sample(range(i + 1, count), r.randint(0, min(5, count - i - 1)))
    is_cxx = bool(args.cxx) and not is_plain and r.random() < 0.25
    f = {"i": i}
    text = LIBRARY % {
        "i": i, "tls": tls(i), "extern": "#include <cstdio>" if is_cxx else "",
        "begin": 'extern "C" {' if is_cxx else "", "end": "}" if is_cxx else "",
        "declared": "".join(('extern "C" ' if is_cxx else "") + "int f%d(void);" % n for n in [i]) + "".join(
            "extern %s{ int f%d(void); int i%d(void); extern int v%d; extern %s int t%d; }" % ('"C" ', n, n, n, tls(n), n)
            if is_cxx else "int f%d(void); int i%d(void); extern int v%d; extern %s int t%d;" % (n, n, n, tls(n), n)
            for n in needs) + ('extern "C" { extern int v%d; extern %s int t%d; int i%d(void); }' % (i, tls(i), i, i)
                               if is_cxx else "extern int v%d;" % i),
        "called": "".join(" + f%d() + i%d() + v%d + t%d++" % (n, n, n, n) for n in needs),
        "chooser": CHOOSER[r.random() < 0.3 and not is_cxx] % f,
        "at_exit": "atexit(leave);" if r.random() < 0.3 else "",
        "opens": 'printf("up %d\\n", dlopen("libl%d.so", RTLD_NOW) != 0);' % (i, r.randrange(i + 1, count))
                 if i + 1 < count and r.random() < 0.1 else "",
        "object": OBJECT % f if is_cxx else ""}
    compile(args, where, "libl%d.so" % i, text, needs, "-shared", "-fPIC", is_cxx=is_cxx)


def random_words(r, count):
    words = [r.choice("op") + str(r.randrange(3))]
    for _ in range(r.choice((0, 1, r.randint(2, 14)))):
        what, n = r.choice("oopplnccsg" if r.random() < 0.7 else "oppc"), r.randrange(count)
        words.append("s%d,%d" % (n, r.randrange(count)) if what == "s" else what + str(n))
    return words + ["-"] * (r.random() < 0.2)


def one_program(args, seed):
    r = random.Random(seed)
    count = r.randint(6, 12)
    is_plain = r.random() < 0.7
    where = "%s/%d" % (args.work, seed)
    os.makedirs(where)
    for i in reversed(range(count)):
        library(args, r, where, i, count, is_plain)
    linked = r.sample(range(count), r.choice((0, 0, 2, 4)))
    compile(args, where, "main", MAIN, linked)
    words, other = random_words(r, count), random_words(r, count)
    image, node = where + "/app.lcast", where + "/node"
    os.mkdir(node, 0o700)
    run = lambda *line, **env: subprocess.run(
        line, cwd=where, env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    record = lambda w: run(args.loadcast, "record", "-o", image, "--manage", where, "--", where + "/main", where, *w)
    served = lambda **env: run(args.loadcast, "exec", "-q", "--dir", node, image, "--", where + "/main", where, *words,
                               LOADCAST_PRUNE="small", **env)
    plain = run(where + "/main", where, *words)
    if seed % 3 == 0:
        record(other)
    record(words)
    pruned, verified = served(), served(LOADCAST_BINDINGS="verify")
    status = json.loads(run(args.loadcast, "status", "--dir", node, "--json").stdout or "[]")
    total = lambda what: sum(s["bindings"][what] for s in status)
    for how, did in ("pruned", pruned), ("verified", verified):
        if (plain.stdout, plain.returncode) != (did.stdout, did.returncode) or total("different"):
            print("seed %d: %s linked to %s: %s differs, %d names hidden, %d bindings different\n%s\n%s" % (
                seed, " ".join(words), linked, how, total("hidden"), total("different"),
                (plain.stdout.decode().split("\n"), plain.returncode), (did.stdout.decode().split("\n"), did.returncode)),
                flush=True)
            return 1, total("hidden"), total("replayed")
    shutil.rmtree(where)
    return 0, total("hidden"), total("replayed")


def main():
    a = argparse.ArgumentParser()
    for name in ("loadcast", "cc", "work"):
        a.add_argument("--" + name, required=True)
    a.add_argument("--cxx")
    a.add_argument("--programs", type=int, default=20)
    a.add_argument("--first", type=int, default=1)
    args = a.parse_args()
    results = [one_program(args, seed) for seed in range(args.first, args.first + args.programs)]
    differ, hidden, replayed = (sum(r[i] for r in results) for i in range(3))
    print("%d programs, %d differ, %d names hidden, %d groups replayed" % (len(results), differ, hidden, replayed))
    return differ > 0 or hidden == 0


sys.exit(main())
