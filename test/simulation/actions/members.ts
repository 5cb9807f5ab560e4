/**
 * Members of merchants at the dashboard: one asks for payouts, others approve, refuse, or try to do what they may not.
 * Some press a button twice, or use an old page.
 */
import { formatUnits } from '../../../server/src/platform/money/index.ts'
import type { Random } from '../../../sandbox/random.ts'
import { browse, formOf, type Browser, type Page } from '../members/browser.ts'
import { signIn, type Member } from '../members/people.ts'
import { spanOf } from '../members/spans.ts'
import type { Decision, PaidOut, Requested } from '../model/books.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { drawWithdrawal, isServed, named } from './merchants.ts'
import { calm, isComplete } from './sent.ts'

const MOST_LINES = 4
/** Of the requests that are drawn from: the newest. */
const NEWEST = 8
/** The forms of a checked payout, and of a decision. */
export const [ASKS, APPROVES] = [{ name: 'form-key' }, { name: 'do', value: 'approve' }] as const

export const enter = async (simulation: Simulation, member: Member, random: Random): Promise<Browser> =>
  browse(simulation, await signIn(simulation.db, member, random, simulation.moment()))

export const pathOf = (merchantId: string, page: string): string => `/app/merchants/${merchantId}/payouts/${page}`

/** In one word, for the trace. */
export const resultOf = ({ status, location }: Page): string => {
  if (status !== 303) return status === 0 ? 'no answer' : String(status)
  return new URL(location, 'http://here').searchParams.get('done') ?? 'ok'
}

/** As a person types it. With three decimals the form asks what is meant: 1.500 is 1500 to many people. */
export const typedAmount = (units: bigint, scale: number): string =>
  formatUnits(units, scale).replace(/\.\d{3}$/, '$&0')

/** The forms that ask for the payouts: one by its page, several as a file. @returns the page of the check */
const check = (simulation: Simulation, browser: Browser, lines: readonly PaidOut[]): Promise<Page> => {
  const { id } = named(simulation, lines[0]!.merchant)
  const amountOf = ({ ticker, units }: PaidOut): string =>
    typedAmount(units, simulation.catalogue.findCrypto(ticker)!.scale)
  const [line] = lines
  if (lines.length === 1 && line)
    return browser.post(pathOf(id, 'new'), {
      do: 'check',
      'payout-asset': `${line.ticker}/${line.network}`,
      'payout-to': line.to,
      'payout-amount': amountOf(line),
      'payout-meta': '',
    })
  const rows = lines.map((one) => [one.ticker, one.network, one.to, amountOf(one), ''].join(','))
  const form = new FormData()
  form.set('file', new File([['asset,network,address,amount,reference', ...rows].join('\n')], 'payouts.csv'))
  return browser.post(pathOf(id, 'file'), form)
}

/** Sends the form of a checked page, which makes one request however often it is sent. */
const ask = (browser: Browser, merchantId: string, page: Page, isFile: boolean): Promise<Page> => {
  if (!isFile) return browser.post(pathOf(merchantId, 'new'), formOf(page, ASKS) ?? {})
  const form = new FormData()
  for (const [name, value] of Object.entries(formOf(page, ASKS) ?? {})) form.set(name, value)
  return browser.post(pathOf(merchantId, 'file'), form)
}

/** The fees of the networks are known then, without which no payout is accepted. */
export const calmMost = async (simulation: Simulation, lines: readonly PaidOut[], random: Random): Promise<void> => {
  if (!isComplete(simulation) || simulation.together > 1 || !random.chance(0.8)) return
  const networks = new Set(lines.map(({ network }) => network))
  for (const chain of simulation.chains) if (networks.has(chain.network)) await calm(simulation, chain)
}

/** The payout to an address of the merchant's book instead, if there is one that nothing was sent to. */
const bookedIn = ({ books: { unusedInBook } }: Simulation, random: Random, payout: PaidOut): PaidOut => {
  const at = unusedInBook.findIndex(
    ({ merchant, network }) => merchant === payout.merchant && network === payout.network,
  )
  const known = unusedInBook[at]
  if (known === undefined || payout.receiver !== null || !random.chance(0.7)) return payout
  unusedInBook.splice(at, 1)
  return { ...payout, to: known.address }
}

