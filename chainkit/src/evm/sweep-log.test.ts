import { encodeEventTopics, pad, parseAbi } from 'viem'
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { sweepContracts } from './contracts.ts'
import { decodeSweepLog } from './sweep-log.ts'
import type { SweepEvent } from './sweep-log.ts'

const [OURS, TOKEN, STRANGER] = [
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
] as const
const contracts = sweepContracts(STRANGER)
const abi = parseAbi([
  'event CoinSwept(uint256 amount)',
  'event NotSwept(address indexed asset)',
  'event AccountNotSwept(address indexed account)',
])
const relayAbi = parseAbi(['event NotSwept(address indexed token, address indexed account)'])
const coin = { topics: encodeEventTopics({ abi, eventName: 'CoinSwept' }) as Hex[], data: pad('0x07') }
const stayed = {
  topics: encodeEventTopics({ abi, eventName: 'NotSwept', args: { asset: TOKEN } }) as Hex[],
  data: '0x',
}
const bare = {
  topics: encodeEventTopics({ abi, eventName: 'AccountNotSwept', args: { account: OURS } }) as Hex[],
  data: '0x',
}
const unpaid = {
  topics: encodeEventTopics({ abi: relayAbi, eventName: 'NotSwept', args: { token: TOKEN, account: OURS } }) as Hex[],
  data: '0x',
}

test.each<[string, Hex, { topics: Hex[]; data: string }, SweepEvent | undefined]>([
  ['coin that left', OURS, coin, { kind: 'coin-swept', account: OURS, units: 7n }],
  ['an asset that stayed', OURS, stayed, { kind: 'not-swept', account: OURS, asset: TOKEN }],
  ['an address without a delegate', contracts.batch.address, bare, { kind: 'account-not-swept', account: OURS }],
  ['a signature that was no good', contracts.relay.address, unpaid, { kind: 'not-swept', account: OURS, asset: TOKEN }],
  ['the same of an address that is not ours', STRANGER, coin, undefined],
  ['the log of a batch, of another contract', STRANGER, bare, undefined],
  ['what an address would say, by the batch', contracts.batch.address, coin, undefined],
  ['what the batch would say, by an address of ours', OURS, bare, undefined],
  ['half a number', OURS, { ...coin, data: '0x07' }, undefined],
  ['another event', OURS, { ...coin, topics: [pad('0x01')] }, undefined],
  ['no topic', OURS, { topics: [], data: '0x' }, undefined],
])('reads %s', (_name, address, log, event) => {
  expect(decodeSweepLog({ address: address.toLowerCase(), ...log }, contracts, (one) => one === OURS)).toEqual(event)
})
