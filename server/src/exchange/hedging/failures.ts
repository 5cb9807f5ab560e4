import type { HedgeOrder } from './order.ts'

/** Consecutive orders, newest first, that ended without a trade. */
export interface Failures {
  count: number
  /** when the newest of them ended */
  lastAt: Date | undefined
}

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 5 * 60_000

/** @param newest orders of one asset, the newest first */
export const failuresOf = (newest: readonly Pick<HedgeOrder, 'state' | 'executed' | 'updatedAt'>[]): Failures => {
  const ended = newest.filter(({ state }) => state !== 'sending' && state !== 'open')
  const good = ended.findIndex(({ executed }) => executed > 0n)
  const count = good === -1 ? ended.length : good
  return { count, lastAt: count === 0 ? undefined : ended[0]!.updatedAt }
}

/** Returns when the next order may be tried, ms: the pause doubles after each failure, up to five minutes. */
export const mayTryAt = ({ count, lastAt }: Failures): number =>
  lastAt === undefined ? 0 : lastAt.getTime() + Math.min(FIRST_PAUSE_MS * 2 ** Math.min(count, 10), LONGEST_PAUSE_MS)
