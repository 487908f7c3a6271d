#include "cmd/cmd.h"
int lc_cmd_trace(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return 0;
}
