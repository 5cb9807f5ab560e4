import { hexToBytes } from '@noble/hashes/utils.js'
import * as fc from 'fast-check'
import { TronWeb } from 'tronweb'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { isRefused } from '../refusal.ts'
import { MAX_LIFETIME_MS, mayRebuild, REBUILD_AFTER_MS } from './expiry.ts'
import { parseSigned, serializeSigned } from './signed.ts'
import { signTransaction } from './signing.ts'
import { bandwidthOf } from './size.ts'
import {
  addressOfKey,
  arbitraryKey,
  buildByTronweb,
  readByTronweb,
  shownHex,
  signByTronweb,
  transactionsOf,
} from './test-tronweb.ts'
import { parseUnsigned, referenceTo, serializeUnsigned, transactionId } from './transaction.ts'
import type { UnsignedTransaction } from './transaction.ts'
import { decodeTokenTransfer, decodeTokenTransferLog, encodeTokenTransfer } from './trc20.ts'
import { writeFields } from './wire.ts'

const KEY = new Uint8Array(32).fill(7)
const OWNER = addressOfKey(KEY)
const OTHER = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH'
const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const some: UnsignedTransaction = {
  refBlockBytes: 'ab12',
  refBlockHash: '0011223344556677',
  expiration: 1_700_000_060_000,
  timestamp: 1_700_000_000_000,
  feeLimit: 0n,
  contract: { kind: 'TransferContract', owner: OWNER, to: OTHER, amount: 5n },
}
const call: UnsignedTransaction = {
  ...some,
  feeLimit: 30_000_000n,
  contract: {
    kind: 'TriggerSmartContract',
    owner: OWNER,
    contract: USDT,
    callValue: 0n,
    data: encodeTokenTransfer(OTHER, 1_000_000n),
  },
}