const request: Action = {
  name: 'a member asks for payouts',
  weight: (simulation) => (isServed(simulation) ? 4 : 0),
  run: async (simulation, random) => {
    const { members } = simulation
    const first = bookedIn(simulation, random, await drawWithdrawal(simulation, random))
    const count = random.chance(0.5) ? 1 : 2 + random.int(MOST_LINES - 1)
    const lines = [first]
    while (lines.length < count)
      lines.push({ ...(await drawWithdrawal(simulation, random.of('line', lines.length))), merchant: first.merchant })
    await calmMost(simulation, lines, random)
    const maker = random.pick(members.filter(({ merchant, role }) => merchant === first.merchant && role === 'finance'))
    return (await askFor(simulation, maker, lines, random)).text
  },
}

/** A member asks for payouts of one merchant. @returns the request, if an answer names it, and a text for the trace */
export const askFor = async (
  simulation: Simulation,
  maker: Member,
  lines: readonly PaidOut[],
  random: Random,
): Promise<{ asked?: Requested; text: string }> => {
  const { books, clock, problems } = simulation
  const browser = await enter(simulation, maker, random)
  const what = `${maker.name} ${lines.map(({ network, ticker, units }) => `${network} ${ticker} ${units}`).join(', ')}`
  const checked = await check(simulation, browser, lines)
  const isFile = lines.length > 1
  if (formOf(checked, ASKS) === undefined) return { text: `${what}: ${resultOf(checked)}` }
  const times = random.chance(0.3) ? 2 : 1
  const answers = await Promise.all(
    Array.from({ length: times }, () => ask(browser, maker.merchantId, checked, isFile)),
  )
  // The answer may be lost although the request was stored: the person presses the button again.
  if (answers.every(({ status }) => status !== 303)) answers.push(await ask(browser, maker.merchantId, checked, isFile))
  const ids = new Set(answers.flatMap(({ location }) => /\/requests\/([0-9a-f-]{36})/.exec(location)?.[1] ?? []))
  if (ids.size > 1) problems.push(`one form of ${maker.name} made ${ids.size} requests of payouts`)
  const text = `${what}: ${answers.map(resultOf).join(', ')}`
  const [id] = ids
  if (id === undefined) return { text }
  const placed = lines.map((line, at) => ({ ...line, localId: isFile ? `payout-${id}-${at + 1}` : `payout-${id}` }))
  books.paidOut.push(...placed)
  const asked: Requested = { id, maker, lines: placed, askedAt: clock.now(), decisions: [], ended: undefined }
  books.requested.push(asked)
  return { asked, text }
}

/** Whether a form may count as an approval, which none of the maker does. */
const isApprover = (asked: Requested, by: Member): boolean =>
  by.merchant === asked.maker.merchant && by.id !== asked.maker.id && by.role !== 'viewer'

const COUNTED = ['placed', 'placing', 'counted']

/** Posts the approval that a page shows, or one with the hash that another page has shown; its maker pays alone so. */
export const approve = async (
  simulation: Simulation,
  browser: Browser,
  asked: Requested,
  by: Member,
  shown: string,
): Promise<Page> => {
  const { problems } = simulation
  const mayCount = isApprover(asked, by) || by.id === asked.maker.id
  const { ended } = asked
  const { span, result: answer } = await spanOf(simulation, () =>
    browser.post(pathOf(by.merchantId, `requests/${asked.id}`), { do: 'approve', shown }),
  )
  const result = resultOf(answer)
  if (mayCount) asked.decisions.push({ ...span, by, result: decisionOf(answer) })
  const isCounted = COUNTED.includes(result)
  if (isCounted && !mayCount) problems.push(`${by.name} approved payout request ${asked.id}, and may not`)
  if (isCounted && ended !== undefined)
    problems.push(`${by.name} approved payout request ${asked.id}, which was ${ended}`)
  if (result === 'placed' || result === 'placing') asked.ended = 'approved'
  return answer
}

const decisionOf = (answer: Page): Decision['result'] => {
  if (answer.status === 0 || answer.status >= 500) return 'maybe'
  const result = resultOf(answer)
  return result === 'counted' ? 'counted' : COUNTED.includes(result) ? 'placed' : 'refused'
}

/** One of the newest, of those that wait if any does; sometimes one that has ended. */
export const pickRequest = ({ books }: Simulation, random: Random): Requested => {
  const newest = books.requested.slice(-NEWEST)
  const waiting = newest.filter(({ ended }) => ended === undefined)
  return random.pick(waiting.length === 0 || random.chance(0.1) ? newest : waiting)
}

