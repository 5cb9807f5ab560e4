/** Calls of the adapter, with parameters of a recorded chain. Only tests of these adapters use it. */
import { isRefused } from '@bursar/chainkit'
import { encodeTokenTransfer, parseAddress, type Contract } from '@bursar/chainkit/tron'
import { expect } from 'vitest'
import type {
  Block,
  BroadcastResult,
  CostEstimate,
  FeeRate,
  Head,
  ResourceSupply,
  Stake,
  TransactionStatus,
  TronChainAdapter,
} from '../port.ts'
import {
  checkBlock,
  checkCount,
  checkHead,
  checkStatus,
  checkUnits,
  hashOperation,
  headOperations,
  moneyIn,
  operation,
} from '../test-conversations.ts'

export interface TronRecorded {
  height: number
  /** of a transaction in that block */
  transaction: string
  raw: string
  token: string
  freezing: string
  payer: string
  /** has money, and pays */
  from: string
  to: string
}

const HASH = /^[0-9a-f]{64}$/
const REASONS = ['fee-too-low', 'insufficient-funds', 'invalid', 'later', 'expired']
const ACTS = ['froze', 'released', 'destroyed', 'paused', 'resumed', 'deprecated', 'set-fee']
const isAddress = (text: string): boolean => {
  const parsed = parseAddress(text)
  return !isRefused(parsed) || parsed.refused === 'burn'
}
type Adapter = TronChainAdapter

const checkEach = (amounts: Readonly<Record<string, unknown>>): void => {
  for (const amount of Object.values(amounts)) checkUnits(amount as bigint)
}
const transfer = ({ token, from, to }: TronRecorded): Contract => ({
  kind: 'TriggerSmartContract',
  owner: from,
  contract: token,
  callValue: 0n,
  data: encodeTokenTransfer(to, 5n),
})
const blockAt = (adapter: Adapter, { height }: TronRecorded) => adapter.blockAt(height)
const check = (block: Block | null, { token }: TronRecorded): void => {
  if (!block) return
  checkBlock(block, HASH, isAddress, [token])
  for (const { act, address, contract } of block.issuerActs ?? []) {
    expect(ACTS).toContain(act)
    expect(contract).toBe(token)
    if (address !== null) expect(isAddress(address)).toBe(true)
  }
}

export const TRON_OPERATIONS = {
  identity: operation<Adapter, TronRecorded, string>({
    run: (adapter) => adapter.identity(),
    check: (id) => expect(id).toMatch(HASH),
  }),
  ...headOperations<Adapter, TronRecorded>(HASH),
  hashAt: hashOperation<Adapter, TronRecorded>(HASH),
  blockAt: operation<Adapter, TronRecorded, Block | null>({ run: blockAt, check, money: moneyIn }),
  'blockAt, infos one by one': operation<Adapter, TronRecorded, Block | null>({
    run: blockAt,
    check,
    money: moneyIn,
    without: ['wallet/gettransactioninfobyblocknum'],
  }),
  statusOf: operation<Adapter, TronRecorded, TransactionStatus>({
    run: (adapter, { transaction }) => adapter.statusOf(transaction),
    check: (status) => checkStatus(status, HASH, checkUnits),
  }),
  broadcast: operation<Adapter, TronRecorded, BroadcastResult>({
    run: (adapter, { raw }) => adapter.broadcast(raw),
    check: (result) => {
      expect(['accepted', 'conflict', 'refused']).toContain(result.kind)
      if (result.kind === 'refused') expect(REASONS).toContain(result.reason)
    },
  }),
  feeRate: operation<Adapter, TronRecorded, FeeRate>({
    run: (adapter) => adapter.feeRate(),
    check: (rate) => {
      if (rate.kind !== 'resources') throw new Error(rate.kind)
      checkEach({ ...rate, kind: 0n })
    },
  }),
  balancesAtFinal: operation<Adapter, TronRecorded, { head: Head; units: bigint[] }>({
    run: (adapter, { to, token }) =>
      adapter.balancesAtFinal([
        { address: to, contract: null },
        { address: to, contract: token },
      ]),
    check: ({ head, units }) => {
      checkHead(head, HASH)
      expect(units).toHaveLength(2)
      units.forEach(checkUnits)
    },
    money: ({ units }) => units.map((one, at) => `${at} ${one}`),
  }),
  reference: operation<Adapter, TronRecorded, { refBlockBytes: string; refBlockHash: string; time: number }>({
    run: (adapter) => adapter.reference(),
    check: ({ refBlockBytes, refBlockHash, time }) => {
      expect(refBlockBytes).toMatch(/^[0-9a-f]{4}$/)
      expect(refBlockHash).toMatch(/^[0-9a-f]{16}$/)
      checkCount(time)
    },
  }),
  resourcesOf: operation<Adapter, TronRecorded, object>({
    run: (adapter, { from }) => adapter.resourcesOf(from),
    check: (resources) => checkEach({ ...resources }),
  }),
  isActivated: operation<Adapter, TronRecorded, boolean>({
    run: (adapter, { from }) => adapter.isActivated(from),
    check: (is) => expect(typeof is).toBe('boolean'),
  }),
  estimateCost: operation<Adapter, TronRecorded, CostEstimate>({
    run: (adapter, world) => adapter.estimateCost(transfer(world)),
    check: (cost) => {
      if (!cost.ok) expect(REASONS.concat('reverted')).toContain(cost.reason)
      else checkUnits(cost.most)
    },
  }),
  isProvenDead: operation<Adapter, TronRecorded, boolean>({
    run: (adapter, { transaction }) => adapter.isProvenDead(transaction, 0),
    // It is in a block: no answer of which one value is of another type may prove the contrary.
    check: (is) => expect(typeof is).toBe('boolean'),
    money: (is) => (is ? ['proven dead'] : []),
  }),
  stakeOf: operation<Adapter, TronRecorded, Stake>({
    run: (adapter, { from }) => adapter.stakeOf(from),
    check: ({ spendable, staked, lent, unfreezing }) => {
      checkEach({ spendable, ...staked, ...lent })
      for (const { amount, at } of unfreezing) {
        checkUnits(amount)
        checkCount(at)
      }
    },
  }),
  lendable: operation<Adapter, TronRecorded, bigint>({
    run: (adapter, { from }) => adapter.lendable(from),
    check: checkUnits,
  }),
  loanOf: operation<Adapter, TronRecorded, bigint>({
    run: (adapter, { from, to }) => adapter.loanOf(from, to, 1),
    check: checkUnits,
  }),
  supplyFor: operation<Adapter, TronRecorded, ResourceSupply | null>({
    run: (adapter, { from }) => adapter.supplyFor(from),
    check: (supply) => checkEach({ ...supply }),
  }),
  isContract: operation<Adapter, TronRecorded, boolean>({
    run: (adapter, { payer }) => adapter.isContract(payer),
    check: (is) => expect(typeof is).toBe('boolean'),
  }),
  isFrozen: operation<Adapter, TronRecorded, boolean>({
    run: (adapter, { freezing, to }) => adapter.isFrozen(freezing, to),
    check: (is) => expect(typeof is).toBe('boolean'),
  }),
  tokenDecimals: operation<Adapter, TronRecorded, number>({
    run: (adapter, { token }) => adapter.tokenDecimals(token),
    check: (decimals) => {
      checkCount(decimals)
      expect(decimals).toBeLessThanOrEqual(255)
    },
  }),
}
