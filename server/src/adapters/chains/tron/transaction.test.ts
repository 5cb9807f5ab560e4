/** Transactions of blocks, in java-tron's own JSON: default values left out, hex without 0x. */
import { addressOfHex } from '@bursar/chainkit/tron'
import { describe, expect, test } from 'vitest'
import { unknownNotes } from './internal.ts'
import { BEYOND_DOUBLES } from '../../../../../test/world/dialects/tron.ts'
import { decodeTransaction } from './transaction.ts'

const [OWNER, OTHER, THIRD] = ['11', '22', '33'].map((byte) => `41${byte.repeat(20)}`) as [string, string, string]
const USDT = '41a614f803b6fd780986a42c78ec9c7f77e6ded13c'
const [owner, other, third, usdt] = [OWNER, OTHER, THIRD, USDT].map(addressOfHex) as [string, string, string, string]
const HASH = 'ab'.repeat(32)
const tokens = new Set([usdt])
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const word = (hex: string): string => hex.padStart(64, '0')

const transaction = (
  type: string,
  value: object,
  contractRet: string | undefined = 'SUCCESS',
): Record<string, unknown> => ({
  ret: [contractRet === undefined ? {} : { contractRet }],
  txID: HASH.toUpperCase(),
  raw_data: { contract: [{ parameter: { value, type_url: `type.googleapis.com/protocol.${type}` }, type }] },
})
const sent = (more: object = {}): object => ({ owner_address: OWNER, to_address: OTHER, amount: 5_000_000, ...more })
const called = { owner_address: OWNER, contract_address: USDT, data: 'a9059cbb' }
const log = (more: object = {}): object => ({
  address: USDT.slice(2),
  topics: [TRANSFER, word(OWNER.slice(2)), word(OTHER.slice(2))],
  data: word('f4240'),
  ...more,
})
const transfersOf = (tx: Record<string, unknown>, info: object = {}) =>
  decodeTransaction(tx, info as Record<string, unknown>, tokens).transfers

describe('the account that pays the fee', () => {
  const payerOf = (tx: Record<string, unknown>, info: object = {}) =>
    decodeTransaction(tx, info as Record<string, unknown>, tokens).payer
  test.each([
    ['is the sender of its first transfer, and not said', transaction('TransferContract', sent()), {}, undefined],
    ['of a failed transaction', transaction('TransferContract', sent(), 'REVERT'), {}, owner],
    [
      'of a transaction that moves nothing',
      transaction('FreezeBalanceV2Contract', { owner_address: OWNER }),
      {},
      owner,
    ],
    [
      "of a call that moves another one's tokens",
      transaction('TriggerSmartContract', called),
      { log: [log({ topics: [TRANSFER, word(THIRD.slice(2)), word(OTHER.slice(2))] })] },
      owner,
    ],
    ['of a shielded transfer is unknown', transaction('ShieldedTransferContract', {}), {}, undefined],
  ])('%s', (_name, tx, info, payer) => {
    expect(payerOf(tx, info)).toBe(payer)
  })
})

describe('TRX', () => {
  test('sent by its owner', () => {
    expect(decodeTransaction(transaction('TransferContract', sent()), { fee: 1_100_000 }, tokens)).toEqual({
      hash: HASH,
      keys: [HASH],
      succeeded: true,
      fee: 1_100_000n,
      transfers: [{ index: 'n', contract: null, from: [owner], to: other, units: 5_000_000n }],
    })
  })

  test('row T-37: in amounts that no double holds, which the JSON reader leaves as text', () => {
    expect(transfersOf(transaction('TransferContract', sent({ amount: BEYOND_DOUBLES })))[0]!.units).toBe(
      90_071_992_547_409_930n,
    )
  })

  test('sent along with a call, and by contracts in their order; not TRC-10, not undone transfers', () => {
    const info = {
      receipt: { result: 'SUCCESS' },
      internal_transactions: [
        { caller_address: USDT, transferTo_address: OTHER, callValueInfo: [{}], note: '63616c6c' },
        { caller_address: USDT, transferTo_address: OTHER, callValueInfo: [{ callValue: 7 }], note: '63616c6c' },
        {
          caller_address: USDT,
          transferTo_address: THIRD,
          callValueInfo: [{ callValue: 8 }],
          note: '63616c6c',
          rejected: true,
        },
        {
          caller_address: USDT,
          transferTo_address: THIRD,
          callValueInfo: [{ callValue: 9, tokenId: '1000001' }],
          note: '63616c6c',
        },
        { caller_address: USDT, transferTo_address: THIRD, callValueInfo: [{ callValue: 10 }], note: '73756963696465' },
      ],
    }
    expect(transfersOf(transaction('TriggerSmartContract', { ...called, call_value: 25 }), info)).toEqual([
      { index: 'n', contract: null, from: [owner], to: usdt, units: 25n },
      { index: 't:1', contract: null, from: [usdt], to: other, units: 7n },
      { index: 't:4', contract: null, from: [usdt], to: third, units: 10n },
    ])
  })

  test.each(['TransferAssetContract', 'VoteWitnessContract', 'DelegateResourceContract', 'CreateSmartContract'])(
    'a %s sends no transfer',
    (type) => {
      expect(transfersOf(transaction(type, sent({ asset_name: '31303030303031' })))).toEqual([])
    },
  )
})

/**
 * Internal transactions that java-tron 4.8 lists: `Program.java` names the entries, `TransactionUtil.java` lists only
 * some of them unless `vm.saveFeaturedInternalTx` is on.
 */