/** For the trace. */
export const sizeOf = ({ lines, card, refund }: Requested): string =>
  card ? 'a card' : refund ? 'a refund' : String(lines.length)

/** Members who may approve a request. */
export const othersOf = ({ members }: Simulation, { maker }: Requested): Member[] =>
  members.filter(({ merchant, id, role }) => merchant === maker.merchant && id !== maker.id && role !== 'viewer')

const approval: Action = {
  name: 'members approve payouts',
  weight: (simulation) => (isServed(simulation) && simulation.books.requested.length > 0 ? 6 : 0),
  run: async (simulation, random) => {
    const asked = pickRequest(simulation, random)
    const { maker, lines } = asked
    await calmMost(simulation, lines, random)
    const others = othersOf(simulation, asked)
    const first = random.pick(others)
    const second = random.of('second').pick(others.filter(({ id }) => id !== first.id))
    const path = pathOf(maker.merchantId, `requests/${asked.id}`)
    const browser = await enter(simulation, first, random)
    const shown = formOf(await browser.get(path), APPROVES)?.['shown']
    if (shown === undefined) return `${first.name}: nothing to approve`
    const meanwhile = random.pick(['nothing', 'nothing', 'withdraw', 'refuse', 'approve', 'double'] as const)
    const results: Page[] = []
    if (meanwhile === 'withdraw' || meanwhile === 'refuse')
      results.push(await end(simulation, asked, random, meanwhile))
    const approvals = [approve(simulation, browser, asked, first, shown)]
    if (meanwhile === 'double') approvals.push(approve(simulation, browser, asked, first, shown))
    if (meanwhile === 'approve')
      approvals.push(approve(simulation, await enter(simulation, second, random), asked, second, shown))
    results.push(...(await Promise.all(approvals)))
    return `${first.name} of ${sizeOf(asked)} of ${maker.name}, ${meanwhile}: ${results.map(resultOf).join(', ')}`
  },
}

/** The maker withdraws a request, or another member refuses it. */
export const end = async (
  simulation: Simulation,
  asked: Requested,
  random: Random,
  how: 'withdraw' | 'refuse',
): Promise<Page> => {
  const { maker, id } = asked
  const by = how === 'withdraw' ? maker : random.pick(othersOf(simulation, asked))
  const browser = await enter(simulation, by, random.of('end'))
  const fields = how === 'withdraw' ? { do: how } : { do: how, reason: 'not ours' }
  const answer = await browser.post(pathOf(maker.merchantId, `requests/${id}`), fields)
  if (resultOf(answer) === 'done') {
    if (asked.ended === 'approved')
      simulation.problems.push(`${by.name} ended payout request ${id}, which was approved`)
    asked.ended ??= how === 'withdraw' ? 'withdrawn' : 'refused'
  }
  return answer
}

const ending: Action = {
  name: 'a request of payouts is withdrawn or refused',
  weight: (simulation) => (isServed(simulation) && simulation.books.requested.length > 0 ? 1 : 0),
  run: async (simulation, random) => {
    const asked = pickRequest(simulation, random)
    const how = random.pick(['withdraw', 'refuse'] as const)
    return `${how} of ${asked.maker.name}: ${resultOf(await end(simulation, asked, random, how))}`
  },
}

/** The maker, a viewer, and a member of another merchant approve with the hash that an approver sees. */
const forbidden: Action = {
  name: 'payouts are approved by those who may not',
  weight: (simulation) => (isServed(simulation) && simulation.books.requested.length > 0 ? 2 : 0),
  run: async (simulation, random) => {
    const asked = pickRequest(simulation, random)
    const { maker } = asked
    const path = pathOf(maker.merchantId, `requests/${asked.id}`)
    const seen = await (await enter(simulation, othersOf(simulation, asked)[0]!, random)).get(path)
    const shown = formOf(seen, APPROVES)?.['shown']
    if (shown === undefined) return 'nothing to approve'
    const viewer = simulation.members.find(({ merchant, role }) => merchant === maker.merchant && role === 'viewer')!
    const stranger = random.pick(simulation.members.filter(({ merchant }) => merchant !== maker.merchant))
    const by = random.pick([maker, viewer, stranger])
    const answer = await approve(simulation, await enter(simulation, by, random.of('by')), asked, by, shown)
    return `${by.name} of ${maker.name}: ${resultOf(answer)}`
  },
}

export const MEMBERS: readonly Action[] = [request, approval, ending, forbidden]
