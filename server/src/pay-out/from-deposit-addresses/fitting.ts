import { chooseSweep, COIN, TETHER_GAS, type Hex } from '@bursar/chainkit/evm'

/** More than anything is worth. */
const MUCH = 10n ** 40n
/** What may be left for a payment that pays more when it is stuck: so many times its fee has to be there. */
export const FEES_AT_HAND = 3n

/**
 * The most, in wei, that may stay behind at an address without a sweep of its own: what holds less is not worth one, so
 * that a payment which leaves no more saves a sweep now. What is left joins what comes next.
 */
export const mostLeftBehind = (given: {
  isCoin: boolean
  gasPrice: bigint
  batchSize: number
  setCode: boolean
  kPerMille: bigint
}): bigint => {
  const { isCoin, kPerMille, ...prices } = given
  const holding = isCoin ? { asset: COIN, worth: MUCH } : { asset: SOME_TOKEN, worth: MUCH, gas: TETHER_GAS }
  const choice = chooseSweep(
    { delegated: false, exists: true, holdings: [holding], further: 0 },
    { ...prices, kPerMille: 0n },
  )
  return choice === undefined ? 0n : (choice.cost * kPerMille) / 1000n
}

const SOME_TOKEN = `0x${'11'.repeat(20)}` as Hex
