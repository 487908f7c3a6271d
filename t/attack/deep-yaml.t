#!/bin/sh
# A suite that is nested without end is refused at once, with its place.
. "$(dirname "$0")/../lib.sh"
touch none.yaml
loadcast bench none.yaml >none.out 2>&1
if grep -q 'without libcyaml' none.out; then skip_all 'built without libcyaml'; fi

# Processor time, not time on the clock: a busy machine changes nothing.
refused() {
    code 2 sh -c "ulimit -t 10; exec loadcast bench $1"
    says "$1:1:" err
    says "nested more than 32 deep" err
    says "doc/suite.md" err
}
t '100,000 lists in each other' '
    $python -c "print(\"cases: \" + \"[\" * 100000 + \"]\" * 100000)" >lists.yaml
    refused lists.yaml
'
t '100,000 mappings in each other, and a file that never ends them' '
    $python -c "print(\"{a: \" * 100000 + \"1\" + \"}\" * 100000)" >mappings.yaml
    refused mappings.yaml
    $python -c "print(\"{a: \" * 100000)" >open.yaml
    refused open.yaml
'
t '20,000 levels by indentation' '
    $python -c "print(\"\n\".join(\" \" * i + \"a:\" for i in range(20000)))" >steps.yaml
    code 2 loadcast bench steps.yaml
    says "steps.yaml:33:" err
    says "nested more than 32 deep" err
'
finish
