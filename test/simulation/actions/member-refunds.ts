/**
 * Members who ask for refunds of card payments, which others approve as all requests, while an operator refunds the
 * same payment, in part or in whole.
 */
import { formatUnits } from '../../../server/src/platform/money/index.ts'
import type { Random } from '../../../sandbox/random.ts'
import { BANK } from '../acquirers/interfaces.ts'
import type { Payment } from '../acquirers/index.ts'
import { formOf } from '../members/browser.ts'
import type { Member } from '../members/people.ts'
import { spanOf } from '../members/spans.ts'
import type { Simulation } from '../simulation.ts'
import { drawPaid, refundByOperator } from './acquirers.ts'
import type { Action } from './action.ts'
import { now, orderInvoice, payInvoice, work } from './card-stories.ts'
import { GOOD_CARD, SCALE } from './cards.ts'
import { APPROVES, approve, enter, othersOf, pathOf, resultOf } from './members.ts'
import { isServed } from './merchants.ts'
import { runJob } from './program.ts'
import { isComplete } from './sent.ts'

const THIRDS = 3n

/**
 * For most payments more than a half, so that a repeated refund exceeds the payment. The bank recognises a repeated
 * refund by its reference.
 */
const drawPart = ({ acquirers }: Simulation, payment: Payment, random: Random): bigint => {
  const isBank = acquirers.accountOf(payment).interface === BANK
  return (payment.paid! * (isBank && random.chance(0.8) ? 1n : 2n)) / THIRDS
}

const makerOf = ({ books, members }: Simulation, { description }: Payment, random: Random): Member | undefined => {
  const invoice = books.fiatInvoiced.find(({ name }) => name === description)
  return invoice && random.pick(members.filter((one) => one.merchant === invoice.merchant && one.role === 'finance'))
}

/** Whether this step may run a story to its end. */
const isStory = (simulation: Simulation): boolean => isComplete(simulation) && simulation.together === 1

/** A payment by card that a payer has just made, or an older one. */
const paidOrNew = async (simulation: Simulation, random: Random): Promise<Payment | undefined> => {
  if (!isStory(simulation) || random.chance(0.3)) return drawPaid(simulation, random)
  const id = await orderInvoice(simulation, random.of('invoice'))
  const paid = id && (await payInvoice(simulation, id, { card: GOOD_CARD, how: () => 'as ordered' }))
  if (!paid) return drawPaid(simulation, random)
  await work(simulation)
  const payment = now(paid)
  return payment.status === 'succeeded' ? payment : drawPaid(simulation, random)
}

/** Makes the approved refunds, and lets the acquirers answer. */
const carryOn = async (simulation: Simulation): Promise<void> => {
  if (!isStory(simulation)) return
  for (const job of simulation.roles.get('worker')!.jobs)
    if (job.name === 'approved files and refunds') await runJob(job)
  await work(simulation)
}

const askForRefund: Action = {
  name: 'a member asks for the refund of a card payment',
  weight: (simulation) => (isServed(simulation) ? 3 : 0),
  run: async (simulation, random) => {
    const { books, problems } = simulation
    const payment = await paidOrNew(simulation, random)
    const maker = payment && makerOf(simulation, payment, random)
    if (maker === undefined) return 'nothing is paid'
    const { reference, currency: ticker } = payment!
    const units = random.chance(0.2) ? payment!.paid! : drawPart(simulation, payment!, random)
    const what = `${maker.name} ${units} of ${payment!.paid} ${ticker}`
    const browser = await enter(simulation, maker, random)
    const path = `/app/merchants/${maker.merchantId}/refunds/cards/${reference}`
    const form = formOf(await browser.get(path), { name: 'refunded' })
    if (form === undefined) return `${what}: no form`
    const fields = { ...form, 'refund-amount': formatUnits(units, SCALE), 'refund-reason': 'damaged' }
    const { span, result: asked } = await spanOf(simulation, () =>
      Promise.all(Array.from({ length: random.chance(0.3) ? 2 : 1 }, () => browser.post(path, fields))),
    )
    const ids = new Set(asked.flatMap(({ location }) => /\/requests\/([0-9a-f-]{36})/.exec(location)?.[1] ?? []))
    if (ids.size > 1) problems.push(`one form of ${maker.name} made ${ids.size} requests of refunds`)
    const [id] = ids
    if (id === undefined) return `${what}: ${asked.map(resultOf).join(', ')}`
    const refund = { reference, ticker, units, before: payment!.refunds, asked: span }
    books.requested.push({
      id,
      maker,
      lines: [],
      refund,
      askedAt: simulation.clock.now(),
      decisions: [],
      ended: undefined,
    })
    const results = asked.map(resultOf)
    if (random.chance(0.5)) {
      results.push(await refundByOperator(simulation, payment!, drawPart(simulation, payment!, random)))
      await carryOn(simulation)
    }
    if (random.chance(0.7)) results.push(await approveAtOnce(simulation, random))
    await carryOn(simulation)
    return `${what}: ${results.join(', ')}`
  },
}

/** Another member approves the newest request. */
const approveAtOnce = async (simulation: Simulation, random: Random): Promise<string> => {
  const asked = simulation.books.requested.at(-1)!
  const by = random.pick(othersOf(simulation, asked))
  const browser = await enter(simulation, by, random.of('approve'))
  const page = await browser.get(pathOf(asked.maker.merchantId, `requests/${asked.id}`))
  const shown = formOf(page, APPROVES)?.['shown']
  return shown === undefined ? 'nothing to approve' : resultOf(await approve(simulation, browser, asked, by, shown))
}

export const MEMBER_REFUNDS: readonly Action[] = [askForRefund]
