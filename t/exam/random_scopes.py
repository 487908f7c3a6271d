#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""random_scopes.py - random programs that make libraries global: are symbols bound as by plain ld.so?

random_scopes.py --build BUILD --cc CC --work DIR [--first SEED] [--seeds N]

All libraries define the same functions, so that each call tells which of them are in the caller's scope, and in
what order. The program opens them locally, globally or deeply, closes them, or makes one global that is loaded:
by dlopen, by dlmopen, by the C library's dlopen, by one found behind a library, or inside a library that was opened
deeply. After each step it asks them all. Twenty seeds share one tree: sixteen orders are recorded, each seed runs
another. All must be equal to the program without Loadcast, with LD_BIND_NOW.

A seed that differs is printed with its words. The last line says how many groups were replayed: none would prove
nothing.
"""
import argparse, json, os, random, shutil, subprocess, sys

PER_TREE = 20
MAIN = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
typedef void *opening(const char *, int);
opening *behind(void);
static void *handle[32];
static void *base(const char *file, int flags) { return dlmopen(LM_ID_BASE, file, flags); }
static opening *libc(void)
{
    void *h = dlopen("libc.so.6", RTLD_NOW), *f = dlsym(h, "dlopen");
    dlclose(h);
    return f ? (opening *)f : (opening *)dlsym(dlopen("libdl.so.2", RTLD_NOW), "dlopen");
}
/* What opens: d dlopen, m dlmopen, c the C library's, b one found behind a library, NN one inside library NN */
static opening *opening_of(const char *how)
{
    char name[32];
    if (how[0] >= '0' && how[0] <= '9') {
        snprintf(name, sizeof(name), "open%d", atoi(how));
        return handle[atoi(how)] ? (opening *)dlsym(handle[atoi(how)], name) : NULL;
    }
    return how[0] == 'm' ? base : how[0] == 'c' ? libc() : how[0] == 'b' ? behind() : dlopen;
}
static void ask_all(void)
{
    char name[32];
    for (int i = 0; i < 32; i++) {
        snprintf(name, sizeof(name), "ask%d", i);
        int (*ask)(void) = handle[i] ? (int (*)(void))dlsym(handle[i], name) : NULL;
        if (ask)
            printf(" %d:%d", i, ask());
    }
    puts("");
}
/* lN locally, gN globally, pN if it is loaded globally, kN deeply, cN close; then what opens, then / for a path */
int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        char *end, path[4096];
        int n = (int)strtol(argv[i] + 1, &end, 10), kind = argv[i][0];
        int flags = RTLD_NOW | (kind == 'g' ? RTLD_GLOBAL : kind == 'p' ? RTLD_GLOBAL | RTLD_NOLOAD : kind == 'k' ? RTLD_DEEPBIND : 0);
        opening *open = *end ? opening_of(end + 1) : NULL;
        snprintf(path, sizeof(path), *end == '/' ? "%s/lib/libs%d.so" : "%.0slibs%d.so", argv[1], n);
        printf("%s", argv[i]);
        if (kind == 'c' && handle[n])
            dlclose(handle[n]), handle[n] = NULL;
        void *now = open ? open(path, flags) : NULL;
        handle[n] = now ? now : handle[n];
        printf(" %d", now != NULL);
        ask_all();
    }
    return 0;
}
"""
BEHIND = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
void *behind(void);
void *behind(void) { return dlsym(RTLD_NEXT, "dlopen"); }
"""
LIBRARY = r"""
#include <dlfcn.h>
int x(void), y(void), z(void), ask%(i)d(void);
%(defined)s
int ask%(i)d(void) { return 10000 * x() + 100 * y() + z(); }
%(opens)s
"""
OPENS = "void *open%(i)d(const char *, int);\nvoid *open%(i)d(const char *file, int flags) { return dlopen(file, flags); }"


class Tree:
    """The libraries that some seeds share, recorded."""

    def __init__(self, args, number):
        self.args, self.r = args, random.Random("tree %d" % number)
        self.root, self.number = "%s/scopes%d" % (args.work, number), number
        self.count = self.r.choice((5, 8, 12))
        shutil.rmtree(self.root, ignore_errors=True)
        os.makedirs(self.root + "/lib")
        os.makedirs(self.root + "/node", 0o700)
        for i in reversed(range(self.count)):
            self.make_library(i)
        self.compile("lib/libbehind.so", BEHIND, "-shared", "-fPIC")
        self.compile("main", MAIN, "-lbehind")
        self.orders = [self.random_words(self.r) for _ in range(16)]
        self.image = self.root + "/app.lcast"
        runs = "; ".join("./main %s %s" % (self.root, " ".join(words)) for words in self.orders)
        self.run([args.build + "/loadcast", "record", "-o", self.image, "--manage", self.root, "--", "sh", "-c", runs])

    def compile(self, name, text, *options):
        with open(self.root + "/a.c", "w") as f:
            f.write(text)
        subprocess.check_call([self.args.cc, "-w", self.root + "/a.c", "-o", self.root + "/" + name, "-Wl,--no-as-needed", "-L" + self.root + "/lib",
                               "-Wl,-rpath," + self.root + "/lib", *options, "-ldl"])

    def make_library(self, i):
        r, later = self.r, range(i + 1, self.count)
        names = [n for n in "xyz" if r.random() < 0.4 or len(later) < 2]
        needs = set(r.sample(later, min(len(later), r.choice((0, 1, 2)))))
        if len(later) >= 2:
            needs.add(self.count - 1)  # has all three
        text = LIBRARY % {"i": i, "defined": "\n".join("int %s(void) { return %d; }" % (n, i + 1) for n in names), "opens": OPENS % {"i": i} if i % 3 == 0 else ""}
        self.compile("lib/libs%d.so" % i, text, "-shared", "-fPIC", "-Wl,-soname,libs%d.so" % i, *["-ls%d" % n for n in needs])

    def random_words(self, r):
        words = []
        odd = r.choice(("", "", "m", "c", "b", "k"))  # most programs have one odd way
        for _ in range(r.randint(3, 12)):
            n, kind = r.randrange(self.count), r.choice("lllllggppc" + ("kk" if odd == "k" else ""))
            how = r.choice("d" * 3 + (odd if odd in ("m", "c", "b") else "d"))
            if odd == "k" and r.random() < 0.5:
                how = str(r.randrange(0, self.count, 3))
            words.append("c%d" % n if kind == "c" else "%s%d%s%s" % (kind, n, r.choice(":/"), how))
        return words

    def run(self, line):
        done = subprocess.run(line, cwd=self.root, env={**os.environ, "LD_BIND_NOW": "1"}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120)
        return done.stdout.decode(errors="replace"), done.returncode

    def differs(self, seed):
        r = random.Random("seed %d" % seed)
        words = list(r.choice(self.orders))
        how = r.choice(("same", "shuffled", "partial", "added", "added", "other"))
        if how == "shuffled":
            r.shuffle(words)
        elif how == "partial":
            words = [w for w in words if r.random() < 0.6]
        elif how == "added":
            for w in self.random_words(r)[:r.randint(1, 4)]:
                words.insert(r.randrange(len(words) + 1), w)
        elif how == "other":
            words = self.random_words(r)
        program = [self.root + "/main", self.root, *words]
        plain = self.run(program)
        served = self.run([self.args.build + "/loadcast", "exec", "-q", "--dir", self.root + "/node", self.image, "--", *program])
        if plain == served:
            return False
        print("seed %d (%s) differs: %s" % (seed, how, " ".join(words)))
        for a, b in zip((plain[0] + "status %d" % plain[1]).split("\n"), (served[0] + "status %d" % served[1]).split("\n")):
            if a != b:
                print("  plain:  %s\n  served: %s" % (a, b), flush=True)
                break
        return True

    def replayed(self):
        text = self.run([self.args.build + "/loadcast", "status", "--dir", self.root + "/node", "--json"])[0]
        return sum(n["bindings"]["replayed"] for n in json.loads(text))


def main():
    a = argparse.ArgumentParser()
    for name in ("build", "cc", "work"):
        a.add_argument("--" + name, required=True)
    a.add_argument("--first", type=int, default=0)
    a.add_argument("--seeds", type=int, default=100)
    args = a.parse_args()
    tree, differ, replayed = None, 0, 0
    for seed in range(args.first, args.first + args.seeds):
        if not tree or seed // PER_TREE != tree.number:
            replayed += tree.replayed() if tree else 0
            tree = Tree(args, seed // PER_TREE)
        differ += tree.differs(seed)
    replayed += tree.replayed()
    print("%d seeds, %d differ, %d groups replayed" % (args.seeds, differ, replayed))
    return differ > 0 or replayed == 0


sys.exit(main())
