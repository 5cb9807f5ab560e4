/** A merchant whose deposits are converted: its targets, the job, and what the merchant is notified of. */
import { sql } from 'kysely'
import { beforeEach } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { inTransaction } from '../../platform/db/index.ts'
import type { Deposit } from '../../pay-in/deposits/index.ts'
import { readExchangePolicy } from '../exchanges/index.ts'
import { catalogue, giveBalance, marketsAt, PRICES, stock } from '../../../../test/world/exchange.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { balanceOf, spendableOf } from '../../../../test/world/ledger.ts'
import { newId } from '../../../../test/world/merchant.ts'
import { notificationsOf } from '../../../../test/world/observed.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import type { UsdtMarkets } from '../../market/rates/index.ts'
import { createStopsReader } from '../../ledger/stops/index.ts'
import { createConversionJob, createDepositExpecting, createTargetKeeper, type ConversionDeps } from './index.ts'

export const E18 = 10n ** 18n
export const OUTSIDE = '0x1111111111111111111111111111111111111111'
const rules = { catalogue, bitcoinChain: 'regtest' as const }

export class Killed extends Error {}

/** Conditions that a test changes; reset before each. */
interface World {
  merchant: string
  /** ms */
  now: number
  usdtMarkets: UsdtMarkets
  /** the job dies at its pause point */
  killed: boolean
  /** limits of the signer for USDT, ledger units */
  largest: { payment: null; hour: bigint; day: bigint } | null
  /** the merchant's own default ticker */
  standard: string | null
}

/** Registers a database and its hooks with the test file. */
export const useConversions = () => {
  const { db } = useDb()
  const world: World = {
    merchant: '',
    now: 0,
    usdtMarkets: { open: new Map(), closed: new Map() },
    killed: false,
    largest: null,
    standard: null,
  }
  beforeEach(async () => {
    await emptyTables(db)
    Object.assign(world, { merchant: newId(), now: 1_800_000_000_000, killed: false, largest: null, standard: null })
    world.usdtMarkets = marketsAt(PRICES, world.now)
    await stock(db, 'USDT', 100_000n * E18)
  })
  const deps = (): ConversionDeps => {
    const runtime = createTestRuntime(db, () => world.now)
    const { largest } = world
    return {
      trading: {
        runtime: { ...runtime, newId },
        policy: readExchangePolicy(catalogue, { spreadBps: 0, feeBps: 100, assets: { ETH: { max: '2' } } }),
        usdtMarkets: async () => world.usdtMarkets,
        stops: createStopsReader(db, runtime.clock.now),
      },
      placing: { holders: { holderOf: async () => 'none' as const }, rules },
      terms: async () => ({
        paymentGas: new Map(),
        feeRates: new Map([
          [
            'ETHEREUM',
            { kind: 'gas' as const, legacy: false, maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1n },
          ],
        ]),
        prices: new Map([
          ['ETH', 2_500n * E18],
          ['USDT', E18],
        ]),
        stops: [],
        days: { signer: new Map(largest === null ? [] : [['ETHEREUM/USDT', largest]]), percents: new Map() },
      }),
      pause: async () => {
        if (world.killed) throw new Killed()
      },
    }
  }
  /** invoice ids by address id */
  const invoices = new Map<string, string>()
  const expecting = createDepositExpecting({
    invoicesAt: async () => invoices,
    isAsked: async () => false,
    defaultTicker: async () => world.standard,
  })
  return {
    db,
    world,
    deps,
    invoices,
    expecting,
    run: () => runUntilIdle([createConversionJob(deps(), 1)]),
    /** Credits a deposit. @returns its id */
    received: async (
      asset: string,
      units: bigint,
      addressId: string,
      fee = 0n,
      stored: (id: string) => Promise<unknown> = async () => {},
    ): Promise<string> => {
      const id = newId()
      await stored(id)
      await giveBalance(db, world.merchant, asset, units - fee)
      const deposit = { merchantId: world.merchant, id, addressId, asset, units, fee } as Deposit
      await inTransaction(db, (tx) => expecting(tx, [{ deposit, again: false }], { at: new Date(world.now), newId }))
      return id
    },
    balance: (asset: string) => balanceOf(db, { merchantId: world.merchant, asset }),
    spendable: (asset: string) => spendableOf(db, { merchantId: world.merchant, asset }),
    notices: async () => (await notificationsOf(db, world.merchant)).map(({ body }) => body),
    states: async () =>
      (
        await sql<{
          state: string
          reason: string | null
        }>`select state, failed_reason as reason from conversions order by created_at`.execute(db)
      ).rows,
    /** Sets a target. @returns the id of the address or invoice */
    target: async (
      body: { ticker: string; address?: string; blockchain?: string },
      kind: 'address' | 'crypto-invoice' | 'fiat-invoice' = 'address',
    ): Promise<string> => {
      const id = newId()
      await createTargetKeeper(db, rules)({ merchantId: world.merchant, kind, id }, body)
      return id
    },
  }
}
