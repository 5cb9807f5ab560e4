/**
 * What two operations find: a merchant with money and objects in the states that operations act on. All is made by the
 * real commands, routes and jobs, before any statement is stepped.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { createSecretRing } from '../../server/src/platform/config/secrets.ts'
import { createRoutingTable } from '../../server/src/cards/acquiring/index.ts'
import { createCommitter } from '../../server/src/ledger/postings/index.ts'
import { cardPayoutRoutes, createSendingJob } from '../../server/src/cards/card-payouts/index.ts'
import { claim, proceed } from './invoicing.ts'
import { createExpiryJob, createInvoiceCreator, invoiceRoutes } from '../../server/src/pay-in/crypto-invoices/index.ts'
import { storeFeeRate } from '../../server/src/pay-out/withdrawals/terms.ts'
import { createPayoutAcquirer, type PayoutAcquirer } from '../world/acquirer-payouts.ts'
import { giveAddress } from '../world/address.ts'
import { giveCapital, stock } from '../world/exchange.ts'
import { E18 } from '../world/deposits.ts'
import { act, giveMoney } from '../world/ledger.ts'
import { changeSettings, makeMerchant } from '../world/merchant.ts'
import { createPayoutWorld, HOT, paidLog, type PayoutWorld } from '../world/payouts.ts'
import { TEST_KEYS } from '../world/keys.ts'
import { openSigner } from '../world/signer.ts'
import { setPrices } from '../world/prices.ts'
import { callRoute } from '../world/requests.ts'
import { placeWithdrawal } from '../world/withdrawal.ts'
import { CARD, catalogue, GAS, NETWORK, ONE_UAH, ONE_USDT, OUTSIDE, PRICES } from './assets.ts'
import { cursorOf, payUsdt, readBlocks } from './chain.ts'
import { invoiceSettings } from './invoicing.ts'

const HOUR = 3_600_000

/** Objects by what has happened to them. */
export interface Objects {
  /** hashes of our payments: one was broadcast, one is in a block that is not final */
  sent: string
  mined: string
  /** ids of withdrawals that wait to be planned, and to be delivered inside */
  waiting: string
  internal: string
  /** ids of invoices: of one nothing is paid, one has expired underpaid; and of the claim to the second's money */
  invoice: string
  underpaid: string
  claim: string
  /** an acquirer's references of card payouts: it has not paid one yet, and has paid one */
  sentCard: string
  paidCard: string
}

export interface Scene {
  readonly world: PayoutWorld
  readonly merchantId: string
  readonly otherId: string
  readonly bank: PayoutAcquirer
  readonly ring: ReturnType<typeof createSecretRing>
  readonly objects: Readonly<Objects>
  /** of the invoices */
  readonly addresses: { invoice: string; underpaid: string }
  /** the last block before those of the credited deposits, and the last before all */
  readonly below: { deposits: number; all: number }
  /** Puts time, node and acquirer back to what they are when the operations begin. */
  reset(): void
  close(): Promise<void>
}

/** Of a deposit, and of a withdrawal that is there. Three are credited, with which operations compete. */
export const AMOUNT = 60n * ONE_USDT
/** What orders take, in whole units: one can be paid, and a second only after more has arrived. */
export const [USDT_ORDER, UAH_ORDER] = ['110', '14000']
const UAH_AT_FIRST = 26_000n * ONE_UAH
const FEE = ONE_USDT

