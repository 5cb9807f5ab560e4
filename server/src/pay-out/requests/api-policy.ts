/** The policy of payouts for orders of the signed API. */
import { generalErrors, orderErrors } from '@bursar/contract'
import { sql } from 'kysely'
import { type OrderedPayment, type OrderPolicy } from '../../ledger/orders/index.ts'
import { refusal } from '../../platform/api/route.ts'
import { cacheFor } from '../../platform/base/cache.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { keyOf, knownAddresses } from './address-book.ts'
import { addToSums, lockSums, paidByApi, sumOf } from './api-sums.ts'
import { isInForce, readPolicy } from './policy.ts'
import { allowsHour, apiMostOf, ruleOf, type PayoutRules } from './rules.ts'
import { paidBefore } from './store.ts'

/** How old the list of merchants may be whose policy limits the API: as old as the list of stops. */
const CACHED_MS = 500

/**
 * Judges orders of the API by the policy of their merchant. The policy, the address book and the sums are read in the
 * transaction that places the order, under the lock that approvals of members take.
 */
export const createOrderPolicy = ({ db, clock }: Pick<Runtime, 'db' | 'clock'>): OrderPolicy => {
  const limited = cacheFor(CACHED_MS, clock.now, (at) => limitedMerchants(db, new Date(at)))
  const real = (): Date => new Date(clock.now())
  return {
    isLimited: async (merchantId) => (await limited()).has(merchantId),
    lock: lockSums,
    check: async (tx, payment) => {
      const at = real()
      const { rules } = await readPolicy(tx, payment.merchantId, at)
      if (rules.isApiLimited) await check(tx, rules, payment, at)
    },
    record: (tx, { merchantId, asset: { ticker }, units }) => addToSums(tx, { merchantId, ticker, units }, real()),
  }
}

/** The merchants whose present policy limits orders of the API. */
const limitedMerchants = async (db: Db, at: Date): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{ id: string }>`select p.merchant_id as id from payout_policies p
    where p.rules ->> 'isApiLimited' = 'true' and ${isInForce(sql`p`, at)}
      and not exists (select from payout_policies n where n.merchant_id = p.merchant_id and n.version > p.version
        and ${isInForce(sql`n`, at)})`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

const OF_POLICY = 'by the payout policy of this merchant'

const check = async (
  tx: Tx,
  rules: PayoutRules,
  { merchantId, asset: { ticker, scale }, units, to }: OrderedPayment,
  at: Date,
): Promise<void> => {
  if (!allowsHour(rules, at)) {
    throw refusal(generalErrors.unavailable, `no payouts at this hour of the day, ${OF_POLICY}`, {
      retryAfterSeconds: 300,
    })
  }
  if (rules.onlyBook) {
    const known = await knownAddresses(tx, merchantId, at)
    if (to === null || !known.has(keyOf(to.network, to.address)))
      throw refusal(
        orderErrors.destinationRefused,
        `Destination refused: it is not in the address book, ${OF_POLICY}`,
        'to',
      )
  }
  const [members, api] = [await paidBefore(tx, merchantId, at), await paidByApi(tx, merchantId, at)]
  const all = sumOf(members.get(ticker), api.get(ticker))
  const { mostHour, mostDay } = ruleOf(rules, ticker)
  const limits = [
    [apiMostOf(rules, ticker), api.get(ticker)?.day ?? 0n, 'leave by the API in 24 hours'],
    [mostHour, all.hour, 'leave in an hour'],
    [mostDay, all.day, 'leave in 24 hours'],
  ] as const
  for (const [most, paid, span] of limits) {
    if (most === null || paid + units <= most) continue
    const [limit, left] = [formatUnits(most, scale), formatUnits(paid > most ? 0n : most - paid, scale)]
    throw refusal(
      orderErrors.amountTooHigh,
      `Withdraw amount too high: at most ${limit} ${ticker} ${span}, ${OF_POLICY}; ${left} ${ticker} are left`,
      'amount',
    )
  }
}
