/** Card payments and payouts: merchants who ask for them, and payers at the pages of invoices and of acquirers. */
import { formatUnits, parseUnits } from '../../../server/src/platform/money/index.ts'
import type { Paying } from '../acquirers/account.ts'
import { pageIn, type PayerPage } from '../acquirers/payer-page.ts'
import { unitsOf, type CardPaid } from '../model/books.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { drawAmount } from './exchanges.ts'
import { byApi, call, isServed, named, resultOf } from './merchants.ts'

export const CURRENCIES = ['UAH', 'KZT'] as const
/** Whole units of one payment, and of one payout: within the limits of docs/contract.md, section 10, mostly. */
export const PAYMENT = { UAH: [25, 29_999], KZT: [12_000, 300_000] } as const
export const PAYOUT = { UAH: [1_000, 14_500], KZT: [20_000, 299_000] } as const
const BATCH = { UAH: [1_000, 60_000], KZT: [20_000, 299_000] } as const

export const drawMinor = (random: Random, [least, most]: readonly [number, number]): bigint =>
  random.chance(0.05) ? BigInt(most * 100 + 1) : BigInt(least * 100 + random.int((most - least) * 100))

export const SCALE = 2

const fiatInvoice: Action = {
  name: 'fiat invoice',
  weight: (simulation) => (isServed(simulation) ? 4 : 0),
  run: async (simulation, random) => {
    const { books } = simulation
    const merchant = random.pick(simulation.merchants)
    const ticker = random.pick(CURRENCIES)
    const units = drawMinor(random, PAYMENT[ticker])
    const name = `Order ${books.nextLocalId('f')}`
    const result = await call(simulation, merchant, (client) =>
      client.invoices.fiat.create({
        name,
        email: 'payer@example.com',
        amount: { value: formatUnits(units, SCALE), ticker },
        toPendingImmediate: random.chance(0.8),
      }),
    )
    if ('answer' in result)
      books.fiatInvoiced.push({ merchant: merchant.name, id: result.answer.id, name, ticker, units })
    return `${merchant.name} ${units} ${ticker}: ${resultOf(result)}`
  },
}

export const GOOD_CARD = '4242424242424242'

/** The payer's bank carries out most payments as they were ordered. */
const drawPaying = (random: Random, ways: readonly Paying[]): Paying =>
  random.chance(0.9) ? 'as ordered' : random.pick(ways)

/** A payer at an acquirer's page. */
const payAt = async (simulation: Simulation, page: PayerPage, random: Random): Promise<string> => {
  const account = simulation.acquirers.accounts.find(({ front }) => front.url === new URL(page.url).origin)!
  const reference = await account.open(page)
  if (reference === undefined) return `${account.name} has no such page`
  const card = random.chance(0.7) ? GOOD_CARD : random.pick(account.cards)
  const paying = drawPaying(random, account.waysToPay)
  return `${account.name} ${card.slice(-4)} ${paying}: ${account.pay(reference, card, paying)}`
}

/** A payer at the page of an invoice: continues, goes to the acquirer's page, pays, or tries again after a refusal. */
const payByCard: Action = {
  name: 'payer at a fiat invoice',
  weight: (simulation) => (isServed(simulation) && simulation.books.fiatInvoiced.length > 0 ? 10 : 0),
  run: async (simulation, random) => {
    const { name, id } = random.pick(simulation.books.fiatInvoiced.slice(-8))
    const page = `${simulation.roles.get('api')!.api}/invoices/fiat/${id}`
    try {
      const html = await (await fetch(page)).text()
      const way = pageIn(html)
      if (way !== undefined) return `${name}: ${await payAt(simulation, way, random)}`
      const verb = /name="do" value="(proceed|retry)"/.exec(html)?.[1]
      if (verb === undefined) return `${name}: nothing to do`
      const body = new URLSearchParams({ do: verb, email: 'payer@example.com' })
      const answer = await fetch(page, { method: 'POST', body, redirect: 'manual' })
      await answer.text()
      return `${name}: ${verb} ${answer.status}`
    } catch (error) {
      // The api has died meanwhile, or a fault has cut it off its database.
      if (error instanceof TypeError) return `${name}: no page`
      throw error
    }
  },
}

