# Thread-local storage, model initial-exec, in two libraries and a thread.
model=initial-exec
. "$traps/shared/tls_model"
