import { REFUSALS } from '@bursar/signer/refusals'
import type { RefusalClass, SignerRefusal } from '../../adapters/signer/port.ts'
import type { Purpose } from './transaction.ts'

/** What a refusal says no to; the table is the signer's. */
export const classOf = ({ refused }: Pick<SignerRefusal, 'refused'>): RefusalClass => REFUSALS[refused].of

/** The sums of an hour and a day move on by themselves, a switch is a person's to set. */
const NOW_PAUSES_MS: Readonly<Partial<Record<SignerRefusal['refused'], number>>> = {
  velocity: 60_000,
  disabled: 30_000,
  busy: 5_000,
  'log-cut-back': 60_000,
}

/** After this long the operator may have changed a limit, or a person approved. */
const PAUSE_MS = 5 * 60_000

/** How long what was refused waits before it is tried again. */
export const pauseAfter = (refusal: Pick<SignerRefusal, 'refused'>): number => {
  const of = classOf(refusal)
  if (of === 'now') return NOW_PAUSES_MS[refusal.refused] ?? PAUSE_MS
  return of === 'nonce' ? 0 : PAUSE_MS
}

/** It was not even judged: the request may have been signed before, and is sent again as it is. */
export const isUnjudged = ({ refused }: Pick<SignerRefusal, 'refused'>): boolean =>
  refused === 'busy' || refused === 'log-cut-back'

/**
 * What an alert about a refusal is about: for as long as it holds for all, the network, however many it keeps waiting.
 */
export const alertOf = (
  { refused, message }: SignerRefusal,
  network: string,
  purpose: Purpose,
): { kind: string; subject: string; text: string } => {
  const isForAll = classOf({ refused }) === 'now'
  const text = `The signer refuses to sign for ${network}${isForAll ? '' : ` (${purpose})`}: ${message}`
  return { kind: `signer-${refused}`, subject: isForAll ? network : `${network}/${purpose}`, text }
}
