# completion.zsh DIR: types into a zsh that completes from DIR/_loadcast, and prints what it answers.
# Ends with 1 if the shell does; waits for an answer that does not come.
zmodload zsh/zpty
export TERM=dumb
zpty shell zsh -f -i
answers() { zpty -r shell seen "*$1*" && print -r -- "${(V)seen}" || exit 1 }
zpty -w shell "fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D; LISTMAX=1000; echo re''ady"
answers ready
zpty -n -w shell $'loadcast gen --em\t'
answers --emit
zpty -n -w shell $'\t'
answers elf
zpty -n -w shell $'\x15loadcast rep\t'
answers report
zpty -n -w shell $'\x15loadcast run --dr\t'
answers --dry-run
zpty -d shell
