#!/usr/bin/env bash
# Loads instances of the service behind nginx on one PostgreSQL, kills what can be killed, and checks from the outside
# what must never happen.
#
#   scripts/scale.sh            measures one and three instances, and then three that are killed; writes docs/scale.md
#   SCALE=0.01 scripts/scale.sh a hundredth of it in a debug build: the killing alone, of each instance and of the database
#                               once or twice; nothing is written unless PAGE names a file
#
# HOLDERS=20000 calls with so many access tokens, half of them with a key each, instead of 200. STORED=2000000 puts so many
# sessions and proofs into the tables first, so that they do not fit into the database's memory.
# DURABLE=no takes the disk out of it: what PostgreSQL answers is in memory then.
set -euo pipefail
cd "$(dirname "$0")/.."
scale="${SCALE:-1}"
exchanges="$(awk -v s="$scale" 'BEGIN { printf "%d", 10000 * s }')"
calls="$(awk -v s="$scale" 'BEGIN { printf "%d", 100000 * s }')"
session_calls="$(awk -v s="$scale" 'BEGIN { printf "%d", 10000 * s }')"
sessions="$(awk -v s="$scale" 'BEGIN { n = 200 * s; printf "%d", n < 20 ? 20 : n }')"
connections="${CONNECTIONS:-8}"
holders="${HOLDERS:-200}"
stored="${STORED:-0}"
# How often something is killed; 0 for as long as the load lasts.
rounds="${ROUNDS:-0}"
if [[ "$scale" == 1 ]]; then
    PAGE="${PAGE:-docs/scale.md}"
    configuration="${CONFIGURATION:-release}"
    scratch="${SCRATCH:-Tools/.build-release}"
else
    rounds="${ROUNDS:-4}"
    configuration="${CONFIGURATION:-debug}"
    scratch="${SCRATCH:-Tools/.build}"
fi
if [[ "${BUILT:-no}" == no ]]; then
    for product in ostiary-backend ostiary-backend-load; do
        swift build --package-path Tools --scratch-path "$scratch" -c "$configuration" --product "$product" >&2
    done
fi
bin="$PWD/$scratch/$configuration"

