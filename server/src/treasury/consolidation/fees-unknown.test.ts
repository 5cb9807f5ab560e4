/** A node that has no estimate of fees: its adapter marks the rate as guessed. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import type { CoinChainAdapter, FeeRate } from '../../adapters/chains/port.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { createDb, createPool } from '../../platform/db/index.ts'
import { DEFAULT_BITCOIN_POLICY } from '../../chain/transactions/index.ts'
import { createClock } from '../../platform/runtime/clock.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { createFeeRateJob } from '../../pay-out/withdrawals/index.ts'
import { createConsolidationJob, type ConsolidationDeps } from './jobs.ts'
import { DEFAULT_CONSOLIDATION_POLICY } from './policy.ts'

const database = useDatabase({ template: migrated })

test('audit D-B7: a guessed rate raises an alert, is charged, and is not noted as one that was seen', async () => {
  const pool = createPool({ url: database.url })
  onTestFinished(() => pool.end())
  const db = createDb(pool)
  const runtime: Runtime = {
    db,
    clock: createClock(() => Date.UTC(2026, 0, 1)),
    newId: () => uuidv7(Date.UTC(2026, 0, 1), randomBytes(10)),
    log: pino({ enabled: false }),
  }
  let rate: FeeRate = { kind: 'vbyte', milliSatPerVb: 20_000n, guessed: true }
  const adapter = { network: 'BITCOIN', feeRate: async () => rate } as unknown as CoinChainAdapter
  const policy = { ...DEFAULT_CONSOLIDATION_POLICY, enabled: false }
  const deps = { runtime, adapter, sending: DEFAULT_BITCOIN_POLICY, policy } as unknown as ConsolidationDeps
  const run = async () => {
    const { signal } = new AbortController()
    for (const job of [createFeeRateJob(runtime, [adapter], 1), createConsolidationJob(deps, async () => [])])
      await job.run(signal)
    const { rows: seen } = await sql<{ rate: bigint }>`select rate from fee_rates_seen`.execute(db)
    const { rows: alerts } = await sql<{
      kind: string
      text: string
    }>`select kind, text from alerts where resolved_at is null`.execute(db)
    const { rows: charged } = await sql<{ rate: { milliSatPerVb: string } }>`select rate from network_fees`.execute(db)
    return { seen: seen.map((one) => one.rate), alerts, charged: charged.map((one) => one.rate.milliSatPerVb) }
  }
  const guessed = await run()
  expect(guessed).toMatchObject({ seen: [], charged: ['20000'], alerts: [{ kind: 'fees-unknown' }] })
  expect(guessed.alerts[0]!.text).toContain('20 sat/vB')
  rate = { kind: 'vbyte', milliSatPerVb: 30_000n }
  expect(await run()).toEqual({ seen: [30_000n], charged: ['30000'], alerts: [] })
})
