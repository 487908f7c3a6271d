/* SPDX-License-Identifier: MIT */
/* files_test.c - what a node directory takes, with every page size of aarch64 */
#include "util/test.h"

#include <stdlib.h>
#include <unistd.h>

#include "image/fixture.h"
#include "stage/fill.h"

static char file[] = "/tmp/loadcast-files.XXXXXX";

static uint64_t planned(const struct lc_image *image, uint64_t page_bytes)
{
    struct lc_fill fill = {.image = image, .fd = -1, .origin = "", .page_bytes = page_bytes};

    assert_int_equal(lc_fill_plan(&fill), 0);
    lc_fill_end(&fill);
    return fill.bytes;
}

/* The fixture has three files of less than a page, and one of 9,000 bytes; 16 pages are for the
 * parts of the directory. */
static void every_file_takes_whole_pages(void **state)
{
    static const uint64_t large[] = {16384, 65536};
    enum { FIRST = 4096, SMALL_ONES = 3, PARTS = 16, LIBRARY = 3 * FIRST };
    struct lc_image *image = lc_image_open(file, NULL);

    (void)state;
    assert_non_null(image);
    uint64_t first = planned(image, FIRST);
    for (int i = 0; i < 2; i++)
        assert_int_equal(planned(image, large[i]) - first,
                         (SMALL_ONES + PARTS) * (large[i] - FIRST) + large[i] - LIBRARY);
    lc_image_close(image);
}

static int image_make(void **state)
{
    (void)state;
    int fd = mkstemp(file);
    if (fd >= 0)
        close(fd);
    lc_fixture_write(file);
    return fd >= 0 ? 0 : -1;
}

static int image_remove(void **state)
{
    (void)state;
    return unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_file_takes_whole_pages)};

    return cmocka_run_group_tests(tests, image_make, image_remove);
}
