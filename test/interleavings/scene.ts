/**
 * The rows that two operations find: a merchant with money and objects in the states that operations act on. All is
 * made by the real commands, routes and jobs, before any statement is stepped.
 */
import { randomUUID } from 'node:crypto'
import type { ChainTransaction } from '@bursar/chainkit'
import { sql } from 'kysely'
import { createSecretRing } from '../../server/src/platform/config/secrets.ts'
import { createRoutingTable } from '../../server/src/cards/acquiring/index.ts'
import { createCommitter } from '../../server/src/ledger/postings/index.ts'
import { cardPayoutRoutes, createSendingJob } from '../../server/src/cards/card-payouts/index.ts'
import { claim, proceed } from './invoicing.ts'
import { createExpiryJob, createInvoiceCreator, invoiceRoutes } from '../../server/src/pay-in/crypto-invoices/index.ts'
import { storeFeeRate } from '../../server/src/pay-out/withdrawals/terms.ts'
import { createPaymentAcquirer, type PaymentAcquirer } from '../world/acquirer-payments.ts'
import { createPayoutAcquirer, type PayoutAcquirer } from '../world/acquirer-payouts.ts'
import { giveAddress } from '../world/address.ts'
import { giveCapital, stock } from '../world/exchange.ts'
import { E18 } from '../world/deposits.ts'
import { act, giveMoney } from '../world/ledger.ts'
import { changeSettings, makeMerchant } from '../world/merchant.ts'
import { createPayoutWorld, HOT, paidLog, policyWith, type PayoutWorld } from '../world/payouts.ts'
import { TEST_KEYS } from '../world/keys.ts'
import type { policyFile } from '../world/signer.ts'
import { setPrices } from '../world/prices.ts'
import { callRoute } from '../world/requests.ts'
import type { TestVenue } from '../world/venue.ts'
import { placeWithdrawal } from '../world/withdrawal.ts'
import { signAdjustment, type SignedAdjustment } from './adjusting.ts'
import { CARD, catalogue, GAS, LISTED, NETWORK, ONE_UAH, ONE_USDT, OUTSIDE, PRICES } from './assets.ts'
import { makeCardPayments, type CardPayments } from './card-payments.ts'
import { createTestDeposits, cursorOf, payUsdt, readBlocks } from './chain.ts'
import { makeTransfer, type SignedTransfer } from './cold-storage.ts'
import { createVenue, makePosition } from './hedging.ts'
import { invoiceSettings } from './invoicing.ts'
import { createLeft, type Left } from './left.ts'
import { createReturningSigner } from './returning-signer.ts'
import { askAbout, judgeAll, listFirst, screeningOf } from './screening.ts'
import { makeSweeps } from './sweeping.ts'
import { createOrderPolicy } from '../../server/src/pay-out/requests/index.ts'

const HOUR = 3_600_000

/** Objects by their state. */
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
  /** ids of screenings that found risk: of a deposit that is held, and of a withdrawal that is halted */
  riskyDeposit: string
  riskyWithdrawal: string
}

export interface Scene {
  readonly world: PayoutWorld
  readonly merchantId: string
  readonly otherId: string
  readonly bank: PayoutAcquirer
  /** charges cards */
  readonly shop: PaymentAcquirer
  readonly venue: TestVenue
  /** payments and orders that have left since the operations began */
  readonly left: Left
  readonly cardPayments: CardPayments
  readonly adjustment: SignedAdjustment
  /** a sweep that a node has taken, as a block will show it */
  readonly sweep: ChainTransaction
  /** to cold storage */
  readonly transfer: SignedTransfer
  readonly ring: ReturnType<typeof createSecretRing>
  readonly objects: Readonly<Objects>
  /** of the invoices */
  readonly addresses: { invoice: string; underpaid: string }
  /** the last block before those of the credited deposits, and the last before all */
  readonly below: { deposits: number; all: number }
  /** Sets time, signer, node, acquirers and venue back to their state when the operations begin. */
  reset(): Promise<void>
  close(): Promise<void>
}

/** Of a deposit, and of a withdrawal that is there. Three are credited, with which operations compete. */
export const AMOUNT = 60n * ONE_USDT
/** The amounts of orders, in whole units: one can be paid, and a second only after more has arrived. */
export const [USDT_ORDER, UAH_ORDER] = ['110', '14000']
/** With the payments by card, it is enough for one order. */
const UAH_AT_FIRST = 12_600n * ONE_UAH
const FEE = ONE_USDT

/** The signer's policy: wide limits, and sweeps to the hot wallet. */
const signersPolicy = (): object => {
  const policy = policyWith({}) as typeof policyFile
  const { ETHEREUM } = policy.networks
  const networks = { ...policy.networks, ETHEREUM: { ...ETHEREUM, sweep: { ...ETHEREUM.sweep, treasury: HOT } } }
  return { ...policy, networks }
}

