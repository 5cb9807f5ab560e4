import * as fc from 'fast-check'
import {
  getAddress,
  hexToBytes,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { isRefused } from '../refusal.ts'
import { checksumAddress } from './address.ts'
import { toHex } from './hex.ts'
import { raisedPrice, replaceAtHigherPrice } from './replacement.ts'
import { parseSigned, serializeSigned, transactionHash } from './signed.ts'
import { signTransaction } from './signing.ts'
import { parseUnsigned, serializeUnsigned, signingHash } from './transaction.ts'
import type { Eip1559Transaction, LegacyTransaction, UnsignedTransaction } from './transaction.ts'

const amount = fc.bigInt({ min: 0n, max: 2n ** 128n })
const call = {
  chainId: fc.constantFrom(1n, 56n, 31337n, 31356n),
  nonce: fc.bigInt({ min: 0n, max: 2n ** 53n - 1n }),
  gas: fc.bigInt({ min: 21000n, max: 10_000_000n }),
  to: fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => checksumAddress(toHex(bytes))),
  value: amount,
  data: fc.uint8Array({ maxLength: 80 }).map(toHex),
}
const legacy: fc.Arbitrary<LegacyTransaction> = fc.record({
  type: fc.constant('legacy' as const),
  gasPrice: amount,
  ...call,
})
const eip1559: fc.Arbitrary<Eip1559Transaction> = fc
  .record({ type: fc.constant('eip1559' as const), maxFeePerGas: amount, maxPriorityFeePerGas: amount, ...call })
  .map((one) => ({ ...one, maxFeePerGas: one.maxFeePerGas + one.maxPriorityFeePerGas }))
const transactions: fc.Arbitrary<UnsignedTransaction> = fc.oneof(legacy, eip1559)
const privateKeys = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .filter((key) => key[0]! < 255 && key.some((byte) => byte))

/** The same transaction in viem's terms. */
function inViem(transaction: UnsignedTransaction): Parameters<typeof serializeTransaction>[0] {
  return { ...transaction, chainId: Number(transaction.chainId), nonce: Number(transaction.nonce) }
}

describe('unsigned transactions', () => {
  test('are written as viem writes them, and read back', () => {
    fc.assert(
      fc.property(transactions, (transaction) => {
        const bytes = serializeUnsigned(transaction)
        if (transaction.type === 'eip1559') expect(toHex(bytes)).toBe(serializeTransaction(inViem(transaction)))
        expect(parseUnsigned(bytes)).toEqual(transaction)
      }),
      { numRuns: cases(300) },
    )
  })

  test('the legacy form is the one of EIP-155, to its published example', () => {
    const transaction: LegacyTransaction = {
      type: 'legacy',
      chainId: 1n,
      nonce: 9n,
      gasPrice: 20n * 10n ** 9n,
      gas: 21000n,
      to: getAddress(`0x${'35'.repeat(20)}`),
      value: 10n ** 18n,
      data: '0x',
    }
    expect(toHex(signingHash(transaction))).toBe('0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53')
    const { raw } = signTransaction(transaction, new Uint8Array(32).fill(0x46))
    expect(toHex(raw)).toBe(
      '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
    )
  })

  const [sample] = fc.sample(eip1559, 1) as [Eip1559Transaction]
  test.each([
    ['chain id 0', { chainId: 0n }],
    ['a nonce of 64 bits', { nonce: 2n ** 64n - 1n }],
    ['a negative value', { value: -1n }],
    ['a value of 257 bits', { value: 2n ** 256n }],
    ['a priority above the whole', { maxPriorityFeePerGas: sample.maxFeePerGas + 1n }],
    ['no receiver', { to: '0x' as const }],
  ])('are not made with %s', (_name, wrong) => {
    const attempt = (): unknown => parseUnsigned(serializeUnsigned({ ...sample, ...wrong }))
    let answer: unknown
    try {
      answer = attempt()
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError)
      return
    }
    expect(answer).toMatchObject({ refused: 'not-parsable' })
  })

  test('of other kinds are refused by name', () => {
    const to = `0x${'11'.repeat(20)}` as const
    const accessList = [{ address: to, storageKeys: [] }]
    const others = [
      serializeTransaction({ type: 'eip2930', chainId: 1, to, accessList }),
      serializeTransaction({ type: 'eip7702', chainId: 1, to, authorizationList: [] }),
      serializeTransaction({
        type: 'eip4844',
        chainId: 1,
        to,
        maxFeePerBlobGas: 1n,
        blobVersionedHashes: [`0x01${'00'.repeat(31)}`],
      }),
    ]
    for (const other of others) expect(parseUnsigned(hexToBytes(other))).toMatchObject({ refused: 'unsupported' })
    const withList = serializeTransaction({ type: 'eip1559', chainId: 1, to, accessList })
    expect(parseUnsigned(hexToBytes(withList))).toMatchObject({ refused: 'not-parsable' })
    const unprotected = serializeTransaction({ type: 'legacy', to, gasPrice: 1n })
    expect(parseUnsigned(hexToBytes(unprotected))).toMatchObject({ refused: 'not-parsable' })
    const creation = serializeTransaction({ type: 'eip1559', chainId: 1, data: '0x00' })
    expect(parseUnsigned(hexToBytes(creation))).toMatchObject({ refused: 'not-parsable' })
  })

  test('have exactly one encoding', () => {
    fc.assert(
      fc.property(transactions, fc.nat(), fc.nat({ max: 255 }), (transaction, at, byte) => {
        const bytes = Uint8Array.from(serializeUnsigned(transaction))
        bytes[at % bytes.length] = byte
        const read = parseUnsigned(bytes)
        if (!isRefused(read)) expect(serializeUnsigned(read)).toEqual(bytes)
      }),
      { numRuns: cases(2000) },
    )
  })
})

