# shellcheck shell=sh
# For the benches: CREDHOOK, the binary (default build/credhook), is there, or one sentence says so and it ends with 2.
CREDHOOK=${CREDHOOK:-$PWD/build/credhook}
[ -x "$CREDHOOK" ] || {
	echo "$0: there is no $CREDHOOK: 'cmake -S . -B build && cmake --build build' makes build/credhook" >&2
	exit 2
}
PATH=$PATH:/usr/sbin

# need PROGRAM...: these are there, too.
need() {
	for program in "$@"; do
		command -v "$program" >/dev/null || { echo "$0: $program is not installed" >&2; exit 2; }
	done
}

# Starts nginx at $port, which it chooses: it answers 204. Its files are in $work, whose nginx.pid ends it.
start_nginx() {
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	mkdir "$work/temp"
	cat >"$work/nginx.conf" <<END
worker_processes 1; pid $work/nginx.pid; error_log $work/error.log;
events { worker_connections 4096; }
http {
	access_log off; client_body_temp_path $work/temp; keepalive_requests 100000000;
	server { listen 127.0.0.1:$port backlog=4096; location / { return 204; } }
}
END
	nginx -c "$work/nginx.conf"
}
