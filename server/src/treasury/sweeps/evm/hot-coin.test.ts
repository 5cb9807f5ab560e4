/** Sweeps and payouts of the same hot address: the coin of a payout is not spent on gas. */
import { sql } from 'kysely'
import { COIN, CREATE2_DEPLOYER, sweepContracts } from '@bursar/chainkit/evm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../../../test/setup/database.ts'
import { migrated } from '../../../../../test/setup/migrated.ts'
import type { AccountChainAdapter } from '../../../adapters/chains/port.ts'
import { isNonceSound } from '../../../chain/transactions/index.ts'
import { createPayoutWorld, HOT, STRANGER, type PayoutWorld } from '../../../../../test/world/payouts.ts'
import { inTransaction } from '../../../platform/db/index.ts'
import { momentOf } from '../../../platform/runtime/runtime.ts'
import { grantCapital } from '../../reconciliation/index.ts'
import { DEFAULT_SWEEP_POLICY } from '../policy.ts'
import type { EvmChoice } from './choice.ts'
import { areReady } from './jobs-contracts.ts'
import { planTopUp } from './jobs-topup.ts'
import type { EvmRound } from './sweeping.ts'

/** A balance of the hot address: enough for the payout or for the top-up, not for both. */
const BALANCE = 10n ** 18n
const PAID = BALANCE - 10n ** 15n
const RATE = { kind: 'gas', legacy: false, maxFeePerGas: 4_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n } as const
let database: TestDatabase
let world: PayoutWorld

beforeEach(async () => {
  database = await createDatabase({ template: migrated })
  world = await createPayoutWorld(database.url, { looksAhead: false })
  world.node.estimate = () => ({ ok: true, gas: 21_000n })
  const { merchantId, runtime, db } = world
  await inTransaction(db, (tx) => grantCapital(tx, { merchantId, asset: 'ETH', units: PAID * 2n }, momentOf(runtime)))
  await isNonceSound(world.evm)
  world.adapter.balancesAt = async (_height, wanted) => wanted.map(() => BALANCE)
})
afterEach(async () => {
  await world.close()
  await database.drop()
})

const payOut = async (): Promise<void> => {
  await world.request(PAID, { ticker: 'ETH' })
  await world.plan()
}

/** A round of sweeps; `meanwhile` runs after its reads of the database and before that of the balance. */
const roundWith = (meanwhile?: () => Promise<void>): EvmRound => {
  const adapter = {
    ...world.adapter,
    stateFrom: async (least: number) => ({
      ...(await world.adapter.stateFrom(least)),
      codeAt: async (address: string) => (address === CREATE2_DEPLOYER ? '0x60' : '0x'),
      balances: async (wanted: readonly unknown[]) => {
        await meanwhile?.()
        return wanted.map(() => BALANCE)
      },
    }),
  } as AccountChainAdapter
  const policy = { ...DEFAULT_SWEEP_POLICY, maxTopUp: BALANCE }
  return { ...world.evm, adapter, policy, sending: { maxBatchFee: BALANCE } } as unknown as EvmRound
}

/** Plans the deployment of a contract, whose gas takes a hundredth of the balance. */
const deploy = (meanwhile?: () => Promise<void>): Promise<boolean> => {
  world.node.estimate = (call) => ({ ok: true, gas: call.to === STRANGER ? 21_000n : 2_000_000n })
  return areReady(roundWith(meanwhile), [sweepContracts(HOT).batch], RATE)
}

/** Plans the gas of a sweep. */
const topUp = (meanwhile?: () => Promise<void>): Promise<boolean> => {
  const round = roundWith(meanwhile)
  const holder = { address: STRANGER, merchantId: world.merchantId, derivationIndex: 0, sweptBefore: 0, holdings: [] }
  const holding = { asset: 'ETH', units: 1n, since: new Date(0), failures: 0, on: COIN, amount: 1n, worth: 1n }
  // So much gas that the top-up takes a hundredth of the balance.
  world.node.estimate = (call) => ({ ok: true, gas: call.from === STRANGER ? 2_000_000n : 21_000n })
  const choice: EvmChoice = { account: { holder, nonce: 0, code: '0x', coin: 0n }, way: 'top-up', holdings: [holding] }
  return planTopUp(round, choice, RATE)
}

const purposes = async (): Promise<string[]> =>
  (
    await sql<{ purpose: string }>`select purpose from outgoing order by created_at, purpose`.execute(world.db)
  ).rows.map(({ purpose }) => purpose)

test('without payouts, an address is sent the coin for its sweep', async () => {
  expect(await topUp()).toBe(true)
  expect(await purposes()).toEqual(['gas'])
})

test('coin that a payout is about to send is not sent to a deposit address', async () => {
  await payOut()
  expect(await topUp()).toBe(false)
  expect(await purposes()).toEqual(['payout'])
  expect((await world.alerts()).map(({ kind, subject }) => `${kind} ${subject}`)).toEqual([
    'hot-wallet-short ETHEREUM/gas',
  ])
})

test('nor coin of a payout that is planned while the balance is read', async () => {
  expect(await topUp(payOut)).toBe(false)
  expect(await purposes()).toEqual(['payout'])
})

test('coin that is sent to a deposit address is not paid out', async () => {
  expect(await topUp()).toBe(true)
  await payOut()
  expect(await purposes()).toEqual(['gas'])
})

test.each([
  ['was planned before', async () => (await payOut(), deploy())],
  ['is planned while the balance is read', () => deploy(payOut)],
])('coin of a payout that %s is not spent on the deployment of a contract', async (_, run) => {
  await run()
  expect(await purposes()).toEqual(['payout'])
})

test('a contract is deployed with coin that nothing else sends, and that coin is not paid out', async () => {
  await deploy()
  expect(await purposes()).toEqual(['sweep'])
  await payOut()
  expect(await purposes()).toEqual(['sweep'])
})
