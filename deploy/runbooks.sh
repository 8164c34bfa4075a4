# The commands that docs/runbooks/ use, for one kind of installation. Source it in bash, in the checkout:
#
#   . deploy/runbooks.sh stack [DIR]      npm start, with its --data-dir
#   . deploy/runbooks.sh compose          docker-compose.yml
#   . deploy/runbooks.sh kubernetes       deploy/kubernetes; the environment has the settings of the owner
#
#   ready            prints the name and /readyz of every API and worker
#   admin ...        the operator command
#   metrics PATTERN  prints the lines of their /metrics that match the pattern
#   logs KIND        prints the last 2,000 lines of the processes of one kind: api or worker
#   restart NAME     restarts one process; the name is as `ready` prints it
#   sql ...          psql as the owner of the service's database
#   workflow ...     temporal workflow

# Prints /readyz or /metrics of one process; "no answer" if it does not answer within 5 seconds.
runbook_curl() { curl -s -m 5 "$1" || echo 'no answer'; }
runbook_labels=app.kubernetes.io/name=card-payments
runbook_fetch="fetch(process.argv[1], { signal: AbortSignal.timeout(5000) }).then((answer) => answer.text())
  .then((text) => console.log(text), () => console.log('no answer'))"

case "${1:-}" in
  stack)
    runbook_dir=${2:-.local}
    runbook_fact() { jq -r "$1" "$runbook_dir/stack.json"; }
    admin() { npm run --silent admin -- "$@" --data-dir "$runbook_dir"; }
    sql() { psql -X -P pager=off "$(runbook_fact .databaseUrl)" "$@"; }
    workflow() {
      local cli=${XDG_CACHE_HOME:-$HOME/.cache}/card-payments/bin/temporal
      cli=${TEMPORAL_CLI:-$(command -v temporal || echo "$cli")}
      "$cli" workflow "$@" --address "$(runbook_fact .temporalAddress)"
    }
    restart() {
      local pid second
      pid=$(runbook_fact ".processes[\"$1\"] // empty")
      [ -n "$pid" ] || { echo "no process has the name $1: see ready" >&2 && return 1; }
      kill "$pid" || return
      # The supervisor of npm start starts it again. A process that hangs does not end by itself.
      for second in $(seq "${RUNBOOK_GRACE_SECONDS:-50}"); do
        kill -0 "$pid" 2>/dev/null || return 0
        sleep 1
      done
      kill -KILL "$pid"
    }
    logs() { tail -q -n 2000 "$runbook_dir/logs/$1".log "$runbook_dir/logs/$1"-[0-9]*.log 2>/dev/null; }
    runbook_names() { runbook_fact '.metricsUrls | keys[]'; }
    runbook_get() { runbook_curl "$(runbook_fact ".metricsUrls[\"$1\"]" | sed 's|/metrics$||')$2"; }
    ;;
  compose)
    # The container has no terminal, so the command must be asked for readable lines.
    admin() {
      [ -t 1 ] && [ $# -gt 0 ] && set -- "$@" --text
      docker compose run --rm -T admin "$@"
    }
    restart() { docker compose restart "$1"; }
    sql() { docker compose exec -T postgres psql -X -P pager=off -U card_payments card_payments "$@"; }
    workflow() { docker compose run --rm -T --entrypoint temporal temporal-namespace workflow "$@"; }
    logs() { docker compose logs --no-log-prefix --tail 2000 "$1"; }
    runbook_names() { printf '%s\n' api worker; }
    runbook_get() {
      local port=3001
      [ "$1" = worker ] && port=3002
      docker compose exec -T "$1" node -e "$runbook_fetch" "http://127.0.0.1:$port$2" </dev/null ||
        echo 'no answer'
    }
    ;;
  kubernetes)
    runbook_kubectl() { kubectl -n card-payments "$@"; }
    admin() { npm run --silent admin -- "$@"; }
    # The Deployment starts another pod in its place.
    restart() { runbook_kubectl delete "$1"; }
    sql() { psql -X -P pager=off "$DATABASE_URL" "$@"; }
    workflow() { temporal workflow "$@"; }
    logs() { runbook_kubectl logs --tail 2000 -l "$runbook_labels,app.kubernetes.io/component=$1"; }
    runbook_names() {
      runbook_kubectl get pods -o name -l "$runbook_labels,app.kubernetes.io/component in (api, worker)"
    }
    runbook_get() {
      local port=3001
      case "$1" in *worker*) port=3002 ;; esac
      runbook_kubectl exec "$1" -- node -e "$runbook_fetch" "http://127.0.0.1:$port$2" </dev/null ||
        echo 'no answer'
    }
    ;;
  *) echo 'usage: . deploy/runbooks.sh stack [DIR] | compose | kubernetes' >&2 ;;
esac

ready() { for name in $(runbook_names); do echo "$name $(runbook_get "$name" /readyz)"; done; }
metrics() {
  for name in $(runbook_names); do
    runbook_get "$name" /metrics | grep -v '^#' | grep -E "$1|^no answer" | sed "s|^|$name |"
  done
}
