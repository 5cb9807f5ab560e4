import type { FeeRate } from '../../../adapters/chains/port.ts'

export type GasRate = Extract<FeeRate, { kind: 'gas' }>

/** What a unit of gas is expected to cost, tip included: an offer of EIP-1559 has room for the base fee to double. */
export const expectedPrice = ({ legacy, maxFeePerGas, maxPriorityFeePerGas: tip }: GasRate): bigint =>
  legacy ? maxFeePerGas : (maxFeePerGas - tip) / 2n + tip
