#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""random_dlopen.py - random programs that open libraries: is anything different from plain ld.so?

random_dlopen.py --build BUILD --cc CC --work DIR [--first SEED] [--seeds N]

Fifty seeds share one tree of libraries, 14 or 60: a store with a directory for each, a view of links
to them (as Spack makes), and a directory that is a link to the view. Libraries need each other, some
by DT_RUNPATH or DT_RPATH with $ORIGIN; some have thread variables; some have no DT_SONAME; some open others
while they are initialised; a few exist twice, beside the file and in the view. One order of opening and closing them
is recorded. Each seed then runs that order, a shuffled one, a part of it, or another one, with or
without a library preloaded. The program opens by bare name, by the store's path, by the view's, by the
linked directory's and by a relative path with dots; it asks, closes, forks, starts threads, and
executes itself. It prints what each library answers, where it is ($ORIGIN, link map, errors) and at
the end the list of all. All that must be equal to the program without Loadcast, with LD_BIND_NOW.

A seed that differs is printed with the command that runs it again, alone; its tree is kept.
"""
import argparse, os, random, shlex, shutil, subprocess, sys

PER_TREE = 50
MAIN = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void *handle[128];
static const char *root;
static void *call(void *arg)
{
    int of = *(int *)arg;
    char name[32];
    snprintf(name, sizeof(name), "f%d", of);
    int (*f)(void) = handle[of] ? (int (*)(void))dlsym(handle[of], name) : 0;
    printf("ask %d: %d\n", of, f ? f() : -1);
    return NULL;
}
static void inside(int n)
{
    char name[32];
    snprintf(name, sizeof(name), "open%d", n);
    void (*open)(const char *) = handle[n] ? (void (*)(const char *))dlsym(handle[n], name) : 0;
    if (open)
        open("libdup.so"), open("libonly.so"), open("$ORIGIN/libtold.so"), open("${ORIGIN}/../lib/libtold.so");
}
static void path_of(char how, int n, char *to, size_t size)
{
    if (how == 'o' || how == 'g' || how == 'l' || how == 'n')
        snprintf(to, size, "libr%d.so", n);
    else if (how == 'p')
        snprintf(to, size, "%s/store/r%d/lib/libr%d.so", root, n, n);
    else if (how == 'v')
        snprintf(to, size, "%s/view/lib/libr%d.so", root, n);
    else if (how == 'w')
        snprintf(to, size, "%s/lib64/libr%d.so", root, n);
    else
        snprintf(to, size, "./view/../view/lib/libr%d.so", n);
}
static void tell_place(int n)
{
    char origin[PATH_MAX] = "";
    struct link_map *map = NULL;
    if (dlinfo(handle[n], RTLD_DI_LINKMAP, &map) == 0 && dlinfo(handle[n], RTLD_DI_ORIGIN, origin) == 0)
        printf("at %s in %s\n", map->l_name, origin);
}
static void open_it(char how, int n)
{
    char path[PATH_MAX];
    int flags = (how == 'l' ? RTLD_LAZY : RTLD_NOW) | (how == 'g' ? RTLD_GLOBAL : 0) | (how == 'n' ? RTLD_NOLOAD : 0);
    path_of(how, n, path, sizeof(path));
    void *now = dlopen(path, flags);
    const char *why = now ? "" : dlerror();
    printf("%c %d %d %s\n", how, n, now != NULL, why ? why : "-");
    handle[n] = now ? now : handle[n];
    if (now)
        tell_place(n);
}
static int list_one(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size, (void)arg;
    if (!strstr(info->dlpi_name, "/bin/preload.so") && !strstr(info->dlpi_name, "loadcast-hub"))
        printf("loaded %s tls %d\n", info->dlpi_name, info->dlpi_tls_modid != 0);
    return 0;
}
/* ?N open by name, path, ...; cN close; sN ask; tN ask in a thread; iN let it open others; F the rest in
 * a child as well; X execute anew with the rest; - close all; L list */
static void act(char **argv, int i)
{
    const char *word = argv[i];
    int n = atoi(word + 1), status = 0;
    pthread_t thread;
    if (strchr("opvwrgln", word[0]))
        open_it(word[0], n);
    else if (word[0] == 'c' && handle[n])
        printf("close %d %d\n", n, dlclose(handle[n])), handle[n] = NULL;
    else if (word[0] == 's')
        call(&n);
    else if (word[0] == 't' && pthread_create(&thread, NULL, call, &n) == 0)
        pthread_join(thread, NULL);
    else if (word[0] == 'i')
        inside(n);
    else if (word[0] == 'L')
        dl_iterate_phdr(list_one, NULL);
    else if (word[0] == '-')
        for (n = 0; n < 128; n++)
            if (handle[n])
                printf("close %d %d\n", n, dlclose(handle[n])), handle[n] = NULL;
    fflush(stdout);
    if (word[0] == 'F') {
        if (fork() == 0)
            printf("child\n");
        else if (wait(&status) > 0)
            printf("parent %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status));
    }
}
int main(int argc, char **argv)
{
    root = argv[1];
    for (int i = 2; i < argc; i++)
        if (argv[i][0] == 'X' && i < 4)
            continue;
        else if (argv[i][0] == 'X') {
            char **rest = argv + i - 1;
            rest[0] = argv[0], rest[1] = (char *)root;
            fflush(stdout);
            execv(argv[0], rest);
        } else
            act(argv, i);
    dl_iterate_phdr(list_one, NULL);
    return argc % 7;
}
"""
LIBRARY = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
%(declared)s
int f%(i)d(void);
void open%(i)d(const char *name);
int v%(i)d = 100 * %(i)d;
%(tls)s int t%(i)d = %(i)d;
int f%(i)d(void) { return 1 + v%(i)d + t%(i)d++%(called)s; }
void open%(i)d(const char *name)
{
    void *h = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    const char *(*says)(void) = h ? (const char *(*)(void))dlsym(h, "says") : NULL;
    const char *why = h ? NULL : dlerror();
    printf("inside %(i)d: %%s %%s\n", name, says ? says() : why ? why : "-");
    if (h && name[0] == '$') /* else ld.so keeps the name, and does not look who asks for it */
        dlclose(h);
}
__attribute__((constructor)) static void up(void) { puts("+%(i)d"); %(opens)s }
__attribute__((destructor)) static void down(void) { printf("-%(i)d %%d\n", f%(i)d()); fflush(stdout); }
"""
SAYS = 'const char *says(void); const char *says(void) { return "%s"; }'


class Tree:
    """The libraries that fifty seeds share, recorded and staged."""

    def __init__(self, args, number):
        self.args, self.number = args, number
        self.r = random.Random(number)
        self.root = "%s/tree%d" % (args.work, number)
        self.count = (14, 60)[number % 2]
        self.node = self.root + "/node"
        shutil.rmtree(self.root, ignore_errors=True)
        for d in ("view/lib", "node"):
            os.makedirs(self.root + "/" + d)
        os.chmod(self.node, 0o700)
        os.symlink("view/lib", self.root + "/lib64")
        for i in reversed(range(self.count)):
            self.make_library(i)
        self.make_twice()
        self.make_program()
        self.words = self.random_words(self.r)
        self.record()

    def compile(self, name, text, *options):
        source = self.root + "/a.c"
        with open(source, "w") as f:
            f.write(text)
        os.makedirs(os.path.dirname(name), exist_ok=True)
        subprocess.check_call([self.args.cc, "-O0", "-w", source, "-o", name, "-Wl,--no-as-needed", *options, "-ldl", "-lpthread"])

    def make_library(self, i):
        r, later = self.r, range(i + 1, self.count)
        needs = r.sample(later, min(len(later), r.choice((0, 0, 1, 2, 3))))
        tls = lambda n: "__thread" if n % 7 == 3 else ""
        run_path = r.choice(("$ORIGIN", "$ORIGIN/../../../view/lib", self.root + "/view/lib", self.root + "/lib64"))
        where = "%s/store/r%d/lib/libr%d.so" % (self.root, i, i)
        text = LIBRARY % {
            "i": i, "tls": tls(i),
            "declared": "".join("int f%d(void); extern int v%d; extern %s int t%d;\n" % (n, n, tls(n), n) for n in needs),
            "called": "".join(" + f%d() + v%d + t%d++" % (n, n, n) for n in needs),
            "opens": 'printf("up %d\\n", dlopen("libr%d.so", RTLD_NOW) != 0);' % (i, r.choice(later))
                     if later and r.random() < 0.1 else ""}
        self.compile(where, text, "-shared", "-fPIC", *["-Wl,-soname,libr%d.so" % i] * (i % 5 != 2),
                     "-Wl,--%s-new-dtags,-rpath,%s" % (r.choice(("enable", "disable")), run_path),
                     "-L" + self.root + "/view/lib", *["-lr%d" % n for n in needs])
        target = "../../store/r%d/lib/libr%d.so" % (i, i) if r.random() < 0.7 else where
        os.symlink(target, "%s/view/lib/libr%d.so" % (self.root, i))

    def make_twice(self):
        """libdup.so and libtold.so beside some files and in the view, libonly.so in the view alone."""
        self.compile(self.root + "/view/lib/libonly.so", SAYS % "view only", "-shared", "-fPIC")
        self.compile(self.root + "/view/lib/libdup.so", SAYS % "view", "-shared", "-fPIC")
        self.compile(self.root + "/view/lib/libtold.so", SAYS % "view", "-shared", "-fPIC")
        for i in self.r.sample(range(self.count), self.count // 3):
            self.compile("%s/store/r%d/lib/libtold.so" % (self.root, i), SAYS % i, "-shared", "-fPIC")
            shutil.copy(self.root + "/view/lib/libdup.so", "%s/store/r%d/lib/libdup.so" % (self.root, i))
        self.compile(self.root + "/extra.so", SAYS % "extra", "-shared", "-fPIC")

    def make_program(self):
        linked = self.r.sample(range(self.count), self.r.choice((0, 0, 2, 4)))
        self.compile(self.root + "/main", MAIN, "-L" + self.root + "/view/lib", *["-lr%d" % n for n in linked],
                     "-Wl,-rpath," + self.root + self.r.choice(("/view/lib", "/lib64")))

    def random_words(self, r):
        words = []
        for _ in range(r.randint(3, 20)):
            n = r.randrange(self.count)
            words.append(r.choice("oopvwrgln") + str(n))
            words += [w + str(n) for w in "sst" if r.random() < 0.4]
            words += ["i%d" % n] * (r.random() < 0.2)
            words += ["c%d" % r.randrange(self.count)] * (r.random() < 0.2)
        return words

    def record(self):
        self.image = self.root + "/app.lcast"
        recorded = self.run([self.args.build + "/loadcast", "record", "-o", self.image, "--manage", self.root, "--",
                             self.root + "/main", self.root, *self.words])
        staged = self.run([self.args.build + "/loadcast", "exec", "-q", "--dir", self.node, self.image, "--", "true"])
        if staged[1] != 0 or not os.path.exists(self.image):
            raise SystemExit("tree %d cannot be recorded and staged: %s %s" % (self.number, recorded, staged))
        user = os.path.join(self.node, os.listdir(self.node)[0])
        self.staged = os.path.join(user, next(n for n in os.listdir(user) if not n.startswith(".")))

    def run(self, line, **env):
        try:
            done = subprocess.run(line, cwd=self.root, env={**os.environ, **env}, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
            return done.stdout.decode(errors="replace"), done.returncode
        except subprocess.TimeoutExpired:
            return "timed out", -1

    def seed_words(self, r):
        words = list(self.words)
        how = r.choice(("same", "shuffled", "partial", "other", "mixed"))
        if how == "shuffled":
            r.shuffle(words)
        elif how == "partial":
            words = [w for w in words if r.random() < 0.5]
        elif how == "other":
            words = self.random_words(r)
        elif how == "mixed":
            words = words[:r.randrange(len(words))] + self.random_words(r)
        for _ in range(r.choice((0, 1, 3))):
            words.insert(r.randrange(len(words) + 1), "i%d" % r.randrange(self.count))
        if r.random() < 0.3:
            words.insert(r.randrange(len(words) + 1), "F")
        if r.random() < 0.3:
            words.insert(r.randrange(len(words) + 1), "X")
        return how, words + ["-"] * (r.random() < 0.3)

    def differs(self, seed):
        r = random.Random("seed %d" % seed)
        how, words = self.seed_words(r)
        env = {"LD_BIND_NOW": "1"}
        if r.random() < 0.25:
            env["LD_PRELOAD"] = r.choice((self.root + "/extra.so", "%s/view/lib/libr%d.so" % (self.root, r.randrange(self.count))))
        program = [self.root + "/main", self.root, *words]
        plain = self.run(program, **env)
        served = self.run([self.staged + "/bin/launch", *program], LOADCAST_NODE=self.staged, **env)
        if plain == served:
            return False
        print("seed %d (%s) differs; again: %s" % (seed, how, self.again(seed)))
        print("  %s %s" % (env, " ".join(words)))
        for a, b in zip((plain[0] + "status %d" % plain[1]).split("\n"), (served[0] + "status %d" % served[1]).split("\n")):
            if a != b:
                print("  plain:  %s\n  served: %s" % (a, b), flush=True)
                break
        return True

    def again(self, seed):
        a = self.args
        return shlex.join([os.path.abspath(__file__), "--build", a.build, "--cc", a.cc, "--work", a.work + ".again", "--first", str(seed), "--seeds", "1"])

    def loaded(self):
        """How many libraries came from node memory."""
        import json
        text = self.run([self.args.build + "/loadcast", "status", "--dir", self.node, "--json"])[0]
        return sum(n["counts"]["load"] for n in json.loads(text))


def main():
    a = argparse.ArgumentParser()
    for name in ("build", "cc", "work"):
        a.add_argument("--" + name, required=True)
    a.add_argument("--first", type=int, default=0)
    a.add_argument("--seeds", type=int, default=PER_TREE)
    args = a.parse_args()
    tree, differ, bad, loaded = None, 0, False, 0
    for seed in range(args.first, args.first + args.seeds + 1):
        if tree and (seed == args.first + args.seeds or seed // PER_TREE != tree.number):
            loaded += tree.loaded()
            if not bad:
                shutil.rmtree(tree.root)
            tree, bad = None, False
        if seed == args.first + args.seeds:
            break
        tree = tree or Tree(args, seed // PER_TREE)
        if tree.differs(seed):
            differ, bad = differ + 1, True
    print("%d seeds, %d differ, %d libraries mapped from node memory" % (args.seeds, differ, loaded))
    return differ > 0 or loaded == 0


sys.exit(main())
