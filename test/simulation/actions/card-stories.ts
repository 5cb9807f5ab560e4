/**
 * Card payments and payouts from the order to their end, in one step: money that comes back, comes late, comes
 * otherwise than it was ordered, is refunded twice, or whose answer is lost. By single steps alone, a short run rarely
 * gets so far.
 */
import { acceptPayment, findPayment, requestRefund } from '../../../server/src/cards/acquiring/index.ts'
import { RefundRefused } from '../../../server/src/cards/acquiring/refunding.ts'
import { carryOut } from '../../../server/src/ledger/effects/index.ts'
import { inTransaction } from '../../../server/src/platform/db/index.ts'
import { formatUnits } from '../../../server/src/platform/money/index.ts'
import { openSubjects } from '../../../server/src/platform/runtime/alerts.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { Paying, Payment, SimulatedAccount } from '../acquirers/account.ts'
import { subscriberOf } from '../acquirers/console.ts'
import { pageIn } from '../acquirers/payer-page.ts'
import { unitsOf, type CardPaid } from '../model/books.ts'
import type { RunningRole } from '../installation/roles.ts'
import type { Simulation } from '../simulation.ts'
import { postTo } from './acquirers.ts'
import type { Action } from './action.ts'
import { CURRENCIES, drawMinor, GOOD_CARD, newCard, PAYMENT, PAYOUT, placePayout, SCALE } from './cards.ts'
import { call, resultOf } from './merchants.ts'
import { liftOwnStops } from './operators.ts'
import { runJob } from './program.ts'
import { during } from './stalled.ts'
import { isComplete } from './sent.ts'

const CARD_JOBS = /^(give payments to .+|ask .+ for (payments|card payouts)|send card payouts|refunds of payments)$/
const PAYMENT_JOBS = /^(give payments to .+|ask .+ for payments)$/
const ROUNDS = 3
/** Looks of a payer at the page of an invoice, until it leads to the acquirer. */
const LOOKS = 4

export const run = async (
  { roles }: Simulation,
  names: RegExp,
  worker: Pick<RunningRole, 'jobs'> | undefined = roles.get('worker'),
): Promise<void> => {
  for (const job of worker?.jobs ?? []) if (names.test(job.name)) await runJob(job)
}

/** The acquirers go on and call, and the program asks them. */
export const work = async (simulation: Simulation, jobs = CARD_JOBS): Promise<void> => {
  for (let round = 0; round < ROUNDS; round += 1) {
    simulation.clock.advance(5_000)
    for (const account of simulation.acquirers.accounts) {
      account.goOn()
      await account.callbacks.attemptAll(postTo(simulation))
    }
    await run(simulation, jobs)
  }
}

export interface Paid {
  account: SimulatedAccount
  payment: Payment
}

export const orderInvoice = async (simulation: Simulation, random: Random): Promise<string | undefined> => {
  const { books, merchants } = simulation
  const [merchant, ticker] = [random.pick(merchants), random.pick(CURRENCIES)]
  const units = drawMinor(random, PAYMENT[ticker])
  const name = `Order ${books.nextLocalId('f')}`
  const made = await call(simulation, merchant, (client) =>
    client.invoices.fiat.create({
      name,
      email: 'payer@example.com',
      amount: { value: formatUnits(units, SCALE), ticker },
      toPendingImmediate: true,
    }),
  )
  if ('failure' in made) return undefined
  books.fiatInvoiced.push({ merchant: merchant.name, id: made.answer.id, name, ticker, units })
  return made.answer.id
}

