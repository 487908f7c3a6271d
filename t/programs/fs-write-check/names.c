/* SPDX-License-Identifier: MIT */
/* names.c - names: making, linking, renaming, removing, listing */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

static void create(void)
{
    int fd = open("a", O_WRONLY | O_CREAT | O_EXCL, 0640);

    CHECK(fd >= 0);
    CHECK(write(fd, "text", 4) == 4);
    close(fd);
    CHECK(holds("a", "text"));
    CHECK((stat_of("a").st_mode & 07777) == 0640);
    CHECK(stat_of("a").st_uid == geteuid());
    FAILS(EEXIST, open("a", O_WRONLY | O_CREAT | O_EXCL, 0640));
    FAILS(ENOENT, open("absent/a", O_WRONLY | O_CREAT, 0640));
    FAILS(ENOTDIR, open("a/b", O_WRONLY | O_CREAT, 0640));
    FAILS(EISDIR, open(".", O_WRONLY));
}

static void directories(void)
{
    CHECK(mkdir("d", 0755) == 0);
    FAILS(EEXIST, mkdir("d", 0755));
    FAILS(ENOENT, mkdir("absent/d", 0755));
    CHECK(mkdir("d/e", 0755) == 0);
    FAILS(ENOTEMPTY, rmdir("d"));
    put("d/f", "x");
    FAILS(ENOTDIR, rmdir("d/f"));
    CHECK(unlink("d/f") == 0);
    CHECK(rmdir("d/e") == 0);
    CHECK(rmdir("d") == 0);
    FAILS(ENOENT, rmdir("d"));
    FAILS(EINVAL, rmdir("."));
}

static void unlinking(void)
{
    put("a", "x");
    CHECK(unlink("a") == 0);
    FAILS(ENOENT, unlink("a"));
    CHECK(mkdir("d", 0755) == 0);
    CHECK(unlink("d") < 0 && (errno == EISDIR || errno == EPERM));
}

static void unlinked_but_open(void)
{
    struct stat st;
    char buf[8] = "";
    int fd;

    put("a", "old");
    fd = open("a", O_RDWR);
    CHECK(unlink("a") == 0);
    CHECK(fstat(fd, &st) == 0);
    CHECK(st.st_nlink == 0 && st.st_size == 3);
    CHECK(pread(fd, buf, 3, 0) == 3 && strcmp(buf, "old") == 0);
    CHECK(pwrite(fd, "newer", 5, 0) == 5);
    CHECK(fstat(fd, &st) == 0 && st.st_size == 5);
    CHECK(ftruncate(fd, 1) == 0);
    CHECK(fchmod(fd, 0600) == 0);
    put("a", "another");
    CHECK(fstat(fd, &st) == 0 && st.st_size == 1);
    close(fd);
    CHECK(holds("a", "another"));
}

static void removed_working_directory(void)
{
    struct stat st;

    CHECK(mkdir("d", 0755) == 0 && chdir("d") == 0);
    CHECK(rmdir("../d") == 0);
    CHECK(stat(".", &st) == 0);
    FAILS(ENOENT, open("f", O_WRONLY | O_CREAT, 0644));
}

static void hard_links(void)
{
    put("a", "x");
    CHECK(link("a", "b") == 0);
    CHECK(stat_of("a").st_nlink == 2 && stat_of("a").st_ino == stat_of("b").st_ino);
    FAILS(EEXIST, link("a", "b"));
    FAILS(ENOENT, link("absent", "c"));
    put("b", "changed");
    CHECK(holds("a", "changed"));
    CHECK(unlink("a") == 0);
    CHECK(holds("b", "changed") && stat_of("b").st_nlink == 1);
    CHECK(link("b", "a") == 0 && unlink("b") == 0 && holds("a", "changed"));
    CHECK(mkdir("d", 0755) == 0);
    CHECK(link("d", "e") < 0);
    CHECK(symlink("a", "s") == 0 && link("s", "t") == 0);
    CHECK(S_ISLNK(stat_of("t").st_mode) && stat_of("t").st_ino == stat_of("s").st_ino);
}

