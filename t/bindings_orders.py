#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bindings_orders.py - random programs: are libraries initialised and finalised in ld.so's own order?

bindings_orders.py --loadcast BIN --cc CC --work DIR [--programs N] [--first SEED]

Each program has libraries that need each other crosswise, some linked to it, and opens and closes
some by themselves. It is recorded, and run without and with names hidden from ld.so. What it prints,
constructors and destructors included, must be equal. One line per program that differs; the last
line says how many names were hidden in all: none would prove nothing.
"""
import argparse, json, os, random, shutil, subprocess, sys

MAIN = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    void *handle[64] = {0};
    for (int i = 1; i < argc; i++) {
        int n = atoi(argv[i] + 1);
        char name[32];
        snprintf(name, sizeof(name), "libl%d.so", n);
        if (argv[i][0] == 'o')
            printf("open %d %d\n", n, (handle[n] = dlopen(name, RTLD_NOW)) != NULL);
        else if (handle[n])
            printf("close %d %d\n", n, dlclose(handle[n])), handle[n] = NULL;
    }
    return 0;
}
"""
LIBRARY = r"""
#include <stdio.h>
__attribute__((constructor)) static void up(void) { puts("+%(i)d"); }
__attribute__((destructor)) static void down(void) { puts("-%(i)d"); fflush(stdout); }
%(declared)s
int f%(i)d(void) { return 1%(called)s; }
"""


def compile(args, where, name, text, needs, *more):
    with open(where + "/a.c", "w") as f:
        f.write(text)
    subprocess.check_call([args.cc, "-O0", "a.c", "-o", name, "-Wl,--no-as-needed", "-L.", *more,
                           *["-ll%d" % n for n in needs], "-ldl", "-Wl,-rpath," + where], cwd=where)


def one_program(args, seed):
    r = random.Random(seed)
    count = r.randint(6, 12)
    where = "%s/%d" % (args.work, seed)
    os.makedirs(where)
    for i in reversed(range(count)):
        needs = r.sample(range(i + 1, count), r.randint(0, min(5, count - i - 1)))
        compile(args, where, "libl%d.so" % i, LIBRARY % {
            "i": i, "declared": "".join("int f%d(void);" % n for n in needs),
            "called": "".join(" + f%d()" % n for n in needs)}, needs, "-shared", "-fPIC")
    linked = r.sample(range(count), r.choice((0, 0, 2, 4)))
    compile(args, where, "main", MAIN, linked)
    words = ["o%d" % r.randrange(3)] + [r.choice("oooc") + str(r.randrange(count)) for _ in range(r.randint(0, 10))]
    image, node = where + "/app.lcast", where + "/node"
    os.mkdir(node, 0o700)
    run = lambda *line, **env: subprocess.run(
        line, cwd=where, env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    program = [where + "/main", *words]
    plain = run(*program)
    run(args.loadcast, "record", "-o", image, "--manage", where, "--", *program)
    served = run(args.loadcast, "exec", "-q", "--dir", node, image, "--", *program, LOADCAST_PRUNE="small")
    status = json.loads(run(args.loadcast, "status", "--dir", node, "--json").stdout or "[]")
    hidden = sum(s["bindings"]["hidden"] for s in status)
    if (plain.stdout, plain.returncode) != (served.stdout, served.returncode):
        print("seed %d: %s linked to %s: differs, %d names hidden\n%s\n%s" % (
            seed, " ".join(words), linked, hidden, plain.stdout.split(), served.stdout.split()), flush=True)
        return 1, hidden
    shutil.rmtree(where)
    return 0, hidden


def main():
    a = argparse.ArgumentParser()
    for name in ("loadcast", "cc", "work"):
        a.add_argument("--" + name, required=True)
    a.add_argument("--programs", type=int, default=20)
    a.add_argument("--first", type=int, default=1)
    args = a.parse_args()
    results = [one_program(args, seed) for seed in range(args.first, args.first + args.programs)]
    differ, hidden = sum(r[0] for r in results), sum(r[1] for r in results)
    print("%d programs, %d differ, %d names hidden" % (len(results), differ, hidden))
    return differ > 0 or hidden == 0


sys.exit(main())