/** A new card number, used once: its first six digits count up. */
export const newCard = (simulation: Simulation, random: Random): string => {
  const count = String(simulation.books.nextTurn() % 100_000).padStart(5, '0')
  const digits = `5${count}${String(random.int(1_000_000_000)).padStart(9, '0')}`
  const sum = [...digits].toReversed().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

export const placePayout = (simulation: Simulation, { merchant, localId, kind, ticker, units, card }: CardPaid) =>
  call(simulation, named(simulation, merchant), (client) => {
    const body = { ticker, to: card, amount: formatUnits(units, SCALE), localId }
    return kind === 'single' ? client.withdrawals.fiat.create(body) : client.withdrawals.fiat.batch.create(body)
  })

const payOut: Action = {
  name: 'card payout',
  weight: (simulation) => (isServed(simulation) ? 5 : 0),
  run: async (simulation, random) => {
    const { books } = simulation
    const kind = random.chance(0.7) ? 'single' : 'batch'
    const ticker = random.pick(CURRENCIES)
    const units = drawMinor(random, (kind === 'single' ? PAYOUT : BATCH)[ticker])
    const merchant = random.pick(simulation.merchants).name
    const card = newCard(simulation, random)
    const wanted: CardPaid = { merchant, localId: books.nextLocalId('c'), kind, ticker, units, card, spend: null }
    books.cardPaid.push(wanted)
    const results = [await placePayout(simulation, wanted)]
    while (results.length < 3 && random.chance('failure' in results.at(-1)! ? 0.6 : 0.15))
      results.push(await placePayout(simulation, wanted))
    return `${merchant} ${kind} ${units} ${ticker}: ${results.map(resultOf).join(', ')}`
  },
}

const repeat: Action = {
  name: 'card payout again',
  weight: (simulation) => (isServed(simulation) && byApi(simulation.books.cardPaid).length > 0 ? 0.7 : 0),
  run: async (simulation, random) => {
    const again = random.pick(byApi(simulation.books.cardPaid))
    if (again.kind === 'exchange') return `${again.localId}: is an exchange`
    return `${again.localId}: ${resultOf(await placePayout(simulation, again))}`
  },
}

const exchangeToCard: Action = {
  name: 'exchange and pay a card',
  weight: (simulation) => (isServed(simulation) ? 2.5 : 0),
  run: async (simulation, random) => {
    const { books, catalogue } = simulation
    const merchant = random.pick(simulation.merchants)
    const spend = random.pick(catalogue.crypto).ticker
    const ticker = random.pick(CURRENCIES)
    const amount = drawAmount(simulation, random, spend)
    const asked = { ticker, spendTicker: spend, amount, side: 'spend' } as const
    const what = `${merchant.name} ${amount} ${spend} to ${ticker}`
    const estimate = await call(simulation, merchant, (client) => client.exchange.withdrawals.fiat.estimate(asked))
    if ('failure' in estimate) return `${what}: ${estimate.failure}`
    const { withdraw, exchange, price } = estimate.answer
    const parsed = parseUnits(amount, catalogue.findCrypto(spend)!.scale)
    const wanted: CardPaid = {
      merchant: merchant.name,
      localId: books.nextLocalId('y'),
      kind: 'exchange',
      ticker,
      units: 0n,
      card: newCard(simulation, random),
      spend: {
        ticker: spend,
        units: parsed.ok ? parsed.units : 0n,
        least: unitsOf(catalogue, ticker, withdraw.amount),
      },
    }
    books.cardPaid.push(wanted)
    const { localId, card: to } = wanted
    const order = () =>
      call(simulation, merchant, (client) =>
        client.exchange.withdrawals.fiat.create({
          ...asked,
          fee: withdraw.fee,
          exchangeFee: exchange.fee,
          price: price.value,
          to,
          localId,
        }),
      )
    const results = [await order()]
    while (results.length < 3 && random.chance('failure' in results.at(-1)! ? 0.6 : 0.15)) results.push(await order())
    return `${what}: ${results.map(resultOf).join(', ')}`
  },
}

export const CARDS: readonly Action[] = [fiatInvoice, payByCard, payOut, repeat, exchangeToCard]
