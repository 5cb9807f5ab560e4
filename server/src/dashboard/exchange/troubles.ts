import { estimateErrors, generalErrors, orderErrors } from '@bursar/contract'
import type { ApiRefusal } from '../../platform/api/route.ts'

/**
 * Why there is no exchange.
 * - unclear: the typed amount is none, or can mean two amounts
 * - amount: it is finer than the step, or outside the limits
 * - worse: the price is worse now than the one that was shown
 * - changed: another person has changed the automatic exchange since the form was shown
 */
export type Trouble =
  | 'pair'
  | 'unclear'
  | 'amount'
  | 'balance'
  | 'worse'
  | 'changed'
  | 'liquidity'
  | 'stopped'
  | 'notServed'
  | 'proof'

/** The trouble of an estimate that was refused. */
export const priceTrouble = ({ code }: ApiRefusal): Trouble => {
  switch (code) {
    case estimateErrors.pairNotAllowed.code:
      return 'pair'
    case estimateErrors.notEnoughLiquidity.code:
      return 'liquidity'
    default:
      return 'amount'
  }
}

/** The trouble of an exchange that was refused. */
export const orderTrouble = ({ code, field }: ApiRefusal): Trouble => {
  switch (code) {
    case orderErrors.notEnoughBalance.code:
      return 'balance'
    case orderErrors.pairNotAllowed.code:
      return 'pair'
    case orderErrors.notEnoughLiquidity.code:
      return 'liquidity'
    case generalErrors.unavailable.code:
      return 'stopped'
    default:
      return field === 'price' ? 'worse' : 'amount'
  }
}
