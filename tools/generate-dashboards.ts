/** Dashboards for Grafana, from one list of panels. */

interface Panel {
  title: string
  /** a unit of Grafana: `short`, `s`, `percentunit`, `reqps`, `bytes` */
  unit: string
  /** PromQL, and the legend of its series */
  queries: readonly (readonly [expr: string, legend: string])[]
}

interface Dashboard {
  /** the file's name and the dashboard's id */
  name: string
  title: string
  panels: readonly Panel[]
}

const panel = (title: string, unit: string, ...queries: Panel['queries']): Panel => ({ title, unit, queries })
/** A figure that each process reads from the database. */
const read = (metric: string, by: string): readonly [string, string] => [
  `max by (${by}) (${metric})`,
  by
    .split(', ')
    .map((label) => `{{${label}}}`)
    .join(' '),
]
const quantile = (q: string, metric: string, by: string): string =>
  `histogram_quantile(${q}, sum by (le, ${by}) (rate(${metric}_bucket[5m])))`

export const DASHBOARDS: readonly Dashboard[] = [
  {
    name: 'overview',
    title: 'Bursar: overview',
    panels: [
      panel('Open alerts', 'short', read('bursar_open_alerts', 'kind')),
      panel('Processes', 'short', read('bursar_processes', 'role')),
      panel('Requests', 'reqps', ['sum by (status) (rate(bursar_requests_total[5m]))', '{{status}}']),
      panel('Failed requests', 'percentunit', [
        'sum(rate(bursar_requests_total{status=~"5.."}[5m])) / clamp_min(sum(rate(bursar_requests_total[5m])), 0.001)',
        'share of 5xx',
      ]),
      panel(
        'Time to answer',
        's',
        ['histogram_quantile(0.5, sum by (le) (rate(bursar_request_seconds_bucket[5m])))', 'median'],
        ['histogram_quantile(0.99, sum by (le) (rate(bursar_request_seconds_bucket[5m])))', '99 of 100'],
      ),
      panel('Slowest operations, 95 of 100', 's', [
        `topk(10, ${quantile('0.95', 'bursar_request_seconds', 'operation')})`,
        '{{operation}}',
      ]),
      panel('Notifications that wait', 'short', read('bursar_webhook_backlog', 'state'), [
        'max by (state) (bursar_endpoint_backlog)',
        'additional endpoints: {{state}}',
      ]),
      panel('Version', 'short', ['count by (version, node) (bursar_build_info)', '{{version}} on Node {{node}}']),
    ],
  },
  {
    name: 'chains',
    title: 'Bursar: chains and payments',
    panels: [
      panel('Blocks behind the chain', 'short', read('bursar_chain_lag_blocks', 'network')),
      panel('Deposits', 'short', read('bursar_deposits', 'network, state')),
      panel('Withdrawals', 'short', read('bursar_withdrawals', 'network, state')),
      panel('Stops in force', 'short', read('bursar_stops', 'asset, network, reach')),
      panel('Network fees of a day', 'short', [
        'max by (network, asset, operation) (increase(bursar_network_costs_total[1d]))',
        '{{network}} {{asset}} {{operation}}',
      ]),
      panel('Days that the coin for fees lasts', 'short', read('bursar_runway_days', 'network, asset')),
    ],
  },
  {
    name: 'money',
    title: 'Bursar: money',
    panels: [
      panel('Hot wallet', 'short', read('bursar_hot_balance', 'network, asset')),
      panel('Hot wallet, part of its cap', 'percentunit', [
        'max by (network, asset) (bursar_hot_balance) / max by (network, asset) (bursar_hot_cap > 0)',
        '{{network}} {{asset}}',
      ]),
      panel('Payouts that wait', 'short', read('bursar_waiting_payouts', 'network, asset')),
      panel('Deposits not swept', 'short', read('bursar_unswept_deposits', 'network, asset')),
      panel('Cold storage', 'short', read('bursar_cold_balance', 'network, asset')),
      panel(
        'Chain compared with the books',
        'short',
        ['max by (network, asset) (bursar_custody_shortage)', 'shortage {{network}} {{asset}}'],
        ['max by (network, asset) (bursar_custody_surplus)', 'surplus {{network}} {{asset}}'],
      ),
      panel('Time since the comparison', 's', read('bursar_reconcile_age_seconds', 'network')),
      panel(
        'Position of the exchange, and its limits',
        'short',
        read('bursar_position_exposure', 'asset'),
        ['max by (asset) (bursar_position_limit_long)', 'most {{asset}}'],
        ['-max by (asset) (bursar_position_limit_short)', 'least {{asset}}'],
      ),
      panel('Position at the market, USDT', 'short', read('bursar_position_exposure_usdt', 'asset')),
      panel(
        'Profit of the exchange, USDT',
        'short',
        ['max by (asset) (bursar_exchange_spread_income_usdt)', 'spread {{asset}}'],
        ['max by (asset) (bursar_position_realised_usdt)', 'realised {{asset}}'],
        ['max by (asset) (bursar_position_unrealised_usdt)', 'unrealised {{asset}}'],
        ['max by (asset) (bursar_hedge_slippage_usdt)', 'slippage {{asset}}'],
        ['max by (asset) (bursar_hedge_fees_usdt)', 'fees of venues {{asset}}'],
      ),
      panel('Orders on venues that have not ended', 'short', read('bursar_hedge_open_orders', 'venue, state')),
      panel('Oldest order with an unknown outcome', 's', ['max(bursar_hedge_oldest_unknown_seconds)', 'age']),
      panel('Balance of the venue', 'short', read('bursar_venue_balance', 'venue, asset')),
      panel('Balance of the venue less the books', 'short', read('bursar_venue_drift', 'venue, asset')),
    ],
  },
  {
    name: 'processes',
    title: 'Bursar: processes',
    panels: [
      panel('Time since the last report of a role', 's', read('bursar_sign_of_life_age_seconds', 'role')),
      panel('Failed runs of jobs', 'reqps', [
        'sum by (job) (rate(bursar_job_runs_total{outcome="failed"}[5m])) > 0',
        '{{job}}',
      ]),
      panel('Slowest jobs, 95 of 100', 's', [`topk(10, ${quantile('0.95', 'bursar_job_seconds', 'job')})`, '{{job}}']),
      panel('The signer: time to answer, 95 of 100', 's', [
        quantile('0.95', 'bursar_signer_seconds', 'call'),
        '{{call}}',
      ]),
      panel('The signer: calls', 'reqps', [
        'sum by (call, outcome) (rate(bursar_signer_seconds_count[5m]))',
        '{{call}} {{outcome}}',
      ]),
      panel(
        'Database connections',
        'short',
        ['sum by (instance, state) (bursar_pool_connections)', '{{instance}} {{state}}'],
        ['sum by (instance) (bursar_pool_waiting)', '{{instance}} waiting queries'],
      ),
      panel('Memory', 'bytes', ['process_resident_memory_bytes{job=~".*bursar.*"}', '{{instance}}']),
      panel('Event loop, 99 of 100', 's', ['nodejs_eventloop_lag_p99_seconds{job=~".*bursar.*"}', '{{instance}}']),
      panel('Spans of traces', 'reqps', ['sum by (outcome) (rate(bursar_trace_spans_total[5m]))', '{{outcome}}']),
      panel('Time since the newest backup and drill', 's', read('bursar_backup_age_seconds', 'kind')),
    ],
  },
]

