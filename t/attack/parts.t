#!/bin/sh
# Several ranks record one image: the parts they leave are nobody else's to read, write or prepare.
. "$(dirname "$0")/../lib.sh"
. "$here/attack/users.sh"
need_ptrace

mkdir shared && chmod 1777 shared
echo "the key" >victim/private && chown $victim_uid victim/private && chmod 600 victim/private
mkdir victim/sw && echo data >victim/sw/data && chown -R $victim_uid victim/sw
# One rank of two, which does not wait for the other.
rank() {
    victim env PMI_RANK="$1" PMI_SIZE=2 PMI_JOBID=job loadcast record -o "$2" --wait 0 \
        --manage "$tmp/victim/sw" -- cat "$tmp/victim/sw/data"
}

t 'a directory of parts that another user has made is not used, and nothing of his is packed' '
    attacker sh -c "umask 0; mkdir shared/a.lcast.parts-job &&
        printf \"# loadcast part 2\nstart\t0\npath\tffff\t%s\nend\n\" $tmp/victim/private >shared/a.lcast.parts-job/00000001.part"
    code 125 rank 0 shared/a.lcast
    says "is not a private directory of yours" err
    says "write the image to a directory of your own" err
    [ ! -e shared/a.lcast ] || loadcast info --files shared/a.lcast | grep private | nothing
    [ "$(ls shared/a.lcast.parts-job)" = 00000001.part ]
'
t 'nor is a link to one' '
    mkdir victim/elsewhere && chown $victim_uid victim/elsewhere
    attacker ln -s $tmp/victim/elsewhere shared/b.lcast.parts-job
    code 125 rank 0 shared/b.lcast
    says "is not a private directory of yours" err
    ls victim/elsewhere | nothing
'
t 'parts can be read by their owner alone' '
    # A rank that waits for one that does not come.
    victim env PMI_RANK=0 PMI_SIZE=2 PMI_JOBID=job loadcast record -o shared/c.lcast --wait 60 \
        --manage $tmp/victim/sw -- cat $tmp/victim/sw/data >/dev/null 2>err &
    waiting=$!
    wait_until [ -e shared/c.lcast.parts-job/00000000.part ]
    stat -c "%a %u" shared/c.lcast.parts-job shared/c.lcast.parts-job/00000000.part >modes
    attacker ls shared/c.lcast.parts-job >listed 2>/dev/null || :
    rank 1 shared/c.lcast
    wait $waiting
    printf "700 $victim_uid\n600 $victim_uid\n" | same - modes
    nothing <listed
    [ -e shared/c.lcast ]
    [ ! -e shared/c.lcast.parts-job ]
'
t 'a part of another user is passed over' '
    mkdir -m 700 shared/d.lcast.parts-job && chown $victim_uid shared/d.lcast.parts-job
    printf "# loadcast part 2\nstart\t0\npath\tffff\t%s\nend\n" $tmp/victim/private >shared/d.lcast.parts-job/00000001.part
    chown $attacker_uid shared/d.lcast.parts-job/00000001.part && chmod 644 shared/d.lcast.parts-job/00000001.part
    rank 0 shared/d.lcast
    loadcast info --files shared/d.lcast >list
    says sw/data list
    lacks private list
'
finish