describe('a transaction', () => {
  test("equals tronweb's byte for byte, with the same id", async () => {
    await fc.assert(
      fc.asyncProperty(transactionsOf(KEY), async (transaction) => {
        const built = await buildByTronweb(transaction)
        expect(hexOf(serializeUnsigned(transaction))).toBe(built.raw_data_hex)
        expect(transactionId(transaction)).toBe(built.txID)
        expect(parseUnsigned(hexToBytes(built.raw_data_hex))).toEqual(transaction)
      }),
      { numRuns: cases(300) },
    )
  })

  test('is read by tronweb with the same fields', () => {
    fc.assert(
      fc.property(transactionsOf(KEY), (transaction) => {
        const { contract } = transaction
        const { value, raw } = readByTronweb(contract.kind, hexOf(serializeUnsigned(transaction)))
        expect(raw).toMatchObject({
          expiration: transaction.expiration,
          timestamp: transaction.timestamp,
          fee_limit: Number(transaction.feeLimit),
          ref_block_bytes: transaction.refBlockBytes.toUpperCase(),
          ref_block_hash: transaction.refBlockHash.toUpperCase(),
        })
        expect(value['owner_address']).toBe(shownHex(OWNER))
        const receiver =
          'to' in contract
            ? contract.to
            : 'receiver' in contract
              ? contract.receiver
              : 'account' in contract
                ? contract.account
                : undefined
        const shown = value['to_address'] ?? value['receiver_address'] ?? value['account_address']
        expect(shown).toBe(receiver && shownHex(receiver))
        const amount = value['amount'] ?? value['frozen_balance'] ?? value['unfreeze_balance'] ?? value['balance']
        expect(amount).toBe('amount' in contract ? Number(contract.amount) : undefined)
      }),
      { numRuns: cases(200) },
    )
  })

  test("has, once signed, tronweb's signature, and gives back its signer", async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryKey.chain((key) => transactionsOf(key).map((transaction) => ({ key, transaction }))),
        async ({ key, transaction }) => {
          const signature = await signByTronweb(await buildByTronweb(transaction), hexOf(key))
          const { raw, hash } = signTransaction(transaction, key)
          expect(hexOf(raw)).toBe(hexOf(serializeSigned(transaction, hexToBytes(signature))))
          expect(parseSigned(raw)).toEqual({
            transaction,
            signature: hexToBytes(signature),
            from: addressOfKey(key),
            hash,
          })
          expect(hash).toBe(transactionId(transaction))
        },
      ),
      { numRuns: cases(60) },
    )
  })

  test('read strictly: bytes that are read at all are the bytes that are written', () => {
    const bytes = serializeUnsigned(call)
    let read = 0
    fc.assert(
      fc.property(fc.nat(), fc.nat({ max: 2 }), fc.uint8Array({ maxLength: 3 }), (at, remove, insert) => {
        const changed = [...bytes]
        changed.splice(at % (bytes.length + 1), remove, ...insert)
        const parsed = parseUnsigned(Uint8Array.from(changed))
        if (isRefused(parsed)) return
        read += 1
        expect(hexOf(serializeUnsigned(parsed))).toBe(hexOf(Uint8Array.from(changed)))
      }),
      { numRuns: cases(3_000) },
    )
    expect(read).toBeGreaterThan(10)
  })

  const good = hexOf(serializeUnsigned(some))
  const field = (number: number, value: bigint | Uint8Array): string => hexOf(writeFields([{ number, value }]))
  test.each([
    ['a memo', good.replace('5a65', `${field(10, Uint8Array.of(1))}5a65`), /field 10/],
    ['an unknown field at the end', good + field(19, 1n), /field 19/],
    ['a byte left over', `${good}00`, /order/],
    ['half a field', `${good}90`, /ends within/],
    ['a field that is longer than all', `${good}9a01ff`, /ends within|longer/],
    ['a field twice', good + field(14, 1n), /order/],
    ['the fee limit written out as 0', `${good}900100`, /default/],
    ['a number in more bytes than it needs', `${good}90018100`, /fewest/],
    ['a number of more than 64 bits', `${good}9001${'80'.repeat(9)}02`, /64 bits/],
    ['another wire type', `${good}950100000000`, /wire type 5/],
    ['no bytes', '', /reference/],
  ])('is refused with %s', (_name, hex, why) => {
    const parsed = parseUnsigned(hexToBytes(hex))
    expect(isRefused(parsed) && parsed.message).toMatch(why)
  })

  test('is refused when it is of another kind, or names its parameter as another', () => {
    // The kind's number is a byte of its own; 2 is TransferAssetContract (TRC-10), 4 votes.
    for (const kind of ['02', '04', '1f', '39'])
      expect(parseUnsigned(hexToBytes(good.replace('5a650801', `5a6508${kind}`)))).toMatchObject({
        refused: 'not-parsable',
      })
    const renamed = good.replace(hexOf(Buffer.from('TransferContract')), hexOf(Buffer.from('TransferContracT')))
    expect(parseUnsigned(hexToBytes(renamed))).toMatchObject({ refused: 'not-parsable' })
  })

  test('is refused with a negative amount, which protobuf writes as ten bytes', () => {
    const negative = good
      .replace('5a65', '5a6e')
      .replace('1261', '126a')
      .replace('1230', '1239')
      .replace('1805', '18ffffffffffffffffff01')
    expect(parseUnsigned(hexToBytes(negative))).toMatchObject({
      refused: 'not-parsable',
      message: expect.stringMatching(/int64/),
    })
    expect(() => serializeUnsigned({ ...some, feeLimit: -1n })).toThrow(RangeError)
    expect(() => serializeUnsigned({ ...some, feeLimit: 2n ** 63n })).toThrow(RangeError)
  })

  test.each([
    [
      'a permission other than the owner’s',
      (hex: string) => hex.replace('5a65', '5a67').replace('7080d095ffbc31', '28027080d095ffbc31'),
    ],
    [
      'a second contract',
      (hex: string) => hex.replace('7080d095', `${hex.slice(hex.indexOf('5a65'), hex.indexOf('7080d095'))}7080d095`),
    ],
  ])('is refused with %s', (_name, change) => {
    expect(change(good)).not.toBe(good)
    expect(parseUnsigned(hexToBytes(change(good)))).toMatchObject({ refused: 'not-parsable' })
  })

  test('is refused with a resource or a flag that we do not know', () => {
    const delegation = {
      kind: 'DelegateResourceContract',
      owner: OWNER,
      resource: 'ENERGY',
      amount: 5n,
      receiver: OTHER,
      lock: true,
      lockPeriod: 9n,
    } as const
    const hex = hexOf(serializeUnsigned({ ...some, contract: delegation }))
    expect(parseUnsigned(hexToBytes(hex))).toMatchObject({ contract: delegation })
    expect(parseUnsigned(hexToBytes(hex.replace('10011805', '10021805')))).toMatchObject({
      message: expect.stringMatching(/2 is not a choice/),
    })
    expect(parseUnsigned(hexToBytes(hex.replace('28013009', '28023009')))).toMatchObject({
      message: expect.stringMatching(/2 is not a choice/),
    })
  })

  test('refers to a block by its id', () => {
    const id = '0000000003a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b'
    expect(referenceTo(id)).toEqual({ refBlockBytes: 'b2c3', refBlockHash: 'd4e5f60718293a4b' })
    expect(() => referenceTo(id.toUpperCase())).toThrow(RangeError)
    expect(() => serializeUnsigned({ ...some, refBlockBytes: 'ab' })).toThrow(RangeError)
  })
})