static void many_hard_links(void)
{
    char name[16];

    put("f0", "x");
    for (int i = 1; i < 40; i++) {
        snprintf(name, sizeof(name), "f%d", i);
        CHECK(link("f0", name) == 0);
    }
    CHECK(stat_of("f7").st_nlink == 40);
    for (int i = 0; i < 39; i++) {
        snprintf(name, sizeof(name), "f%d", i);
        CHECK(unlink(name) == 0);
        CHECK(holds("f39", "x"));
    }
    CHECK(stat_of("f39").st_nlink == 1);
}

static void symbolic_links(void)
{
    char long_target[2048], buf[4096];

    put("a", "x");
    CHECK(symlink("a", "s") == 0 && holds("s", "x"));
    CHECK(readlink("s", buf, sizeof(buf)) == 1 && buf[0] == 'a');
    CHECK(stat_of("s").st_size == 1);
    FAILS(EEXIST, symlink("b", "s"));
    CHECK(symlink("absent", "dangling") == 0);
    FAILS(ENOENT, open("dangling", O_RDONLY));
    CHECK(symlink("loop", "loop") == 0);
    FAILS(ELOOP, open("loop", O_RDONLY));
    FAILS(ELOOP, open("s", O_RDONLY | O_NOFOLLOW));
    memset(long_target, 'l', sizeof(long_target) - 1);
    long_target[sizeof(long_target) - 1] = '\0';
    CHECK(symlink(long_target, "long") == 0);
    CHECK(readlink("long", buf, sizeof(buf)) == 2047 && memcmp(buf, long_target, 2047) == 0);
}

static void renaming_files(void)
{
    put("a", "A");
    ino_t ino = stat_of("a").st_ino;
    CHECK(rename("a", "b") == 0 && holds("b", "A") && stat_of("b").st_ino == ino);
    FAILS(ENOENT, rename("a", "c"));
    put("c", "C");
    CHECK(rename("b", "c") == 0 && holds("c", "A"));
    CHECK(mkdir("d", 0755) == 0);
    FAILS(EISDIR, rename("c", "d"));
    CHECK(rename("c", "d/c") == 0 && holds("d/c", "A"));
    CHECK(link("d/c", "e") == 0);
    CHECK(rename("e", "d/c") == 0); /* two names of one file: nothing happens */
    CHECK(stat_of("e").st_nlink == 2 && holds("d/c", "A"));
}

static void renaming_directories(void)
{
    CHECK(mkdir("d", 0755) == 0 && mkdir("d/e", 0755) == 0 && mkdir("empty", 0755) == 0);
    put("d/f", "F");
    FAILS(EINVAL, rename("d", "d/e/d"));
    put("file", "x");
    FAILS(ENOTDIR, rename("d", "file"));
    FAILS(ENOTEMPTY, rename("empty", "d"));
    int fd = open("d/f", O_RDONLY);
    CHECK(rename("d", "empty") == 0);
    CHECK(holds("empty/f", "F"));
    char c;
    CHECK(read(fd, &c, 1) == 1 && c == 'F');
    close(fd);
    CHECK(mkdir("empty/e/g", 0755) == 0 && rename("empty/e/g", "g") == 0);
    CHECK(S_ISDIR(stat_of("g").st_mode));
}

static void renaming_with_flags(void)
{
    put("a", "A");
    put("b", "B");
    FAILS(EEXIST, renameat2(AT_FDCWD, "a", AT_FDCWD, "b", RENAME_NOREPLACE));
    CHECK(renameat2(AT_FDCWD, "a", AT_FDCWD, "c", RENAME_NOREPLACE) == 0);
    CHECK(renameat2(AT_FDCWD, "b", AT_FDCWD, "c", RENAME_EXCHANGE) == 0);
    CHECK(holds("b", "A") && holds("c", "B"));
    CHECK(mkdir("d", 0755) == 0);
    CHECK(renameat2(AT_FDCWD, "d", AT_FDCWD, "b", RENAME_EXCHANGE) == 0);
    CHECK(holds("d", "A") && S_ISDIR(stat_of("b").st_mode));
    put("b/x", "X");
    CHECK(holds("b/x", "X"));
}

