/**
 * The interfaces that acquirers have: the sandbox's bank, LiqPay, WayForPay and Freedom Pay. The emulators are the
 * sandbox's. Each is written from the acquirer's documents, which its `dialect.ts` names with the rows of
 * docs/dialects.md, and not from our adapter.
 */
import type { Context, Dialect } from '../../../sandbox/acquirers/emulator/context.ts'
import { freedompayDialect } from '../../../sandbox/acquirers/freedompay/dialect.ts'
import { freedompayRoutes } from '../../../sandbox/acquirers/freedompay/routes.ts'
import { liqpayDialect } from '../../../sandbox/acquirers/liqpay/dialect.ts'
import { liqpayRoutes } from '../../../sandbox/acquirers/liqpay/routes.ts'
import { wayforpayDialect } from '../../../sandbox/acquirers/wayforpay/dialect.ts'
import { wayforpayRoutes } from '../../../sandbox/acquirers/wayforpay/routes.ts'
import { amountOf, currencies, priceList, type Currency } from '../../../sandbox/bank/terms.ts'
import type { Route } from '../../../sandbox/http/server.ts'
import type { Random } from '../../../sandbox/random.ts'
import { BANK_SECRET, FREEDOMPAY_ACCOUNT, LIQPAY_ACCOUNT, WAYFORPAY_ACCOUNT } from '../installation/keys.ts'

/** Stores a secret in a file. @returns its path */
export type SecretFile = (name: string, secret: string) => string

/** @param url origin, without a slash at the end */
type Entry = (place: { name: string; url: string }, secretFile: SecretFile) => object

export interface Interface {
  readonly name: string
  readonly currencies: readonly Currency[]
  /** undefined: the sandbox's bank */
  readonly emulated?: {
    dialect(context: () => Context): Dialect
    routes(context: Context): Route[]
  }
  /** an account's entry in the acquirers file */
  readonly entry: Entry
}

/** The bank's limits, in the currencies of an interface. */
const limits = (direction: 'payIn' | 'payout', own: readonly Currency[]): object =>
  Object.fromEntries(
    own.map((currency) => {
      const { least, most } = priceList[direction][currency].limits
      return [currency, { least: amountOf(least), most: amountOf(most) }]
    }),
  )

const common = ({ name }: { name: string }, own: readonly Currency[]): object => ({
  name,
  payIn: limits('payIn', own),
  payout: limits('payout', own),
  timeoutMs: 5_000,
})

export const BANK: Interface = {
  name: 'bank',
  currencies,
  entry: (place, secretFile) => ({
    ...common(place, currencies),
    kind: 'bank',
    url: place.url,
    account: place.name,
    secretFile: secretFile('bank', BANK_SECRET),
  }),
}

const liqpay = (version: 3 | 7): Interface => {
  const account = { ...LIQPAY_ACCOUNT, version }
  return {
    name: `LiqPay, version ${version}`,
    currencies: ['UAH'],
    emulated: { dialect: () => liqpayDialect(account), routes: (context) => liqpayRoutes(context, account) },
    entry: (place, secretFile) => ({
      ...common(place, ['UAH']),
      kind: 'liqpay',
      url: place.url,
      publicKey: account.publicKey,
      privateKeyFile: secretFile('liqpay', account.privateKey),
      version,
    }),
  }
}

const wayforpay = (page: 'form' | 'invoice'): Interface => ({
  name: `WayForPay, by ${page}`,
  currencies: ['UAH'],
  emulated: {
    dialect: () => wayforpayDialect(WAYFORPAY_ACCOUNT),
    routes: (context) => wayforpayRoutes(context, WAYFORPAY_ACCOUNT),
  },
  entry: (place, secretFile) => ({
    ...common(place, ['UAH']),
    kind: 'wayforpay',
    apiUrl: place.url,
    payUrl: place.url,
    merchantAccount: WAYFORPAY_ACCOUNT.merchantAccount,
    secretKeyFile: secretFile('wayforpay', WAYFORPAY_ACCOUNT.secretKey),
    domain: WAYFORPAY_ACCOUNT.domain,
    page,
  }),
})

const freedompay: Interface = {
  name: 'Freedom Pay',
  currencies: ['KZT'],
  emulated: {
    dialect: () => freedompayDialect(FREEDOMPAY_ACCOUNT),
    routes: (context) => freedompayRoutes(context, FREEDOMPAY_ACCOUNT),
  },
  entry: (place, secretFile) => ({
    ...common(place, ['KZT']),
    kind: 'freedompay',
    url: place.url,
    merchantId: FREEDOMPAY_ACCOUNT.merchantId,
    secretKeyFile: secretFile('freedompay', FREEDOMPAY_ACCOUNT.secretKey),
    payoutSecretKeyFile: secretFile('freedompay-payouts', FREEDOMPAY_ACCOUNT.payoutSecretKey),
    // Its pause between two calls would be real time.
    spacingMs: 0,
  }),
}

export const INTERFACES = [BANK, liqpay(3), liqpay(7), wayforpay('form'), wayforpay('invoice'), freedompay] as const

/** The accounts of a run: the second takes over when the first fails, in the currencies of both. */
export const ACCOUNTS = ['acquirer', 'acquirer-reserve'] as const

/** Pairs that together have every currency. */
const PAIRS = INTERFACES.flatMap((first) => INTERFACES.map((second) => [first, second] as const)).filter((pair) =>
  currencies.every((currency) => pair.some((one) => one.currencies.includes(currency))),
)

/** Draws the interfaces of the accounts, in their order. */
export const drawInterfaces = (random: Random): readonly [Interface, Interface] => random.pick(PAIRS)
