import type { SendingPolicy } from '../../chain/transactions/index.ts'

/** When a batch leaves, and how long the young ones stand back for an old one that the coins don't pay. Times in ms. */
export type BatchRules = Pick<SendingPolicy, 'mostPayments' | 'batchWaitMs' | 'saveUpAfterMs' | 'saveUpMs'>

export interface Batch<W> {
  /** to be paid with one transaction, oldest first */
  chosen: W[]
  /** the oldest that the coins do not pay, if any */
  short: W | undefined
  /** full, or its oldest has waited long enough for company */
  leaves: boolean
}

/**
 * Chooses what one transaction pays, oldest first. What the coins can't pay lets younger ones pass, so that it holds up
 * nobody; once it has waited for `saveUpAfterMs` all coins are kept for it for `saveUpMs`, then the younger ones go
 * again for as long, and so on: neither waits for ever for the other.
 * @param waiting oldest first
 * @param canPay whether the coins pay these together, fee and change included
 */
export const chooseBatch = <W extends { createdAt: Date }>(
  waiting: readonly W[],
  canPay: (chosen: readonly W[]) => boolean,
  rules: BatchRules,
  now: number,
): Batch<W> => {
  const chosen: W[] = []
  let short: W | undefined
  for (const one of waiting) {
    if (chosen.length === rules.mostPayments) break
    if (canPay([...chosen, one])) chosen.push(one)
    else {
      short ??= one
      if (savesUp(now - short.createdAt.getTime(), rules)) break
    }
  }
  const [oldest] = chosen
  const leaves =
    oldest !== undefined &&
    (chosen.length === rules.mostPayments || now - oldest.createdAt.getTime() >= rules.batchWaitMs)
  return { chosen, short, leaves }
}

/** Whether all coins are kept at this age for a withdrawal that they do not pay. */
const savesUp = (ageMs: number, { saveUpAfterMs, saveUpMs }: BatchRules): boolean =>
  saveUpMs > 0 && ageMs >= saveUpAfterMs && Math.floor((ageMs - saveUpAfterMs) / saveUpMs) % 2 === 0
