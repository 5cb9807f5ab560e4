/** tronweb's own protobuf as the oracle: the same JSON must be the same bytes. */
import fc from 'fast-check'
import { utils } from 'tronweb'
import { expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { addressOf, base58Of } from '../address.ts'
import { hexOf } from '../bytes.ts'
import { encodeVarint, readFields } from './wire.ts'
import { decodeRaw, decodeTransaction, encodeRaw, encodeTransaction } from './transaction.ts'
import { rawJson, transactionFromJson } from './transaction-json.ts'

const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => `41${hexOf(bytes)}`)
const hex = (maxLength: number) => fc.uint8Array({ maxLength }).map(hexOf)
const amount = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
const resource = fc.constantFrom('BANDWIDTH', 'ENERGY')
const parameter = fc.record({
  name: fc.constantFrom('a', 'value_'),
  type: fc.constantFrom('address', 'uint256'),
  indexed: fc.boolean(),
})
const entry = fc.record({
  type: fc.constantFrom('function', 'event', 'constructor', 'fallback', 'receive', 'error'),
  name: fc.constantFrom('f', 'Transfer'),
  inputs: fc.array(parameter, { maxLength: 3 }),
  outputs: fc.array(parameter, { maxLength: 2 }),
  stateMutability: fc.constantFrom('pure', 'view', 'nonpayable', 'payable'),
  payable: fc.boolean(),
})
const contract = fc.oneof(
  fc.record({
    type: fc.constant('TransferContract'),
    value: fc.record({ owner_address: address, to_address: address, amount }),
  }),
  fc.record({
    type: fc.constant('AccountCreateContract'),
    value: fc.record({ owner_address: address, account_address: address }),
  }),
  fc.record({
    type: fc.constant('TriggerSmartContract'),
    value: fc.record({ owner_address: address, contract_address: address, call_value: amount, data: hex(300) }),
  }),
  fc.record({
    type: fc.constant('CreateSmartContract'),
    value: fc
      .record({
        owner: address,
        bytecode: hex(400),
        entrys: fc.array(entry, { maxLength: 4 }),
        amount,
        percent: fc.integer({ min: 0, max: 100 }),
      })
      .map(({ owner, bytecode, entrys, amount, percent }) => ({
        owner_address: owner,
        new_contract: {
          origin_address: owner,
          abi: { entrys },
          bytecode,
          call_value: amount,
          name: 'N',
          consume_user_resource_percent: percent,
          origin_energy_limit: 10_000_000,
        },
      })),
  }),
  fc.record({
    type: fc.constant('FreezeBalanceV2Contract'),
    value: fc.record({ owner_address: address, frozen_balance: amount, resource }),
  }),
  fc.record({
    type: fc.constant('UnfreezeBalanceV2Contract'),
    value: fc.record({ owner_address: address, unfreeze_balance: amount, resource }),
  }),
  fc.record({ type: fc.constant('WithdrawExpireUnfreezeContract'), value: fc.record({ owner_address: address }) }),
  fc.record({
    type: fc.constant('DelegateResourceContract'),
    value: fc.record({
      owner_address: address,
      receiver_address: address,
      balance: amount,
      resource,
      lock: fc.boolean(),
      lock_period: fc.integer({ min: 1, max: 864_000 }),
    }),
  }),
  fc.record({
    type: fc.constant('UnDelegateResourceContract'),
    value: fc.record({ owner_address: address, receiver_address: address, balance: amount, resource }),
  }),
)
const transaction = fc.record({
  contract,
  ref_block_bytes: fc.uint8Array({ minLength: 2, maxLength: 2 }).map(hexOf),
  ref_block_hash: fc.uint8Array({ minLength: 8, maxLength: 8 }).map(hexOf),
  expiration: amount,
  timestamp: amount,
  fee_limit: fc.integer({ min: 1, max: 15_000_000_000 }),
  data: fc.uint8Array({ minLength: 1, maxLength: 80 }).map(hexOf),
})

const jsonOf = ({
  contract: { type, value },
  ...raw
}: typeof transaction extends fc.Arbitrary<infer T> ? T : never) => ({
  visible: false,
  raw_data: { contract: [{ parameter: { value, type_url: `type.googleapis.com/protocol.${type}` }, type }], ...raw },
})

test('every kind of contract has the bytes and the id that tronweb gives it', () => {
  fc.assert(
    fc.property(transaction, (given) => {
      const json = jsonOf(given)
      const pb = utils.transaction.txJsonToPb(structuredClone(json) as never)
      const ours = transactionFromJson(json)
      expect(hexOf(ours.rawBytes)).toBe(utils.transaction.txPbToRawDataHex(pb).toLowerCase())
      expect(ours.id).toBe(utils.transaction.txPbToTxID(pb).replace(/^0x/, ''))
    }),
    { numRuns: cases(500) },
  )
})

test('bytes and JSON lead back to the same transaction', () => {
  fc.assert(
    fc.property(transaction, fc.boolean(), (given, visible) => {
      const { raw, rawBytes } = transactionFromJson(jsonOf(given))
      expect(hexOf(encodeRaw(decodeRaw(rawBytes)))).toBe(hexOf(rawBytes))
      expect(transactionFromJson({ visible, raw_data: rawJson(raw, visible) }).rawBytes).toEqual(rawBytes)
    }),
    { numRuns: cases(300) },
  )
})

test('any bytes are read or refused, and a message that was read has exactly one encoding', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      try {
        const once = encodeTransaction(decodeTransaction(bytes))
        expect(encodeTransaction(decodeTransaction(once))).toEqual(once)
      } catch (error) {
        expect((error as Error).name).toBe('CodecError')
      }
    }),
    { numRuns: cases(2_000) },
  )
})

test('a length beyond the end is refused', () => {
  expect(() => readFields(Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f))).toThrow(
    'cut short',
  )
  expect(() => readFields(Uint8Array.of(0x08, ...new Uint8Array(10).fill(0xff)))).toThrow('longer than ten bytes')
  expect(readFields(Uint8Array.of(0x08, ...encodeVarint(-1n))).get(1)).toEqual([-1n])
})

test('addresses are those of tronweb', () => {
  fc.assert(
    fc.property(address, (hexAddress) => {
      expect(base58Of(hexAddress)).toBe(utils.address.fromHex(hexAddress))
      expect(addressOf(base58Of(hexAddress))).toBe(hexAddress)
      const text = base58Of(hexAddress)
      const changed = text.slice(0, 10) + (text[10] === '2' ? '3' : '2') + text.slice(11)
      expect(() => addressOf(changed)).toThrow('checksum')
    }),
  )
})