static void replaced_but_open(void)
{
    char c;
    struct stat st;

    put("a", "A");
    put("b", "B");
    int fd = open("b", O_RDONLY);
    CHECK(rename("a", "b") == 0);
    CHECK(fstat(fd, &st) == 0 && st.st_nlink == 0);
    CHECK(read(fd, &c, 1) == 1 && c == 'B');
    CHECK(holds("b", "A"));
    close(fd);
}

static int count_entries(void)
{
    DIR *d = opendir(".");
    int n = 0;

    CHECK(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

static void listing(void)
{
    char name[16];

    for (int i = 0; i < 1500; i++) {
        snprintf(name, sizeof(name), "f%d", i);
        CHECK(close(open(name, O_WRONLY | O_CREAT, 0644)) == 0);
    }
    CHECK(count_entries() == 1500);
    DIR *d = opendir(".");
    struct dirent *e;
    int removed = 0;
    while ((e = readdir(d)))
        if (e->d_name[0] == 'f')
            removed += unlink(e->d_name) == 0;
    closedir(d);
    CHECK(removed == 1500 && count_entries() == 0);
}

static void rewinding_a_listing(void)
{
    struct dirent *e;

    put("a", "");
    put("b", "");
    DIR *d = opendir(".");
    while (readdir(d))
        ;
    put("c", "");
    rewinddir(d);
    int n = 0;
    while ((e = readdir(d)))
        n++;
    CHECK(n == 5);
    rewinddir(d);
    CHECK(readdir(d));
    long at = telldir(d);
    e = readdir(d);
    char second[256];
    snprintf(second, sizeof(second), "%s", e->d_name);
    while (readdir(d))
        ;
    seekdir(d, at);
    CHECK((e = readdir(d)) && strcmp(e->d_name, second) == 0);
    closedir(d);
}

static void names(void)
{
    static const char *const odd[] = {
        " ",   "a b", "new\nline", "tab\t", "back\\slash",       "\xff\xfe",
        "-rf", "*?[", "'\"",       "...",   "gr\xc3\xbc\xc3\x9f"};
    char name[300];

    for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
        put(odd[i], "x");
        CHECK(holds(odd[i], "x"));
    }
    CHECK(count_entries() == sizeof(odd) / sizeof(*odd));
    memset(name, 'n', sizeof(name));
    name[255] = '\0';
    put(name, "long");
    CHECK(holds(name, "long") && unlink(name) == 0);
    name[255] = 'n';
    name[256] = '\0';
    FAILS(ENAMETOOLONG, open(name, O_WRONLY | O_CREAT, 0644));
}

static void deep_paths(void)
{
    for (int i = 0; i < 300; i++)
        CHECK(mkdir("directory", 0755) == 0 && chdir("directory") == 0);
    put("f", "deep");
    CHECK(holds("f", "deep"));
    CHECK(unlink("f") == 0);
    for (int i = 0; i < 300; i++)
        CHECK(chdir("..") == 0 && rmdir("directory") == 0);
}

const struct check names_checks[] = {
    {"create", create},
    {"directories", directories},
    {"unlinking", unlinking},
    {"unlinked_but_open", unlinked_but_open},
    {"removed_working_directory", removed_working_directory},
    {"hard_links", hard_links},
    {"many_hard_links", many_hard_links},
    {"symbolic_links", symbolic_links},
    {"renaming_files", renaming_files},
    {"renaming_directories", renaming_directories},
    {"renaming_with_flags", renaming_with_flags},
    {"replaced_but_open", replaced_but_open},
    {"listing", listing},
    {"rewinding_a_listing", rewinding_a_listing},
    {"names", names},
    {"deep_paths", deep_paths},
    {NULL, NULL},
};
