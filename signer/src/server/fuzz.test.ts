import { hexToBytes, parseTransaction, recoverTransactionAddress } from 'viem'
import type { Hex, TransactionSerialized } from 'viem'
import { Transaction } from '@scure/btc-signer'
import { TronWeb, utils } from 'tronweb'
import { isRefused } from '@bursar/chainkit'
import { parseSigned } from '@bursar/chainkit/tron'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import type { SignAnswer, SignRequest } from '../protocol/protocol.ts'
import { Refusal } from '../protocol/refusal.ts'
import { NOW, MINUTE, ownerOf, tronIntent, tronRequest } from '../../../test/world/tron-requests.ts'
import {
  BITCOIN_OTHER,
  USDT,
  bitcoinIntent,
  bitcoinRequest,
  changeOutput,
  evmRequest,
  evmTransaction,
  fillerRequest,
  hotKey,
  intentOf,
  keyring,
  makeSigner,
} from '../../../test/world/signer.ts'
import type { TestSigner } from '../../../test/world/signer.ts'

/** For any bytes: either nothing is signed, or other libraries read in them exactly the intents. */

type Edit = { at: number; remove: number; insert: number[] }

const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.record({ at: fc.nat(), remove: fc.nat({ max: 3 }), insert: fc.array(fc.nat({ max: 255 }), { maxLength: 3 }) }),
  { minLength: 1, maxLength: 3 },
)
/** One byte for another: most often still a transaction. */
const flips: fc.Arbitrary<Edit[]> = fc
  .record({ at: fc.nat(), byte: fc.nat({ max: 255 }) })
  .map(({ at, byte }) => [{ at, remove: 1, insert: [byte] }])

function edited(hex: string, changes: readonly Edit[]): string {
  const prefix = hex.startsWith('0x') ? '0x' : ''
  const bytes = [...Buffer.from(hex.slice(prefix.length), 'hex')]
  for (const { at, remove, insert } of changes) bytes.splice(at % bytes.length, remove, ...insert)
  return prefix + Buffer.from(bytes).toString('hex')
}

/** Asks a signer that has signed nothing yet. */
function freshSigner(): (request: SignRequest) => Promise<SignAnswer | undefined> {
  let unused: TestSigner | undefined
  return async (request) => {
    unused ??= await makeSigner()
    try {
      const answer = await unused.signer.sign(request)
      unused = undefined
      return answer
    } catch (error) {
      expect(error).toBeInstanceOf(Refusal)
      return undefined
    }
  }
}

