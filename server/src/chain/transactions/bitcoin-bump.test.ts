/** How much more a replacement pays than what it replaces: BIP 125 rule 4, by the node's `-incrementalrelayfee`. */
import { isRefused } from '@bursar/chainkit'
import { expect, test } from 'vitest'
import { Keyring } from '../../../../signer/src/keys/keyring.ts'
import { planBitcoinBump, planConsolidationBump } from './bitcoin-bump.ts'
import { anyChange, bitcoinKey, planBitcoinPayout, planConsolidation, type OwnCoin } from './index.ts'
import { DEFAULT_BITCOIN_POLICY } from './policy.ts'
import type { Attempt } from './transaction.ts'

const INCREMENTS: readonly [string, bigint, bigint][] = [
  ['0.1 sat/vB, as from Core 30 on: what older nodes ask is paid, so that they relay it too', 100n, 1_000n],
  ['5 sat/vB, as an operator may set it', 5_000n, 5_000n],
]

const world = () => {
  const wallet = { ...Keyring.open(new Uint8Array(64).fill(7), 'regtest').publicKeys, bitcoinChain: 'regtest' as const }
  const { address } = bitcoinKey(wallet, { account: 'hot', branch: 0, index: 0 })
  const coin: OwnCoin = {
    transaction: 'ab'.repeat(32),
    vout: 0,
    address,
    account: 'hot',
    branch: 0,
    index: 0,
    units: 1_000_000n,
  }
  const change = anyChange(wallet)
  return { coin, shared: { wallet, change, feeRateMilliSatPerVb: 1_000n, policy: DEFAULT_BITCOIN_POLICY } }
}
const attemptOf = (psbt: Uint8Array, fee: bigint, keys: unknown): Attempt =>
  ({ unsigned: Buffer.from(psbt).toString('hex'), networkFee: fee, keys }) as unknown as Attempt

test.each(INCREMENTS)(
  'audit D-B9, row B-15: a replacement pays the increment of the node: %s',
  (_what, incrementMilliSatPerVb, paid) => {
    const { coin, shared } = world()
    const { change } = shared
    const plan = planBitcoinPayout({ ...shared, coins: [coin], payments: [{ script: change.script, units: 500_000n }] })
    if (isRefused(plan)) throw new Error(plan.message)
    const attempt = attemptOf(plan.payout.psbt, plan.payout.fee, plan.signingKeys)
    const bump = planBitcoinBump({ ...shared, attempt, coins: [], incrementMilliSatPerVb })
    if (isRefused(bump)) throw new Error(bump.message)
    // At 1 sat/vB its fee is its virtual bytes.
    expect(bump.networkFee - plan.payout.fee).toBe((plan.payout.fee * paid) / 1_000n)
  },
)

test.each(INCREMENTS)(
  'audit D-B9, row B-15: the replacement of a consolidation pays the increment of the node: %s',
  (_what, incrementMilliSatPerVb, paid) => {
    const { coin, shared } = world()
    const plan = planConsolidation({ ...shared, coins: [coin] })
    if (isRefused(plan)) throw new Error(plan.message)
    const attempt = attemptOf(Buffer.from(plan.unsigned, 'hex'), plan.networkFee, plan.signingKeys)
    const bump = planConsolidationBump({
      attempt,
      feeRateMilliSatPerVb: 1_000n,
      incrementMilliSatPerVb,
      policy: DEFAULT_BITCOIN_POLICY,
    })
    if (isRefused(bump)) throw new Error(bump.message)
    expect(bump.networkFee - plan.networkFee).toBe((plan.networkFee * paid) / 1_000n)
  },
)
