import { generalErrors, orderErrors } from '@bursar/contract'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { exchangeAndSend, sendOnAsWhole } from '../exchange-withdrawals/index.ts'
import { fillOrder, notifyExchange, type TradingDeps, type Order } from '../exchanges/index.ts'
import { requirePlaced } from '../../ledger/orders/index.ts'
import { type ApiRefusal, refusal } from '../../platform/api/route.ts'
import type { Place } from '../../pay-out/withdrawals/index.ts'
import type { Conversion } from './conversion.ts'
import { intentOf } from './naming.ts'
import { failedNotice } from './notice.ts'
import { endConversion, leaveUnits } from './store.ts'

/**
 * One step of a conversion: a priced order and the destination of its proceeds, or only a transfer to a destination.
 */
export interface Step {
  /** undefined: the money is already of the wanted asset */
  order: Order | undefined
  place: Place | undefined
  /** withdrawal fee of the amount sent, in ledger units of it */
  currentFee(units: bigint): bigint
  /** left for the next step, in ledger units */
  left: bigint
}

/** Carries out one step of a locked conversion. @throws ApiRefusal: roll back */
export const convert = async (
  tx: Tx,
  deps: Pick<TradingDeps, 'runtime'>,
  conversion: Conversion,
  step: Step,
  moment: Moment,
): Promise<Effects> => {
  const effects = await carry(tx, deps, conversion, step, moment)
  if (step.left === 0n) await endConversion(tx, conversion, 'converted')
  else await leaveUnits(tx, conversion, step.left)
  return effects
}

const carry = async (
  tx: Tx,
  deps: Pick<TradingDeps, 'runtime'>,
  conversion: Conversion,
  step: Step,
  moment: Moment,
): Promise<Effects> => {
  const { order, place, currentFee } = step
  const { causedBy, causeId } = conversion
  const intentId = await intentOf(tx, conversion)
  if (order && place) {
    const whole = {
      ...order,
      place,
      currentFee,
      withdrawalFee: undefined,
      causedBy,
      localId: causeId,
      intentId,
      answerKeys: [],
    }
    const { order: placed, outcome, effects } = await exchangeAndSend(tx, deps, whole, moment)
    requirePlaced(outcome, placed)
    return effects
  }
  if (order)
    return notifyExchange(
      await fillOrder(tx, deps, { ...order, localId: causeId, caused: true }, moment),
      order.direction,
    )
  return place ? send(tx, conversion, { place, currentFee, intentId }, moment) : noEffects
}

/** Sends received money on without an exchange, because it is of the wanted asset. */
const send = async (
  tx: Tx,
  conversion: Conversion,
  { place, currentFee, intentId }: { place: Place; currentFee: Step['currentFee']; intentId: string },
  moment: Moment,
): Promise<Effects> => {
  const { merchantId, units, causedBy, causeId } = conversion
  const fee = currentFee(units)
  const { asset, on } = place.where
  const carried = 10n ** BigInt(asset.scale - on.decimals)
  const sent = ((units - fee) / carried) * carried
  if (sent < on.minWithdrawal || sent <= 0n) throw refusal(orderErrors.amountTooLow, 'Withdraw amount too low')
  return sendOnAsWhole(tx, { merchantId, place, units: sent, fee, causedBy, causeId, intentId }, moment)
}

/** Whether a refused step may succeed later: prices return, and stops are lifted. */
export const maySucceedLater = ({ status, code }: ApiRefusal): boolean =>
  status === generalErrors.unavailable.status || code === orderErrors.notEnoughLiquidity.code

/** Ends a locked conversion without exchanging the rest, which stays on the balance. */
export const giveUpConversion = async (
  tx: Tx,
  conversion: Conversion,
  why: ApiRefusal,
  catalogue: Catalogue,
  moment: Moment,
): Promise<Effects> => {
  const failedReason = REASONS[why.code] ?? 'ERRROR_CODE_GENERIC'
  await endConversion(tx, conversion, 'refused', failedReason)
  const { scale } = catalogue.find(conversion.ticker)!
  return { items: [], notices: [failedNotice(conversion, { id: moment.newId(), failedReason, scale })] }
}

const REASONS: Readonly<Record<number, string>> = {
  [orderErrors.notEnoughBalance.code]: 'NOT_ENOUGH_BALANCE',
  [orderErrors.pairNotAllowed.code]: 'PAIR_NOT_ALLOWED',
  [orderErrors.amountTooLow.code]: 'AMOUNT_TOO_LOW',
  [orderErrors.notEnoughLiquidity.code]: 'NOT_ENOUGH_LIQUIDITY',
  [orderErrors.amountTooHigh.code]: 'AMOUNT_TOO_HIGH',
  [orderErrors.destinationRefused.code]: 'DESTINATION_REFUSED',
}
