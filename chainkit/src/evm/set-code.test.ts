import { secp256k1 } from '@noble/curves/secp256k1.js'
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
import { hashAuthorization, recoverAuthorizationAddress } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { isRefused } from '../refusal.ts'
import { authorityOf, authorizationHash, authorizationNonce } from './authorization.ts'
import type { Authorization } from './authorization.ts'
import { toHex } from './hex.ts'
import {
  authoritiesOf,
  parseDraft,
  parseSignedSetCode,
  serializeDraft,
  serializeSignedSetCode,
  serializeUnsignedSetCode,
} from './set-code.ts'
import type { SetCodeDraft } from './set-code.ts'
import { signHash } from './signing.ts'
import { signSetCode } from './sweep-signing.ts'
import { parseSigned } from './signed.ts'
import { parseUnsigned } from './transaction.ts'

const bytes = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length })
const address = bytes(20).map((twenty) => getAddress(toHex(twenty)))
const safe = fc.bigInt({ min: 0n, max: BigInt(Number.MAX_SAFE_INTEGER) - 1n })
const chainId = fc.bigInt({ min: 1n, max: 2n ** 31n })
const key = fc
  .bigInt({ min: 1n, max: secp256k1.Point.Fn.ORDER - 1n })
  .map((scalar) => secp256k1.Point.Fn.toBytes(scalar))

const authorization: fc.Arbitrary<Authorization> = fc.record({ chainId, delegate: address, nonce: safe })
const drafts: fc.Arbitrary<SetCodeDraft> = fc
  .record({
    type: fc.constant('eip7702' as const),
    chainId,
    nonce: safe,
    gas: fc.bigInt({ min: 0n, max: 2n ** 50n }),
    maxPriorityFeePerGas: fc.bigInt({ min: 0n, max: 2n ** 60n }),
    above: fc.bigInt({ min: 0n, max: 2n ** 60n }),
    to: address,
    value: fc.bigInt({ min: 0n, max: 2n ** 100n }),
    data: fc.uint8Array({ maxLength: 80 }).map(toHex),
    authorizations: fc.array(authorization, { minLength: 1, maxLength: 4 }),
  })
  .map(({ above, ...rest }) => ({ ...rest, maxFeePerGas: rest.maxPriorityFeePerGas + above }))
const signable = drafts.chain((draft) =>
  fc.tuple(
    fc.constant(draft),
    fc.array(key, { minLength: draft.authorizations.length, maxLength: draft.authorizations.length }),
    key,
  ),
)

const inViem = ({ delegate, chainId, nonce }: Authorization) => ({
  address: delegate,
  chainId: Number(chainId),
  nonce: Number(nonce),
})

describe('authorisations', () => {
  test('are hashed as viem hashes them, and recovered by it', async () => {
    await fc.assert(
      fc.asyncProperty(authorization, key, async (one, privateKey) => {
        expect(toHex(authorizationHash(one))).toBe(hashAuthorization(inViem(one)))
        const account = privateKeyToAccount(toHex(privateKey))
        const signature = signHash(authorizationHash(one), privateKey)
        const theirs = await account.signAuthorization(inViem(one))
        expect([BigInt(theirs.r), BigInt(theirs.s), theirs.yParity]).toEqual([
          signature.r,
          signature.s,
          signature.yParity,
        ])
        expect(authorityOf({ ...one, signature })).toBe(account.address)
        expect(await recoverAuthorizationAddress({ authorization: theirs })).toBe(account.address)
      }),
      { numRuns: cases(40) },
    )
  })

  test('are never for every chain', () => {
    const [draft] = fc.sample(drafts, 1) as [SetCodeDraft]
    const everywhere = { ...draft.authorizations[0]!, chainId: 0n }
    expect(() => authorizationHash(everywhere)).toThrow(/every chain/)
    expect(() => serializeDraft({ ...draft, authorizations: [everywhere] })).toThrow(/every chain/)
  })

  test('that name chain id 0 are not read either', () => {
    const viems = serializeTransaction(
      {
        type: 'eip7702',
        chainId: 1,
        to: `0x${'11'.repeat(20)}`,
        authorizationList: [
          {
            address: `0x${'22'.repeat(20)}`,
            chainId: 0,
            nonce: 0,
            r: `0x${'11'.repeat(32)}`,
            s: `0x${'11'.repeat(32)}`,
            yParity: 0,
          },
        ],
      },
      { r: `0x${'11'.repeat(32)}`, s: `0x${'11'.repeat(32)}`, yParity: 0 },
    )
    expect(parseSignedSetCode(hexToBytes(viems))).toMatchObject({
      refused: 'not-parsable',
      message: expect.stringContaining('every chain'),
    })
  })

  test('take the nonce the account will be at', () => {
    expect(authorizationNonce(5n, false)).toBe(5n)
    expect(authorizationNonce(5n, true)).toBe(6n)
    expect(authorizationNonce(5n, true, 2)).toBe(8n)
  })
})

