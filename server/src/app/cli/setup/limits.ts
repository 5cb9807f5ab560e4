/** Limits of an asset on a network in the signer's policy, as a person writes them. */
import Type, { type Static } from 'typebox'
import { amount } from '../../../platform/config/fields.ts'
import type { NoteProblem } from '../../../platform/config/shape.ts'
import { parseUnits } from '../../../platform/money/index.ts'

/** From the smallest to the largest. */
const AMOUNTS = ['payment', 'hour', 'day'] as const

export const LIMIT_MEMBERS = {
  payment: amount('maximum amount of one payment'),
  hour: amount('maximum sum of an hour'),
  day: amount('maximum sum of a day'),
}

export const LIMITS = Type.Object(LIMIT_MEMBERS, {
  description: 'limits of an asset on a network, in whole units of the asset',
})

/** Reports amounts that the asset can't have, and limits that fall from the payment to the day. */
export const noteLimits = (
  limits: Static<typeof LIMITS>,
  decimals: number,
  note: NoteProblem,
  ...place: readonly string[]
): void => {
  const units = AMOUNTS.map((name) => {
    const parsed = parseUnits(limits[name], decimals)
    if (!parsed.ok) note(`write at most ${decimals} decimals`, ...place, name)
    return parsed.ok ? parsed.units : undefined
  })
  const isFalling = units.some((one, at) => one !== undefined && one < (units[at - 1] ?? 0n))
  if (isFalling) note('payment is at most hour, and hour at most day', ...place)
}
