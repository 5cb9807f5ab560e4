/** Members who ask for payouts to cards, step by step through the guided payout. Others approve the requests. */
import { formatUnits } from '../../../server/src/platform/money/index.ts'
import type { Random } from '../../../sandbox/random.ts'
import { formOf, type Browser, type Page } from '../members/browser.ts'
import type { CardPaid, Requested } from '../model/books.ts'
import type { Action } from './action.ts'
import { CURRENCIES, newCard, PAYOUT, SCALE } from './cards.ts'
import { ASKS, end, enter, pathOf, resultOf } from './members.ts'
import { isServed } from './merchants.ts'

/** The hidden field that carries the number of the card, sealed. */
const SEALED = 'payout-card-sealed'

/** As people type the number: in groups, sometimes with hyphens. */
const grouped = (card: string, random: Random): string =>
  card.replace(/\d{4}(?=\d)/g, `$&${random.pick(['', ' ', '-'])}`)

/** Goes through the steps. @returns the page of the check; another page if a step failed */
const check = async (
  browser: Browser,
  path: string,
  { card, ticker, units }: CardPaid,
  random: Random,
): Promise<Page> => {
  const currency = { 'payout-currency': ticker }
  const second = await browser.post(path, { do: 'card-what', 'payout-card': grouped(card, random), ...currency })
  const sealed = formOf(second, { name: SEALED })?.[SEALED]
  if (sealed === undefined) return second
  const typed = { [SEALED]: sealed, ...currency, 'payout-amount': formatUnits(units, SCALE), 'payout-meta': '' }
  return browser.post(path, { do: 'card-check', ...typed })
}

const requestToCard: Action = {
  name: 'a member asks for a payout to a card',
  weight: (simulation) => (isServed(simulation) ? 2 : 0),
  run: async (simulation, random) => {
    const { books, members, problems } = simulation
    const maker = random.pick(members.filter(({ role }) => role === 'finance'))
    const ticker = random.pick(CURRENCIES)
    const [least, most] = PAYOUT[ticker]
    const drawn: CardPaid = {
      merchant: maker.merchant,
      localId: '',
      kind: 'single',
      ticker,
      units: BigInt(least * 100 + random.int((most - least) * 100)),
      card: newCard(simulation, random),
      spend: null,
    }
    const browser = await enter(simulation, maker, random)
    const path = pathOf(maker.merchantId, 'guide')
    const what = `${maker.name} ${drawn.units} ${ticker}`
    const checked = await check(browser, path, drawn, random)
    const form = formOf(checked, ASKS)
    if (form === undefined) return `${what}: ${resultOf(checked)}`
    const asked = await Promise.all(Array.from({ length: random.chance(0.3) ? 2 : 1 }, () => browser.post(path, form)))
    if (asked.every(({ status }) => status !== 303)) asked.push(await browser.post(path, form))
    const ids = new Set(asked.flatMap(({ location }) => /\/requests\/([0-9a-f-]{36})/.exec(location)?.[1] ?? []))
    if (ids.size > 1) problems.push(`one form of ${maker.name} made ${ids.size} requests of payouts to cards`)
    const results = asked.map(resultOf)
    for (const id of ids) {
      const card = { ...drawn, localId: `payout-${id}` }
      books.cardPaid.push(card)
      const requested: Requested = {
        id,
        maker,
        lines: [],
        card,
        askedAt: simulation.clock.now(),
        decisions: [],
        ended: undefined,
      }
      books.requested.push(requested)
      // Its number is erased then.
      if (random.chance(0.3)) results.push(resultOf(await end(simulation, requested, random, 'withdraw')))
    }
    return `${what}: ${results.join(', ')}`
  },
}

export const MEMBER_CARDS: readonly Action[] = [requestToCard]
