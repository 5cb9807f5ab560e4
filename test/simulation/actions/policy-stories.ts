/**
 * Policies of payouts that members try to pay past, in one step: an amount that only a change allows which still waits,
 * two payouts that are more than a day allows, and an address that was removed from the book. By single steps alone, a
 * short run rarely gets so far.
 */
import type { Random } from '../../../sandbox/random.ts'
import { formOf } from '../members/browser.ts'
import { spanOf } from '../members/spans.ts'
import type { Member } from '../members/people.ts'
import { limitsOf, WITHOUT_POLICY, type PayoutPolicy } from '../model/policies.ts'
import type { PaidOut, Requested } from '../model/books.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { APPROVES, approve, askFor, calmMost, enter, othersOf, pathOf, resultOf } from './members.ts'
import { isServed, named } from './merchants.ts'
import { give } from './operators.ts'
import { addNew, changePolicy, tenths } from './policies.ts'
import { outsideAddress } from './screening.ts'

/** A payout of an asset by a member, to a new address. */
const drawLine = async (
  simulation: Simulation,
  random: Random,
  merchant: string,
  { ticker, units }: { ticker: string; units: bigint },
): Promise<PaidOut | undefined> => {
  const chain = simulation.chains.find(({ network }) => simulation.catalogue.findCrypto(ticker)?.networks.has(network))
  if (chain === undefined) return undefined
  const to = await outsideAddress(simulation, random, chain)
  return { merchant, localId: '', network: chain.network, ticker, to, units, receiver: null }
}

const makerOf = ({ members }: Simulation, name: string): Member =>
  members.find(({ merchant, role }) => merchant === name && role === 'finance')!

/** A member opens the request, and presses the button if there is one. @returns the result for the trace */
const decide = async (simulation: Simulation, random: Random, asked: Requested, by: Member): Promise<string> => {
  const browser = await enter(simulation, by, random)
  const page = await browser.get(pathOf(by.merchantId, `requests/${asked.id}`))
  const shown = formOf(page, APPROVES)?.['shown']
  return shown === undefined ? 'no button' : resultOf(await approve(simulation, browser, asked, by, shown))
}

/** The rules with others for one asset, for any hour. */
const withLimits = (policy: PayoutPolicy, ticker: string, limits: Partial<ReturnType<typeof limitsOf>>) => ({
  policy: {
    ...policy,
    hours: WITHOUT_POLICY.hours,
    onlyBook: false,
    assets: new Map([...policy.assets, [ticker, { ...limitsOf(policy, ticker), ...limits }]]),
  },
  hours: [0, 0] as const,
})

/** Amounts in tenths of the most that is paid at once. */
const [FORBIDDEN, ALLOWED] = [16, 18]

const isReady = (simulation: Simulation): boolean => isServed(simulation) && simulation.together === 1

/** An owner allows more, and a member pays it at once, although the change waits for a day. */
const tooSoon: Action = {
  name: 'a member pays what a waiting change of the policy allows',
  weight: (simulation) => (isReady(simulation) ? 1 : 0),
  run: async (simulation, random) => {
    const merchant = random.pick(simulation.merchants).name
    const { ticker } = random.pick(simulation.catalogue.crypto)
    const units = tenths(simulation, ticker, FORBIDDEN)
    const line = await drawLine(simulation, random, merchant, { ticker, units })
    if (line === undefined) return `${merchant} ${ticker}: on no chain`
    await calmMost(simulation, [line], random)
    await give(simulation, named(simulation, merchant), ticker)
    const before = simulation.books.policyChanges.get(merchant)?.at(-1)?.policy ?? WITHOUT_POLICY
    const more = { alone: tenths(simulation, ticker, ALLOWED), approvals: 1, hour: null, day: null }
    const changed = await changePolicy(simulation, merchant, random.of('more'), withLimits(before, ticker, more))
    const maker = makerOf(simulation, merchant)
    const { asked, text } = await askFor(simulation, maker, [line], random.of('ask'))
    if (asked === undefined) return `${changed}; ${text}`
    return `${changed}; ${text}; ${await decide(simulation, random.of('alone'), asked, maker)}`
  },
}

/** Of the sum of a day, each of two payouts. */
const PART = 6n
const OF = 10n

