/** Fiat invoices with their acquirers, jobs and routes on a real database; time and acquirers are the test's. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect } from 'vitest'
import {
  callbackRoutes,
  createHoldJob,
  createCallbackHandler,
  createPaymentJobs,
  createRefundJob,
  createRoutingTable,
  paymentsOf,
  requestRefund,
  type Payment,
  type PaymentSubscriber,
} from '../../server/src/cards/acquiring/index.ts'
import { createTargetKeeper } from '../../server/src/exchange/conversions/index.ts'
import type { Effects } from '../../server/src/ledger/effects/index.ts'
import { auditLedger, type AccountKind } from '../../server/src/ledger/postings/index.ts'
import { createCatalogue } from '../../server/src/market/assets/index.ts'
import { createDirectory } from '../../server/src/merchants/accounts/index.ts'
import {
  createFiatExpiryJob,
  createInvoicePaymentSubscriber,
  fiatInvoiceFormRoute,
  fiatInvoiceRoutes,
  findForPayer,
  proceed,
  type FiatChoice,
  type FiatInvoiceForPayer,
} from '../../server/src/pay-in/fiat-invoices/index.ts'
import type { PageAnswer, PageRoute } from '../../server/src/platform/api/page.ts'
import type { ApiRequest } from '../../server/src/platform/api/route.ts'
import type { Moment } from '../../server/src/platform/base/moment.ts'
import { inTransaction, type Db, type Tx } from '../../server/src/platform/db/index.ts'
import type { Job } from '../../server/src/platform/jobs/index.ts'
import { momentOf, type Runtime } from '../../server/src/platform/runtime/runtime.ts'
import { emptyTables } from '../setup/empty-tables.ts'
import { createPaymentAcquirer, type PaymentAcquirer } from './acquirer-payments.ts'
import { useDb, type WorldDatabase } from './database.ts'
import { act, balanceOf } from './ledger.ts'
import { box, changeSettings, makeMerchant } from './merchant.ts'
import { notificationsOf, openAlerts } from './observed.ts'
import { callRoute, type Answer } from './requests.ts'
import { createTestRuntime } from './runtime.ts'

export const START = Date.parse('2026-01-05T10:00:00Z')
export const MINUTE_MS = 60_000
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

export interface FiatWorld {
  database: WorldDatabase
  db: Db
  runtime: Runtime
  now: number
  merchantId: string
  subscriber: PaymentSubscriber
  first: PaymentAcquirer
  second: PaymentAcquirer
  /** where the next run of a job dies; undefined: nowhere */
  killAt: string | undefined
  /** names of pause points that were passed */
  passed: Set<string>
  /** @throws ApiRefusal */
  call(operation: string, request: Partial<ApiRequest>): Promise<Answer>
  create(body?: Record<string, unknown>): Promise<string>
  form(fields: Record<string, string>): Promise<PageAnswer>
  proceed(id: string, choice?: Partial<FiatChoice>): Promise<void>
  lookup(id: string): Promise<Answer['body']>
  forPayer(id: string): Promise<FiatInvoiceForPayer>
  payments(id: string): Promise<Payment[]>
  /** an invoice whose payer has been sent to the first acquirer's page. @returns the invoice and the reference */
  atTheBank(body?: Record<string, unknown>): Promise<{ id: string; reference: string }>
  /** an invoice that is paid at the first acquirer, called back about and credited. @returns the same */
  paidInvoice(body?: Record<string, unknown>): Promise<{ id: string; reference: string }>
  /** the same. @returns the reference */
  paid(body?: Record<string, unknown>): Promise<string>
  /** An operator's refund of a payment, placed; undefined: of all that is left. */
  refund(paymentId: string, units?: bigint): ReturnType<typeof requestRefund>
  /** The reference under which a refund was sent. */
  referenceOf(refundId: string): Promise<string | null>
  /** The operator changes settings of the merchant. */
  set(settings: Readonly<Record<string, number | string>>): Promise<void>
  callback(
    acquirer: PaymentAcquirer,
    given: { headers: Record<string, string>; body: Buffer },
    name?: string,
  ): Promise<{ status: number; body: string }>
  /** A callback of the first acquirer's. */
  hear(...callback: Parameters<PaymentAcquirer['callback']>): Promise<{ status: number; body: string }>
  /** Runs every job once, each as a new process that may die at `killAt`. */
  work(): Promise<void>
  /** Moves the clock and works. */
  later(ms: number): Promise<void>
  act(command: (tx: Tx, moment: Moment) => Promise<Effects>): Promise<void>
  balance(kind: AccountKind, asset?: string): Promise<bigint>
  notices(): ReturnType<typeof notificationsOf>
  /** statuses of the notifications */
  statuses(): Promise<string[]>
  /** kinds of the alerts that stand, sorted */
  alerts(): Promise<string[]>
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