describe('changed bytes', () => {
  const token = intentOf(1)
  const coin = intentOf(1, { asset: 'ETH', units: '700' })
  const maxFee = 10n ** 16n

  test.each([
    ['a token payment', evmRequest(token), { to: USDT, value: 0n, data: evmTransaction(token).data }],
    ['a payment of coins', evmRequest(coin), { to: coin.to, value: 700n, data: '0x' }],
    ['a filler', fillerRequest(), { to: keyring.evmAddress(hotKey), value: 0n, data: '0x' }],
  ])('of %s never make another payment', async (_name, request, effect) => {
    const attempt = freshSigner()
    let signed = 0
    await fc.assert(
      fc.asyncProperty(fc.oneof(flips, edits), async (changes) => {
        const answer = await attempt({ ...request, unsigned: edited(request.unsigned, changes) })
        if (!answer) return
        signed++
        const serializedTransaction = answer.signed as TransactionSerialized
        const read = parseTransaction(serializedTransaction)
        expect(read.chainId).toBe(31337)
        expect({ to: read.to, value: read.value ?? 0n, data: read.data ?? '0x' }).toEqual({
          ...effect,
          to: effect.to.toLowerCase(),
        })
        expect('accessList' in read ? read.accessList : undefined).toBeUndefined()
        expect(read.gas! * (read.gasPrice ?? read.maxFeePerGas!)).toBeLessThanOrEqual(maxFee)
        expect(await recoverTransactionAddress({ serializedTransaction })).toBe(keyring.evmAddress(hotKey))
        expect(hexToBytes(answer.signed as Hex).length).toBeGreaterThan(100)
      }),
      { numRuns: cases(400) },
    )
    // Changed nonces and prices are still payments; without any the test would prove nothing.
    expect(signed).toBeGreaterThan(0)
  })

  test('of a Bitcoin payout never make another payment', async () => {
    const intents = [bitcoinIntent(1), bitcoinIntent(2, 50_000n, BITCOIN_OTHER)]
    const inputs = [
      { number: 0, units: 300_000n, key: { account: 'deposit', branch: 0, index: 0 } as const },
      { number: 1, units: 40_000n, key: hotKey },
    ]
    const request = bitcoinRequest({ intents, inputs })
    const paid = Transaction.fromPSBT(Buffer.from(request.unsigned, 'hex'))
    const scripts = Array.from({ length: 2 }, (_, at) => paid.getOutput(at).script)
    const attempt = freshSigner()
    let signed = 0
    await fc.assert(
      fc.asyncProperty(fc.oneof(flips, edits), async (changes) => {
        const answer = await attempt({ ...request, unsigned: edited(request.unsigned, changes) })
        if (!answer) return
        signed++
        const read = Transaction.fromRaw(Buffer.from(answer.signed, 'hex'))
        expect(read.id).toBe(answer.hash)
        const outputs = Array.from({ length: read.outputsLength }, (_, at) => read.getOutput(at))
        expect(outputs.slice(0, 2).map(({ amount }) => amount)).toEqual([100_000n, 50_000n])
        expect(outputs.slice(0, 2).map(({ script }) => script)).toEqual(scripts)
        for (const { script } of outputs.slice(2)) expect(script).toEqual(changeOutput(1n).script)
      }),
      { numRuns: cases(300) },
    )
    expect(signed).toBeGreaterThan(0)
  })

  test.each([
    ['a token payment', tronIntent(1), 'TriggerSmartContract'],
    ['a payment of TRX', tronIntent(1, { asset: 'TRX', units: '700' }), 'TransferContract'],
  ])('of %s on TRON never make another payment', async (_name, intent, kind) => {
    const request = tronRequest(intent)
    const shown = (hex: string) => utils.deserializeTx.deserializeTransaction(kind, hex)
    const effect: unknown = shown(request.unsigned).contract
    const attempt = freshSigner()
    let signed = 0
    await fc.assert(
      fc.asyncProperty(fc.oneof(flips, edits), async (changes) => {
        const unsigned = edited(request.unsigned, changes)
        const answer = await attempt({ ...request, unsigned })
        if (!answer) return
        signed++
        expect(shown(unsigned).contract).toEqual(effect)
        expect(shown(unsigned).expiration).toBeLessThanOrEqual(NOW + 10 * MINUTE)
        expect(shown(unsigned)).toMatchObject({ data: '', scripts: '', auths: [] })
        expect(shown(unsigned).fee_limit).toBeLessThanOrEqual(30_000_000)
        const parsed = parseSigned(Buffer.from(answer.signed, 'hex'))
        if (isRefused(parsed)) throw new Error(parsed.message)
        const signer = utils.crypto.ecRecover(answer.hash, `0x${Buffer.from(parsed.signature).toString('hex')}`)
        expect(TronWeb.address.fromHex(signer)).toBe(ownerOf(hotKey))
      }),
      { numRuns: cases(600) },
    )
    // Other reference blocks, times and fee limits are still payments; without any the test would prove nothing.
    expect(signed).toBeGreaterThan(0)
  })

  test('that are any bytes at all are refused', async () => {
    const attempt = freshSigner()
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (bytes) => {
        const hex = Buffer.from(bytes).toString('hex')
        expect(await attempt({ ...evmRequest(intentOf(1)), unsigned: `0x${hex}` })).toBeUndefined()
        expect(await attempt({ ...evmRequest(intentOf(1)), unsigned: `0x02${hex}` })).toBeUndefined()
        expect(await attempt({ ...tronRequest(tronIntent(1)), unsigned: hex })).toBeUndefined()
        expect(
          await attempt({
            ...bitcoinRequest({ intents: [bitcoinIntent(1)], inputs: [{ number: 0, units: 200_000n, key: hotKey }] }),
            unsigned: `70736274ff${hex}`,
          }),
        ).toBeUndefined()
      }),
      { numRuns: cases(100) },
    )
  })
})