/** @param url of a migrated, empty database */
export const makeScene = async (url: string): Promise<Scene> => {
  const world = await createPayoutWorld(url, { signerOf: openSigner })
  const { runtime, time, db } = world
  const [merchantId, otherId] = [randomUUID(), randomUUID()]
  for (const id of [merchantId, otherId]) await makeMerchant(db, time.now, { id })
  const stocks: Readonly<Record<string, bigint>> = { USDT: 10n ** 12n, ETH: 1_000n * E18, UAH: 10_000_000n * ONE_UAH }
  for (const [asset, units] of Object.entries(stocks)) {
    // Of what merchants are given below, nothing may be missing in the platform's own.
    await giveCapital(db, asset, 10n * units)
    await stock(db, asset, units)
  }
  const give = (asset: string, units: bigint) => giveMoney(runtime, { merchantId, asset }, units)
  await give('UAH', UAH_AT_FIRST)
  const address = (id: string): Promise<string> =>
    giveAddress(runtime, TEST_KEYS, { merchantId: id, blockchain: NETWORK })
  const [own, other] = [await address(merchantId), await address(otherId)]
  const bank = createPayoutAcquirer('bank', { UAH: { least: 500n * ONE_UAH, most: 14_500n * ONE_UAH } })
  const ring = createSecretRing([new Uint8Array(32).fill(5)])

  const payment = async (to: string, more: { internal?: boolean } = {}): Promise<string> => {
    await give('USDT', AMOUNT + FEE)
    const withdrawal = {
      merchantId,
      ticker: 'USDT',
      blockchain: NETWORK,
      to,
      units: AMOUNT,
      fee: FEE,
      ...more,
    } as const
    return (await placeWithdrawal(runtime, withdrawal)).id
  }
  const sentOne = async (): Promise<string> => {
    const id = await payment(OUTSIDE)
    await world.work(2)
    const { rows } = await sql<{ hash: string | null }>`select a.hash from outgoing_attempts a
      join withdrawals w on w.outgoing_id = a.outgoing_id where w.id = ${id}`.execute(db)
    if (!rows[0]?.hash) throw new Error(`withdrawal ${id} was not sent`)
    return rows[0].hash
  }
  const routes = (() => {
    const creator = createInvoiceCreator(db)
    const keepTarget = () => Promise.reject(new Error('no invoice of a scene has a target'))
    const deps = { runtime, directory: { find: () => null }, creator, settings: invoiceSettings, keepTarget }
    return invoiceRoutes(deps as unknown as Parameters<typeof invoiceRoutes>[0])
  })()
  const invoiceOf = async (name: string): Promise<{ id: string; address: string }> => {
    const amount = { value: '100', ticker: 'USDT', blockchain: NETWORK }
    const answer = await callRoute(routes, 'createCryptoInvoice', merchantId, { body: { name, amount } })
    const id = answer.body.id!
    await act(runtime, (tx, moment) => proceed(tx, id, moment))
    const { rows } = await sql<{ address: string }>`select address from crypto_invoices where id = ${id}`.execute(db)
    return { id, address: rows[0]!.address }
  }
  const expire = async (): Promise<void> => {
    time.now += 73 * HOUR
    const job = createExpiryJob({ runtime, settings: invoiceSettings, everyMs: 1, pause: async () => {} })
    await job.run(new AbortController().signal)
  }
  const cardDeps = {
    runtime,
    catalogue,
    acquirers: new Map([[bank.name, bank]]),
    routing: createRoutingTable([bank]),
    cards: ring,
    callbackUrl: (account: string) => `https://pay.example/callbacks/${account}`,
    pause: async () => {},
  }
  const card = async (): Promise<string> => {
    await give('UAH', (14_000n + 140n) * ONE_UAH)
    const committer = createCommitter({ url }, 1)
    const rules = { catalogue, routing: cardDeps.routing }
    const all = cardPayoutRoutes({ runtime, committer, rules, cards: ring, random: (below) => Math.floor(below / 2) })
    const body = { ticker: 'UAH', to: CARD, amount: UAH_ORDER }
    const answer = await callRoute(all, 'createFiatWithdrawal', merchantId, { body })
    await committer.close()
    return answer.body.id!
  }
  const sendCards = async (behaviour: 'waits' | 'pays'): Promise<string> => {
    const before = new Set(bank.orders.keys())
    bank.otherwise = behaviour
    await createSendingJob(cardDeps, 1).run(new AbortController().signal)
    const sent = [...bank.orders.keys()].filter((reference) => !before.has(reference))
    if (sent.length !== 1) throw new Error(`${sent.length} orders were sent`)
    return sent[0]!
  }

  const sent = await sentOne()
  const mined = await sentOne()
  const underpaid = await invoiceOf('underpaid')
  const all = (await cursorOf(runtime)).height
  await readBlocks(runtime, [ownPayment(mined), payUsdt(underpaid.address, AMOUNT)], [])
  await expire()
  await act(runtime, (tx, moment) => claim(tx, underpaid.id, OUTSIDE, moment))
  const claims = await sql<{ id: string }>`select id from refund_claims`.execute(db)
  const deposits = (await cursorOf(runtime)).height
  await readBlocks(runtime, [payUsdt(own, AMOUNT)], [])
  // The next one is to be converted, and waits for it.
  await changeSettings(db, merchantId, { defaultTarget: 'UAH' }, time.now)
  await readBlocks(runtime, [payUsdt(own, AMOUNT)], [])
  await changeSettings(db, merchantId, { defaultTarget: 'none' }, time.now)
  // One more block credits this one.
  await readBlocks(runtime, [payUsdt(own, AMOUNT)])
  const invoice = await invoiceOf('invoice')
  await card()
  const sentCard = await sendCards('waits')
  await card()
  const paidCard = await sendCards('pays')
  await card()
  const waiting = await payment(OUTSIDE)
  const internal = await payment(other, { internal: true })
  time.now += 73 * HOUR
  const rate = { kind: 'gas', legacy: false, maxFeePerGas: GAS * 1_000_000_000n, maxPriorityFeePerGas: 1n } as const
  await storeFeeRate(db, NETWORK, rate, time.now)
  await setPrices(runtime, { ETH: PRICES.ETH, USDT: E18 })

  const { height, hash } = await cursorOf(runtime)
  const orders = [...bank.orders].map(([reference, order]) => [reference, { ...order }] as const)
  const now = time.now
  return {
    world,
    merchantId,
    otherId,
    bank,
    ring,
    objects: {
      sent,
      mined,
      waiting,
      internal,
      invoice: invoice.id,
      underpaid: underpaid.id,
      claim: claims.rows[0]!.id,
      sentCard,
      paidCard,
    },
    addresses: { invoice: invoice.address, underpaid: underpaid.address },
    below: { deposits, all },
    reset: () => {
      time.now = now
      // A node is ahead of what was read of it.
      world.node.head = { height: height + 10, hash }
      bank.otherwise = 'pays'
      bank.orders.clear()
      for (const [reference, order] of orders) bank.orders.set(reference, { ...order })
    },
    close: async () => {
      await world.close()
      await world.made.log.close()
    },
  }
}

/** Our own payment of `AMOUNT`, as a block shows it. */
export const ownPayment = (hash: string) => ({
  hash,
  keys: [`${HOT}:${hash}`],
  succeeded: true,
  fee: 1_000n,
  transfers: [paidLog(AMOUNT, OUTSIDE)],
})