/** A payer follows the pages of an invoice to the acquirer, and pays. @returns undefined: no page led there */
export const payInvoice = async (
  simulation: Simulation,
  id: string,
  { card, how }: { card: string; how: (account: SimulatedAccount) => Paying },
): Promise<Paid | undefined> => {
  const page = `${simulation.roles.get('api')!.api}/invoices/fiat/${id}`
  for (let look = 0; look < LOOKS; look += 1) {
    const html = await (await fetch(page)).text()
    const way = pageIn(html)
    if (way !== undefined) {
      const account = simulation.acquirers.accounts.find(({ front }) => front.url === new URL(way.url).origin)!
      const reference = await account.open(way)
      if (reference === undefined) return undefined
      account.pay(reference, card, how(account))
      const payment = account.payments().find((one) => one.reference === reference)
      return payment && { account, payment }
    }
    const verb = /name="do" value="(proceed|retry)"/.exec(html)?.[1]
    if (verb !== undefined) {
      const body = new URLSearchParams({ do: verb, email: 'payer@example.com' })
      await (await fetch(page, { method: 'POST', body, redirect: 'manual' })).text()
    }
    await work(simulation)
  }
  return undefined
}

export const now = ({ account, payment }: Paid): Payment =>
  account.payments().find(({ reference }) => reference === payment.reference)!

/** @returns whether the program took the order of an operator up */
export const refund = async (simulation: Simulation, paid: Paid, units: bigint | undefined): Promise<boolean> => {
  const { reference, refunds } = now(paid)
  const order = { paymentId: reference, units, reason: 'simulation', actor: 'simulation' }
  const began = simulation.books.nextTurn()
  try {
    const { id } = await inTransaction(simulation.db, (tx) =>
      requestRefund(tx, order, simulation.routing, simulation.moment()),
    )
    const ended = simulation.books.nextTurn()
    simulation.books.refundsAsked.push({ reference, id, before: refunds, began, ended })
    return true
  } catch (error) {
    if (!(error instanceof RefundRefused)) throw error
    return false
  }
}

const accept = async (simulation: Simulation, { payment: { reference } }: Paid): Promise<boolean> => {
  try {
    await inTransaction(simulation.db, async (tx) => {
      const moment = simulation.moment()
      await carryOut(tx, await acceptPayment(tx, reference, subscriberOf(simulation), moment), moment)
    })
  } catch {
    // It is not in suspense, or it is going back.
    return false
  }
  simulation.books.accepted.add(reference)
  return true
}

type Story = (simulation: Simulation, paid: Paid) => Promise<string>

const paidAs =
  (how: (account: SimulatedAccount, random: Random) => Paying, story: Story) =>
  async (simulation: Simulation, random: Random, id: string): Promise<string> => {
    const paid = await payInvoice(simulation, id, { card: GOOD_CARD, how: (account) => how(account, random) })
    if (paid === undefined) return 'no page'
    await work(simulation)
    return `${paid.account.name} ${now(paid).status}: ${await story(simulation, paid)}`
  }

const asOrdered = (): Paying => 'as ordered'

/** What the program knows of every other card payment: these change balances as well. */
const othersOf = async ({ acquirers, db }: Simulation, { payment }: Paid): Promise<string> => {
  const known: string[] = []
  for (const { reference } of acquirers.payments()) {
    const one = reference === payment.reference ? undefined : await findPayment(db, reference)
    known.push(`${one?.state} ${one?.refundedUnits}`)
  }
  return known.join(', ')
}

/** @returns minor units; undefined: the api gave no answer */
const balanceOf = async (simulation: Simulation, { payment }: Paid): Promise<bigint | undefined> => {
  const { books, catalogue, merchants } = simulation
  const { merchant, ticker } = books.fiatInvoiced.find(({ name }) => name === payment.description)!
  const listed = await call(
    simulation,
    merchants.find(({ name }) => name === merchant)!,
    (client) => client.balances.list([ticker]),
  )
  return 'answer' in listed ? unitsOf(catalogue, ticker, listed.answer[0]!.value) : undefined
}

/** The payer's bank takes the money back: the merchant loses it, and nothing is left to refund. */
const chargedBack = paidAs(asOrdered, async (simulation, paid) => {
  if (now(paid).status !== 'succeeded') return 'not paid'
  const stateOf = async (): Promise<string | undefined> =>
    (await findPayment(simulation.db, paid.payment.reference))?.state
  const [state, others] = [await stateOf(), await othersOf(simulation, paid)]
  const balance = await balanceOf(simulation, paid)
  paid.account.reverse(now(paid))
  await work(simulation, PAYMENT_JOBS)
  if ((await stateOf()) !== 'reversed') return `${state}, and not known to be charged back`
  const isAlone = state === 'credited' && others === (await othersOf(simulation, paid))
  if (isAlone && balance !== undefined && balance > 0n && (await balanceOf(simulation, paid)) === balance)
    simulation.problems.push(`a chargeback of ${paid.payment.description} took nothing from its merchant`)
  if (await refund(simulation, paid, undefined))
    simulation.problems.push(`a refund of ${paid.payment.description} was taken up, whose money a chargeback took`)
  return `${isAlone ? 'alone ' : ''}charged back`
})

