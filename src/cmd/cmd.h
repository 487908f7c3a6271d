/* SPDX-License-Identifier: MIT */
/* cmd.h - the subcommands. Each parses its arguments, calls the other rooms, prints, and returns
 * the exit code (enum lc_exit). argv[0] is the name of the subcommand */
#ifndef LC_CMD_CMD_H
#define LC_CMD_CMD_H

struct lc_command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
};

int lc_cmd_doctor(int argc, char **argv);
int lc_cmd_bench(int argc, char **argv);
int lc_cmd_record(int argc, char **argv);
int lc_cmd_check(int argc, char **argv);
int lc_cmd_exec(int argc, char **argv);
int lc_cmd_stage(int argc, char **argv);
int lc_cmd_run(int argc, char **argv);
int lc_cmd_status(int argc, char **argv);
int lc_cmd_clean(int argc, char **argv);
int lc_cmd_images(int argc, char **argv);
int lc_cmd_info(int argc, char **argv);
int lc_cmd_unpack(int argc, char **argv);
int lc_cmd_gen(int argc, char **argv);
int lc_cmd_trace(int argc, char **argv);
int lc_cmd_results(int argc, char **argv);
int lc_cmd_predict(int argc, char **argv);
int lc_cmd_report(int argc, char **argv);

/* watched_rank.c: what 'loadcast run' starts for ranks that it watches; argv is HOW PROGRAM ... */
int lc_watched_rank(char **argv);
/* The same as a child of 'loadcast run' that waits for nobody else. */
int lc_watched_child(char **argv);

#endif
