/** Fiat invoices with their acquirers, jobs and routes on a real database; time and acquirers are the test's. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pino from 'pino'
import {
  callbackRoutes,
  createHoldJob,
  createCallbackHandler,
  createPaymentJobs,
  createRefundJob,
  createRoutingTable,
  paymentsOf,
  type Payment,
  type PaymentSubscriber,
} from '../../cards/acquiring/index.ts'
import { createScriptedAcquirer, type ScriptedAcquirer } from '../../cards/acquiring/test-acquirer.ts'
import { createCatalogue } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { createTargetKeeper } from '../../exchange/conversions/index.ts'
import { createDb, createPool, inTransaction, type Db, type Tx } from '../../platform/db/index.ts'
import { carryOut, type Effects } from '../../ledger/effects/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { balancesOf, type AccountKind } from '../../ledger/postings/index.ts'
import { createDirectory } from '../../merchants/accounts/index.ts'
import { box, makeMerchant, newId } from '../../../../test/world/merchant.ts'
import type { PageAnswer, PageRoute } from '../../platform/api/page.ts'
import type { ApiRequest } from '../../platform/api/route.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import {
  createFiatExpiryJob,
  createInvoicePaymentSubscriber,
  fiatInvoiceFormRoute,
  fiatInvoiceRoutes,
  findForPayer,
  proceed,
  type FiatChoice,
  type FiatInvoiceForPayer,
} from './index.ts'

export const START = Date.parse('2026-01-05T10:00:00Z')
export const HOUR_MS = 3_600_000

export const catalogue = createCatalogue({
  crypto: [
    {
      ticker: 'BTC',
      name: 'Bitcoin',
      networks: { BITCOIN: { decimals: 8, minDeposit: '0.0001', minWithdrawal: '0.0001' } },
    },
  ],
  fiat: [
    { ticker: 'UAH', name: 'Hryvnia', scale: 2, payIn: { fee: { fixed: '1', bps: 100 } } },
    { ticker: 'KZT', name: 'Tenge', scale: 2, payIn: { fee: { bps: 150 } } },
  ],
})

/** JSON as it went out. */
type Body = Record<string, unknown> & { id?: string; status?: string }

export interface FiatTestWorld {
  db: Db
  runtime: Runtime
  now: number
  merchantId: string
  subscriber: PaymentSubscriber
  first: ScriptedAcquirer
  second: ScriptedAcquirer
  /** where the next run of a job dies; undefined: nowhere */
  killAt: string | undefined
  /** names of pause points that were passed */
  passed: Set<string>
  call(
    operation: string,
    request: Partial<Pick<ApiRequest, 'body' | 'params' | 'answerKeys' | 'merchantId' | 'keyId'>>,
  ): Promise<{ status: number; body: Body }>
  create(body?: Record<string, unknown>): Promise<string>
  form(fields: Record<string, string>): Promise<PageAnswer>
  proceed(id: string, choice?: Partial<FiatChoice>): Promise<void>
  lookup(id: string): Promise<Body>
  forPayer(id: string): Promise<FiatInvoiceForPayer>
  payments(id: string): Promise<Payment[]>
  /** an invoice whose payer has been sent to the first acquirer's page. @returns the invoice and the reference */
  atTheBank(body?: Record<string, unknown>): Promise<{ id: string; reference: string }>
  callback(
    acquirer: ScriptedAcquirer,
    given: { headers: Record<string, string>; body: Buffer },
    name?: string,
  ): Promise<{ status: number; body: string }>
  /** Runs every job once, each as a new process that may die at `killAt`. */
  work(): Promise<void>
  /** Moves the clock and works. */
  later(ms: number): Promise<void>
  act(work: (tx: Tx, moment: Moment) => Promise<Effects>): Promise<void>
  balance(kind: AccountKind, asset?: string): Promise<bigint>
  notices(): Promise<{ objectId: string; status: string; body: Body }[]>
  alerts(): Promise<string[]>
  close(): Promise<void>
}

/** Jobs that give each other work, run one after the other until none has any. */
const asOne = (jobs: readonly Job[]): Job => ({
  name: jobs[0]!.name,
  everyMs: 1,
  run: async (signal) => {
    let isBusy = false
    for (const job of jobs) isBusy = (await job.run(signal)) || isBusy
    return isBusy
  },
})