/** Exchanges before an acquirer is asked what became of a refund: a question about the payment, and the refund. */
const BEFORE_QUESTION = 2
/** A front can stand still before an exchange and before its answer. */
const STANDS_AN_EXCHANGE = 2

/** What an acquirer has is not refused. @returns whether it has the refund that was asked for last */
export const judgeLastRefund = async ({ books, db, problems }: Simulation, paid: Paid): Promise<boolean> => {
  const asked = books.refundsAsked.at(-1)!
  const isMade = now(paid).refunds > asked.before
  if (isMade && (await openSubjects(db, ['refund-refused'], '')).includes(asked.id))
    problems.push(`the refund of ${paid.payment.description} counts as refused, and its acquirer has it`)
  return isMade
}

/** The acquirer has made a refund, and the question about it that follows does not arrive. */
const refundUnheard = paidAs(asOrdered, async (simulation, paid) => {
  const { faults } = simulation
  if (now(paid).paid === undefined || !(await refund(simulation, paid, undefined))) return 'no refund'
  const stall = faults.stall(paid.account.name, BEFORE_QUESTION * STANDS_AN_EXCHANGE)
  const sending = run(simulation, /^refunds of payments$/)
  const isAsked = await during(simulation, stall, sending, async () =>
    faults.set(paid.account.name, 1, ['lose-request']),
  )
  faults.clear()
  const isMade = await judgeLastRefund(simulation, paid)
  await work(simulation)
  return `${isMade ? 'made' : 'not made'}, ${isAsked ? 'and the question is lost' : 'and nothing is asked'}`
})

/** A second refund has to wait until the first has ended, and both together are no more than the payment. */
const refundedTwice = paidAs(asOrdered, async (simulation, paid) => {
  const { paid: units } = now(paid)
  if (units === undefined) return 'not paid'
  const first = await refund(simulation, paid, units / 4n)
  const second = first && (await refund(simulation, paid, units / 4n))
  if (second) simulation.problems.push(`two refunds of ${paid.payment.description} are under way`)
  await work(simulation)
  if (first && (await refund(simulation, paid, units)))
    simulation.problems.push(`refunds of ${paid.payment.description} come to more than it`)
  return first ? 'refunded' : 'refused'
})

/** Money in suspense, of which a part is going back, is not credited as well. */
const suspended = paidAs(
  ({ waysToPay }, random) => random.pick(waysToPay.filter((way) => way !== 'as ordered')),
  async (simulation, paid) => {
    const { paid: units } = now(paid)
    const isRefunded = units !== undefined && (await refund(simulation, paid, units / 4n))
    const isAccepted = isRefunded && (await accept(simulation, paid))
    if (isAccepted) simulation.problems.push(`${paid.payment.description} is credited while a part is given back`)
    await work(simulation)
    return isRefunded ? 'given back' : 'stays in suspense'
  },
)

export const payDeclined = (simulation: Simulation, random: Random, id: string): Promise<Paid | undefined> => {
  const declined = random.pick(simulation.acquirers.accounts[0]!.cards.filter((card) => card !== GOOD_CARD))
  return payInvoice(simulation, id, { card: declined, how: asOrdered })
}

/** A card is declined, and the bank carries the payment out after all. */
const succeedsLate = async (simulation: Simulation, random: Random, id: string): Promise<string> => {
  const paid = await payDeclined(simulation, random, id)
  if (paid === undefined) return 'no page'
  await work(simulation)
  if (now(paid).status !== 'refused') return `is ${now(paid).status}`
  paid.account.succeedLate(now(paid))
  await work(simulation)
  return 'succeeded after all'
}

