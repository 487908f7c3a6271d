/* SPDX-License-Identifier: MIT */
/* commands.h - the commands of 'loadcast': X(NAME, SUMMARY) for each */
#ifndef LC_FRONT_COMMANDS_H
#define LC_FRONT_COMMANDS_H

#define LC_COMMANDS(X)                                                          \
    X(gen, "make a Pynamic or CLoadtest workload")                              \
    X(bench, "measure programs' start, cold and warm, narrow and wide")         \
    X(trace, "what does a command ask of the file system?")                     \
    X(record, "run a program once and keep what it asked, as an image")         \
    X(check, "once per job: does the image still match the files?")             \
    X(exec, "run a command from an image in this node's memory")                \
    X(run, "one word in front of a launch line: check, stage and run")          \
    X(stage, "put an image into the memory of every node of a job")             \
    X(status, "what is staged on this node, and what did it answer?")           \
    X(clean, "take images out of this node's memory")                           \
    X(doctor, "something is odd? which part differs, and is this machine fit?") \
    X(images, "your store of images: list, show, remove, export, import")       \
    X(info, "what is in an image?")                                             \
    X(unpack, "an image as a directory tree")                                   \
    X(results, "measured runs: list, show, export, merge")                      \
    X(predict, "the same job on a machine that is not here")                    \
    X(report, "what do the measured runs say?")

#endif
