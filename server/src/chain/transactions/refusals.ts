import { REFUSALS } from '@bursar/signer/refusals'
import type { RefusalClass, SignerRefusal } from '../../adapters/signer/port.ts'
import type { Alert } from '../../platform/runtime/alerts.ts'
import type { Purpose } from './transaction.ts'

/** Returns the class of a refusal: what it applies to. The table is the signer's. */
export const classOf = ({ refused }: Pick<SignerRefusal, 'refused'>): RefusalClass => REFUSALS[refused].of

/** Pauses by refusal: hourly and daily sums decrease by themselves, but a person has to change a switch. */
const NOW_PAUSES_MS: Readonly<Partial<Record<SignerRefusal['refused'], number>>> = {
  velocity: 60_000,
  disabled: 30_000,
  busy: 5_000,
  'log-cut-back': 60_000,
}

/** After this long the operator may have changed a limit, or a person approved. */
const PAUSE_MS = 5 * 60_000

/** How long to wait before a refused transaction is tried again. */
export const pauseAfter = (refusal: Pick<SignerRefusal, 'refused'>): number => {
  const of = classOf(refusal)
  if (of === 'now') return NOW_PAUSES_MS[refusal.refused] ?? PAUSE_MS
  return of === 'nonce' ? 0 : PAUSE_MS
}

/** Whether the signer did not judge the request: it may have been signed before, and is sent again unchanged. */
export const isUnjudged = ({ refused }: Pick<SignerRefusal, 'refused'>): boolean =>
  refused === 'busy' || refused === 'log-cut-back'

/**
 * Returns the subject of an alert about a refusal. For a refusal that applies to all transactions it is the network,
 * however many wait.
 */
export const alertOf = ({ refused, message }: SignerRefusal, network: string, purpose: Purpose): Alert => {
  const isForAll = classOf({ refused }) === 'now'
  const text = `The signer refuses to sign for ${network}${isForAll ? '' : ` (${purpose})`}: ${message}`
  return { kind: `signer-${refused}`, subject: isForAll ? network : `${network}/${purpose}`, text }
}