type Wrap = (subscriber: PaymentSubscriber) => PaymentSubscriber

/**
 * @param wrap further subscribers of payments, as the composition root adds them
 * @param world the object to fill, where a test refers to it before
 */
export const openFiatInvoices = async (
  database: WorldDatabase,
  wrap: Wrap = (subscriber) => subscriber,
  world = {} as FiatWorld,
): Promise<FiatWorld> => {
  const { db } = database
  const first = createPaymentAcquirer('first')
  const second = createPaymentAcquirer('second')
  const acquirers = new Map([first, second].map((one) => [one.name, one]))
  const table = createRoutingTable([first, second])
  const settings = { catalogue, table, publicUrl: 'https://pay.example' }
  const subscriber = wrap(createInvoicePaymentSubscriber(settings))
  const directory = createDirectory(db, box)
  const merchant = await makeMerchant(db, START)
  let die = (): void => {}
  /** At `killAt` the process never continues, as after a kill -9: no error is thrown, nothing is cleaned up. */
  const pause = async (name: string): Promise<void> => {
    world.passed.add(name)
    if (world.killAt !== name) return
    die()
    await new Promise(() => {})
  }
  const runtime: Runtime = createTestRuntime(db, () => world.now)
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
  return Object.assign<FiatWorld, FiatWorld>(world, {
    database,
    db,
    runtime,
    subscriber,
    first,
    second,
    now: START,
    merchantId: merchant.id,
    killAt: undefined,
    passed: new Set(),
    call: (operation, request) => callRoute(routes, operation, request.merchantId ?? world.merchantId, request),
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
    paidInvoice: async (body) => {
      const invoice = await world.atTheBank(body)
      world.first.pays(invoice.reference)
      await world.hear(invoice.reference)
      await world.work()
      return invoice
    },
    paid: async (body) => (await world.paidInvoice(body)).reference,
    refund: (paymentId, units) =>
      inTransaction(db, (tx) =>
        requestRefund(
          tx,
          { paymentId, units, reason: 'asked', actor: 'test' },
          { accounts: [world.first] },
          momentOf(runtime),
        ),
      ),
    referenceOf: async (refundId) =>
      (
        await sql<{ reference: string | null }>`select reference from payment_refunds where id = ${refundId}`.execute(
          db,
        )
      ).rows[0]!.reference,
    set: (changed) => changeSettings(db, world.merchantId, changed, world.now),
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
    hear: (...callback) => world.callback(world.first, world.first.callback(...callback)),
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
    act: (command) => act(runtime, command),
    balance: (kind, asset = 'UAH') => balanceOf(db, { merchantId: world.merchantId, asset }, kind),
    notices: () => notificationsOf(db, world.merchantId),
    statuses: async () => (await world.notices()).map(({ status }) => status),
    alerts: async () => (await openAlerts(db)).map(({ kind }) => kind),
  })
}

/** For the top of a test file: opened before each test on empty tables; after it the ledger is audited. */
export const useFiatInvoices = (wrap?: Wrap): FiatWorld => {
  const database = useDb()
  const world = {} as FiatWorld
  beforeEach(async () => {
    await openFiatInvoices(database, wrap, world)
  })
  afterEach(async () => {
    expect(await auditLedger(database.db)).toEqual([])
    await emptyTables(database.db)
  })
  return world
}
