import type { FeeRate } from '../../../adapters/chains/port.ts'

export type GasRate = Extract<FeeRate, { kind: 'gas' }>

/** Returns the expected price of a unit of gas, tip included: an EIP-1559 offer allows the base fee to double. */
export const expectedPrice = ({ legacy, maxFeePerGas, maxPriorityFeePerGas: tip }: GasRate): bigint =>
  legacy ? maxFeePerGas : (maxFeePerGas - tip) / 2n + tip
