/* SPDX-License-Identifier: MIT */
/* dl-names.c - what dladdr, dl_iterate_phdr, dlinfo and link_map call the objects of a process */
#include <link.h>

#include "case.h"

static int each(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    if (strstr(info->dlpi_name, arg) || !info->dlpi_name[0])
        printf("  phdr '%s' %d headers, loaded %s\n", info->dlpi_name, info->dlpi_phnum,
               info->dlpi_addr ? "somewhere" : "at 0");
    return 0;
}

static void search_path(void *h)
{
    Dl_serinfo size, *info;

    dlinfo(h, RTLD_DI_SERINFOSIZE, &size);
    info = malloc(size.dls_size);
    info->dls_size = size.dls_size;
    info->dls_cnt = size.dls_cnt;
    dlinfo(h, RTLD_DI_SERINFO, info);
    for (unsigned i = 0; i < info->dls_cnt; i++)
        printf("  searched %s\n", info->dls_serpath[i].dls_name);
    free(info);
}

int main(int argc, char **argv)
{
    void *h = dlopen("lib/libvia_one.so", RTLD_NOW);
    struct link_map *map;
    Dl_info info;

    (void)argc;
    dlinfo(h, RTLD_DI_LINKMAP, &map);
    printf("link_map: %s\n", map->l_name);
    dl_iterate_phdr(each, argv[1]);
    dladdr(dlsym(h, "via_one"), &info);
    printf("dladdr: %s %s\n", info.dli_fname, info.dli_sname);
    dladdr(dlsym(h, "libname_says"), &info);
    printf("dladdr: %s %s\n", info.dli_fname, info.dli_sname);
    dladdr((void *)main, &info);
    printf("dladdr of main: %s\n", info.dli_fname);
    search_path(h);
    dlclose(h);
    dl_iterate_phdr(each, argv[1]);
    h = dlopen(NULL, RTLD_NOW);
    dlinfo(h, RTLD_DI_LINKMAP, &map);
    printf("program: '%s'\n", map->l_name);
}
