#!/bin/sh
# Passwords and keys that a pilot read are not in the image, unless the user asks for them.
. "$(dirname "$0")/../lib.sh"
need_ptrace

export HOME=$tmp/home
umask 022
mkdir -p home/.ssh home/.aws home/.config/gcloud home/app/lib home/data
secrets='.netrc .ssh/id_rsa .aws/credentials .config/gcloud/tokens.db data/host.keytab'
for file in $secrets; do echo "THE-SECRET of $file" >home/$file; done
chmod 700 home/.ssh
ln -s ../.ssh/id_rsa home/data/key
echo 'THE-SECRET of notes' >home/data/notes && chmod 600 home/data/notes
echo 'public' >home/data/public
echo 'value = "loaded"' >home/app/lib/tokenize_app.py && chmod 600 home/app/lib/tokenize_app.py
cat >home/app/run.py <<'P'
import os, sys
sys.path.insert(0, os.environ["HOME"] + "/app/lib")
import tokenize_app
for name in sys.argv[1:]:
    try:
        print(open(os.environ["HOME"] + "/" + name).read(), end="")
    except OSError as e:
        print(e.strerror)
P
names="$secrets data/key data/notes data/public .pgpass"
record() { loadcast record -o "$@" -- $python -B home/app/run.py $names; }
holds() { grep -l THE-SECRET "$1"; }

t 'credentials that the pilot read are not packed, and each is named once' '
    code 0 record a.lcast --manage $HOME
    holds a.lcast | nothing
    loadcast info --files a.lcast >files
    for file in $secrets data/notes; do
        [ "$(grep -cF "'\''$HOME/$file'\''" err)" = 1 ] || { echo "$file:"; cat err; exit 1; }
    done
    says "--private packs it" err
    says "$HOME/data/public" files
'
t 'the names in .ssh are not in the image either' '
    loadcast info --files --dirs --absent a.lcast | grep -F home/.ssh | nothing
'
t 'nor is what they lead to, if they are links to where others keep their dotfiles and keys' '
    mkdir -p linked/dotfiles linked/keys linked/app
    for file in dotfiles/netrc keys/id_rsa dotfiles/gh; do echo "THE-SECRET of $file" >linked/$file; done
    echo public >linked/app/data
    ln -s dotfiles/netrc linked/.netrc && ln -s keys linked/.ssh
    ln -s ../.netrc linked/app/by-two && ln -s dotfiles/gh linked/.git-credentials
    HOME=$tmp/linked code 0 loadcast record -o linked.lcast --manage linked -- cat linked/app/data linked/.netrc linked/.ssh/id_rsa
    holds linked.lcast | nothing
    HOME=$tmp/linked code 0 loadcast record -o two.lcast --manage linked -- cat linked/app/data linked/app/by-two
    holds two.lcast | nothing
    HOME=$tmp/linked code 0 loadcast record -o added.lcast --add linked
    holds added.lcast | nothing
    loadcast info --files --dirs added.lcast >packed
    lacks keys/id_rsa packed
    says linked/app/data packed
    HOME=$tmp/linked code 0 loadcast record -o asked.lcast --private --add linked
    loadcast unpack asked.lcast asked.d >/dev/null
    says THE-SECRET "asked.d$tmp/linked/keys/id_rsa"
'
t 'code is code, whatever its name and mode; the image is its owner'"'"'s' '
    says tokenize_app.py files
    [ "$(stat -c %a a.lcast)" = 600 ]
'
t 'a program under Loadcast reads them as ever' '
    $python -B home/app/run.py $names >plain
    LOADCAST_DIR=$tmp loadcast exec a.lcast -- $python -B home/app/run.py $names >served
    same plain served
'
t 'that there is none may be recorded; one that appears later is not packed' '
    loadcast info --absent a.lcast >absent
    says "$HOME/.pgpass" absent
    echo THE-SECRET >home/.pgpass
    echo "THE-SECRET too" >home/data/later && chmod 600 home/data/later
    code 0 loadcast check a.lcast
    holds a.lcast | nothing
    rm home/.pgpass
'
t '--add alone packs no credentials; --private does' '
    code 0 loadcast record -o b.lcast --add $HOME
    loadcast unpack b.lcast b.d >/dev/null
    grep -rl THE-SECRET b.d | sed "s,.*$HOME/,," | LC_ALL=C sort >found
    printf "data/later\ndata/notes\n" | same - found
    code 0 record c.lcast --private --manage $HOME
    lacks "left to the file system" err
    loadcast unpack c.lcast c.d >/dev/null
    for file in $secrets data/notes; do says THE-SECRET "c.d$HOME/$file"; done
    [ "$(stat -c %a c.lcast)" = 600 ]
'
t 'passwords and tokens on the command line and in the environment are not recorded' '
    PYTHON_INDEX_TOKEN=THE-SECRET-1 PYTHON_PROXY=http://me:THE-SECRET-2@host/x code 0 loadcast record -o d.lcast --manage home -- \
        sh -c "cat home/data/public" sh --password THE-SECRET-3 --api-key=THE-SECRET-4 DB_PASSWORD=THE-SECRET-5 \
        https://me:THE-SECRET-6@host/ glpat-THE-SECRET-7-89012345 --tokenizer=bert \
        -H "Authorization: Bearer THE-SECRET-8" "curl --token THE-SECRET-9; export HF_TOKEN=THE-SECRET-10"
    grep -c THE-SECRET d.lcast | grep -x 0
    loadcast info --json d.lcast >json
    says "\"--api-key=***\"" json
    says "\"https://me:***@host/\"" json
    says "\"--tokenizer=bert\"" json
    says "\"PYTHON_INDEX_TOKEN\": \"***\"" json
    loadcast trace --log log --json trace.json -- true --token THE-SECRET
    lacks THE-SECRET log
    lacks THE-SECRET trace.json
'
t 'the manual lists every place' '
    sed -n "/places\[\] = {/,/};/s/^ *\"\(.*\)\",/\1/p" $src/src/record/credentials.c >places
    [ "$(wc -l <places)" -gt 30 ]
    tr -d "\\\\" <$src/doc/man/loadcast-record.1.scd | tr "\t " "\n\n" >words
    while read -r place; do grep -qxF "$place" words || { echo "$place"; exit 1; }; done <places
'
finish