/** The program has asked, and the answer says that the card is declined: before it arrives, the payment succeeds. */
const succeedsMeanwhile = async (simulation: Simulation, random: Random, id: string): Promise<string> => {
  const paid = await payDeclined(simulation, random, id)
  if (paid === undefined) return 'no page'
  if (now(paid).status !== 'refused') return `is ${now(paid).status}`
  const stall = simulation.faults.stall(paid.account.name, 1, new RegExp(paid.payment.reference))
  simulation.clock.advance(60_000)
  const asking = run(simulation, PAYMENT_JOBS)
  // Of the ordered amount the program believes the callback for a while; of another one it only asks again.
  const outcome = random.pick(['success', 'wrong-amount'] as const)
  const isAsked = await during(simulation, stall, asking, async () => {
    paid.account.succeedLate(now(paid), outcome)
    await paid.account.callbacks.attemptAll(postTo(simulation))
  })
  await work(simulation)
  return isAsked ? `${outcome} meanwhile` : 'was not asked about'
}

/** An operator refunds a payment that the program does not know to be paid. */
const refundedEarly = async (simulation: Simulation, _: Random, id: string): Promise<string> => {
  const paid = await payInvoice(simulation, id, { card: GOOD_CARD, how: asOrdered })
  if (paid === undefined) return 'no page'
  const state = (await findPayment(simulation.db, paid.payment.reference))?.state
  if (state === 'credited' || state === 'suspended') return 'is booked already'
  if (await refund(simulation, paid, undefined))
    simulation.problems.push(`a refund of ${paid.payment.description} was taken up before its payment was booked`)
  await work(simulation)
  return `${state}, then ${now(paid).status}`
}

const STORIES = { refundedEarly, chargedBack, refundUnheard, refundedTwice, suspended, succeedsLate, succeedsMeanwhile }

export const calmCards = async (simulation: Simulation): Promise<void> => {
  simulation.faults.clear()
  await liftOwnStops(simulation)
}

const cardPayment: Action = {
  name: 'a card payment to its end',
  // Its pages are opened past the faults of the api's database.
  weight: (simulation) => (isComplete(simulation) && simulation.together === 1 ? 2 : 0),
  run: async (simulation, random) => {
    await calmCards(simulation)
    const id = await orderInvoice(simulation, random)
    if (id === undefined) return 'no invoice'
    const name = random.pick(Object.keys(STORIES) as (keyof typeof STORIES)[])
    return `${name}: ${await STORIES[name](simulation, random, id)}`
  },
}

/** A merchant orders a payout to a card. @returns the order, and the answer in words */
export const orderPayout = async (
  simulation: Simulation,
  random: Random,
): Promise<{ wanted: CardPaid; result: string }> => {
  const { books, merchants } = simulation
  const ticker = random.pick(CURRENCIES)
  const wanted: CardPaid = {
    merchant: random.pick(merchants).name,
    localId: books.nextLocalId('c'),
    kind: 'single',
    ticker,
    units: drawMinor(random, PAYOUT[ticker]),
    card: newCard(simulation, random),
    spend: null,
  }
  books.cardPaid.push(wanted)
  return { wanted, result: resultOf(await placePayout(simulation, wanted)) }
}

/** Every answer of the acquirers to the orders of payouts is lost once. */
const payoutWithoutAnswer: Action = {
  name: 'the answer to a card payout is lost',
  weight: (simulation) => (isComplete(simulation) && simulation.together === 1 ? 2 : 0),
  run: async (simulation, random) => {
    const { acquirers, clock, faults } = simulation
    await calmCards(simulation)
    const { wanted, result } = await orderPayout(simulation, random)
    for (const { name } of acquirers.accounts) faults.set(name, 1, ['lose-answer'])
    clock.advance(1_000)
    await run(simulation, /^send card payouts$/)
    faults.clear()
    await work(simulation)
    return `${wanted.merchant} ${wanted.units} ${wanted.ticker}: ${result}`
  },
}

export const CARD_STORIES: readonly Action[] = [cardPayment, payoutWithoutAnswer]
