import { REFUSALS } from '@bursar/signer/refusals'
import type { RefusalClass, SignerRefusal } from '../../adapters/signer/port.ts'
import type { AlertKind } from '../../platform/runtime/alert-kinds.ts'
import type { Alert } from '../../platform/runtime/alerts.ts'
import type { Outgoing, Purpose } from './transaction.ts'

/** Returns the class of a refusal: the scope that it applies to. The table is the signer's. */
export const classOf = ({ refused }: Pick<SignerRefusal, 'refused'>): RefusalClass => REFUSALS[refused].of

/** Pauses by refusal: hourly and daily sums decrease by themselves, but a person has to change a switch. */
const NOW_PAUSES_MS: Readonly<Partial<Record<SignerRefusal['refused'], number>>> = {
  velocity: 60_000,
  disabled: 30_000,
  busy: 5_000,
  'log-cut-back': 60_000,
}

/** After this long the operator may have changed a limit. */
const PAUSE_MS = 5 * 60_000

/** After this long a person may have approved. The signer lists a payment for approval while it is asked for it. */
const APPROVAL_PAUSE_MS = 30_000

/** How long to wait before a refused transaction is tried again. */
export const pauseAfter = (refusal: Pick<SignerRefusal, 'refused'>): number => {
  const of = classOf(refusal)
  if (of === 'now') return NOW_PAUSES_MS[refusal.refused] ?? PAUSE_MS
  if (refusal.refused === 'needs-approval') return APPROVAL_PAUSE_MS
  return of === 'nonce' ? 0 : PAUSE_MS
}

/** Whether the signer did not judge the request: it may have been signed before, and is sent again unchanged. */
export const isUnjudged = ({ refused }: Pick<SignerRefusal, 'refused'>): boolean =>
  refused === 'busy' || refused === 'log-cut-back'

/** Kinds of the alerts about refusals. */
export const SIGNER_ALERTS: readonly AlertKind[] = Object.keys(REFUSALS).map((code): AlertKind => `signer-${code}`)

/** Kinds of the alerts about one transaction, which end when it is mined or can't be mined any more. */
export const TRANSACTION_ALERTS: readonly AlertKind[] = ['broadcast', 'stuck', ...SIGNER_ALERTS]

/** Subject of alerts about refusals of new transactions of a purpose. */
export const refusalSubject = (network: string, purpose: Purpose): string => `${network}/${purpose}`

/**
 * Returns the alert about a refusal. For a refusal that applies to all transactions its subject is the network, however
 * many wait.
 */
export const alertOf = ({ refused, message }: SignerRefusal, network: string, purpose: Purpose): Alert => {
  const isForAll = classOf({ refused }) === 'now'
  const text = `The signer refuses to sign for ${network}${isForAll ? '' : ` (${purpose})`}: ${message}`
  return { kind: `signer-${refused}`, subject: isForAll ? network : refusalSubject(network, purpose), text }
}

/**
 * Returns the alert about the refusal of a replacement. Unless the refusal applies to all transactions, its subject is
 * the transaction, and the alert ends when a replacement is signed or the transaction is mined.
 */
export const alertOfReplacement = (refusal: SignerRefusal, { id, network, purpose }: Outgoing): Alert => {
  const alert = alertOf(refusal, network, purpose)
  if (classOf(refusal) === 'now') return alert
  return { ...alert, subject: id, text: `${alert.text}. It is the replacement of transaction ${id}` }
}