const SOURCE = { type: 'prometheus', uid: '${datasource}' }
const [WIDTH, HEIGHT, COLUMNS] = [12, 8, 2]

/** `docs/operating/grafana/NAME.json`, in the JSON model of Grafana's dashboards. */
export const dashboardFiles = (): { path: string; text: string }[] =>
  DASHBOARDS.map((dashboard) => ({
    path: `docs/operating/grafana/${dashboard.name}.json`,
    text: `${JSON.stringify(modelOf(dashboard), null, 2)}\n`,
  }))

const modelOf = ({ name, title, panels }: Dashboard) => ({
  uid: `bursar-${name}`,
  title,
  tags: ['bursar'],
  editable: true,
  schemaVersion: 39,
  version: 1,
  refresh: '1m',
  time: { from: 'now-6h', to: 'now' },
  templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' }] },
  panels: panels.map(({ title: heading, unit, queries }, at) => ({
    id: at + 1,
    type: 'timeseries',
    title: heading,
    datasource: SOURCE,
    gridPos: { x: (at % COLUMNS) * WIDTH, y: Math.floor(at / COLUMNS) * HEIGHT, w: WIDTH, h: HEIGHT },
    fieldConfig: { defaults: { unit, min: null, custom: { fillOpacity: 0, showPoints: 'never' } }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
    targets: queries.map(([expr, legendFormat], n) => ({
      refId: String.fromCharCode(65 + n),
      datasource: SOURCE,
      expr,
      legendFormat,
    })),
  })),
})
