/** Adapters for acquirers behind one port. Guarantees that an unknown outcome is never reported as a refusal. */
import Type, { type Static } from 'typebox'
import { choice } from '../../platform/config/fields.ts'
import { readShape, withRule } from '../../platform/config/shape.ts'
import { AMOUNT_MEMBERS, CARD_TICKERS, limitsOf, noteAmounts } from './account.ts'
import { BANK_SHAPE, createBank, readBankSettings } from './bank/index.ts'
import { createFreedomPay, FREEDOMPAY_SHAPE, readFreedomPaySettings } from './freedompay/index.ts'
import { createLiqPay, LIQPAY_SHAPE, readLiqPaySettings } from './liqpay/index.ts'
import type { Acquirer, CardTicker } from './port.ts'
import { createWayForPay, readWayForPaySettings, WAYFORPAY_SHAPE } from './wayforpay/index.ts'

export { AcquirerUnreachable } from './port.ts'
export type { Acquirer, AcquirerState } from './port.ts'

/** Every kind of acquirer that this build supports. */
const ACCOUNT = Type.Union([BANK_SHAPE, LIQPAY_SHAPE, WAYFORPAY_SHAPE, FREEDOMPAY_SHAPE])

const openAccount = (account: Static<typeof ACCOUNT>): Acquirer => {
  switch (account.kind) {
    case 'bank':
      return createBank(readBankSettings(account))
    case 'liqpay':
      return createLiqPay(readLiqPaySettings(account))
    case 'wayforpay':
      return createWayForPay(readWayForPaySettings(account))
    case 'freedompay':
      return createFreedomPay(readFreedomPaySettings(account))
  }
}

const RULE = withRule(
  Type.Object({
    direction: choice('payments, or payouts', ['payIn', 'payout']),
    ticker: choice('the currency', CARD_TICKERS),
    ...AMOUNT_MEMBERS,
    acquirers: Type.Array(Type.String({ says: 'the name of an account' }), {
      description: 'names of accounts, in order of preference',
    }),
  }),
  noteAmounts,
)

/** `BURSAR_ACQUIRERS_FILE`: acquirer accounts for cards, and the routing of orders to them. */
export const ACQUIRERS_SHAPE = withRule(
  Type.Object(
    {
      accounts: Type.Array(ACCOUNT, {
        description: 'accounts with acquirers. An order goes to the first account whose limits allow it',
      }),
      routing: Type.Optional(
        Type.Array(RULE, {
          description: 'the first rule that matches an order determines its accounts',
          absent: 'the order of `accounts`',
        }),
      ),
    },
    { description: 'accounts with acquirers for cards' },
  ),
  ({ accounts, routing = [] }, note) => {
    const names = accounts.map(({ name }) => name)
    for (const [i, name] of names.entries()) if (names.indexOf(name) < i) note(`${name} is listed twice`, 'accounts', i)
    for (const [i, { acquirers }] of routing.entries())
      for (const [at, name] of acquirers.entries())
        if (!names.includes(name)) note('there is no account of this name', 'routing', i, 'acquirers', at)
  },
)

/** Accounts for orders of these amounts (minor units, inclusive), in order of preference. */
interface RoutingRule {
  direction: 'payIn' | 'payout'
  ticker: CardTicker
  least: bigint
  most: bigint
  acquirers: readonly string[]
}

/** `BURSAR_ACQUIRERS_FILE`, read. */
export interface AcquirersConfig {
  /** in order of preference, used where no rule applies */
  accounts: readonly { name: string; kind: string; acquirer: Acquirer }[]
  routing: readonly RoutingRule[]
}

/** The accounts by name, in the order of the file. Empty when there is no file. */
export const openAcquirers = (config: AcquirersConfig | null): Map<string, Acquirer> =>
  new Map((config?.accounts ?? []).map(({ name, acquirer }) => [name, acquirer]))

/**
 * Reads the file, and the files of secrets it names. Throws a ShapeError that lists all errors and contains no secret.
 */
export const readAcquirersConfig = (json: unknown): AcquirersConfig => {
  const { accounts, routing = [] } = readShape(ACQUIRERS_SHAPE, json)
  return {
    accounts: accounts.map((account) => ({
      name: account.name,
      kind: account.kind,
      acquirer: openAccount(account),
    })),
    routing: routing.map(({ direction, ticker, acquirers, ...amounts }) => ({
      direction,
      ticker,
      ...limitsOf(amounts),
      acquirers,
    })),
  }
}
