# Servers that a check starts and ends, and their ports. The checks source this file.

pids=()

# serve FILES PROGRAM [OPTION...]: starts a server, whose output goes to FILES.out and FILES.log, and waits until it
# listens at $base.
serve() {
    local files=$1
    shift
    # They are there, and empty, before they are read, however late the server begins.
    : >"$files.out" >"$files.log"
    "$@" --bind 127.0.0.1:0 >"$files.out" 2>"$files.log" &
    pids+=("$!")
    base=
    for _ in {1..300}; do
        base=$(sed -n 's/^listening on //p' "$files.out")
        [[ -z $base ]] || return 0
        kill -0 "${pids[-1]}" 2>/dev/null || break
        sleep 0.1
    done
    echo "$1 does not listen:" >&2
    cat "$files.log" >&2
    return 1
}

# Prints a port of 127.0.0.1 that is free now.
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Ends the servers.
end_servers() {
    local pid
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
    pids=()
}
