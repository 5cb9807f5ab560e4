import Type, { type Static } from 'typebox'
import { formatUnits } from '../../platform/money/index.ts'
import { amount, byName, count, text } from '../../platform/config/fields.ts'
import { withRule, type NoteProblem } from '../../platform/config/shape.ts'
import { minorUnitsOf, SCALE } from './amount.ts'
import { createAcquirerHttp, type AcquirerHttp } from './http.ts'
import type { AcquirerCapabilities, AmountLimits, CardTicker } from './port.ts'

/** Settings common to accounts of every kind in `BURSAR_ACQUIRERS_FILE`. */

export type Limits = Pick<AcquirerCapabilities, 'payIn' | 'payout'>

export const CARD_TICKERS: readonly CardTicker[] = ['UAH', 'KZT']
const TIMEOUT_MS = 20_000
const UNIT = 'whole units of the currency'

/** Lower and upper limit, inclusive, above 0 and with at most two decimals. */
export const AMOUNT_MEMBERS = {
  least: amount('minimum of one order', { unit: UNIT }),
  most: amount('maximum of one order', { unit: UNIT }),
}
type Amounts = Record<keyof typeof AMOUNT_MEMBERS, string>

export const noteAmounts = ({ least, most }: Amounts, note: NoteProblem): void => {
  const [from, to] = [minorUnitsOf(least), minorUnitsOf(most)]
  if (from === undefined || from === 0n) note('write an amount above 0 of at most two decimals', 'least')
  if (to === undefined || to === 0n) note('write an amount above 0 of at most two decimals', 'most')
  if (from !== undefined && to !== undefined && from > to) note('it is above most', 'least')
}

export const limitsOf = ({ least, most }: Amounts): AmountLimits => ({
  least: minorUnitsOf(least)!,
  most: minorUnitsOf(most)!,
})

const AMOUNTS = withRule(Type.Object(AMOUNT_MEMBERS), noteAmounts)

const inWords = (limits: Limits['payIn']): string =>
  Object.entries(limits)
    .map(([ticker, { least, most }]) => `${ticker} ${formatUnits(least, SCALE)} to ${formatUnits(most, SCALE)}`)
    .join(', ') || 'none are made'

/** @param standard limits of an account that does not configure a direction */
export const accountMembers = <Ticker extends CardTicker>(tickers: readonly Ticker[], standard: Limits) => ({
  name: text(
    'the name of the account here. It is part of the ledger and of the callback URL: never change it, and never reuse it for another account',
    {
      pattern: '^[A-Za-z0-9][A-Za-z0-9-]{0,31}$',
      says: '1 to 32 letters, digits and dashes, and no dash first',
    },
  ),
  payIn: Type.Optional(
    byName(tickers, AMOUNTS, {
      description: 'limits of one payment by currency, as agreed with the acquirer. `{}`: payments are not made',
      absent: inWords(standard.payIn),
      key: 'CURRENCY',
    }),
  ),
  payout: Type.Optional(
    byName(tickers, AMOUNTS, {
      description: 'limits of one payout by currency, as agreed with the acquirer',
      absent: inWords(standard.payout),
      key: 'CURRENCY',
    }),
  ),
  timeoutMs: Type.Optional(
    count("timeout of a request. After it a payout's outcome is unknown: it is queried, and never sent again", {
      least: 100,
      most: 120_000,
      standard: TIMEOUT_MS,
      unit: 'ms',
    }),
  ),
})

type Direction = Partial<Record<CardTicker, Static<typeof AMOUNTS>>>
interface Given {
  name: string
  payIn?: Direction
  payout?: Direction
  timeoutMs?: number
}

/** The rule that an account offers something. */
export const offersSomething =
  (standard: Limits) =>
  (
    { payIn = standard.payIn, payout = standard.payout }: Partial<Record<keyof Limits, object>>,
    note: NoteProblem,
  ): void => {
    if (Object.keys(payIn).length + Object.keys(payout).length === 0)
      note('it is missing, and so is payout: write {"UAH": {"least": "25", "most": "29999"}}', 'payIn')
  }

/** The settings of an account that every kind of adapter uses. */
export const accountOf = (
  { name, payIn, payout, timeoutMs = TIMEOUT_MS }: Given,
  standard: Limits,
): { name: string; capabilities: Limits; http: AcquirerHttp } => ({
  name,
  capabilities: {
    payIn: payIn ? directionOf(payIn) : standard.payIn,
    payout: payout ? directionOf(payout) : standard.payout,
  },
  http: createAcquirerHttp({ account: name, timeoutMs }),
})

const directionOf = (given: Direction): Limits['payIn'] =>
  Object.fromEntries(Object.entries(given).map(([ticker, amounts]) => [ticker, limitsOf(amounts)]))