/** @param wrap what else is done about payments, as the composition root does it */
export const createFiatWorld = async (
  url: string,
  wrap: (subscriber: PaymentSubscriber) => PaymentSubscriber = (subscriber) => subscriber,
): Promise<FiatTestWorld> => {
  const pool = createPool({ url })
  const db = createDb(pool)
  const first = createScriptedAcquirer('first')
  const second = createScriptedAcquirer('second')
  const acquirers = new Map([first, second].map((one) => [one.name, one]))
  const table = createRoutingTable([first, second])
  const settings = { catalogue, table, publicUrl: 'https://pay.example' }
  const subscriber = wrap(createInvoicePaymentSubscriber(settings))
  const directory = createDirectory(db, box)
  const merchant = await makeMerchant(db, START)
  let die = (): void => {}
  /** At `killAt` nothing goes on for ever, as after a kill -9: no error is thrown, nothing is tidied up. */
  const pause = async (name: string): Promise<void> => {
    world.passed.add(name)
    if (world.killAt !== name) return
    die()
    await new Promise(() => {})
  }
  const clock = { now: () => world.now, business: () => world.now }
  const runtime: Runtime = { db, clock: clock as Runtime['clock'], newId, log: pino({ level: 'silent' }) }
  const jobs: Job[] = [
    asOne(createPaymentJobs({ runtime, acquirers, table, subscriber, publicUrl: settings.publicUrl, pause }, 1)),
    createRefundJob({ runtime, acquirers, subscriber, pause }, 1),
    createHoldJob({ runtime, subscriber, pause }, 1),
    createFiatExpiryJob({ runtime, settings, pause }, 1),
  ]
  const deps = {
    runtime,
    settings,
    directory,
    newInvoiceId: randomUUID,
    keepTarget: createTargetKeeper(db, { catalogue: settings.catalogue, bitcoinChain: 'regtest' }),
  }
  const routes = fiatInvoiceRoutes(deps)
  const formRoute = fiatInvoiceFormRoute({ ...deps, limiter: { take: () => 1 } })
  const [callbackRoute] = callbackRoutes({ runtime, acquirers, subscribers: [createCallbackHandler(subscriber)] }) as [
    PageRoute,
  ]
  const signal = new AbortController().signal
  const world: FiatTestWorld = {
    db,
    runtime,
    subscriber,
    first,
    second,
    now: START,
    merchantId: merchant.id,
    killAt: undefined,
    passed: new Set(),
    call: async (operation, request) => {
      const route = routes.find((one) => one.operation === operation)!
      const answer = await route.handle({
        merchantId: world.merchantId,
        params: {},
        query: {},
        body: undefined,
        keyId: randomUUID(),
        requestId: 'r',
        answerKeys: [],
        ...request,
      })
      return { status: answer.status, body: ('json' in answer ? JSON.parse(answer.json) : answer.body) as Body }
    },
    create: async (body = {}) =>
      (
        await world.call('createFiatInvoice', {
          body: { name: 'Order 7', amount: { value: '100', ticker: 'UAH' }, ...body },
        })
      ).body.id as string,
    form: async (fields) =>
      formRoute.handle({
        method: 'POST',
        url: formRoute.path,
        params: {},
        query: {},
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: Buffer.from(new URLSearchParams(fields).toString()),
        requestId: 'r',
      }),
    proceed: (id, choice = {}) =>
      world.act((tx, moment) =>
        proceed(tx, id, { email: 'payer@example.com', language: 'en', ...choice }, settings, moment),
      ),
    lookup: async (id) => (await world.call('getFiatInvoice', { params: { id } })).body,
    forPayer: async (id) => (await findForPayer(db, id, settings, new Date(world.now)))!,
    payments: (id) => paymentsOf(db, world.merchantId, id),
    atTheBank: async (body) => {
      const id = await world.create(body)
      await world.proceed(id)
      await world.work()
      const [payment] = await world.payments(id)
      return { id, reference: payment!.id }
    },
    callback: async (acquirer, given, name = acquirer.name) => {
      const url = `/acquirers/${name}/callback`
      const answer = await callbackRoute.handle({
        method: 'POST',
        url,
        params: { name },
        query: {},
        requestId: 'r',
        ...given,
      })
      return { status: answer.status, body: 'body' in answer ? String(answer.body) : '' }
    },
    work: async () => {
      for (const job of jobs) {
        const death = new Promise<boolean>((resolve) => {
          die = () => resolve(false)
        })
        while (await Promise.race([job.run(signal), death])) {
          /* until nothing is due */
        }
      }
    },
    later: async (ms) => {
      world.now += ms
      await world.work()
    },
    act: (work) =>
      inTransaction(db, async (tx) => {
        const moment = momentOf(runtime)
        await carryOut(tx, await work(tx, moment), moment)
      }),
    balance: async (kind, asset = 'UAH') =>
      (await balancesOf(db, kind, [{ merchantId: world.merchantId, asset }]))[0]!.posted,
    notices: async () => {
      const { rows } = await sql<{
        objectId: string
        status: string
        body: string
      }>`select object_id as "objectId", status, body from events
        where merchant_id = ${world.merchantId} order by sequence`.execute(db)
      return rows.map((row) => ({ ...row, body: JSON.parse(row.body) as Body }))
    },
    alerts: async () => {
      const { rows } = await sql<{
        kind: string
      }>`select kind from alerts where resolved_at is null order by raised_at`.execute(db)
      return rows.map(({ kind }) => kind)
    },
    close: () => pool.end(),
  }
  return world
}
