/**
 * What the tests of this module stand in: a database, merchants with money, acquirers that do as told, a clock that is
 * moved.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { sql } from 'kysely'
import { createRoutingTable } from '../acquiring/index.ts'
import { createCatalogue } from '../../market/assets/index.ts'
import { createDb, createPool, inTransaction, type Db } from '../../platform/db/index.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { applyAll, auditLedger, balancesOf, createCommitter, type AccountKind } from '../../ledger/postings/index.ts'
import { createLog } from '../../platform/process/log.ts'
import type { ApiRequest } from '../../platform/api/route.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { createSecretRing, type SecretRing } from '../../platform/config/secrets.ts'
import { createIds } from '../../platform/runtime/ids.ts'
import { createAskingJob, createSendingJob, cardPayoutRoutes, type CardPayoutDeps } from './index.ts'
import type { TestAcquirer } from './test-acquirer.ts'

export const CARD = '4111111111111111'
export const MASKED = '411111******1111'

interface Answered {
  status: number
  body: Record<string, unknown>
}

export interface World {
  db: Db
  runtime: Runtime
  deps: CardPayoutDeps
  ring: SecretRing
  logged: string[]
  /** whole units of a currency for a new merchant */
  merchant(ticker: 'UAH' | 'KZT', amount: bigint): Promise<string>
  ask(operation: string, merchantId: string, given: Partial<ApiRequest>): Promise<Answered>
  payOut(merchantId: string, body: Record<string, unknown>, more?: Partial<ApiRequest>): Promise<Answered>
  batch(merchantId: string, body: Record<string, unknown>, more?: Partial<ApiRequest>): Promise<Answered>
  lookUp(merchantId: string, id: unknown): Promise<Record<string, unknown>>
  /** Runs all jobs until nothing is left to do now. */
  work(): Promise<void>
  /** Moves the business clock, working after each step of it. */
  later(ms: number, steps?: number): Promise<void>
  /** minor units that can be spent */
  available(merchantId: string, ticker?: string): Promise<bigint>
  balance(merchantId: string, kind: AccountKind, ticker?: string): Promise<bigint>
  notices(merchantId: string): Promise<Record<string, unknown>[]>
  alerts(): Promise<{ kind: string; subject: string; text: string }[]>
  close(): Promise<void>
}

export const catalogue = createCatalogue({
  crypto: [],
  fiat: [
    { ticker: 'UAH', name: 'Hryvnia', scale: 2, payout: { fee: { bps: 100 } } },
    { ticker: 'KZT', name: 'Tenge', scale: 2, payout: { fee: { fixed: '10', bps: 50 } } },
  ],
})

/** @param keys of cards, the newest first */
export const openWorld = async (
  url: string,
  acquirers: readonly TestAcquirer[],
  keys: readonly Uint8Array[] = [randomBytes(32)],
): Promise<World> => {
  const pool = createPool({ url })
  const db = createDb(pool)
  const committer = createCommitter({ url })
  const logged: string[] = []
  const log = createLog(
    'trace',
    'test',
    new Writable({ write: (line: Buffer, _, done) => (logged.push(line.toString()), done()) }),
  )
  const clock = { ms: Date.UTC(2026, 0, 5, 12) }
  const runtime: Runtime = {
    db,
    clock: { now: () => clock.ms, business: () => clock.ms },
    newId: createIds(() => clock.ms),
    log,
  }
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
  })
  const world: World = {
    db,
    runtime,
    deps,
    ring,
    logged,
    merchant: async (ticker, amount) => {
      const merchantId = randomUUID()
      const legs = (['merchant', 'capital'] as const).map((kind, i) => ({
        account: { merchantId, asset: ticker, kind },
        posted: amount * 100n * (i === 0 ? 1n : -1n),
        held: 0n,
      }))
      const { at, newId } = momentOf(runtime)
      await inTransaction(db, (tx) =>
        applyAll(tx, [
          { transfer: { id: newId(), merchantId, kind: 'post', cause: { kind: 'funding', id: newId() }, legs, at } },
        ]),
      )
      return merchantId
    },
    ask: async (operation, merchantId, given) => {
      const request = {
        merchantId,
        params: {},
        query: {},
        body: undefined,
        keyId: randomUUID(),
        requestId: 'r',
        answerKeys: [],
        ...given,
      }
      try {
        const answer = await routes.find((route) => route.operation === operation)!.handle(request)
        return {
          status: answer.status,
          body: ('json' in answer ? JSON.parse(answer.json) : answer.body) as Answered['body'],
        }
      } catch (error) {
        const { status, code, message, field } = error as {
          status?: number
          code: number
          message: string
          field?: string
        }
        if (status === undefined) throw error
        return { status, body: { code, description: message, field } }
      }
    },
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
    available: async (merchantId, ticker = 'UAH') => {
      const [found] = await balancesOf(db, 'merchant', [{ merchantId, asset: ticker }])
      return found!.posted - found!.held
    },
    balance: async (merchantId, kind, ticker = 'UAH') =>
      (await balancesOf(db, kind, [{ merchantId, asset: ticker }]))[0]!.posted,
    notices: async (merchantId) => {
      const { rows } = await sql<{
        body: string
      }>`select body from events where merchant_id = ${merchantId} order by sequence`.execute(db)
      return rows.map(({ body }) => JSON.parse(body) as Record<string, unknown>)
    },
    alerts: async () => {
      const { rows } = await sql<{ kind: string; subject: string; text: string }>`select kind, subject, text from alerts
        where resolved_at is null order by raised_at`.execute(db)
      return rows
    },
    close: async () => {
      const findings = await auditLedger(db)
      await committer.close()
      await pool.end()
      if (findings.length > 0) throw new Error(`the books are wrong: ${JSON.stringify(findings)}`)
    },
  }
  return world
}