work="$(mktemp -d)"
chmod 755 "$work"
pids=()
finish() {
    for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
    for file in "$work"/*.instance; do
        [[ ! -f "$file" ]] || kill -9 "$(cat "$file")" 2>/dev/null || true
    done
    [[ ! -f "$work/nginx.pid" ]] || kill -QUIT "$(cat "$work/nginx.pid")" 2>/dev/null || true
    [[ ! -d "$work/data" ]] || database stop -m immediate >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap finish EXIT

# PostgreSQL refuses to run as root.
as=()
[[ "$(id -u)" != 0 ]] || as=(runuser -u postgres --)
programs="$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)"
database() { (cd / && "${as[@]}" "$programs/pg_ctl" -D "$work/data" -s -w "$@"); }

free_ports() {
    python3 - "$1" <<'PYTHON'
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in sockets: one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in sockets])
PYTHON
}
read -r pg provider front first second third < <(free_ports 6)
ports=("$first" "$second" "$third")

mkdir "$work/pg"
head -c 24 /dev/urandom | base64 | tr -d '\n' >"$work/password"
head -c 24 /dev/urandom | base64 | tr -d '\n' >"$work/client-secret"
head -c 32 /dev/urandom | base64 | tr -d '\n' >"$work/key"
[[ ${#as[@]} == 0 ]] || chown postgres "$work" "$work/pg"
(cd / && "${as[@]}" "$programs/initdb" -D "$work/data" -A scram-sha-256 --pwfile="$work/password" -U ostiary -E UTF8 \
    --locale=C.UTF-8 --no-sync >/dev/null)
cat >>"$work/data/postgresql.conf" <<END
port = $pg
listen_addresses = '127.0.0.1'
unix_socket_directories = '$work/pg'
max_connections = 60
shared_buffers = 128MB
END
[[ "${DURABLE:-yes}" == yes ]] || echo "fsync = off" >>"$work/data/postgresql.conf"
database -l "$work/data/log" start >/dev/null </dev/null

ask_database() {
    PGPASSWORD="$(cat "$work/password")" psql -h "$work/pg" -p "$pg" -U ostiary -d postgres -q -A -t -F ' ' ${1:+-c "$1"}
}

# The service: one file for all instances but the port.
service() {
    cat >"$work/$1.json" <<END
{
  "listen": {"port": $2},
  "origins": ["https://api.example.com"],
  "client_address": "forwarded",
  "store": {"type": "postgresql", "host": "$work/pg", "port": $pg, "database": "postgres", "user": "ostiary",
            "password": {"file": "password"}, "security": "none", "connections": $connections,
            "connect_seconds": 4},
  "sealing_keys": [{"id": "1", "key": {"file": "key"}}],
  "log_level": "error", "draining_seconds": 3,
  "ssafy": {"path": "/ssafy/verify", "issuer": "http://127.0.0.1:$provider", "client_id": "load",
            "client_secret": {"file": "client-secret"}, "redirect_uris": ["https://app.example.com/callback"],
            "requests_per_minute": 1000000, "requests_per_minute_and_sender": 1000000},
  "sign_in": {"path": "/auth", "issuer": "http://127.0.0.1:$provider", "client_id": "load",
              "client_secret": {"file": "client-secret"}, "token_endpoint_auth_method": "client_secret_post",
              "redirect_uri": "https://app.example.com/callback", "starts_per_minute_and_sender": 1000000,
              "forward": [{"path": "/orders", "to": "http://127.0.0.1:$provider/api/me"}]},
  "resources": [
    {"path": "/bearer", "issuer": "http://127.0.0.1:$provider", "jwks_uri": "http://127.0.0.1:$provider/jwks",
     "audience": "https://api.example.com", "scopes": ["read"]},
    {"path": "/bound", "issuer": "http://127.0.0.1:$provider", "jwks_uri": "http://127.0.0.1:$provider/jwks",
     "audience": "https://api.example.com", "scopes": ["read"], "binding": "dpop"}
  ]
}
END
}
start_instance() {
    "$bin/ostiary-backend" serve --config "$work/$1.json" >>"$work/$1.log" 2>&1 &
    echo $! >"$work/$1.instance"
    disown
}
for number in 1 2 3; do service "$number" "${ports[$((number - 1))]}"; done

# nginx: one process for all instances; what it cannot deliver it does not send to another instance a second time.
proxy() {
    {
        echo "daemon on; pid $work/nginx.pid; error_log $work/nginx.log crit; worker_processes 1;"
        [[ "$(id -u)" != 0 ]] || echo "user root;"
        echo "events { worker_connections 2048; }"
        echo "http { access_log off; client_body_temp_path $work/body; proxy_temp_path $work/proxy;"
        echo "fastcgi_temp_path $work/fastcgi; uwsgi_temp_path $work/uwsgi; scgi_temp_path $work/scgi;"
        echo "upstream service { keepalive 64; keepalive_timeout 10s;"
        for number in "$@"; do echo "server 127.0.0.1:${ports[$((number - 1))]} max_fails=1 fail_timeout=1s;"; done
        echo "} server { listen 127.0.0.1:$front; keepalive_requests 100000;"
        echo "location / { proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection '';"
        echo "proxy_set_header X-Forwarded-For \$remote_addr; proxy_next_upstream off; proxy_read_timeout 20s; } } }"
    } >"$work/nginx.conf"
    nginx -c "$work/nginx.conf" -e "$work/nginx.log"
}
run() {
    local name="$1"
    shift
    "$bin/ostiary-backend-load" --url "http://127.0.0.1:$front" --origin https://api.example.com \
        --config "$work/1.json" --provider-port "$provider" --secret-file "$work/client-secret" --name "$name" \
        --exchanges "$exchanges" --calls "$calls" --sessions "$sessions" --session-calls "$session_calls" \
        --holders "$holders" \
        "$@" >"$work/$name.out" 2>"$work/$name.err" || {
        cat "$work/$name.out" "$work/$name.err"
        tail -n 5 "$work"/?.log
        echo "FAILED: $name"
        exit 1
    }
    grep -v '^{' "$work/$name.out"
}
# What each part of the service is called whose use of processors is counted.
processes() {
    for file in "$work"/*.instance; do echo "--process instances=$(cat "$file")"; done
    echo "--process database=$(head -n 1 "$work/data/postmaster.pid")"
    echo "--process proxy=$(cat "$work/nginx.pid")"
}
stop_instances() {
    kill -QUIT "$(cat "$work/nginx.pid")" && rm -f "$work/nginx.pid"
    for file in "$work"/*.instance; do kill "$(cat "$file")" 2>/dev/null || true; done
    for file in "$work"/*.instance; do
        while kill -0 "$(cat "$file")" 2>/dev/null; do sleep 0.05; done
        rm -f "$file"
    done
}

# Rows as a service in use has them, which nobody asks for and which are not cleaned away.
fill() {
    "$bin/ostiary-backend" migrate --config "$work/1.json"
    ask_database "INSERT INTO ostiary_session (id, subject_name, session_name, issuer, subject, created, absolute_expires,
            idle_expires, sealed, version)
        SELECT sha256(convert_to('id ' || n, 'UTF8')), sha256(convert_to('subject ' || n, 'UTF8')),
            sha256(convert_to('session ' || n, 'UTF8')), 'stored', convert_to('user-' || n, 'UTF8'),
            0, 9000000000000000, 9000000000000000, decode(repeat(md5(n::text), 88), 'hex'), 0
        FROM generate_series(1, $stored) AS n"
    ask_database "INSERT INTO ostiary_replay (identifier, owner, expires)
        SELECT sha256(convert_to('id ' || n, 'UTF8')), sha256(convert_to('owner ' || n % 100000, 'UTF8')),
            9000000000000000
        FROM generate_series(1, $stored) AS n"
    ask_database "VACUUM ANALYZE"
}
((stored == 0)) || fill

if [[ -n "${PAGE:-}" ]]; then
    for name in one three; do
        numbers=(1)
        [[ "$name" == one ]] || numbers=(1 2 3)
        echo "--- $name without a failure"
        for number in "${numbers[@]}"; do start_instance "$number"; done
        proxy "${numbers[@]}"
        # shellcheck disable=SC2046
        run "$name" $(processes)
        stop_instances
    done
    for table in $(ask_database "SELECT relname FROM pg_stat_user_tables WHERE relname LIKE 'ostiary%'"); do
        ask_database "SELECT '$table', count(*), pg_total_relation_size('$table') FROM $table"
    done >"$work/tables"
    # What a change waits for: 300 of them, one after the other.
    ask_database "CREATE TABLE commits (number integer)"
    began="$(date +%s%N)"
    for number in $(seq 300); do echo "INSERT INTO commits VALUES ($number);"; done | ask_database
    awk -v ns="$(($(date +%s%N) - began))" 'BEGIN { print ns / 300 / 1000000 }' >"$work/commit"
fi

# Kills an instance every second or two, and the database with every fifth, while there is load: until it is over, or so
# many times, after which the load may end.
chaos() {
    local round=0 number
    ((rounds > 0)) || touch "$work/may-end"
    while [[ ! -f "$work/begun" ]]; do sleep 0.1; done
    while [[ ! -f "$work/over" ]] && ((rounds == 0 || round < rounds)); do
        sleep "$((rounds == 0 ? RANDOM % 2 + 1 : 0)).$((RANDOM % 5 + 4))"
        round=$((round + 1))
        number=$((round % 3 + 1))
        kill -9 "$(cat "$work/$number.instance")" 2>/dev/null || true
        echo "instance" >>"$work/killed"
        if ((round % 5 == 2)); then
            database stop -m immediate >/dev/null 2>&1 || true
            echo "database" >>"$work/killed"
            sleep 0.3
            database -l "$work/data/log" start >/dev/null </dev/null || true
        fi
        sleep 0.5
        start_instance "$number"
    done
    touch "$work/may-end"
    while [[ ! -f "$work/over" ]]; do sleep 0.1; done
    rm "$work/over"
}
echo "--- three instances, with a slow provider, killed one after the other, and the database with them"
for number in 1 2 3; do start_instance "$number"; done
proxy 1 2 3
chaos &
pids+=("$!")
times=(--slow-seconds 1.5)
((rounds == 0)) || times=(--slow-seconds 0.5 --patience 2.5)
run chaos --order together --slow-share 5 "${times[@]}" --signs "$work"
wait "${pids[0]}"
pids=()
stop_instances
sort "$work/killed" | uniq -c | awk '{ print "killed: " $2 " " $1 " times" }'
if [[ -n "${PAGE:-}" ]]; then
    HOLDERS="$holders" STORED="$stored" POSTGRES="$programs/postgres" scripts/scale-page.py "$work" "$exchanges" "$calls" "$sessions" "$session_calls" \
        "$connections" "$configuration" >"$work/page"
    cp "$work/page" "$PAGE"
fi
echo "scale: ok"
