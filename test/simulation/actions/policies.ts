/**
 * Policies of payouts at the dashboard: an owner changes the rules, a member adds addresses to the book and pays alone.
 * Some send a form twice, or a form that only an owner may send.
 */
import { parseUnits } from '../../../server/src/platform/money/index.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { SimulatedChain } from '../chains/index.ts'
import { formOf, type Page } from '../members/browser.ts'
import type { Member } from '../members/people.ts'
import { spanOf } from '../members/spans.ts'
import { fromLedger, toLedger } from '../model/books.ts'
import { limitsOf, possiblePolicies, WITHOUT_POLICY, type AssetLimits, type PayoutPolicy } from '../model/policies.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import {
  APPROVES,
  approve,
  askFor,
  calmMost,
  enter,
  pathOf,
  pickRequest,
  resultOf,
  sizeOf,
  typedAmount,
} from './members.ts'
import { isServed } from './merchants.ts'
import { MOST } from './payers.ts'
import { outsideAddress } from './screening.ts'

const TENTHS = 10n
const MOST_TO_CARD: Readonly<Record<string, string>> = { UAH: '15000', KZT: '300000' }
const DAY_MS = 86_400_000

/** A number of tenths of the most that is paid at once, ledger units. */
export const tenths = ({ catalogue }: Simulation, ticker: string, count: number): bigint => {
  const parsed = parseUnits(MOST[ticker] ?? MOST_TO_CARD[ticker]!, catalogue.find(ticker)!.scale)
  return parsed.ok ? (parsed.units * BigInt(count)) / TENTHS : 0n
}

const drawLimits = (simulation: Simulation, random: Random, ticker: string): AssetLimits => ({
  alone: tenths(simulation, ticker, random.pick([0, 5, 10, 15])),
  approvals: random.pick([1, 2, 2, 3]),
  hour: random.chance(0.7) ? null : tenths(simulation, ticker, 5 + random.int(20)),
  day: random.chance(0.4) ? null : tenths(simulation, ticker, 10 + random.int(40)),
})

/** The hours of a day from one to another, which may be on the next day. */
const hoursFrom = (from: number, count: number): boolean[] =>
  WITHOUT_POLICY.hours.map((_, hour) => (hour - from + 24) % 24 < count)

/** Rules that often allow members to pay alone. */
const drawPolicy = (simulation: Simulation, random: Random): { policy: PayoutPolicy; hours: readonly number[] } => {
  const assets = new Map<string, AssetLimits>()
  for (const ticker of [...Object.keys(MOST), ...Object.keys(MOST_TO_CARD)])
    if (simulation.catalogue.find(ticker)) assets.set(ticker, drawLimits(simulation, random, ticker))
  const [from, count] = random.chance(0.15) ? [random.int(24), 12 + random.int(11)] : [0, 24]
  const policy = {
    assets,
    onlyBook: random.chance(0.15),
    hours: hoursFrom(from, count),
    coolingHours: random.pick([0, 1, 24]),
  }
  return { policy, hours: [from, (from + count) % 24] }
}

/** The form of the page of the policy, filled in. */
const filled = (
  { catalogue }: Simulation,
  { policy, hours }: ReturnType<typeof drawPolicy>,
  version: string,
): Record<string, string> => {
  const fields: Record<string, string> = {
    version,
    addresses: policy.onlyBook ? 'book' : 'any',
    cooling: String(policy.coolingHours),
    'from-hour': String(hours[0]),
    'to-hour': String(hours[1]),
    api: 'free',
  }
  for (const { ticker, scale } of [...catalogue.crypto, ...catalogue.fiat]) {
    const { alone, approvals, hour, day } = limitsOf(policy, ticker)
    const shown = (units: bigint | null): string => (units === null ? '' : typedAmount(units, scale))
    fields[`alone-${ticker}`] = shown(alone)
    fields[`approvals-${ticker}`] = String(approvals)
    fields[`hour-${ticker}`] = shown(hour)
    fields[`day-${ticker}`] = shown(day)
    fields[`api-${ticker}`] = ''
  }
  return fields
}

const ownerOf = ({ members }: Simulation, merchantName: string): Member =>
  members.find(({ merchant, role }) => merchant === merchantName && role === 'owner')!

/**
 * An owner changes the rules; some press the button twice.
 * @param drawn what the owner types
 * @returns the results for the trace
 */
