/** Reads the query of a list. */
import { generalErrors, listPage } from '@bursar/contract'
import { type ApiRefusal, refusal } from '../api/route.ts'
import { isUuid } from '../base/id.ts'
import { parseUnits } from '../money/index.ts'
import type { Clock } from '../runtime/clock.ts'
import type { ListPage, UnitRange } from './page.ts'

export type ListQuery = Readonly<Record<string, string>>

const refuse = (field: string, why: string): ApiRefusal => refusal(generalErrors.invalidRequest, why, field)

/** The cursor of a key, which is valid in the list of its operation only. */
export const cursorOf = (operation: string, key: string): string =>
  Buffer.from(`${operation}/${key}`).toString('base64url')

const keyIn = (operation: string, cursor: string, isKey: (key: string) => boolean): string => {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const key = text.slice(operation.length + 1)
  if (!text.startsWith(`${operation}/`) || !isKey(key) || cursorOf(operation, key) !== cursor)
    throw refuse('after', 'after must be the `next` of a page of this list')
  return key
}

const timeIn = (text: string | undefined): Date | null => (text === undefined ? null : new Date(Number(text)))

/** @param isKey whether a text is a key of this list */
export const readPage = (
  operation: string,
  { limit, after, timeFrom, timeTo }: ListQuery,
  clock: Clock,
  isKey: (key: string) => boolean,
): ListPage => ({
  limit: limit === undefined ? listPage.default : Number(limit),
  after: after === undefined ? null : keyIn(operation, after, isKey),
  timeFrom: timeIn(timeFrom),
  timeTo: timeIn(timeTo),
  aheadMs: clock.business() - clock.now(),
})

/** @returns null when none are given */
export const readIds = ({ ids }: ListQuery): string[] | null => {
  if (ids === undefined) return null
  const given = ids.toLowerCase().split(',')
  if (given.length > listPage.ids || !given.every(isUuid))
    throw refuse('ids', `ids must be at most ${listPage.ids} UUIDs, joined by commas`)
  return given
}

/** An asset of the installation. */
export interface ListedAsset {
  ticker: string
  /** decimals of its ledger units */
  scale: number
}

/** Refuses a ticker that is none of these assets. */
export const readTicker = (
  ticker: string | undefined,
  assets: readonly ListedAsset[],
  field = 'ticker',
): ListedAsset | null => {
  if (ticker === undefined) return null
  const asset = assets.find((one) => one.ticker === ticker)
  if (!asset) throw refuse(field, `${field} must be one of ${assets.map((one) => one.ticker).join(', ')}`)
  return asset
}

/** Reads the bounds of the amount. @param asset that the amounts are in; null: the query names none */
export const readUnitRange = (query: ListQuery, asset: ListedAsset | null): UnitRange => {
  const unitsIn = (field: 'amountFrom' | 'amountTo'): bigint | null => {
    const text = query[field]
    if (text === undefined) return null
    if (asset === null) throw refuse('ticker', `${field} needs ticker: amounts of different assets can not be compared`)
    const parsed = parseUnits(text, asset.scale)
    if (!parsed.ok) throw refuse(field, `${field} must be a decimal string with at most ${asset.scale} decimals`)
    return parsed.units
  }
  return { unitsFrom: unitsIn('amountFrom'), unitsTo: unitsIn('amountTo') }
}
