# SPDX-License-Identifier: MIT
# Environments emptied and changed on the way to a child.
env -i /bin/cat data/file; env -u LD_PRELOAD cat data/file; env -u LD_AUDIT cat data/none; env LD_PRELOAD= cat data/file
env LD_LIBRARY_PATH=/none cat data/file; sh -c 'unset LD_PRELOAD LD_AUDIT; cat data/file'; env -i sh -c 'ls data/sub'
timeout 5 cat data/file; nohup cat data/file 2>/dev/null; setsid cat data/file; sh -c 'exec -a other cat data/file'
