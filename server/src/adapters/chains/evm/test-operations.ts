/** Calls of the adapter, with parameters of a recorded chain. Only tests of these adapters use it. */
import { isRefused } from '@bursar/chainkit'
import { parseAddress } from '@bursar/chainkit/evm'
import { expect } from 'vitest'
import type { AccountChainAdapter, Block, FeeRate, GasEstimate, TransactionStatus } from '../port.ts'
import {
  checkBlock,
  checkCount,
  checkStatus,
  checkUnits,
  hashOperation,
  headOperations,
  moneyIn,
  operation,
} from '../test-conversations.ts'

export interface EvmRecorded {
  height: number
  hash: string
  /** of a transaction in that block */
  transaction: string
  raw: string
  token: string
  freezing: string
  payer: string
  to: string
}

const HASH = /^0x[0-9a-f]{64}$/
const isAddress = (text: string): boolean => {
  const parsed = parseAddress(text)
  return !isRefused(parsed) || parsed.refused === 'burn'
}
const check = (block: Block | null, { token }: EvmRecorded): void => {
  if (block) checkBlock(block, HASH, isAddress, [token])
}
type Adapter = AccountChainAdapter
const call = ({ payer, to }: EvmRecorded) => ({ from: to, to: payer, value: 1n, data: '0x' })
const blockAt = (adapter: Adapter, { height }: EvmRecorded) => adapter.blockAt(height)

export const EVM_OPERATIONS = {
  identity: operation<Adapter, EvmRecorded, string>({
    run: (adapter) => adapter.identity(),
    check: (id) => expect(id).toMatch(/^\d+$/),
  }),
  capabilities: operation<Adapter, EvmRecorded, { traces: boolean }>({
    run: (adapter) => adapter.capabilities(),
    check: ({ traces }) => expect(typeof traces).toBe('boolean'),
  }),
  ...headOperations<Adapter, EvmRecorded>(HASH),
  hashAt: hashOperation<Adapter, EvmRecorded>(HASH),
  blockAt: operation<Adapter, EvmRecorded, Block | null>({ run: blockAt, check, money: moneyIn }),
  'blockAt, receipts one by one': operation<Adapter, EvmRecorded, Block | null>({
    run: blockAt,
    check,
    money: moneyIn,
    without: ['eth_getBlockReceipts'],
  }),
  'blockAt, by calls': operation<Adapter, EvmRecorded, Block | null>({
    run: blockAt,
    check,
    money: moneyIn,
    without: ['debug_traceBlockByHash'],
  }),
  statusOf: operation<Adapter, EvmRecorded, TransactionStatus>({
    run: (adapter, { transaction }) => adapter.statusOf(transaction),
    check: (status) => checkStatus(status, HASH, checkUnits),
  }),
  broadcast: operation<Adapter, EvmRecorded, { kind: string }>({
    run: (adapter, { raw }) => adapter.broadcast(raw),
    check: ({ kind }) => expect(['accepted', 'conflict', 'refused']).toContain(kind),
  }),
  feeRate: operation<Adapter, EvmRecorded, FeeRate>({
    run: (adapter) => adapter.feeRate(),
    check: (rate) => {
      if (rate.kind !== 'gas') throw new Error(rate.kind)
      checkUnits(rate.maxFeePerGas)
      expect(rate.maxPriorityFeePerGas <= rate.maxFeePerGas).toBe(true)
    },
  }),
  balancesAt: operation<Adapter, EvmRecorded, bigint[]>({
    run: (adapter, { height, to, token }) =>
      adapter.balancesAt(height, [
        { address: to, contract: null },
        { address: to, contract: token },
      ]),
    check: (units) => {
      expect(units).toHaveLength(2)
      units.forEach(checkUnits)
    },
    money: (units) => units.map((one, at) => `${at} ${one}`),
  }),
  stateFrom: operation<Adapter, EvmRecorded, { nonce: number; code: string; units: bigint[]; gas: GasEstimate }>({
    run: async (adapter, world) => {
      const state = await adapter.stateFrom(world.height)
      return {
        nonce: await state.minedNonce(world.to),
        code: await state.codeAt(world.payer),
        units: await state.balances([{ address: world.to, contract: null }]),
        gas: await state.estimateGas(call(world)),
      }
    },
    check: ({ nonce, code, units, gas }) => {
      checkCount(nonce)
      expect(code).toMatch(/^0x(?:[0-9a-f]{2})*$/)
      units.forEach(checkUnits)
      if (gas.ok) checkUnits(gas.gas)
    },
    money: ({ units }) => units.map(String),
  }),
  authorizationGas: operation<Adapter, EvmRecorded, bigint | undefined>({
    run: async (adapter, { height, to }) => (await adapter.stateFrom(height)).authorizationGas(to),
    check: (gas) => (gas === undefined ? undefined : checkUnits(gas)),
  }),
  minedNonceIn: operation<Adapter, EvmRecorded, number>({
    run: (adapter, { height, hash, to }) => adapter.minedNonceIn({ height, hash }, to),
    check: checkCount,
  }),
  isContract: operation<Adapter, EvmRecorded, boolean>({
    run: (adapter, { payer }) => adapter.isContract(payer),
    check: (is) => expect(typeof is).toBe('boolean'),
  }),
  isFrozen: operation<Adapter, EvmRecorded, boolean>({
    run: (adapter, { freezing, to }) => adapter.isFrozen(freezing, to),
    check: (is) => expect(typeof is).toBe('boolean'),
  }),
  tokenDecimals: operation<Adapter, EvmRecorded, number>({
    run: (adapter, { token }) => adapter.tokenDecimals(token),
    check: (decimals) => {
      checkCount(decimals)
      expect(decimals).toBeLessThanOrEqual(255)
    },
  }),
  callDelegated: operation<Adapter, EvmRecorded, string | null>({
    run: (adapter, { to, payer }) => adapter.callDelegated({ address: to, delegate: payer, code: '0x00', data: '0x' }),
    check: (answer) => (answer === null ? undefined : expect(answer).toMatch(/^0x(?:[0-9a-f]{2})*$/)),
  }),
}
