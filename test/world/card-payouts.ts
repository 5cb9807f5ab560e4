/** Card payouts with their routes and jobs on a real database; the acquirers, the clock and the keys are the test's. */
import { randomBytes, randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { afterEach, beforeEach } from 'vitest'
import type { Acquirer, AcquirerCapabilities } from '../../server/src/adapters/acquirers/port.ts'
import { createRoutingTable } from '../../server/src/cards/acquiring/index.ts'
import {
  createAskingJob,
  createSendingJob,
  cardPayoutRoutes,
  type CardPayoutDeps,
} from '../../server/src/cards/card-payouts/index.ts'
import { auditLedger, createCommitter, type AccountKind } from '../../server/src/ledger/postings/index.ts'
import { createCatalogue } from '../../server/src/market/assets/index.ts'
import type { ApiRequest } from '../../server/src/platform/api/route.ts'
import { createSecretRing, type SecretRing } from '../../server/src/platform/config/secrets.ts'
import type { Db } from '../../server/src/platform/db/index.ts'
import { runUntilIdle } from '../../server/src/platform/jobs/index.ts'
import { createLog } from '../../server/src/platform/process/log.ts'
import type { Runtime } from '../../server/src/platform/runtime/runtime.ts'
import { emptyTables } from '../setup/empty-tables.ts'
import { createPayoutAcquirer, type PayoutAcquirer } from './acquirer-payouts.ts'
import { useDb, type WorldDatabase } from './database.ts'
import { balanceOf, giveMoney, spendableOf } from './ledger.ts'
import { notificationsOf, openAlerts, type OpenAlert } from './observed.ts'
import { answerOf, type Answer } from './requests.ts'
import { createTestRuntime } from './runtime.ts'
import { createOrderPolicy } from '../../server/src/pay-out/requests/index.ts'

export const CARD = '4111111111111111'
export const MASKED = '411111******1111'
const START = Date.UTC(2026, 0, 5, 12)

export interface CardPayoutWorld {
  db: Db
  runtime: Runtime
  deps: CardPayoutDeps
  ring: SecretRing
  logged: string[]
  /** whole units of a currency for a new merchant */
  merchant(ticker: 'UAH' | 'KZT', amount: bigint): Promise<string>
  ask(operation: string, merchantId: string, given: Partial<ApiRequest>): Promise<Answer>
  payOut(merchantId: string, body: Record<string, unknown>, more?: Partial<ApiRequest>): Promise<Answer>
  batch(merchantId: string, body: Record<string, unknown>, more?: Partial<ApiRequest>): Promise<Answer>
  lookUp(merchantId: string, id: unknown): Promise<Record<string, unknown>>
  /** Runs all jobs until nothing is left to do now. */
  work(): Promise<void>
  /** Moves the business clock, working after each step of it. */
  later(ms: number, steps?: number): Promise<void>
  /** minor units that can be spent */
  available(merchantId: string, ticker?: string): Promise<bigint>
  balance(merchantId: string, kind: AccountKind, ticker?: string): Promise<bigint>
  notices(merchantId: string): Promise<Record<string, unknown>[]>
  alerts(): Promise<OpenAlert[]>
  /** Ends the connections of its own. @throws when the books are wrong */
  close(): Promise<void>
}

export const catalogue = createCatalogue({
  crypto: [],
  fiat: [
    { ticker: 'UAH', name: 'Hryvnia', scale: 2, payout: { fee: { bps: 100 } } },
    { ticker: 'KZT', name: 'Tenge', scale: 2, payout: { fee: { fixed: '10', bps: 50 } } },
  ],
})

/**
 * @param keys of cards, the newest first
 * @param world the object to fill, where a test refers to it before
 */
export const openCardPayouts = async (
  { url, db }: Pick<WorldDatabase, 'url' | 'db'>,
  acquirers: readonly Acquirer[],
  keys: readonly Uint8Array[] = [randomBytes(32)],
  world = {} as CardPayoutWorld,
): Promise<CardPayoutWorld> => {
  const committer = createCommitter({ url })
  const logged: string[] = []
  const log = createLog(
    'trace',
    'test',
    new Writable({ write: (line: Buffer, _, done) => (logged.push(line.toString()), done()) }),
  )
  const clock = { ms: START }
  const runtime: Runtime = { ...createTestRuntime(db, () => clock.ms), log }
  const ring = createSecretRing(keys)
  const routing = createRoutingTable(acquirers)
  const deps: CardPayoutDeps = {
    runtime,
    catalogue,
    acquirers: new Map(acquirers.map((one) => [one.name, one])),
    routing,
    cards: ring,
    callbackUrl: (account) => `https://pay.example/callbacks/${account}`,
    pause: async () => {},
  }
  const routes = cardPayoutRoutes({
    runtime,
    committer,
    rules: { catalogue, routing },
    cards: ring,
    random: (below) => Math.floor(below / 2),
    orderPolicy: createOrderPolicy(runtime),
  })
  return Object.assign<CardPayoutWorld, CardPayoutWorld>(world, {
    db,
    runtime,
    deps,
    ring,
    logged,
    merchant: async (asset, amount) => {
      const merchantId = randomUUID()
      await giveMoney(runtime, { merchantId, asset }, amount * 100n)
      return merchantId
    },
    ask: (operation, merchantId, given) => answerOf(routes, operation, merchantId, given),
    payOut: (merchantId, body, more) =>
      world.ask('createFiatWithdrawal', merchantId, { body: { ticker: 'UAH', to: CARD, ...body }, ...more }),
    batch: (merchantId, body, more) =>
      world.ask('createFiatBatchWithdrawal', merchantId, { body: { ticker: 'KZT', to: CARD, ...body }, ...more }),
    lookUp: async (merchantId, id) =>
      (await world.ask('getFiatBatchWithdrawal', merchantId, { params: { id: String(id) } })).body,
    work: () =>
      runUntilIdle([createSendingJob(deps, 1), ...acquirers.map((acquirer) => createAskingJob(deps, acquirer, 1))]),
    later: async (ms, steps = 1) => {
      for (let step = 0; step < steps; step += 1) {
        clock.ms += ms / steps
        await world.work()
      }
    },
    available: (merchantId, asset = 'UAH') => spendableOf(db, { merchantId, asset }),
    balance: (merchantId, kind, asset = 'UAH') => balanceOf(db, { merchantId, asset }, kind),
    notices: async (merchantId) => (await notificationsOf(db, merchantId)).map(({ body }) => body),
    alerts: () => openAlerts(db),
    close: async () => {
      const findings = await auditLedger(db)
      await committer.close()
      if (findings.length > 0) throw new Error(`the books are wrong: ${JSON.stringify(findings)}`)
    },
  })
}

/**
 * For the top of a test file: before each test acquirers with these limits and empty tables; after it the ledger is
 * audited.
 */
export const useCardPayouts = <Name extends string>(
  limits: Readonly<Record<Name, AcquirerCapabilities['payout']>>,
): { here: CardPayoutWorld; database: WorldDatabase } & Record<Name, PayoutAcquirer> => {
  const database = useDb()
  const here = {} as CardPayoutWorld
  const accounts = Object.fromEntries(Object.keys(limits).map((name) => [name, {}])) as Record<Name, PayoutAcquirer>
  const names = Object.keys(limits) as Name[]
  beforeEach(() =>
    openCardPayouts(
      database,
      names.map((name) => createPayoutAcquirer(name, limits[name], accounts[name])),
      undefined,
      here,
    ).then(() => {}),
  )
  afterEach(async () => {
    await here.close()
    await emptyTables(database.db)
  })
  return { here, database, ...accounts }
}