export const changePolicy = async (
  simulation: Simulation,
  merchant: string,
  random: Random,
  drawn = drawPolicy(simulation, random.of('policy')),
): Promise<string> => {
  const { books, problems } = simulation
  const owner = ownerOf(simulation, merchant)
  const browser = await enter(simulation, owner, random)
  const path = pathOf(owner.merchantId, 'policy')
  const form = formOf(await browser.get(path), { name: 'version' })
  if (form === undefined) return `${owner.name}: no form`
  const fields = filled(simulation, drawn, form['version']!)
  const { span, result: answers } = await spanOf(simulation, () =>
    Promise.all(Array.from({ length: random.chance(0.2) ? 2 : 1 }, () => browser.post(path, fields))),
  )
  const stored = answers.filter(({ status }) => status === 303).length
  if (stored > 1) problems.push(`one form of ${owner.name} changed the policy ${stored} times`)
  const isUnknown = answers.some(({ status }) => status === 0 || status >= 500)
  if (stored > 0 || isUnknown) {
    const changes = books.policyChanges.get(merchant) ?? []
    changes.push({ ...span, policy: drawn.policy, stored: stored > 0 ? 'yes' : 'maybe' })
    books.policyChanges.set(merchant, changes)
  }
  return `${owner.name}: ${answers.map(resultOf).join(', ')}`
}

const change: Action = {
  name: 'an owner changes the policy of payouts',
  weight: (simulation) => (isServed(simulation) ? 0.7 : 0),
  run: (simulation, random) => changePolicy(simulation, random.pick(simulation.merchants).name, random),
}

/** A member who is no owner sends the form that an owner sees. */
const changeByOthers: Action = {
  name: 'a policy of payouts is changed by those who may not',
  weight: (simulation) => (isServed(simulation) ? 0.3 : 0),
  run: async (simulation, random) => {
    const { members, problems } = simulation
    const by = random.pick(members.filter(({ role }) => role !== 'owner'))
    const owner = ownerOf(simulation, random.chance(0.8) ? by.merchant : random.pick(simulation.merchants).name)
    const path = pathOf(owner.merchantId, 'policy')
    const form = formOf(await (await enter(simulation, owner, random)).get(path), { name: 'version' })
    if (form === undefined) return `${by.name}: no form`
    const fields = filled(simulation, drawPolicy(simulation, random), form['version']!)
    const answer = await (await enter(simulation, by, random.of('by'))).post(path, fields)
    if (answer.status === 303) problems.push(`${by.name} changed the policy of ${owner.merchant}, and may not`)
    return `${by.name} of ${owner.merchant}: ${resultOf(answer)}`
  },
}

/** A looser rule is in force then, and the sums of the day begin again. */
const dayLater: Action = {
  name: 'a day passes after a change of a policy',
  weight: ({ books }) => (books.policyChanges.size > 0 ? 0.05 : 0),
  run: async ({ clock }) => {
    clock.advance(DAY_MS)
    return ''
  },
}

/** @returns the address and the result for the trace */
export const addNew = async (
  simulation: Simulation,
  random: Random,
  chain: SimulatedChain,
  by: Member,
): Promise<{ address: string; result: string }> => {
  const { books } = simulation
  const { network } = chain
  const address = await outsideAddress(simulation, random, chain)
  const browser = await enter(simulation, by, random)
  const fields = { do: 'add', 'address-name': `supplier ${random.int(1_000_000)}`, network, address }
  const { span, result: answer } = await spanOf(simulation, () =>
    browser.post(pathOf(by.merchantId, 'addresses'), fields),
  )
  if (isMaybe(answer)) {
    const added = books.bookAdded.get(by.merchant) ?? []
    added.push({ ...span, network, address })
    books.bookAdded.set(by.merchant, added)
  }
  if (answer.status === 303) books.unusedInBook.push({ merchant: by.merchant, network, address })
  return { address, result: resultOf(answer) }
}

const addToBook: Action = {
  name: 'a member adds an address to the book',
  weight: (simulation) => (isServed(simulation) ? 1 : 0),
  run: async (simulation, random) => {
    const chain = random.pick(simulation.chains)
    const by = random.pick(simulation.members.filter(({ role }) => role === 'finance'))
    return `${by.name} ${chain.network}: ${(await addNew(simulation, random, chain, by)).result}`
  },
}

/** Stored, or the answer was lost. */
const isMaybe = ({ status }: Page): boolean => status === 303 || status === 0 || status >= 500

