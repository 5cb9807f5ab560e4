import { pointed } from '@bursar/checkout/amounts'
import { isNetwork, type Network } from '@bursar/chainkit'
import type { Catalogue } from '../../market/assets/index.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { UnitRange } from '../../platform/lists/page.ts'
import type { ListedAsset } from '../../platform/lists/reading.ts'
import { parseUnits } from '../../platform/money/index.ts'
import { readDays } from '../frame/index.ts'
import { KINDS, type Kind } from './payment.ts'

export const STATUS_GROUPS = ['waiting', 'processing', 'paid', 'ended'] as const
/** A group of states. A deposit that is being checked is in progress; an underpaid invoice has ended. */
export type StatusGroup = (typeof STATUS_GROUPS)[number]

/** Conditions on payments, all of which hold. They are the query of the page's URL. */
export interface Filter extends UnitRange {
  text: string | null
  kind: Kind | null
  statusGroup: StatusGroup | null
  asset: (ListedAsset & { isCrypto: boolean }) | null
  network: Network | null
  /** invoices that payers made from this payment link */
  linkId: string | null
  timeFrom: Date | null
  timeTo: Date | null
}

const FIELDS = ['q', 'kind', 'status', 'asset', 'network', 'from', 'to', 'least', 'most', 'link'] as const
const LONGEST = 300

export interface ReadFilter {
  filter: Filter
  /** the fields as typed, without empty ones: for links and for the form */
  typed: Readonly<Record<string, string>>
  isFiltered: boolean
  /** a field is not valid, and was left out */
  isWrong: boolean
}

/** Reads the filter of a URL. A field that is not valid is left out, because URLs are shared, typed and old. */
export const readFilter = (query: Readonly<Record<string, string>>, catalogue: Catalogue): ReadFilter => {
  const typed = typedIn(query)
  const asset = typed.asset === undefined ? null : assetOf(typed.asset, catalogue)
  const { isWrong: isWrongDay, ...days } = readDays({ from: typed.from ?? '', to: typed.to ?? '' })
  const least = unitsIn(typed.least, asset)
  const most = unitsIn(typed.most, asset)
  const filter: Filter = {
    text: typed.q ?? null,
    kind: oneOf(KINDS, typed.kind),
    statusGroup: oneOf(STATUS_GROUPS, typed.status),
    asset,
    network: typed.network !== undefined && isNetwork(typed.network) ? typed.network : null,
    linkId: typed.link !== undefined && isUuid(typed.link) ? typed.link : null,
    unitsFrom: least,
    unitsTo: most,
    ...days,
  }
  const isWrong =
    isWrongDay ||
    (typed.least !== undefined && least === null) ||
    (typed.most !== undefined && most === null) ||
    (typed.asset !== undefined && asset === null) ||
    (typed.link !== undefined && filter.linkId === null) ||
    (typed.kind !== undefined && filter.kind === null) ||
    (typed.status !== undefined && filter.statusGroup === null) ||
    (typed.network !== undefined && filter.network === null)
  return { filter, typed, isFiltered: Object.keys(typed).length > 0, isWrong }
}

const typedIn = (query: Readonly<Record<string, string>>): Record<string, string> => {
  const typed: Record<string, string> = {}
  for (const field of FIELDS) {
    const text = (query[field] ?? '').trim()
    if (text !== '' && text.length <= LONGEST && !text.includes('\0')) typed[field] = text
  }
  return typed
}

const oneOf = <One extends string>(values: readonly One[], text: string | undefined): One | null =>
  values.find((value) => value === text) ?? null

const assetOf = (ticker: string, catalogue: Catalogue): Filter['asset'] => {
  const asset = catalogue.find(ticker)
  return asset === undefined
    ? null
    : { ticker, scale: asset.scale, isCrypto: catalogue.findCrypto(ticker) !== undefined }
}

/** Amounts of different assets can't be compared: without an asset there is no bound. */
const unitsIn = (text: string | undefined, asset: ListedAsset | null): bigint | null => {
  if (text === undefined || asset === null) return null
  const decimal = pointed(text.replaceAll(/\s/g, ''))
  if (decimal === undefined) return null
  const parsed = parseUnits(decimal, asset.scale)
  return parsed.ok ? parsed.units : null
}
