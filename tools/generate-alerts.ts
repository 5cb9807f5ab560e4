/** The page of alerts and the rules for Prometheus, from the list of all kinds of alerts. */
import { EXPLAINED } from '../server/src/platform/runtime/alert-causes.ts'
import { ALERT_KINDS, type AlertRow } from '../server/src/platform/runtime/alert-kinds.ts'

const rows = Object.entries(ALERT_KINDS).toSorted(([a], [b]) => a.localeCompare(b, 'en'))

/** `docs/operating/alerts.md` */
export const alertsDocument = (): string => `# Alerts

Written by \`npm run generate\` from \`server/src/platform/runtime/alert-kinds.ts\`.

An alert reports a condition or an event that a person must look at. \`bursar alerts\` lists the open ones, each with a text that says what to do. A *critical* alert means that an amount may be wrong or lost, or that a kind of payment or deposit is not processed at all: look now. A *warning* means that something waits or will soon: look within a day.

## Receivers

The worker sends alerts to the people and systems in the file that \`BURSAR_ALERTS_FILE\` names:

\`\`\`json alerts
{
  "mail": ["ops@example.com"],
  "webhooks": [{ "url": "https://hooks.example.com/bursar", "secretFile": "/etc/bursar/alert-secret" }],
  "alertmanager": ["http://127.0.0.1:9093"]
}
\`\`\`

- A critical alert is sent within seconds, a warning when it has been open for \`warningsAfterMinutes\` (10). An open alert is sent again after \`repeatHours\` (24). The end of an alert is sent once.
- One message contains all alerts that are due, at most 200; a mail groups them by kind.
- People get one notice of one cause: while the alert \`node-unavailable\` of a network is open, and ten minutes longer, mail and webhooks get no alerts that it explains, such as \`chain-stale\` or \`job-failing\` of the same network. If such an alert lasts longer than its cause, it is sent. \`bursar alerts\`, the metric and Alertmanager have all of them. The table has the causes of each kind.
- Mail needs the mail server of \`BURSAR_SMTP_URL\` ([mail.md](mail.md)).
- A webhook gets \`{ "alerts": [...] }\`. Each alert has \`id\`, \`kind\`, \`severity\`, \`subject\`, \`text\`, \`page\`, \`raisedAt\`, \`endedAt\` (null while it is open) and \`isRepeated\`. With \`secretFile\`, the request is signed as the Standard Webhooks specification describes.
- An address of a webhook or of Alertmanager may have a login, \`https://USER:PASSWORD@HOST\`: it is sent as the header \`Authorization: Basic\`, and never printed.
- Alertmanager gets every open alert each minute, and groups, repeats and silences them by its own settings. If the worker stops, Alertmanager ends the alerts after five minutes: monitor the worker too, by the rules below.
- A receiver that does not answer gets the alerts later. \`bursar doctor\` names it with the reason, and the alert \`job-failing\` is raised after five minutes. \`bursar alerts test\` sends a test to each receiver.

## Prometheus

[prometheus/alerts.yml](prometheus/alerts.yml) has a rule for each kind, by the metric \`bursar_open_alerts\`, and one for a worker, watcher or api that does not answer. Use either these rules or the receiver \`alertmanager\`: with both, each alert comes twice.

## All kinds

| alert | severity | ends | reports | page | not sent to people while open |
|---|---|---|---|---|---|
${rows.map(rowOf).join('\n')}
`

function rowOf([kind, { severity, ends, page, cause }]: [string, AlertRow]): string {
  const ended = ends === 'cause' ? 'with its cause' : '`bursar alerts end`'
  return `| \`${kind}\` | ${severity} | ${ended} | ${cause} | ${page === null ? 'the text says what to do' : `[${page}](${page})`} | ${causesOf(kind)} |`
}

function causesOf(kind: string): string {
  return EXPLAINED.filter((one) => one.kind === kind)
    .map(({ cause }) => `\`${cause}\``)
    .join(', ')
}

/** `docs/operating/prometheus/alerts.yml`, in Prometheus' format of alerting rules. */
export const alertRules = (): string => `# Written by npm run generate. Rules for Prometheus: see ../alerts.md.
groups:
  - name: bursar
    rules:
      - alert: BursarProcessSilent
        expr: absent(bursar_sign_of_life_age_seconds) or max(bursar_sign_of_life_age_seconds) > 60
        for: 1m
        labels: { severity: critical }
        annotations:
          summary: no process of Bursar answers, or a role has not reported for a minute
          page: docs/operating/production.md
${rows.map(ruleOf).join('\n')}
`

function ruleOf([kind, { severity, page, cause }]: [string, AlertRow]): string {
  const matcher = kind.endsWith('*') ? matcherOfPrefix(kind.slice(0, -1)) : `kind="${kind}"`
  // A warning may pass by itself: it is sent when it has lasted.
  return `      - alert: ${alertNameOf(kind)}
        expr: max by (kind) (bursar_open_alerts{${matcher}}) > 0
        for: ${severity === 'critical' ? '0m' : '10m'}
        labels: { severity: ${severity} }
        annotations:
          summary: ${JSON.stringify(cause)}
          page: docs/operating/${page ?? 'alerts.md'}`
}

/** The kinds with a prefix that have no row, and so no rule, of their own. */
function matcherOfPrefix(prefix: string): string {
  const others = rows.map(([kind]) => kind).filter((kind) => kind.startsWith(prefix) && !kind.endsWith('*'))
  return `kind=~"${prefix}.+"${others.map((kind) => `, kind!="${kind}"`).join('')}`
}

/** The name of the rule of a kind. */
export function alertNameOf(kind: string): string {
  const words = kind.replace('*', 'refuses').split('-')
  return `Bursar${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`
}
