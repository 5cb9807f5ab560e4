/** Keys, coins and payments of Bitcoin for chainkit's tests, and generators of them. Only tests of chainkit use it. */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import * as fc from 'fast-check'
import type { Coin, Output, SpendableCoin } from './coin.ts'
import { p2wpkhScript } from './derivation.ts'
import type { KeyOrigin } from './derivation.ts'
import { writeScript } from './script.ts'
import type { ScriptType } from './script.ts'

/** Keys and coins for tests. Every number names one key, its script and its origin. */
export function testKey(number: number): { privateKey: Uint8Array; script: Uint8Array; origin: KeyOrigin } {
  const privateKey = new Uint8Array(32).fill(1)
  privateKey.set([number >> 8, number & 0xff], 30)
  const publicKey = secp256k1.getPublicKey(privateKey)
  const origin = { publicKey, masterFingerprint: 0x73c5da0a, path: [0x80000054, 0x80000001, 0x80000001, 0, number] }
  return { privateKey, script: p2wpkhScript(publicKey), origin }
}

const keys = Array.from({ length: 8 }, (_, number) => testKey(number))

export const CHANGE = testKey(1000)

export function testCoin(number: number, units: bigint): SpendableCoin & { privateKey: Uint8Array } {
  const { script, origin, privateKey } = keys[number % keys.length]!
  const txid = (number + 1).toString(16).padStart(64, 'a')
  return { txid, vout: number % 5, units, script, origin, privateKey }
}

/** Sets of distinct coins from dust to many bitcoin. */
export const coinSets = (most: number): fc.Arbitrary<(SpendableCoin & { privateKey: Uint8Array })[]> =>
  fc
    .array(fc.oneof(amount(1n, 3_000n), amount(3_000n, 200_000n), amount(200_000n, 5_000_000_000n)), {
      maxLength: most,
    })
    .map((units) => units.map((one, number) => testCoin(number, one)))

export function amount(min: bigint, max: bigint): fc.Arbitrary<bigint> {
  return fc.bigInt({ min, max })
}

/** Taproot is left out: its program must be a point of the curve. */
const payable = fc.constantFrom<ScriptType>('p2pkh', 'p2sh', 'p2wpkh', 'p2wsh')

export const paymentLists = (most: number): fc.Arbitrary<Output[]> =>
  fc.array(
    fc.tuple(payable, fc.nat({ max: 255 }), amount(546n, 20_000_000n)).map(([type, seed, units]) => ({
      script: writeScript(type, new Uint8Array(type === 'p2wsh' ? 32 : 20).fill(seed)),
      units,
    })),
    { minLength: 1, maxLength: most },
  )

/** From 0.1 to 500 satoshi a virtual byte. */
export const feeRates: fc.Arbitrary<bigint> = amount(100n, 500_000n)

/** Caps that no test transaction reaches. */
export const NO_CAPS = { maxFee: 10n ** 15n, maxFeePerMille: 10n ** 15n }

export const outpoints = (coins: readonly Pick<Coin, 'txid' | 'vout'>[]): string[] =>
  coins.map(({ txid, vout }) => `${txid}:${vout}`)
