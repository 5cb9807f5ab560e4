import { isNetwork } from '@bursar/chainkit'
import { PLATFORM, type AccountKey, type AccountKind } from '../../ledger/postings/index.ts'

/** A ledger account as an operator types it: `fees`, `suspense:MERCHANT`, `custody:TRON`, `acquirer:NAME`. */
export interface NamedAccount {
  kind: Kind
  /** the part after the colon; null when there is none */
  of: string | null
}

/** The meaning of the part after the colon: a merchant's id, a network, or an account with an acquirer. */
const KINDS = {
  merchant: 'merchant',
  suspense: 'merchant or nothing',
  quarantine: 'merchant',
  receivable: 'merchant',
  fees: 'merchant or nothing',
  capital: 'nothing',
  losses: 'nothing',
  custody: 'network',
  acquirer: 'name',
} as const
export type Kind = keyof typeof KINDS

/**
 * The allowed pairs of accounts, with reasons. Units move from the first account to the second. "From" makes losses and
 * receivables larger and "to" makes them smaller; for custody and acquirers it is the other way round, because of the
 * signs of the ledger.
 */
export const PAIRS: readonly (readonly [from: Kind, to: Kind, why: string])[] = [
  ['suspense', 'merchant', 'the money belongs to this merchant'],
  ['suspense', 'capital', 'the money belongs to the owner'],
  ['suspense', 'losses', 'lost money has come back'],
  ['quarantine', 'merchant', 'a rejected deposit: a merchant of the platform sends it back to its sender'],
  ['quarantine', 'suspense', 'a rejected deposit waits in suspense until its use is decided'],
  [
    'capital',
    'merchant',
    'the owner takes capital, by a withdrawal of a merchant of the platform, or gives it to a merchant',
  ],
  ['capital', 'suspense', 'money was posted as capital, but does not belong to the owner'],
  ['capital', 'losses', 'the owner pays for a loss'],
  ['fees', 'merchant', 'the owner takes income, by a withdrawal of a merchant of the platform'],
  ['fees', 'capital', 'income stays in the platform'],
  ['fees', 'losses', 'income pays for a loss'],
  ['losses', 'receivable', "a merchant's debt is written off"],
  ['losses', 'custody', 'an address holds less than the books say: a theft, or a fee that a token deducted'],
  ['losses', 'acquirer', 'an acquirer holds less than the books say'],
  ['losses', 'merchant', 'a merchant is paid for a fault of the platform'],
  ['receivable', 'acquirer', 'a merchant owes money that was given back for a card payout which was paid after all'],
  ['acquirer', 'merchant', 'an acquirer holds more than the books say, and the excess belongs to the merchant'],
  ['acquirer', 'suspense', 'an acquirer holds more than the books say, and the owner of the excess is not known'],
  ['merchant', 'capital', 'a merchant of the platform gives back money that it did not withdraw'],
  ['merchant', 'losses', 'a merchant pays for a loss, as it has agreed'],
]

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const isShaped = (kind: Kind, of: string | null): boolean => {
  const takes = KINDS[kind]
  if (of === null) return takes === 'nothing' || takes === 'merchant or nothing'
  if (takes === 'network') return isNetwork(of)
  if (takes === 'name') return /^[a-zA-Z0-9_-]+$/.test(of)
  return takes !== 'nothing' && UUID.test(of)
}

/** Parses an account as typed. Throws an Error that names the allowed forms. */
export const readAccount = (text: string): NamedAccount => {
  const [kind = '', ...rest] = text.split(':')
  const of = rest.length === 0 ? null : rest.join(':')
  if (!Object.hasOwn(KINDS, kind))
    throw new Error(`"${text}" is no account: write one of ${Object.keys(KINDS).join(', ')}`)
  if (!isShaped(kind as Kind, of))
    throw new Error(`"${text}": "${kind}:" must be followed by ${describe(KINDS[kind as Kind])}`)
  return { kind: kind as Kind, of }
}

const describe = (takes: (typeof KINDS)[Kind]): string => {
  if (takes === 'nothing') return 'nothing'
  if (takes === 'merchant or nothing') return 'a colon and the id of a merchant, or nothing for the platform'
  return `a colon and ${{ merchant: 'the id of a merchant', network: 'a network', name: 'the name of an account with an acquirer' }[takes]}`
}

export const accountText = ({ kind, of }: NamedAccount): string => (of === null ? kind : `${kind}:${of}`)

/** Throws unless the table allows it. */
export const requirePair = (from: NamedAccount, to: NamedAccount): void => {
  if (PAIRS.some(([source, target]) => source === from.kind && target === to.kind)) return
  const targets = PAIRS.filter(([source]) => source === from.kind).map(([, target]) => target)
  const may =
    targets.length === 0 ? `nothing is taken from ${from.kind}` : `from ${from.kind} it goes to ${targets.join(', ')}`
  throw new Error(`no adjustment goes from ${from.kind} to ${to.kind}: ${may}`)
}

const PLACED: readonly Kind[] = ['custody', 'acquirer']

/**
 * Returns the ledger account. Accounts with networks and acquirers, and those without a merchant, are the platform's.
 */
export const keyOf = ({ kind, of }: NamedAccount, asset: string): AccountKey => {
  const isPlaced = PLACED.includes(kind)
  return {
    merchantId: isPlaced || of === null ? PLATFORM : of,
    asset,
    kind: (isPlaced ? `${kind}:${of}` : kind) as AccountKind,
  }
}

export const merchantOf = ({ kind, of }: NamedAccount): string | null => (PLACED.includes(kind) ? null : of)
