#!/usr/bin/env bash
# Loads instances of the service behind nginx on one PostgreSQL, kills and disturbs what can be, and checks from the
# outside what must never happen.
#
#   scripts/scale.sh            measures one and three instances and Apache's mod_auth_openidc, and runs the other parts on
#                               three instances; writes docs/scale.md
#   SCALE=0.01 scripts/scale.sh a hundredth of it in a debug build, without the measurements; nothing is written unless PAGE
#                               names a file
#
# The parts, of which PARTS="faults upgrade" runs some alone:
#   measure   one and three instances without a failure
#   chaos     instances and the database are killed
#   faults    the issuer refuses connections, answers 429, loses packets and hangs; packets are lost in a network namespace
#             of the script's own, which needs root, ip and tc
#   upgrade   the instances are replaced one by one, and once more; UPGRADE_FROM=program is the version before
#   failover  the database's standby is promoted after the primary has crashed
#   gateway   Apache with mod_auth_openidc serves the same sessions (apache2, libapache2-mod-auth-openidc)
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
    fault_seconds=20
    upgrades=2
    # The least load of the parts that end when something else is over.
    brief=(--exchanges 1000 --calls 10000 --session-calls 2000)
    configuration="${CONFIGURATION:-release}"
    scratch="${SCRATCH:-Tools/.build-release}"
else
    rounds="${ROUNDS:-4}"
    fault_seconds=3
    upgrades=1
    brief=()
    configuration="${CONFIGURATION:-debug}"
    scratch="${SCRATCH:-Tools/.build}"
fi
parts=" ${PARTS:-${PAGE:+measure }chaos faults upgrade failover gateway} "
wants() { [[ "$parts" == *" $1 "* ]]; }
from="${UPGRADE_FROM:-}"
[[ -z "$from" || -x "$from" && ! -d "$from" ]] || {
    echo "UPGRADE_FROM names no program: $from" >&2
    exit 2
}
if [[ "${BUILT:-no}" == no ]]; then
    for product in ostiary-backend ostiary-backend-load; do
        swift build --package-path Tools --scratch-path "$scratch" -c "$configuration" --product "$product" >&2
    done
fi
bin="$PWD/$scratch/$configuration"
program="$bin/ostiary-backend"