describe('signed transactions', () => {
  test("equal viem's signed with the same key, and give back sender and hash", async () => {
    await fc.assert(
      fc.asyncProperty(transactions, privateKeys, async (transaction, privateKey) => {
        const account = privateKeyToAccount(toHex(privateKey))
        const { raw, hash } = signTransaction(transaction, privateKey)
        expect(toHex(raw)).toBe(await account.signTransaction(inViem(transaction)))
        expect(hash).toBe(keccak256(raw))
        expect(transactionHash(raw)).toBe(hash)
        expect(parseSigned(raw)).toMatchObject({ transaction, from: account.address, hash })
      }),
      { numRuns: cases(40) },
    )
  })

  test('viem reads the same transaction and sender from every accepted encoding', async () => {
    const base = fc.sample(fc.tuple(transactions, privateKeys), 10).map(([one, key]) => signTransaction(one, key).raw)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...base), fc.nat(), fc.nat({ max: 255 }), async (raw, at, byte) => {
        const bytes = Uint8Array.from(raw)
        bytes[at % bytes.length] = byte
        const read = parseSigned(bytes)
        if (isRefused(read)) return
        // viem holds nonce and chain id in floats.
        const { nonce, chainId } = read.transaction
        fc.pre(nonce <= Number.MAX_SAFE_INTEGER && chainId <= Number.MAX_SAFE_INTEGER)
        expect(serializeSigned(read.transaction, read.signature)).toEqual(bytes)
        const serializedTransaction = toHex(bytes) as Parameters<
          typeof recoverTransactionAddress
        >[0]['serializedTransaction']
        expect(await recoverTransactionAddress({ serializedTransaction })).toBe(read.from)
        expect(parseTransaction(toHex(bytes)).chainId).toBe(Number(read.transaction.chainId))
      }),
      { numRuns: cases(300) },
    )
  })

  test('with a high s is refused (EIP-2)', () => {
    const [transaction] = fc.sample(eip1559, 1) as [Eip1559Transaction]
    const signed = parseSigned(signTransaction(transaction, new Uint8Array(32).fill(7)).raw)
    if (isRefused(signed)) throw new Error(signed.message)
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const { r, s, yParity } = signed.signature
    const twin = serializeSigned(transaction, { r, s: order - s, yParity: yParity === 0 ? 1 : 0 })
    expect(parseSigned(twin)).toMatchObject({ refused: 'not-parsable' })
  })
})

describe('replacement', () => {
  test.each([
    [0n, 1n],
    [1n, 2n],
    [7n, 8n],
    [8n, 9n],
    [9n, 11n],
    [1_000_000_000n, 1_125_000_000n],
    [1_000_000_001n, 1_125_000_002n],
  ])('of a price of %s asks %s', (price, raised) => {
    expect(raisedPrice(price)).toBe(raised)
  })

  test('keeps everything but the prices, and raises each by at least an eighth', () => {
    fc.assert(
      fc.property(transactions, amount, amount, (original, wantedFee, wantedTip) => {
        const wanted = { gasPrice: wantedFee, maxFeePerGas: wantedFee, maxPriorityFeePerGas: wantedTip }
        const replacement = replaceAtHigherPrice(original, wanted)
        const { type, chainId, nonce, gas, to, value, data } = original
        expect(replacement).toMatchObject({ type, chainId, nonce, gas, to, value, data })
        expect(parseUnsigned(serializeUnsigned(replacement))).toEqual(replacement)
        const pairs =
          original.type === 'legacy'
            ? [[original.gasPrice, (replacement as LegacyTransaction).gasPrice, wantedFee] as const]
            : [
                [original.maxFeePerGas, (replacement as Eip1559Transaction).maxFeePerGas, wantedFee] as const,
                [
                  original.maxPriorityFeePerGas,
                  (replacement as Eip1559Transaction).maxPriorityFeePerGas,
                  wantedTip,
                ] as const,
              ]
        for (const [before, after, asked] of pairs) {
          expect(after * 8n).toBeGreaterThanOrEqual(before * 9n)
          expect(after).toBeGreaterThan(before)
          expect(after).toBeGreaterThanOrEqual(asked)
        }
      }),
      { numRuns: cases(300) },
    )
  })
})
