/**
 * Answers of a real java-tron, as its documents show them (nile.json says where they are from), read by the adapter.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRefused } from '@bursar/chainkit'
import {
  addressOfEvmForm,
  parseUnsigned,
  serializeUnsigned,
  transactionId,
  type UnsignedTransaction,
} from '@bursar/chainkit/tron'
import { expect, test } from 'vitest'
import { startScriptedNode, type Answers } from '../../../../../../test/world/scripted-tron-node.ts'

const { answers } = JSON.parse(readFileSync(join(import.meta.dirname, 'nile.json'), 'utf8')) as {
  answers: { method: string; answer: unknown }[]
}
const said = (method: string): unknown => answers.find((one) => one.method === method)!.answer

const HEIGHT = 66_987_565
const ADDRESS = addressOfEvmForm('dd791d6b49e190062d650e6a23c575510d35f2f9')
const USDT = addressOfEvmForm('eca9bc828a3005b9a3b909f2cc5c2a54794de05f')
const node = (): ReturnType<typeof startScriptedNode> => {
  const recorded: Answers = Object.fromEntries(answers.map(({ method, answer }) => [method, () => answer]))
  return startScriptedNode({
    ...recorded,
    'walletsolidity/getblock': recorded['wallet/getblock']!,
    'walletsolidity/getaccount': recorded['wallet/getaccount']!,
  })
}

test('the head, whose hash begins with its height', async () => {
  const { adapter } = await node()
  expect(await adapter.head()).toEqual({
    height: HEIGHT,
    hash: '0000000003fe262d52bfa4b2814f816fd2e57af5b98a33d60d8630a03a908e0e',
  })
  expect(await adapter.finalized()).toMatchObject({ height: HEIGHT })
  expect(await adapter.reference()).toMatchObject({ time: 1_777_445_121_000 })
})

test('an account with empty entries of stakes, and its resources without those that are 0', async () => {
  const { adapter } = await node()
  expect(await adapter.isActivated(ADDRESS)).toBe(true)
  expect(await adapter.balancesAtFinal([{ address: ADDRESS, contract: null }])).toMatchObject({
    units: [1_793_227_200n],
  })
  expect(await adapter.stakeOf(ADDRESS)).toEqual({
    spendable: 1_793_227_200n,
    staked: { BANDWIDTH: 0n, ENERGY: 0n, TRON_POWER: 0n },
    lent: { BANDWIDTH: 0n, ENERGY: 0n },
    unfreezing: [],
  })
  expect(await adapter.resourcesOf(ADDRESS)).toEqual({ bandwidth: 0n, freeBandwidth: 159n, energy: 0n })
  expect(await adapter.lendable(ADDRESS)).toBe(0n)
})

test('a contract; a balance that a constant call answers is no number of decimals', async () => {
  const { adapter } = await node()
  expect(await adapter.isContract(USDT)).toBe(true)
  await expect(adapter.tokenDecimals(USDT)).rejects.toThrow('is no token with decimals()')
})

test('a transfer and a call have the same bytes and the same id as those that the node builds', () => {
  interface Shown {
    txID: string
    raw_data_hex: string
  }
  const transfer = said('wallet/createtransaction') as Shown
  const call = (said('wallet/triggerconstantcontract') as { transaction: Shown }).transaction
  expect(parsed(transfer)).toMatchObject({
    refBlockBytes: '2927',
    expiration: 1_777_447_527_000,
    contract: {
      kind: 'TransferContract',
      owner: ADDRESS,
      to: addressOfEvmForm('92ad11c1bf16b3b14b0bd6b5c7e2db73a0b5e83a'),
      amount: 1_000_000n,
    },
  })
  expect(parsed(call)).toMatchObject({ contract: { kind: 'TriggerSmartContract', owner: ADDRESS, contract: USDT } })
  for (const { txID, raw_data_hex: hex } of [transfer, call]) {
    const transaction = parsed({ raw_data_hex: hex })
    expect(transactionId(transaction)).toBe(txID)
    expect(Buffer.from(serializeUnsigned(transaction)).toString('hex')).toBe(hex)
  }
})

const parsed = ({ raw_data_hex: hex }: { raw_data_hex: string }): UnsignedTransaction => {
  const transaction = parseUnsigned(Buffer.from(hex, 'hex'))
  if (isRefused(transaction)) throw new Error(transaction.message)
  return transaction
}