/** With all approvals, two payouts are more than a day allows. */
const overADay: Action = {
  name: 'members pay more than a day allows',
  weight: (simulation) => (isReady(simulation) ? 1 : 0),
  run: async (simulation, random) => {
    const merchant = random.pick(simulation.merchants).name
    const { ticker } = random.pick(simulation.catalogue.crypto)
    const day = tenths(simulation, ticker, 10)
    const before = simulation.books.policyChanges.get(merchant)?.at(-1)?.policy ?? WITHOUT_POLICY
    const results = [
      await changePolicy(simulation, merchant, random.of('less'), withLimits(before, ticker, { hour: null, day })),
    ]
    await give(simulation, named(simulation, merchant), ticker)
    for (let part = 0; part < 2; part += 1) {
      const drawn = random.of('part', part)
      const line = await drawLine(simulation, drawn, merchant, { ticker, units: (day * PART) / OF })
      if (line === undefined) return `${merchant} ${ticker}: on no chain`
      await calmMost(simulation, [line], drawn)
      const { asked, text } = await askFor(simulation, makerOf(simulation, merchant), [line], drawn.of('ask'))
      results.push(text)
      if (asked === undefined) continue
      for (const by of othersOf(simulation, asked))
        if (asked.ended === undefined) results.push(await decide(simulation, drawn.of(by.name), asked, by))
    }
    return results.join('; ')
  },
}

const DAY_MS = 86_400_000

/** The id of an address in the book, as its page has it in the form that removes it. */
const idInBook = (text: string, address: string): string | undefined => {
  for (const [, line] of text.matchAll(/<li>([^]*?)<\/li>/g))
    if (line!.replaceAll(/<[^>]*>|\s/g, '').includes(address)) return /name="id" value="([^"]+)"/.exec(line!)?.[1]
  return undefined
}

/** Only the book is paid: an address is in it long enough, a member removes it, and others pay it. */
const removedFromBook: Action = {
  name: 'members pay an address that was removed from the book',
  weight: (simulation) => (isReady(simulation) ? 0.7 : 0),
  run: async (simulation, random) => {
    const { books, chains, clock } = simulation
    const merchant = random.pick(simulation.merchants).name
    const chain = random.pick(chains)
    const { ticker } = random.pick(
      chain.assets.filter((one) => simulation.catalogue.findCrypto(one.ticker)?.networks.has(chain.network)),
    )
    const before = books.policyChanges.get(merchant)?.at(-1)?.policy ?? WITHOUT_POLICY
    const { policy, hours } = withLimits(before, ticker, { hour: null, day: null })
    const maker = makerOf(simulation, merchant)
    const onlyBook = { policy: { ...policy, onlyBook: true, coolingHours: 0 }, hours }
    const changed = await changePolicy(simulation, merchant, random.of('book'), onlyBook)
    const { address, result: added } = await addNew(simulation, random.of('add'), chain, maker)
    clock.advance(DAY_MS)
    const browser = await enter(simulation, maker, random.of('remove'))
    const path = pathOf(maker.merchantId, 'addresses')
    const id = idInBook((await browser.get(path)).text, address)
    if (id === undefined) return `${changed}; ${added}; not in the book`
    const { span, result: answer } = await spanOf(simulation, () => browser.post(path, { do: 'remove', id }))
    const inBook = books.bookAdded.get(merchant)?.find((one) => one.address === address)
    if (answer.status === 303 && inBook !== undefined) inBook.removed = span
    const unused = books.unusedInBook.findIndex((one) => one.address === address)
    if (unused >= 0) books.unusedInBook.splice(unused, 1)
    const units = tenths(simulation, ticker, 1)
    const line: PaidOut = { merchant, localId: '', network: chain.network, ticker, to: address, units, receiver: null }
    await calmMost(simulation, [line], random)
    await give(simulation, named(simulation, merchant), ticker)
    const { asked, text } = await askFor(simulation, maker, [line], random.of('ask'))
    const results = [changed, resultOf(answer), text]
    for (const by of asked === undefined ? [] : othersOf(simulation, asked))
      if (asked!.ended === undefined) results.push(await decide(simulation, random.of(by.name), asked!, by))
    return results.join('; ')
  },
}

export const POLICY_STORIES: readonly Action[] = [tooSoon, overADay, removedFromBook]
