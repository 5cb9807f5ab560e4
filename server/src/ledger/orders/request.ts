import { generalErrors, orderErrors } from '@bursar/contract'
import { formatUnits, parseUnits } from '../../platform/money/index.ts'
import { type ApiRequest, refusal } from '../../platform/api/route.ts'
import { coveringStop, type StopTerm } from '../stops/index.ts'

/** The parts that a request for an order of any kind has. */
export interface OrderRequest extends Pick<ApiRequest, 'merchantId' | 'keyId' | 'answerKeys'> {
  localId: string | null
  meta: string | null
}

/** Reads these parts. @throws ApiRefusal for text that can't be stored */
export const readRequest = ({ merchantId, keyId, answerKeys, body }: ApiRequest): OrderRequest => {
  const given = body as { localId?: string; meta?: string }
  for (const field of ['meta', 'localId'] as const) readText(given[field], field)
  return { merchantId, keyId, answerKeys, localId: given.localId ?? null, meta: given.meta ?? null }
}

/** Refuses text that PostgreSQL can't store, because it could not be returned as it was sent. */
const readText = (text: string | undefined, field: string): void => {
  if (text === undefined || (!text.includes('\0') && text.isWellFormed())) return
  throw refusal(orderErrors.invalidOrder, `${field} must be Unicode text without U+0000`, field)
}

/** Returns the fee to charge, in ledger units: the merchant's own fee, or the current one if that is higher. */
export const readOwnFee = (
  given: string | undefined,
  current: bigint,
  { ticker, scale }: { ticker: string; scale: number },
): bigint => {
  if (given === undefined) return current
  const parsed = parseUnits(given, scale)
  if (!parsed.ok) throw refusal(orderErrors.invalidOrder, 'fee must be a decimal string such as "0.5"', 'fee')
  if (parsed.units < current) {
    const least = formatUnits(current, scale)
    throw refusal(orderErrors.feeTooLow, `Fee less than required: the current fee is ${least} ${ticker}`, 'fee')
  }
  return parsed.units
}

/**
 * Refuses while a stop covers the asset, the merchant or the network.
 * @param network null for an order on no chain: a stop of one network does not cover it
 */
export const checkStops = (
  { merchantId, ticker, network }: { merchantId: string; ticker: string; network: string | null },
  stops: readonly StopTerm[],
): void => {
  const stopped = coveringStop(stops, { asset: ticker, merchantId, network })
  if (!stopped) return
  throw refusal(generalErrors.unavailable, `withdrawals of ${ticker} are stopped: ${stopped.reason}`, {
    retryAfterSeconds: 300,
  })
}