describe('a signed transaction', () => {
  const { raw } = signTransaction(some, KEY)
  const signature = raw.slice(-65)
  test.each([
    [
      'a high s',
      (bytes: Uint8Array) => Uint8Array.from([...bytes.slice(0, 32), ...new Uint8Array(32).fill(0xf0), bytes[64]!]),
    ],
    ['another v', (bytes: Uint8Array) => Uint8Array.from([...bytes.slice(0, 64), 29])],
    ['an r of zero', (bytes: Uint8Array) => Uint8Array.from([...new Uint8Array(32), ...bytes.slice(32)])],
  ])('is refused with %s', (_name, change) => {
    expect(parseSigned(serializeSigned(some, change(signature)))).toMatchObject({ refused: 'not-parsable' })
  })

  test('shows another signer when anything in it changes', () => {
    const parsed = parseSigned(serializeSigned({ ...some, timestamp: some.timestamp + 1 }, signature))
    expect(!isRefused(parsed) && parsed.from).not.toBe(OWNER)
    expect(parseSigned(raw.slice(0, -1))).toMatchObject({ refused: 'not-parsable' })
    expect(parseSigned(Uint8Array.from([...raw, 0]))).toMatchObject({ refused: 'not-parsable' })
  })

  test('takes the bandwidth that is seen on the main network', () => {
    expect([
      bandwidthOf({ ...some, contract: { ...some.contract, amount: 1_000_000n } as never }),
      bandwidthOf(call),
    ]).toEqual([267, 345])
    expect(bandwidthOf(some)).toBe(raw.length + 64)
  })
})

describe('TRC-20', () => {
  test("call data equals tronweb's, and parses back", () => {
    fc.assert(
      fc.property(arbitraryKey.map(addressOfKey), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (to, units) => {
        const data = encodeTokenTransfer(to, units)
        const encoded = new TronWeb({ fullHost: 'http://127.0.0.1:1' }).utils.abi.encodeParams(
          ['address', 'uint256'],
          [to, units],
        )
        expect(data).toBe(`0xa9059cbb${encoded.slice(2)}`)
        expect(decodeTokenTransfer(data)).toEqual({ to, units })
      }),
      { numRuns: cases(50) },
    )
  })

  test('an address with its 0x41 in call data is refused: contracts hold 20 bytes', () => {
    expect(
      decodeTokenTransfer(
        encodeTokenTransfer(OTHER, 1n).replace('0xa9059cbb' + '0'.repeat(24), '0xa9059cbb' + '0'.repeat(22) + '41'),
      ),
    ).toBeUndefined()
  })

  test('logs are read as nodes show them', () => {
    const word = (hex: string): string => hex.padStart(64, '0')
    const topics = [
      'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
      word('a614f803b6fd780986a42c78ec9c7f77e6ded13c'),
      word('c8599111f29c1e1e061265b4af93ea1f274ad78a'),
    ]
    expect(decodeTokenTransferLog({ topics, data: word('f4240') })).toEqual({
      from: USDT,
      to: OTHER,
      units: 1_000_000n,
    })
    expect(decodeTokenTransferLog({ topics: topics.slice(0, 2), data: word('1') })).toMatchObject({
      refused: 'not-transfer',
    })
    expect(decodeTokenTransferLog({ topics, data: '' })).toMatchObject({ refused: 'malformed' })
  })
})

test('a payment is signed anew no sooner than ten minutes after its transaction expired', () => {
  expect(REBUILD_AFTER_MS).toBe(600_000)
  expect([mayRebuild(1_000, 600_999), mayRebuild(1_000, 601_000)]).toEqual([false, true])
  expect(MAX_LIFETIME_MS).toBe(86_400_000)
})