/** @param url of a migrated, empty database */
export const makeScene = async (url: string): Promise<Scene> => {
  const bank = createPayoutAcquirer('bank', { UAH: { least: 500n * ONE_UAH, most: 14_500n * ONE_UAH } })
  const shop = createPaymentAcquirer('shop')
  const venue: TestVenue = createVenue(() => world.time.now)
  const left = createLeft({ bank, shop, venue })
  const signing = createReturningSigner(left.signed)
  const world = await createPayoutWorld(url, { signerOf: signing.open, policy: signersPolicy() })
  const { runtime, time, db } = world
  // A node is ahead of the blocks that were read of it.
  world.node.head = { height: 1_000, hash: 'x' }
  world.node.broadcast = (raw) => {
    left.broadcast(raw)
    return { kind: 'accepted' }
  }
  const [merchantId, otherId] = [randomUUID(), randomUUID()]
  for (const id of [merchantId, otherId]) await makeMerchant(db, time.now, { id })
  const stocks: Readonly<Record<string, bigint>> = {
    USDT: 10n ** 12n,
    BTC: 10n ** 12n,
    ETH: 1_000n * E18,
    UAH: 10_000_000n * ONE_UAH,
  }
  for (const [asset, units] of Object.entries(stocks)) {
    // The platform must have as much as the merchants get below.
    await giveCapital(db, asset, 10n * units)
    await stock(db, asset, units)
  }
  const give = (asset: string, units: bigint) => giveMoney(runtime, { merchantId, asset }, units)
  await give('UAH', UAH_AT_FIRST)
  const address = (id: string): Promise<string> =>
    giveAddress(runtime, TEST_KEYS, { merchantId: id, blockchain: NETWORK })
  const [own, other] = [await address(merchantId), await address(otherId)]
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
    const random = (below: number): number => Math.floor(below / 2)
    const orderPolicy = createOrderPolicy(runtime)
    const all = cardPayoutRoutes({ runtime, committer, rules, cards: ring, random, orderPolicy })
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

  const pricesNow = () => setPrices(runtime, { ETH: PRICES.ETH, USDT: E18 })

  await listFirst({ runtime })
  await pricesNow()
  const sweep = await makeSweeps(world, { swept: await address(otherId), held: await address(otherId) }, AMOUNT)
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
  await changeSettings(db, merchantId, { defaultTarget: 'none', holdUntilVerified: true }, time.now)
  await readBlocks(runtime, [payUsdt(own, AMOUNT, LISTED)], [])
  const invoice = await invoiceOf('invoice')
  await card()
  const sentCard = await sendCards('waits')
  await card()
  const paidCard = await sendCards('pays')
  await card()
  const planned = await payment(OUTSIDE)
  await world.plan()
  const waiting = await payment(OUTSIDE)
  const internal = await payment(other, { internal: true })
  const suspect = await payment(LISTED)
  for (const id of [planned, waiting]) await askAbout({ runtime }, merchantId, id, OUTSIDE)
  await askAbout({ runtime }, merchantId, suspect, LISTED)
  await judgeAll({ runtime }, createTestDeposits(), world.signer)
  const riskyDeposit = await screeningOf(runtime, { kind: 'deposit', state: 'risky' })
  const riskyWithdrawal = await screeningOf(runtime, { kind: 'withdrawal', state: 'risky' })
  // This one is held and not judged yet.
  await readBlocks(runtime, [payUsdt(own, AMOUNT)], [])
  await changeSettings(db, merchantId, { holdUntilVerified: false }, time.now)
  // One more block credits this one.
  await readBlocks(runtime, [payUsdt(own, AMOUNT)])
  await makePosition(runtime, venue, otherId)
  const cardPayments = await makeCardPayments(runtime, shop, merchantId, () => (time.now += 73 * HOUR))
  const adjustment = await signAdjustment(runtime, merchantId, 2n * AMOUNT)
  const rate = { kind: 'gas', legacy: false, maxFeePerGas: GAS * 1_000_000_000n, maxPriorityFeePerGas: 1n } as const
  await storeFeeRate(db, NETWORK, rate, time.now)
  await pricesNow()
  const transfer = await makeTransfer(world)

  await signing.keep()
  const { height, hash } = await cursorOf(runtime)
  const outside = copyOf({ bank, shop, venue })
  const now = time.now
  return {
    world,
    merchantId,
    otherId,
    bank,
    shop,
    venue,
    left,
    cardPayments,
    adjustment,
    sweep,
    transfer,
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
      riskyDeposit,
      riskyWithdrawal,
    },
    addresses: { invoice: invoice.address, underpaid: underpaid.address },
    below: { deposits, all },
    reset: async () => {
      time.now = now
      world.node.head = { height: height + 10, hash }
      outside.restore()
      await signing.restore()
      left.forget()
    },
    close: async () => {
      await world.close()
      await signing.close()
    },
  }
}

/** The state of acquirers and venue, to return to. */
const copyOf = ({ bank, shop, venue }: Pick<Scene, 'bank' | 'shop' | 'venue'>): { restore(): void } => {
  const copied = structuredClone({
    toCards: bank.orders,
    pages: shop.orders,
    refunds: shop.refunds,
    taken: venue.taken,
    placed: venue.placed,
    held: venue.held,
  })
  const fill = <K, V>(map: Map<K, V>, from: ReadonlyMap<K, V>): void => {
    map.clear()
    for (const [key, value] of structuredClone(from)) map.set(key, value)
  }
  return {
    restore: () => {
      bank.otherwise = 'pays'
      fill(bank.orders, copied.toCards)
      fill(shop.orders, copied.pages)
      fill(shop.refunds, copied.refunds)
      fill(venue.held, copied.held)
      shop.refundsSent = 0
      venue.faults = []
      venue.taken = structuredClone(copied.taken)
      venue.placed = [...copied.placed]
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
