import { pointed } from '@bursar/checkout/amounts'
import { isNetwork } from '@bursar/chainkit'
import type { PayoutFilter } from '../../cards/card-payouts/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { WithdrawalFilter } from '../../pay-out/withdrawals/index.ts'
import { parseUnits } from '../../platform/money/index.ts'
import { readDays, type Days } from '../frame/index.ts'

/** Payouts on a chain, or to cards. */
export type MadeKind = 'chain' | 'card'

export const STATUSES = {
  chain: ['Pending', 'Done', 'Failed'],
  card: ['PENDING', 'DONE'],
} as const

const FIELDS = [
  'kind',
  'status',
  'asset',
  'network',
  'address',
  'hash',
  'localId',
  'meta',
  'least',
  'most',
  'from',
  'to',
]
const LONGEST = 300

/** The filter of a URL. A field that is not valid is left out, because URLs are shared, typed and old. */
export interface MadeFilter {
  kind: MadeKind
  chain: WithdrawalFilter
  card: PayoutFilter
  days: Days
  /** the fields as typed, without empty ones: for links and for the form */
  typed: Readonly<Record<string, string>>
  isWrong: boolean
}

export const readMadeFilter = (query: Readonly<Record<string, string>>, catalogue: Catalogue): MadeFilter => {
  const typed: Record<string, string> = {}
  for (const field of FIELDS) {
    const text = (query[field] ?? '').trim()
    if (text !== '' && text.length <= LONGEST && !text.includes('\0')) typed[field] = text
  }
  const { status, asset: ticker, network, address, hash, localId, meta, least, most } = typed
  const kind: MadeKind = typed['kind'] === 'card' ? 'card' : 'chain'
  const found =
    ticker === undefined ? undefined : kind === 'card' ? catalogue.findFiat(ticker) : catalogue.findCrypto(ticker)
  const units = (text: string | undefined): bigint | null => {
    const decimal = text === undefined ? undefined : pointed(text.replaceAll(/\s/g, ''))
    const parsed = decimal === undefined || !found ? undefined : parseUnits(decimal, found.scale)
    return parsed?.ok ? parsed.units : null
  }
  const [unitsFrom, unitsTo, days] = [
    units(least),
    units(most),
    readDays({ from: typed['from'] ?? '', to: typed['to'] ?? '' }),
  ]
  const isKnown = status === undefined || (STATUSES[kind] as readonly string[]).includes(status)
  const both = {
    ids: null,
    ticker: found?.ticker ?? null,
    unitsFrom,
    unitsTo,
    localId: localId ?? null,
    meta: meta ?? null,
  }
  return {
    kind,
    chain: {
      ...both,
      status: STATUSES.chain.find((one) => one === status) ?? null,
      blockchain: network !== undefined && isNetwork(network) ? network : null,
      address: address ?? null,
      hash: hash ?? null,
    },
    card: { ...both, status: STATUSES.card.find((one) => one === status) ?? null },
    days,
    typed,
    isWrong:
      days.isWrong ||
      !isKnown ||
      (ticker !== undefined && !found) ||
      (network !== undefined && !isNetwork(network)) ||
      (least !== undefined && unitsFrom === null) ||
      (most !== undefined && unitsTo === null),
  }
}
