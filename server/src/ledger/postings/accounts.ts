/**
 * The kinds of account. `normal` is the side that raises it; entries are signed with credits positive, so a
 * debit-normal account is negative in the tables. A bounded account never has less than zero available (posted - held);
 * the database enforces it. Platform kinds are sub-accounted per merchant, so that no row is hot for everyone.
 */
export interface KindRule {
  normal: 'credit' | 'debit'
  bounded: boolean
  meaning: string
}

const RULES = {
  merchant: { normal: 'credit', bounded: true, meaning: 'the amount that the merchant may spend' },
  custody: { normal: 'debit', bounded: false, meaning: 'the balances of our addresses, per network' },
  transit: { normal: 'debit', bounded: false, meaning: 'mined on its way out, not final yet, per network' },
  fees: { normal: 'credit', bounded: false, meaning: 'income' },
  'network-costs': { normal: 'debit', bounded: false, meaning: 'gas and miner fees paid' },
  suspense: { normal: 'credit', bounded: true, meaning: 'money we hold and cannot yet attribute' },
  quarantine: { normal: 'credit', bounded: true, meaning: 'money held by screening' },
  capital: { normal: 'credit', bounded: false, meaning: "the owner's money" },
  losses: { normal: 'debit', bounded: false, meaning: 'thefts, fees that tokens deducted, debts written off' },
  receivable: { normal: 'debit', bounded: false, meaning: 'the amount that a merchant owes after a reversal' },
  position: {
    normal: 'credit',
    bounded: false,
    meaning: "the platform's holding for exchanges; never below zero in sum",
  },
  clearing: { normal: 'credit', bounded: false, meaning: 'between two merchants of one operation' },
  acquirer: {
    normal: 'debit',
    bounded: false,
    meaning: 'our balance with an acquirer, per account with it; negative: an advance by the acquirer',
  },
  'acquirer-costs': { normal: 'debit', bounded: false, meaning: 'fees that acquirers deducted or charged in addition' },
  settlement: {
    normal: 'debit',
    bounded: false,
    meaning: 'between an acquirer and our bank account, per account with the acquirer',
  },
  bank: { normal: 'debit', bounded: false, meaning: 'in our bank accounts' },
  venue: { normal: 'debit', bounded: false, meaning: 'our balance on a venue for hedging, per venue' },
  'venue-costs': { normal: 'debit', bounded: false, meaning: 'fees of venues' },
} as const satisfies Record<string, KindRule>

type PlacedKind = 'custody' | 'transit' | 'acquirer' | 'settlement' | 'venue'
type PlainKind = Exclude<keyof typeof RULES, PlacedKind>
/**
 * Kinds as stored; custody and transit carry their network, acquirer and settlement the name of the account with the
 * acquirer, venue its name.
 */
export type AccountKind = PlainKind | `${PlacedKind}:${string}`

/** The owner of platform accounts that belong to no merchant. */
export const PLATFORM = '00000000-0000-0000-0000-000000000000'

export interface AccountKey {
  merchantId: string
  asset: string
  kind: AccountKind
}

export const ruleOf = (kind: AccountKind): KindRule => {
  const rule = (RULES as Record<string, KindRule>)[kind.split(':')[0]!]
  if (!rule) throw new RangeError(`no such account kind: ${kind}`)
  return rule
}

/** One text for one account, usable as a map key. */
export const keyText = (key: AccountKey): string => `${key.merchantId}/${key.asset}/${key.kind}`