describe('transactions of EIP-7702', () => {
  test("equal viem's signed with the same keys, and parse back", async () => {
    await fc.assert(
      fc.asyncProperty(signable, async ([draft, authorityKeys, senderKey]) => {
        const account = privateKeyToAccount(toHex(senderKey))
        const authorizationList = await Promise.all(
          draft.authorizations.map((one, index) =>
            privateKeyToAccount(toHex(authorityKeys[index]!)).signAuthorization(inViem(one)),
          ),
        )
        const { authorizations: _, ...call } = draft
        const theirs = await account.signTransaction({
          ...call,
          chainId: Number(call.chainId),
          nonce: Number(call.nonce),
          authorizationList,
        })
        const { raw, hash } = signSetCode(draft, authorityKeys, senderKey)
        expect(toHex(raw)).toBe(theirs)
        expect(hash).toBe(keccak256(raw))
        const read = parseSignedSetCode(raw)
        if (isRefused(read)) throw new Error(read.message)
        expect(read).toMatchObject({ from: account.address, hash })
        expect(authoritiesOf(read.transaction)).toEqual(
          authorityKeys.map((one) => privateKeyToAccount(toHex(one)).address),
        )
        const unsigned = read.transaction.authorizations.map(({ signature: _signature, ...one }) => one)
        expect({ ...read.transaction, authorizations: unsigned }).toEqual(draft)
        expect(toHex(serializeUnsignedSetCode(read.transaction))).toBe(
          serializeTransaction({
            ...call,
            chainId: Number(call.chainId),
            nonce: Number(call.nonce),
            type: 'eip7702',
            authorizationList,
          }),
        )
      }),
      { numRuns: cases(30) },
    )
  })

  test('as drafts are read back as written, and have one spelling', () => {
    fc.assert(
      fc.property(drafts, fc.nat(), fc.nat({ max: 255 }), (draft, at, byte) => {
        const written = serializeDraft(draft)
        expect(parseDraft(written)).toEqual(draft)
        const changed = Uint8Array.from(written)
        changed[at % changed.length] = byte
        const read = parseDraft(changed)
        if (!isRefused(read)) expect(serializeDraft(read)).toEqual(changed)
      }),
      { numRuns: cases(1000) },
    )
  })

  test('changed in a byte are refused, or read by viem as sent by the same', async () => {
    const base = fc
      .sample(signable, 5)
      .map(([draft, authorities, sender]) => signSetCode(draft, authorities, sender).raw)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...base), fc.nat(), fc.nat({ max: 255 }), async (raw, at, byte) => {
        const changed = Uint8Array.from(raw)
        changed[at % changed.length] = byte
        const read = parseSignedSetCode(changed)
        if (isRefused(read)) return
        fc.pre(
          [
            read.transaction.nonce,
            read.transaction.chainId,
            ...read.transaction.authorizations.flatMap(({ chainId, nonce }) => [chainId, nonce]),
          ].every((one) => one <= Number.MAX_SAFE_INTEGER),
        )
        expect(serializeSignedSetCode(read.transaction, read.signature)).toEqual(changed)
        const serializedTransaction = toHex(changed) as `0x04${string}`
        expect(await recoverTransactionAddress({ serializedTransaction })).toBe(read.from)
        expect(parseTransaction(serializedTransaction).authorizationList).toHaveLength(
          read.transaction.authorizations.length,
        )
      }),
      { numRuns: cases(200) },
    )
  })

  test('have an authorisation, and are read by nothing that reads payments', () => {
    const [[draft, authorities, sender]] = fc.sample(signable, 1) as [[SetCodeDraft, Uint8Array[], Uint8Array]]
    expect(() => serializeDraft({ ...draft, authorizations: [] })).toThrow(/has an authorisation/)
    expect(parseUnsigned(serializeDraft(draft))).toMatchObject({ refused: 'unsupported' })
    expect(parseSigned(signSetCode(draft, authorities, sender).raw)).toMatchObject({ refused: 'unsupported' })
    expect(parseDraft(new Uint8Array())).toMatchObject({ refused: 'unsupported' })
    expect(() => signSetCode(draft, [], sender)).toThrow(/key is missing/)
  })

  test('with a high s are refused, the authorisation or the transaction', () => {
    const [[draft, authorities, sender]] = fc.sample(signable, 1) as [[SetCodeDraft, Uint8Array[], Uint8Array]]
    const read = parseSignedSetCode(signSetCode(draft, authorities, sender).raw)
    if (isRefused(read)) throw new Error(read.message)
    const high = ({ r, s, yParity }: typeof read.signature) => ({
      r,
      s: secp256k1.Point.Fn.ORDER - s,
      yParity: yParity === 0 ? (1 as const) : (0 as const),
    })
    const { transaction, signature } = read
    expect(parseSignedSetCode(serializeSignedSetCode(transaction, high(signature)))).toMatchObject({
      refused: 'not-parsable',
    })
    const authorizations = transaction.authorizations.map((one) => ({ ...one, signature: high(one.signature) }))
    expect(parseSignedSetCode(serializeSignedSetCode({ ...transaction, authorizations }, signature))).toMatchObject({
      refused: 'not-parsable',
    })
  })
})
