import { html } from '@bursar/checkout/html'
import type { ReceivedAlert } from './port.ts'

/** Alerts of one kind that a mail names; the others are counted. */
const MOST_NAMED = 5

/** The subject and the two forms of a mail about alerts: those of one kind together, critical ones first. */
export const mailOf = (alerts: readonly ReceivedAlert[]): { subject: string; text: string; html: string } => {
  const parts = [
    ...sectionsOf(
      'Open',
      alerts.filter(({ endedAt, isRepeated }) => endedAt === null && !isRepeated),
    ),
    ...sectionsOf(
      'Still open',
      alerts.filter(({ endedAt, isRepeated }) => endedAt === null && isRepeated),
    ),
    ...sectionsOf(
      'Ended',
      alerts.filter(({ endedAt }) => endedAt !== null),
    ),
  ]
  const text = `${parts.join('\n\n')}\n\nAll open alerts: bursar alerts\n`
  return { subject: subjectOf(alerts), text, html: html`<pre style="white-space:pre-wrap">${text}</pre>`.text }
}

const subjectOf = (alerts: readonly ReceivedAlert[]): string => {
  const open = alerts.filter(({ endedAt }) => endedAt === null)
  const first = open.find(({ severity }) => severity === 'critical') ?? open[0]
  if (!first) return `Bursar: ${alerts.length} ${alerts.length === 1 ? 'alert has' : 'alerts have'} ended`
  const more = open.length > 1 ? ` and ${open.length - 1} more` : ''
  return `Bursar: ${first.severity} ${first.kind}${more}`
}

const sectionsOf = (title: string, alerts: readonly ReceivedAlert[]): string[] => {
  const kinds = [...Map.groupBy(alerts, ({ kind }) => kind).values()]
  return kinds
    .toSorted((a, b) => Number(b[0]!.severity === 'critical') - Number(a[0]!.severity === 'critical'))
    .map((ofKind) => {
      const { severity, kind, page } = ofKind[0]!
      const named = ofKind.slice(0, MOST_NAMED).map((one) => `- ${one.raisedAt.toISOString()} ${one.text}`)
      const others = ofKind.length > MOST_NAMED ? [`- and ${ofKind.length - MOST_NAMED} more of this kind`] : []
      const handbook = page === null ? [] : [`See ${page}`]
      return [`${title}: ${severity} ${kind}`, ...named, ...others, ...handbook].join('\n')
    })
}
