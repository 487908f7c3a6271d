# Thread-local storage, model global-dynamic, in two libraries and a thread.
model=global-dynamic
. "$traps/shared/tls_model"
