/**
 * Payouts that members ask for: each that was placed exists, and none is made without the approvals, or beyond the
 * limits, of the rules in force then.
 */
import type { Bursar } from '@bursar/sdk'
import type { Payment } from '../acquirers/index.ts'
import type { Books, PaidOut, Requested } from './books.ts'
import { isRefund, isRefundMade } from './member-refunds.ts'
import { judgePolicies, type Placement } from './policies.ts'

/**
 * @param clients by merchant
 * @param payments of the acquirers' own books
 */
export const judgeRequests = async (
  books: Books,
  clients: ReadonlyMap<string, Bursar>,
  payments: readonly Payment[],
): Promise<string[]> => {
  const problems: string[] = []
  const placements = new Map<string, Placement[]>([...clients.keys()].map((name) => [name, []]))
  for (const requested of books.requested) {
    const { merchant } = requested.maker
    const made: Ordered[] = []
    for (const order of ordersOf(requested))
      if (isRefund(requested)) {
        if (isRefundMade(books, payments, requested)) made.push(order)
      } else if ((await clients.get(merchant)!.withdrawals.find(order.localId)) !== undefined) made.push(order)
    problems.push(...judgeRequest(requested, made))
    const placement = placementOf(requested, made)
    if (placement) placements.get(merchant)!.push(placement)
  }
  for (const [merchant, some] of placements) {
    const changes = books.policyChanges.get(merchant) ?? []
    problems.push(...judgePolicies({ changes, added: books.bookAdded.get(merchant) ?? [] }, some))
  }
  return problems
}

/** The program's clock is behind by at most so much, ms. */
const SET_BACK_MS = 3_600_000

/** What a request asks for. */
type Ordered = Pick<PaidOut, 'localId' | 'ticker' | 'units'>

const ordersOf = ({ id, lines, card, refund }: Requested): readonly Ordered[] =>
  refund ? [{ localId: id, ...refund }] : card ? [card] : lines

const nameOf = ({ id, maker }: Requested): string => `payout request ${id} of ${maker.name}`

/** @param made the part that exists */
export const judgeRequest = (requested: Requested, made: readonly Ordered[]): string[] => {
  const { lines, decisions, ended } = requested
  const what = nameOf(requested)
  const problems: string[] = []
  if (made.length > 0 && decisions.length === 0) problems.push(`${what}: is placed, and no member has decided that`)
  if (made.length > 0 && (ended === 'withdrawn' || ended === 'refused'))
    problems.push(`${what}: is placed, and was ${ended}`)
  if (lines.length === 1 && made.length === 0 && ended === 'approved')
    problems.push(`${what}: was approved, and has no withdrawal`)
  return problems
}

/** When and with how many approvals a request was placed; undefined: nothing of it exists. */
export const placementOf = (requested: Requested, made: readonly Ordered[]): Placement | undefined => {
  const { lines, card, decisions, maker } = requested
  // An answer may be lost: then any of the forms may have been the last one.
  const sure = decisions.filter(({ result }) => result === 'placed')
  const last = sure.length > 0 ? sure : decisions
  if (made.length === 0 || last.length === 0) return undefined
  const ended = Math.max(...last.map((one) => one.ended))
  const from = Math.min(...last.map((one) => one.from))
  const others = decisions.filter(({ by, began }) => by.id !== maker.id && began < ended)
  return {
    what: nameOf(requested),
    began: Math.min(...last.map(({ began }) => began)),
    ended,
    from,
    // The worker places all but single payouts later, perhaps by a clock that was set back meanwhile.
    countsFrom: lines.length === 1 ? from : from - SET_BACK_MS,
    to: Math.max(...last.map(({ to }) => to)),
    asked: sumsOf(ordersOf(requested)),
    made: sumsOf(made),
    // No card is in an address book.
    receivers: card
      ? [{ network: 'CARD', address: card.card }]
      : lines.map(({ network, to }) => ({ network, address: to })),
    approvals: new Set(others.map(({ by }) => by.id)).size,
  }
}

const sumsOf = (orders: readonly Ordered[]): Map<string, bigint> => {
  const sums = new Map<string, bigint>()
  for (const { ticker, units } of orders) sums.set(ticker, (sums.get(ticker) ?? 0n) + units)
  return sums
}
