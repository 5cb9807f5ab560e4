import { isUnclear, pointed } from '@bursar/checkout/amounts'
import { isNetwork } from '@bursar/chainkit'
import { orderErrors } from '@bursar/contract'
import { ApiRefusal } from '../../platform/api/route.ts'
import type { Db } from '../../platform/db/index.ts'
import { checkDestination, createPricer, readAmount, readAsset, type Priced, type Rules } from '../withdrawals/index.ts'
import type { PayoutLine } from './content.ts'

const LONGEST_META = 1_000

/** A payout as typed. */
export interface TypedPayout {
  ticker: string
  blockchain: string
  to: string
  amount: string
  meta: string
}

const AMBIGUOUS_TEXT =
  'A comma or a point before exactly three digits is ambiguous: write 1500, or 1.5, or 1.2340 with a fourth digit'

/** A typed amount with a point as its decimal sign. An ambiguous amount stays as it is, and is then refused. */
export const typedAmount = (amount: string): string => pointed(amount) ?? amount

/** A problem of a field. `detail` is a text of the API, in English. */
export interface FieldProblem {
  field: 'asset' | 'to' | 'amount' | 'meta' | 'other'
  detail?: string
}

/** A typed payout as the rules of withdrawals judge it: its price now, or all its problems. */
export type JudgedPayout = { priced: Priced } | { problems: FieldProblem[] }

/**
 * Judges payouts by all rules of a withdrawal of the API, except for the balance. Every payout has the same fee
 * estimates.
 * @param now real time, ms
 */
export const judgePayouts = async (
  db: Db,
  merchantId: string,
  payouts: readonly TypedPayout[],
  rules: Rules,
  now: number,
): Promise<JudgedPayout[]> => {
  const price = await createPricer(db, rules, now)
  const judged: JudgedPayout[] = []
  for (const payout of payouts) {
    const problems = problemsOf(payout, rules)
    const { ticker, blockchain, to, amount } = payout
    const asked = { merchantId, ticker, blockchain, to, amount, spend: 0n }
    judged.push(problems.length > 0 ? { problems } : await judgeWhole(price, asked))
  }
  return judged
}

/**
 * Judges the payout that takes at most an amount from the balance, its fee included.
 * @param spend ledger units
 * @param now real time, ms
 */
export const judgeAll = async (
  db: Db,
  payout: { merchantId: string; ticker: string; blockchain: string; to: string; spend: bigint },
  rules: Rules,
  now: number,
): Promise<JudgedPayout> => judgeWhole(await createPricer(db, rules, now), payout)

/** Problems that each field has by itself. */
const problemsOf = (payout: TypedPayout, rules: Rules): FieldProblem[] => {
  const { blockchain, to, amount, meta } = payout
  const problems: FieldProblem[] = isMeta(meta) ? [] : [{ field: 'meta' }]
  const where = attempt(() => readAsset(payout, rules, orderErrors.invalidOrder))
  // An empty field needs no reason of the API.
  if (payout.ticker === '') problems.push({ field: 'asset' })
  else if (where.refused) problems.push({ field: 'asset', detail: where.refused.message })
  if (to === '') problems.push({ field: 'to' })
  const checked = to !== '' && isNetwork(blockchain) ? checkDestination(blockchain, to, rules) : undefined
  if (checked?.ok === false) problems.push({ field: 'to', detail: checked.why })
  const { value } = where
  const read = value && attempt(() => readAmount(amount, value))
  if (amount === '') problems.push({ field: 'amount' })
  else if (isUnclear(amount)) problems.push({ field: 'amount', detail: AMBIGUOUS_TEXT })
  else if (read?.refused) problems.push({ field: 'amount', detail: read.refused.message })
  return problems
}

type Pricer = Awaited<ReturnType<typeof createPricer>>

const judgeWhole = async (price: Pricer, asked: Parameters<Pricer>[0]): Promise<JudgedPayout> => {
  try {
    return { priced: await price(asked) }
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error
    const { field, message: detail } = error
    return { problems: [{ field: field === 'to' || field === 'amount' ? field : 'other', detail }] }
  }
}

const attempt = <Value>(read: () => Value): { value?: Value; refused?: ApiRefusal } => {
  try {
    return { value: read() }
  } catch (error) {
    if (error instanceof ApiRefusal) return { refused: error }
    throw error
  }
}

export const isMeta = (text: string): boolean =>
  text.length <= LONGEST_META && !text.includes('\0') && text.isWellFormed()

/** A line of a request. It accepts a fee of at most twice the present one, because fees change until it is approved. */
export const lineOf = ({ place, units, fee }: Priced, number: number, meta: string): PayoutLine => ({
  number,
  ticker: place.where.asset.ticker,
  blockchain: place.where.on.network,
  to: place.to,
  units,
  feeLimit: 2n * fee,
  meta: meta === '' ? null : meta,
})