describe('internal transactions', () => {
  const hexOf = (text: string): string => Buffer.from(text).toString('hex')
  const entry = (note: string, to: string, callValue: number, more: object = {}): object => ({
    caller_address: USDT,
    transferTo_address: to,
    callValueInfo: [callValue === 0 ? {} : { callValue }],
    note: hexOf(note),
    ...more,
  })
  const shown = (list: object[], internalTransactions = true) =>
    decodeTransaction(
      transaction('TriggerSmartContract', called),
      { internal_transactions: list },
      tokens,
      internalTransactions,
    ).transfers
  const featured = [
    'freezeForEnergy',
    'unfreezeForBandwidth',
    'freezeBalanceV2ForTronPower',
    'unfreezeBalanceV2ForEnergy',
    'delegateResourceOfEnergy',
    'unDelegateResourceOfBandwidth',
    'withdrawExpireUnfreeze',
    'withdrawExpireUnfreezeWhileUnfreezing',
    'withdrawExpireUnfreezeWhileCanceling',
    'withdrawExpireUnfreezeWhileSuiciding',
    'withdrawReward',
    'cancelAllUnfreezeV2',
    'voteWitness',
  ]

  test('audit M-A1: energy lent by a contract, and every other entry that moves nothing, is no TRX', () => {
    const list = featured.map((note) => entry(note, OTHER, 1_000_000_000_000))
    expect(shown(list)).toEqual([])
    expect(list.flatMap((one) => unknownNotes({ internal_transactions: [one] }))).toEqual([])
  })

  test('audit M-A1: the amounts of a call, a creation and a destruction are TRX', () => {
    expect(
      shown([entry('call', OTHER, 1), entry('create', THIRD, 2), entry('suicide', OTHER, 3)]).map(({ units }) => units),
    ).toEqual([1n, 2n, 3n])
  })

  test('audit D-T1: row T-4: an expired unfreezing that a destruction passes on is counted once', () => {
    expect(
      shown([entry('suicide', OTHER, 7), entry('withdrawExpireUnfreezeWhileSuiciding', OTHER, 5)]).map(
        ({ units }) => units,
      ),
    ).toEqual([7n])
  })

  test('audit D-T2 M-A4: rows T-2 and T-3: a transfer has the same number on a node that lists other entries and on one that does not', () => {
    const call = entry('call', OTHER, 5)
    const everything = shown([entry('voteWitness', '', 0), entry('delegateResourceOfEnergy', THIRD, 9), call])
    expect(everything).toEqual(shown([call]))
    expect(everything.map(({ index }) => index)).toEqual(['t:0'])
  })

  test('audit M-A1: an entry of an unknown kind moves nothing, and its kind is named', () => {
    const list = [entry('', OTHER, 1), entry('callForFree', OTHER, 2), entry('Call', OTHER, 3)]
    expect(shown(list)).toEqual([])
    expect(unknownNotes({ internal_transactions: list })).toEqual(['', 'callForFree', 'Call'])
  })

  test('audit M-A1: are not read if the settings say that the node has none', () => {
    expect(shown([entry('call', OTHER, 5)], false)).toEqual([])
  })
})

describe('tokens', () => {
  test('count by their contract, and are named by the place of their log', () => {
    const info = {
      receipt: { result: 'SUCCESS' },
      log: [log({ address: '99'.repeat(20) }), log(), log({ data: word('0') })],
    }
    expect(transfersOf(transaction('TriggerSmartContract', called), info)).toEqual([
      { index: 'l:1', contract: usdt, from: [owner], to: other, units: 1_000_000n },
    ])
  })

  test('other events, and Transfers of another shape, are no transfers', () => {
    const info = {
      receipt: { result: 'SUCCESS' },
      log: [log({ topics: [TRANSFER] }), log({ data: undefined }), log({ topics: undefined })],
    }
    expect(transfersOf(transaction('TriggerSmartContract', called), info)).toEqual([])
  })
})

describe('a failed transaction moved nothing, but cost its fee', () => {
  const good = { fee: 345_000, receipt: { result: 'SUCCESS' }, log: [log()] }
  test.each<[string, string | undefined, object]>([
    ['the block says so', 'REVERT', good],
    ['the block says OUT_OF_ENERGY', 'OUT_OF_ENERGY', good],
    ['the block says nothing', undefined, good],
    ['the block says DEFAULT', 'DEFAULT', good],
    ['the receipt says so', 'SUCCESS', { ...good, receipt: { result: 'OUT_OF_TIME' } }],
    ['the info says so', 'SUCCESS', { ...good, result: 'FAILED' }],
  ])('when %s', (_name, contractRet, info) => {
    const tx = {
      ...transaction('TriggerSmartContract', { ...called, call_value: 5 }),
      ret: contractRet === undefined ? [{}] : [{ contractRet }],
    }
    expect(decodeTransaction(tx, info as Record<string, unknown>, tokens)).toMatchObject({
      succeeded: false,
      transfers: [],
      fee: 345_000n,
    })
  })
})

test.each<[string, Record<string, unknown>, object]>([
  ['no hash', { ...transaction('TransferContract', sent()), txID: 'ab' }, {}],
  ['an amount with a fraction', transaction('TransferContract', sent({ amount: 1.5 })), {}],
  ['a negative amount', transaction('TransferContract', sent({ amount: -1 })), {}],
  ['an address that is none', transaction('TransferContract', sent({ to_address: OTHER.slice(2) })), {}],
  ['no contract', { ...transaction('TransferContract', sent()), raw_data: { contract: [] } }, {}],
  ['logs that are no list', transaction('TriggerSmartContract', called), { log: {} }],
  ['a log without a valid address', transaction('TriggerSmartContract', called), { log: [log({ address: 'xx' })] }],
])('%s is not believed', (_name, tx, info) => {
  expect(() => decodeTransaction(tx, info as Record<string, unknown>, tokens)).toThrow(
    /is no|no hash|no list|no object/,
  )
})
