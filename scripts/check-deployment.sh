#!/usr/bin/env bash
# Checks the files of Examples/Backend/deploy as far as the programs of this machine go; names what it had to leave out.
set -euo pipefail
cd "$(dirname "$0")/.."
deploy=Examples/Backend/deploy
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The configuration, by the program itself.
program=Tools/.build/debug/ostiary-backend
if [ -x "$program" ]; then
    mkdir "$folder/secrets"
    cp "$deploy/backend.json" "$folder"
    echo password > "$folder/secrets/database"
    echo secret > "$folder/secrets/client"
    echo secret > "$folder/secrets/partner"
    echo password > "$folder/secrets/valkey"
    openssl rand -base64 32 > "$folder/secrets/sealing"
    cp "$deploy/gateway.json" "$deploy/kubernetes.json" "$folder"
    for file in backend gateway kubernetes; do
        "$program" check --config "$folder/$file.json" > "$folder/answer"
        grep -q "The configuration is valid." "$folder/answer"
        ! grep -q "Warning" "$folder/answer" || { cat "$folder/answer"; exit 1; }
    done
    # A subject can begin as an option does.
    ! "$program" forget --config "$folder/missing" --subject -42 > "$folder/answer" 2>&1
    grep -q "Cannot read the configuration file" "$folder/answer" || { cat "$folder/answer"; exit 1; }
else
    echo "check-deployment: no ostiary-backend; build the tools"
fi

# The unit: that systemd reads every line, and how far it is shut in.
if command -v systemd-analyze > /dev/null; then
    sed 's#^ExecStart=[^ ]*#ExecStart=/bin/true#' "$deploy/ostiary-backend.service" > "$folder/ostiary-backend.service"
    systemd-analyze verify --man=no "$folder/ostiary-backend.service" 2> "$folder/answer" || true
    if grep "ostiary-backend.service" "$folder/answer"; then exit 1; fi
    systemd-analyze security --offline=true --threshold=20 "$folder/ostiary-backend.service" > "$folder/answer" \
        || { tail -1 "$folder/answer"; exit 1; }
else
    echo "check-deployment: no systemd-analyze"
fi

# The proxies.
if command -v nginx > /dev/null; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=api.example.com \
        -keyout "$folder/api.example.com.key" -out "$folder/api.example.com.pem" 2> /dev/null
    cp "$folder/api.example.com.key" "$folder/app.example.com.key"
    cp "$folder/api.example.com.pem" "$folder/app.example.com.pem"
    for file in nginx nginx-gateway; do
        sed "s#/etc/nginx/#$folder/#" "$deploy/$file.conf" > "$folder/$file.conf"
        nginx -t -q -c "$folder/$file.conf" -p "$folder" -g "pid $folder/pid; error_log stderr;"
    done
else
    echo "check-deployment: no nginx"
fi
if command -v caddy > /dev/null; then
    for file in Caddyfile Caddyfile.gateway; do
        caddy validate --adapter caddyfile --config "$deploy/$file" 2> "$folder/answer" || { cat "$folder/answer"; exit 1; }
    done
else
    echo "check-deployment: no caddy"
fi

# Traefik's file, and the manifest: each document, and that the probes, ports and volumes fit together.
if python3 -c "import yaml" 2> /dev/null; then
    python3 - "$deploy/kubernetes.yaml" "$deploy/traefik-gateway.yaml" "$deploy/kubernetes.json" <<'PYTHON'
import json, sys, yaml
# Traefik: that each router's parts are there, and that no field of the check is left to the client.
proxy = yaml.safe_load(open(sys.argv[2]))["http"]
for router in proxy["routers"].values():
    assert router["service"] in proxy["services"], router
    assert set(router.get("middlewares", [])) <= proxy["middlewares"].keys(), router
assert proxy["routers"]["application"]["middlewares"] == ["client-fields", "signed-in"]
written = proxy["middlewares"]["signed-in"]["forwardAuth"]["authResponseHeaders"]
removed = proxy["middlewares"]["client-fields"]["headers"]["customRequestHeaders"]
assert set(written) <= {name for name, value in removed.items() if value == ""}, written
documents = list(yaml.safe_load_all(open(sys.argv[1])))
kinds = [document["kind"] for document in documents]
assert kinds == ["Job", "Deployment", "PodDisruptionBudget", "Service"], kinds
for document in documents[:2]:
    pod = document["spec"]["template"]["spec"]
    volumes = {volume["name"] for volume in pod["volumes"]}
    for container in pod["containers"]:
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes
deployment = documents[1]["spec"]
assert deployment["selector"]["matchLabels"].items() <= deployment["template"]["metadata"]["labels"].items()
container = deployment["template"]["spec"]["containers"][0]
ports = {port["name"] for port in container["ports"]}
for probe in ("livenessProbe", "readinessProbe"):
    assert container[probe]["httpGet"]["port"] in ports
assert documents[3]["spec"]["ports"][0]["targetPort"] in ports
assert documents[3]["spec"]["selector"] == deployment["selector"]["matchLabels"]
# The configuration listens where the manifest sends requests, and its secrets are in the mounted folder.
configuration = json.load(open(sys.argv[3]))
listening = {port["name"]: port["containerPort"] for port in container["ports"]}
for name, member in (("http", "listen"), ("admin", "admin")):
    assert configuration[member] == {"address": "0.0.0.0", "port": listening[name]}, member
folder = next(mount["mountPath"] for mount in container["volumeMounts"] if mount["name"] == "secrets")
assert folder == "/etc/ostiary/secrets", folder
def files(value):
    if isinstance(value, dict):
        return [value["file"]] if set(value) == {"file"} else [name for one in value.values() for name in files(one)]
    return [name for one in value for name in files(one)] if isinstance(value, list) else []
assert all(name.startswith("secrets/") for name in files(configuration)), files(configuration)
PYTHON
else
    echo "check-deployment: no PyYAML"
fi
echo "deployment: ok"