work="$(mktemp -d)"
chmod 755 "$work"
pids=()
# The namespace of the part "faults", and the words before each command that runs in it.
namespace=""
inside=()
# The longest duration of a load, in seconds; 0 for any.
limit=0
finish() {
    for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
    for file in "$work"/*.instance; do
        [[ ! -f "$file" ]] || kill -9 "$(cat "$file")" 2>/dev/null || true
    done
    [[ ! -f "$work/nginx.pid" ]] || kill -QUIT "$(cat "$work/nginx.pid")" 2>/dev/null || true
    [[ ! -f "$work/apache.pid" ]] || kill "$(cat "$work/apache.pid")" 2>/dev/null || true
    for data in data standby; do
        [[ ! -d "$work/$data" ]] || server "$data" stop -m immediate >/dev/null 2>&1 || true
    done
    [[ -z "$namespace" ]] || ip netns del "$namespace" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

# PostgreSQL refuses to run as root.
as=()
[[ "$(id -u)" != 0 ]] || as=(runuser -u postgres --)
programs="$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)"
server() { (cd / && "${as[@]}" "$programs/pg_ctl" -D "$work/$1" -s -w "${@:2}"); }
database() { server data "$@"; }

free_ports() {
    python3 - "$1" <<'PYTHON'
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in sockets: one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in sockets])
PYTHON
}
read -r pg provider api front first second third apache < <(free_ports 8)
ports=("$first" "$second" "$third")

mkdir "$work/pg" "$work/pg-standby"
head -c 24 /dev/urandom | base64 | tr -d '\n' >"$work/password"
head -c 24 /dev/urandom | base64 | tr -d '\n' >"$work/client-secret"
head -c 32 /dev/urandom | base64 | tr -d '\n' >"$work/key"
[[ ${#as[@]} == 0 ]] || chown postgres "$work" "$work/pg" "$work/pg-standby"
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

# The service: one file for all instances but the port, with other database hosts and members of sign_in where a part wants
# them.
hosts="$work/pg"
more=""
service() {
    cat >"$work/$1.json" <<END
{
  "listen": {"port": $2},
  "origins": ["https://api.example.com"],
  "client_address": "forwarded",
  "store": {"type": "postgresql", "host": "$hosts", "port": $pg, "database": "postgres", "user": "ostiary",
            "password": {"file": "password"}, "security": "none", "connections": $connections,
            "connect_seconds": 4},
  "sealing_keys": [{"id": "1", "key": {"file": "key"}}],
  "log_level": "error", "draining_seconds": 3,
  "ssafy": {"path": "/ssafy/verify", "issuer": "http://127.0.0.1:$provider", "client_id": "load",
            "client_secret": {"file": "client-secret"}, "redirect_uris": ["https://app.example.com/callback"],
            "requests_per_minute": 1000000, "requests_per_minute_and_sender": 1000000},
  "sign_in": {"path": "/auth", "issuer": "http://127.0.0.1:$provider", "client_id": "load",
              "client_secret": {"file": "client-secret"}, "token_endpoint_auth_method": "client_secret_post",
              "redirect_uri": "https://app.example.com/callback", "starts_per_minute_and_sender": 1000000, $more
              "forward": [{"path": "/orders", "to": "http://127.0.0.1:$api/api/me"}]},
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
    "${inside[@]}" "$program" serve --config "$work/$1.json" >>"$work/$1.log" 2>&1 &
    echo $! >"$work/$1.instance"
    disown
}
services() { for number in 1 2 3; do service "$number" "${ports[$((number - 1))]}"; done; }
services

# nginx: one process for all instances; what it cannot deliver it does not send to another instance a second time.
proxy() {
    proxy_file "$@"
    "${inside[@]}" nginx -c "$work/nginx.conf" -e "$work/nginx.log"
}
proxy_file() {
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
}
run() {
    local name="$1"
    shift
    timeout --foreground "$limit" "${inside[@]}" "$bin/ostiary-backend-load" --url "http://127.0.0.1:$front" --origin https://api.example.com \
        --config "$work/1.json" --provider-port "$provider" --api-port "$api" --secret-file "$work/client-secret" --name "$name" \
        --exchanges "$exchanges" --calls "$calls" --sessions "$sessions" --session-calls "$session_calls" \
        --holders "$holders" \
        "$@" >"$work/$name.out" 2>"$work/$name.err" || {
        local status=$?
        cat "$work/$name.out" "$work/$name.err"
        tail -n 5 "$work"/?.log
        ((status != 124)) || echo "scale: $name was not over after its limit of $limit seconds"
        echo "FAILED: $name"
        exit 1
    }
    grep -v '^{' "$work/$name.out" || true
}
# Each must be ready: the proxy knows nothing of it.
instances() { for number in "$@"; do echo "--instance http://127.0.0.1:${ports[$((number - 1))]}"; done; }
begin_three() {
    rm -f "$work/begun" "$work/may-end" "$work/over"
    services
    for number in 1 2 3; do start_instance "$number"; done
    proxy 1 2 3
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

if wants measure; then
    for name in one three; do
        numbers=(1)
        [[ "$name" == one ]] || numbers=(1 2 3)
        echo "--- $name without a failure"
        for number in "${numbers[@]}"; do start_instance "$number"; done
        proxy "${numbers[@]}"
        # shellcheck disable=SC2046
        run "$name" $(instances "${numbers[@]}") $(processes)
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
chaotic() {
    echo "--- three instances, with a slow provider, killed one after the other, and the database with them"
    begin_three
    chaos &
    pids+=("$!")
    times=(--slow-seconds 1.5)
    ((rounds == 0)) || times=(--slow-seconds 0.5 --patience 2.5)
    # shellcheck disable=SC2046
    run chaos $(instances 1 2 3) --order together --may-end-sessions --slow-share 5 "${times[@]}" --signs "$work"
    wait "${pids[0]}"
    pids=()
    stop_instances
    sort "$work/killed" | uniq -c | awk '{ print "killed: " $2 " " $1 " times" }'
}

# A namespace with a loopback device of its own, on which packets to the provider can be lost. A request whose sender has
# closed the connection is not transmitted again: it would arrive after its repetition.
isolate() {
    local name="ostiary-scale-$$"
    [[ "$(id -u)" == 0 ]] && command -v ip >/dev/null && command -v tc >/dev/null || return 1
    ip netns add "$name" 2>/dev/null || return 1
    namespace="$name"
    ip netns exec "$name" sh -c 'ip link set lo up && echo 1 >/proc/sys/net/ipv4/tcp_orphan_retries' 2>/dev/null &&
        drop 2>/dev/null && pass 2>/dev/null
}
in_namespace() { ip netns exec "$namespace" tc "$@"; }
drop() {
    in_namespace qdisc add dev lo root handle 1: htb default 1 r2q 100000 &&
        in_namespace class add dev lo parent 1: classid 1:1 htb rate 100gbit &&
        in_namespace class add dev lo parent 1: classid 1:2 htb rate 100gbit &&
        in_namespace qdisc add dev lo parent 1:2 blackhole &&
        in_namespace filter add dev lo parent 1: protocol ip u32 match ip dport "$provider" 0xffff flowid 1:2
}
pass() { in_namespace qdisc del dev lo root; }
# Carries out the orders of a load until it is ended.
obey() {
    while true; do
        for order in drop pass; do
            [[ ! -f "$work/$order" ]] || { "$order" >/dev/null 2>"$work/order.err" && rm "$work/$order"; }
        done
        rm -f "$work/over"
        sleep 0.05
    done
}
faulty() {
    local kinds="refuses limits drops hangs"
    if isolate; then
        inside=(ip netns exec "$namespace")
    else
        kinds="refuses limits hangs"
        echo "scale: no issuer that loses packets, since this machine has no network namespaces for root, ip and tc"
    fi
    echo "--- three instances, whose issuer $kinds"
    limit=$((8 * fault_seconds + 240))
    more='"lost_refresh": "repeated",'
    begin_three
    obey &
    pids+=("$!")
    # shellcheck disable=SC2046
    run faults $(instances 1 2 3) "${brief[@]}" --order faulty --takes-repetitions --fault-seconds "$fault_seconds" --signs "$work" \
        $(for kind in $kinds; do echo "--fault $kind"; done)
    kill "${pids[0]}"
    pids=()
    stop_instances
    more=""
    inside=()
    limit=0
}

ready() {
    for _ in {1..300}; do
        [[ "$(curl -s -o /dev/null -w '%{http_code}' -m 5 "http://127.0.0.1:${ports[$(($1 - 1))]}/ready")" != 200 ]] || return 0
        sleep 0.1
    done
    return 1
}
reload_proxy() {
    proxy_file "$@"
    kill -HUP "$(cat "$work/nginx.pid")"
    # Until the old worker has ended with its last request, and the new one has the connections.
    for _ in {1..100}; do
        sleep 0.1
        [[ "$(ps --no-headers --ppid "$(cat "$work/nginx.pid")" -o pid | wc -l)" != 1 ]] || break
    done
}
# Replaces each instance as docs/operations.md has it: out of the proxy, SIGTERM, its end, the other program, ready.
roll() {
    local round number others
    while [[ ! -f "$work/begun" ]]; do sleep 0.1; done
    sleep 1
    for ((round = 1; round <= upgrades; round++)); do
        program="$bin/ostiary-backend"
        ((round % 2 == 1)) || program="${from:-$program}"
        for number in 1 2 3; do
            others=()
            for other in 1 2 3; do ((other == number)) || others+=("$other"); done
            reload_proxy "${others[@]}"
            kill "$(cat "$work/$number.instance")"
            for _ in {1..1200}; do
                kill -0 "$(cat "$work/$number.instance")" 2>/dev/null || break
                sleep 0.1
            done
            start_instance "$number"
            ready "$number" || echo "instance $number is not ready" >>"$work/not-ready"
            reload_proxy 1 2 3
            echo "replaced" >>"$work/replaced"
        done
    done
    touch "$work/may-end"
    while [[ ! -f "$work/over" ]]; do sleep 0.1; done
    rm "$work/over"
}
rolling() {
    echo "--- three instances, replaced one by one${from:+, after those of $from}"
    limit=400
    program="${from:-$program}"
    begin_three
    roll &
    pids+=("$!")
    # shellcheck disable=SC2046
    run upgrade $(instances 1 2 3) "${brief[@]}" --order together --signs "$work"
    wait "${pids[0]}"
    pids=()
    stop_instances
    program="$bin/ostiary-backend"
    limit=0
    [[ ! -f "$work/not-ready" ]] || {
        cat "$work/not-ready"
        exit 1
    }
}

# A standby of the database, which has each commit that the primary confirms.
stand_by() {
    (
        export PGPASSWORD
        PGPASSWORD="$(cat "$work/password")"
        cd /
        "${as[@]}" "$programs/pg_basebackup" -h "$work/pg" -p "$pg" -U ostiary -D "$work/standby" -R -c fast -X stream --no-sync
    )
    cat >>"$work/standby/postgresql.conf" <<END
listen_addresses = ''
unix_socket_directories = '$work/pg-standby'
END
    server standby -l "$work/standby/log" start >/dev/null </dev/null
    ask_database "ALTER SYSTEM SET synchronous_standby_names = '*'"
    ask_database "SELECT pg_reload_conf()" >/dev/null
    for _ in {1..100}; do
        [[ "$(ask_database "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")" != 1 ]] || return 0
        sleep 0.1
    done
    echo "The standby does not follow." >&2
    return 1
}
fail_over() {
    while [[ ! -f "$work/begun" ]]; do sleep 0.1; done
    sleep "$fault_seconds"
    database stop -m immediate >/dev/null 2>&1 || true
    # As long as a supervisor takes to notice it.
    sleep 2
    server standby promote >/dev/null
    echo 1 >"$work/promoted"
    sleep "$fault_seconds"
    touch "$work/may-end"
    while [[ ! -f "$work/over" ]]; do sleep 0.1; done
    rm "$work/over"
}
failing_over() {
    echo "--- three instances, whose database fails over to a standby"
    stand_by
    limit=400
    hosts="$work/pg,$work/pg-standby"
    begin_three
    fail_over &
    pids+=("$!")
    # shellcheck disable=SC2046
    run failover $(instances 1 2 3) "${brief[@]}" --order together --signs "$work"
    wait "${pids[0]}"
    pids=()
    stop_instances
    hosts="$work/pg"
    limit=0
    [[ -f "$work/promoted" ]] || {
        echo "The standby was not promoted."
        exit 1
    }
}

apache_file() {
    local modules=/usr/lib/apache2/modules name
    {
        echo "ServerName 127.0.0.1"
        echo "ServerRoot $work"
        echo "DefaultRuntimeDir $work"
        echo "PidFile $work/apache.pid"
        echo "Listen 127.0.0.1:$apache"
        echo "ErrorLog $work/apache.log"
        echo "LogLevel crit"
        for name in mpm_event authn_core authz_core authz_user headers proxy proxy_http auth_openidc; do
            echo "LoadModule ${name}_module $modules/mod_$name.so"
        done
        [[ "$(id -u)" != 0 ]] || printf 'User www-data\nGroup www-data\n'
        echo "KeepAlive On"
        echo "MaxKeepAliveRequests 0"
        # Unlike the endpoints themselves, it may be http.
        echo "OIDCProviderMetadataURL http://127.0.0.1:$provider/.well-known/openid-configuration"
        echo "OIDCClientID load"
        echo "OIDCClientSecret $(cat "$work/client-secret")"
        echo "OIDCRedirectURI http://127.0.0.1:$apache/orders/callback"
        echo "OIDCCryptoPassphrase $(cat "$work/key")"
        echo "OIDCPKCEMethod S256"
        echo "OIDCSessionType server-cache"
        echo "OIDCCacheType shm"
        echo "OIDCCacheShmMax 10000"
        # At the age at which the service refreshes: tokens live for 12 to 14 seconds.
        echo "OIDCRefreshAccessTokenBeforeExpiry 6"
        echo "<Location /orders>"
        echo "AuthType openid-connect"
        echo "Require valid-user"
        echo 'RequestHeader set Authorization "Bearer %{OIDC_access_token}e"'
        echo "ProxyPass http://127.0.0.1:$api/api/me"
        echo "</Location>"
    } >"$work/apache.conf"
    chmod 600 "$work/apache.conf"
}
gateway() {
    command -v apache2 >/dev/null && [[ -f /usr/lib/apache2/modules/mod_auth_openidc.so ]] || {
        echo "scale: no mod_auth_openidc, since apache2 and libapache2-mod-auth-openidc are not installed"
        return 0
    }
    echo "--- Apache with mod_auth_openidc"
    apache_file
    apache2 -f "$work/apache.conf" -k start
    for _ in {1..100}; do
        [[ ! -s "$work/apache.pid" ]] || break
        sleep 0.1
    done
    limit=300
    run gateway --order gateway --url "http://127.0.0.1:$apache/orders" --process "proxy=$(cat "$work/apache.pid")"
    kill "$(cat "$work/apache.pid")"
    limit=0
    dpkg-query -W -f '${Version}' libapache2-mod-auth-openidc >"$work/gateway-version"
}

if wants chaos; then chaotic; fi
if wants faults; then faulty; fi
if wants upgrade; then rolling; fi
# It leaves no primary for another part.
if wants failover; then failing_over; fi
if wants gateway; then gateway; fi
if [[ -n "${PAGE:-}" ]]; then
    HOLDERS="$holders" STORED="$stored" POSTGRES="$programs/postgres" scripts/scale-page.py "$work" "$exchanges" "$calls" "$sessions" "$session_calls" \
        "$connections" "$configuration" >"$work/page"
    cp "$work/page" "$PAGE"
fi
echo "scale: ok"
