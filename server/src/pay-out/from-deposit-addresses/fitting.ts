import { chooseSweep, COIN, TETHER_GAS, type Hex } from '@bursar/chainkit/evm'

/** A value above any real balance. */
const MUCH = 10n ** 40n
/**
 * The address must hold this multiple of the payment's fee, so that a stuck payment can be replaced at a higher fee.
 */
export const FEES_AT_HAND = 3n

/**
 * Returns the largest amount, in wei, that a payment may leave at an address. A smaller balance is not worth a sweep of
 * its own, so a payment that leaves at most this amount saves the sweep. The remainder is swept together with later
 * deposits.
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
