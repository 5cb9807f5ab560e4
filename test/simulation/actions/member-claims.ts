/**
 * Members who refund the payer of an underpaid invoice: one asks for it, another one approves, and perhaps the payer
 * sends more before the worker makes the refund.
 */
import type { Random } from '../../../sandbox/random.ts'
import { formOf } from '../members/browser.ts'
import { fromLedger, unitsOf, type Claimed, type Requested } from '../model/books.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { claim, TO_FINAL, underpay } from './claims.ts'
import { pay } from './lost-money.ts'
import { APPROVES, approve, enter, othersOf, pathOf, resultOf } from './members.ts'
import { call, named } from './merchants.ts'
import { runJob } from './program.ts'
import { calm, carry, isComplete, mine } from './sent.ts'

/** @returns the request of the refund, and the sum that it is about, in ledger units; undefined: none was made */
const askForRefund = async (
  simulation: Simulation,
  random: Random,
  { merchant }: Claimed,
  id: string,
): Promise<{ asked: Requested; spend: bigint } | undefined> => {
  const { books, clock, members, problems } = simulation
  const maker = random.pick(members.filter((one) => one.merchant === merchant && one.role === 'finance'))
  const browser = await enter(simulation, maker, random)
  const path = `/app/merchants/${maker.merchantId}/refunds/claims/${id}`
  const form = formOf(await browser.get(path), { name: 'spend' })
  if (form === undefined) return undefined
  const pages = await Promise.all(
    Array.from({ length: random.chance(0.3) ? 2 : 1 }, () => browser.post(path, { ...form, do: 'ask', note: '' })),
  )
  const ids = new Set(pages.flatMap(({ location }) => /\/requests\/([0-9a-f-]{36})/.exec(location)?.[1] ?? []))
  if (ids.size > 1) problems.push(`one form of ${maker.name} made ${ids.size} requests of refunds`)
  const [request] = ids
  if (request === undefined) return undefined
  const asked: Requested = {
    id: request,
    maker,
    lines: [],
    askedAt: clock.now(),
    decisions: [],
    ended: undefined,
  }
  books.requested.push(asked)
  return { asked, spend: BigInt(form['spend']!) }
}

const approveBy = async (simulation: Simulation, random: Random, asked: Requested): Promise<string> => {
  const by = random.pick(othersOf(simulation, asked))
  const browser = await enter(simulation, by, random)
  const shown = formOf(await browser.get(pathOf(by.merchantId, `requests/${asked.id}`)), APPROVES)?.['shown']
  return shown === undefined ? 'no button' : resultOf(await approve(simulation, browser, asked, by, shown))
}

/** The refund of a claim, fee of the network included, in ledger units; undefined: there is none, or no answer. */
const refundedOf = async (simulation: Simulation, claimed: Claimed): Promise<bigint | undefined> => {
  const { merchant, invoiceId, ticker } = claimed
  const found = await call(simulation, named(simulation, merchant), async (client) => {
    const invoice = await client.invoices.crypto.get(invoiceId)
    const id = 'claim' in invoice ? invoice.claim?.withdrawalId : undefined
    return id === undefined ? undefined : client.withdrawals.crypto.get(id)
  })
  if ('failure' in found || found.answer === undefined) return undefined
  const { amount, fee } = found.answer
  return unitsOf(simulation.catalogue, ticker, amount) + unitsOf(simulation.catalogue, ticker, fee)
}

/** A part of the sum, which the payer sends later. */
const PART = 4n

const refundByMembers: Action = {
  name: 'members refund the payer of an underpaid invoice',
  weight: (simulation) => (isComplete(simulation) && simulation.together === 1 ? 1 : 0),
  run: async (simulation, random) => {
    const { books, catalogue, problems, roles } = simulation
    const chain = random.pick(simulation.chains)
    await calm(simulation, chain)
    const claimed = await underpay(simulation, random.of('invoice'), chain)
    const id = claimed && (await claim(simulation, claimed))
    if (id === undefined) return `${chain.network}: no claim`
    books.claimed.push(claimed!)
    await calm(simulation, chain)
    const { merchant, network, ticker, address } = claimed!
    const made = await askForRefund(simulation, random.of('ask'), claimed!, id)
    if (made === undefined) return `${merchant} ${network}: not asked for`
    const { asked, spend } = made
    const results = [await approveBy(simulation, random.of('approve'), asked)]
    if (random.chance(0.5)) {
      const units = fromLedger(catalogue, ticker, network, spend) / PART
      await pay(simulation, chain, { merchant, network, address }, { ticker, units })
      await mine(simulation, chain, TO_FINAL)
      results.push('more came')
    }
    await calm(simulation, chain)
    for (const job of roles.get('worker')?.jobs ?? []) if (job.name === 'approved files and refunds') await runJob(job)
    const refunded = await refundedOf(simulation, claimed!)
    const what = `payout request ${asked.id} of ${asked.maker.name}`
    if (refunded !== undefined && refunded !== spend)
      problems.push(`${what}: a refund of ${spend} ${ticker} was approved, and ${refunded} was made`)
    if (refunded !== undefined && asked.decisions.length === 0)
      problems.push(`${what}: is refunded, and no member has decided that`)
    await carry(simulation, chain)
    await mine(simulation, chain, 1)
    return `${merchant} ${network} ${spend}: ${results.join(', ')}, ${refunded === undefined ? 'not made' : 'made'}`
  },
}

export const MEMBER_CLAIMS: readonly Action[] = [refundByMembers]
