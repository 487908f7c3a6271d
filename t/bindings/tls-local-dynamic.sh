# Thread-local storage, model local-dynamic, in two libraries and a thread.
model=local-dynamic
. "$traps/shared/tls_model"
