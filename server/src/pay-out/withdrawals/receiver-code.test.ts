import { burnOf, type Contract, type Usage } from '@bursar/chainkit/tron'
import { expect, test } from 'vitest'
import type { CostEstimate } from '../../adapters/chains/port.ts'
import { contractCallPaying, tronPayment } from '../../chain/transactions/index.ts'
import { boundedForReceiver } from './receivers.ts'

const PRICES = { energy: 100n, bandwidth: 1_000n, accountBandwidth: 100_000n, activation: 1_000_000n }
const NOTHING = { bandwidth: 0n, freeBandwidth: 0n, energy: 0n }
const owner = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'
const to = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const plain: Extract<Contract, { kind: 'TransferContract' }> = { kind: 'TransferContract', owner, to, amount: 1n }
const call = contractCallPaying(plain)
const costOf = (energy: bigint, energyLimit?: bigint): CostEstimate => {
  const usage: Usage = { bandwidth: 280, energy, activates: false, ...(energyLimit !== undefined && { energyLimit }) }
  return { ok: true, usage, burn: burnOf(usage, PRICES, NOTHING), most: 0n }
}

test.each<[string, Contract, CostEstimate, boolean]>([
  ['a contract that takes little is paid', call, costOf(9_000n, 19_000n), true],
  ['one that takes too much is not', call, costOf(50_001n), false],
  [
    'one that took little in the estimate, and wants much energy at hand, is not: it could burn the whole fee limit',
    call,
    costOf(20_000n, 750_000n),
    false,
  ],
  ['a plain transfer runs no code', plain, costOf(0n), true],
  [
    'a call of a token sends no TRX, and runs the code of a token that is listed',
    tronPayment({ from: owner, to: owner, units: 5n, contract: to }),
    costOf(65_000n, 130_000n),
    true,
  ],
])('TRX to a contract: %s', (_name, contract, cost, isPaid) => {
  expect(boundedForReceiver(contract, cost).ok).toBe(isPaid)
})