/** The maker of a request pays alone, if the page offers that. Two at once may be more than the rules allow. */
const payAlone: Action = {
  name: 'a member pays alone',
  weight: (simulation) => (isServed(simulation) && simulation.books.requested.length > 0 ? 5 : 0),
  run: async (simulation, random) => {
    const chosen = new Set([pickRequest(simulation, random)])
    if (random.chance(0.4)) chosen.add(pickRequest(simulation, random))
    const offered: { asked: Parameters<typeof approve>[2]; shown: string }[] = []
    for (const [at, asked] of [...chosen].entries()) {
      const browser = await enter(simulation, asked.maker, random.of('look', at))
      const page = await browser.get(pathOf(asked.maker.merchantId, `requests/${asked.id}`))
      const shown = formOf(page, APPROVES)?.['shown']
      if (shown !== undefined) offered.push({ asked, shown })
    }
    const results = await Promise.all(
      offered.map(async ({ asked, shown }, at) =>
        approve(simulation, await enter(simulation, asked.maker, random.of('pay', at)), asked, asked.maker, shown),
      ),
    )
    const names = [...chosen].map((asked) => `${asked.maker.name} of ${sizeOf(asked)}`).join(', ')
    return `${names}: ${results.map(resultOf).join(', ') || 'not offered'}`
  },
}

/** Number of parts of an amount. Their sum needs more approvals than one part. */
const PARTS = 3

/** An asset of a chain of which a member may pay a part alone, but not the sum of all parts. */
const dividedOf = ({ catalogue }: Simulation, policy: PayoutPolicy, { network, assets }: SimulatedChain) => {
  if (policy.onlyBook) return undefined
  for (const { ticker } of assets) {
    const limits = limitsOf(policy, ticker)
    if (limits.alone === 0n || limits.approvals < 2 || !catalogue.findCrypto(ticker)?.networks.has(network)) continue
    const part = fromLedger(catalogue, ticker, network, (limits.alone * 6n) / TENTHS)
    const units = toLedger(catalogue, ticker, network, part)
    // Otherwise a limit refuses the second part.
    if ([limits.hour, limits.day].every((most) => most === null || most >= 2n * units)) return { ticker, units }
  }
  return undefined
}

/** The rules in force, or those that an owner has just sent, which may wait for a day. */
const rulesNow = async (simulation: Simulation, merchant: string, random: Random): Promise<PayoutPolicy> => {
  const { books, clock } = simulation
  if (random.chance(0.4)) await changePolicy(simulation, merchant, random.of('change'))
  const changes = books.policyChanges.get(merchant) ?? []
  if (random.chance(0.5)) return changes.at(-1)?.policy ?? WITHOUT_POLICY
  const turn = books.nextTurn()
  const [policy] = possiblePolicies(changes, { began: turn, ended: turn, from: clock.now(), to: clock.now() })
  return policy ?? WITHOUT_POLICY
}

/** Members pay the parts of an amount one after another, each with fewer approvals than the sum needs. */
const payInParts: Action = {
  name: 'members pay an amount in parts',
  weight: (simulation) => (isServed(simulation) && simulation.books.policyChanges.size > 0 ? 3 : 0),
  run: async (simulation, random) => {
    const { books, chains, members } = simulation
    const merchant = random.pick([...books.policyChanges.keys()])
    const chain = random.pick(chains)
    const divided = dividedOf(simulation, await rulesNow(simulation, merchant, random), chain)
    if (divided === undefined) return `${merchant} ${chain.network}: no such rule`
    const approver = members.find((one) => one.merchant === merchant && one.role === 'approver')!
    const makers = members.filter((one) => one.merchant === merchant && one.role === 'finance')
    const results: string[] = []
    for (let part = 0; part < PARTS; part += 1) {
      const drawn = random.of('part', part)
      const to = await outsideAddress(simulation, drawn, chain)
      const line = { merchant, localId: '', network: chain.network, to, receiver: null, ...divided }
      await calmMost(simulation, [line], drawn)
      const maker = drawn.pick(makers)
      const { asked, text } = await askFor(simulation, maker, [line], drawn)
      results.push(text)
      if (asked === undefined) continue
      const by = drawn.chance(0.5) ? maker : approver
      const browser = await enter(simulation, by, drawn.of('decide'))
      const page = await browser.get(pathOf(maker.merchantId, `requests/${asked.id}`))
      const shown = formOf(page, APPROVES)?.['shown']
      if (shown !== undefined)
        results.push(`${by.name} ${resultOf(await approve(simulation, browser, asked, by, shown))}`)
    }
    return results.join('; ')
  },
}

export const POLICIES: readonly Action[] = [change, changeByOthers, dayLater, addToBook, payAlone, payInParts]
