import { setTimeout as sleep } from 'node:timers/promises'
import type { Emulator } from '../../sandbox/acquirers/emulator/start.ts'
import { endRefunds, findOrder, giveBackOutside } from '../../sandbox/acquirers/emulator/payments.ts'
import { startReceiver } from '../../sandbox/acquirers/receiver.ts'
import type { AcquirerHttp } from '../../server/src/adapters/acquirers/http.ts'
import {
  ForgedCallback,
  type Acquirer,
  type PaymentPage,
  type RawCallback,
} from '../../server/src/adapters/acquirers/port.ts'
import type { AcquirerWorld } from '../../server/src/adapters/acquirers/conformance.ts'
import { createPatientHttp } from './acquirer-patience.ts'

/** The parts of a test's world when the acquirer is an emulator of the sandbox. */
export interface Emulated {
  emulator: Emulator
  /** the adapter under test, which asks `url` by `http` */
  makeAcquirer(url: string, http: AcquirerHttp): Acquirer
  secrets: readonly string[]
  cards: AcquirerWorld['cards']
  forge(callback: RawCallback): { what: string; callback: RawCallback }[]
  without(callback: RawCallback): { field: string; callback: RawCallback }[]
}

/** The world of the conformance suite over an emulator, and how to end it. */
export const worldOf = async ({
  emulator,
  makeAcquirer,
  secrets,
  cards,
  forge,
  without,
}: Emulated): Promise<{ world: AcquirerWorld; stop: () => Promise<void> }> => {
  const http = createPatientHttp(() => emulator.context.orders.all().length)
  const acquirer = makeAcquirer(emulator.url, http)
  const receiver = await takeCallbacks(acquirer, emulator)
  const world: AcquirerWorld = {
    acquirer,
    unreachable: makeAcquirer('http://127.0.0.1:1', http),
    secrets,
    cards,
    forge,
    without,
    giveBackOutside: async (reference, units) =>
      void giveBackOutside(emulator.context, findOrder(emulator.context, reference, 'payment')!, units),
    callbackUrl: receiver.url,
    callbacks: receiver.callbacks,
    next: async (faults) => {
      if (faults.answer === 'held') http.holdNext()
      emulator.context.faults.next(faults)
    },
    endRefunds: async (reference) => {
      endRefunds(emulator.context, findOrder(emulator.context, reference, 'payment')!)
    },
    pay: async (page, ...cards) => void (await payOnPage(page, cards, emulator.context.dialect.secureCode)),
    sentToCard: async (reference) =>
      emulator.context.orders
        .all()
        .filter((order) => order.kind === 'payout' && order.reference === reference && order.moved !== undefined)
        .map((order) => BigInt(order.moved!)),
  }
  return { world, stop: async () => void (await Promise.all([emulator.stop(), receiver.stop()])) }
}

/** Takes callbacks below a path with a query, answers as the adapter says, and finds them by reference. */
const takeCallbacks = async (acquirer: Acquirer, emulator: Emulator) => {
  const receiver = await startReceiver((callback) => {
    try {
      return acquirer.readCallback(callback).ack
    } catch (error) {
      if (!(error instanceof ForgedCallback)) throw error
      return { status: 400, contentType: 'text/plain', body: '' }
    }
  })
  const about = (reference: string): RawCallback[] =>
    receiver.received.filter(({ body }) => referencesOf(emulator, body.toString()).includes(reference))
  return {
    url: `${receiver.url}/acquirers/test/callback?v=1`,
    stop: () => receiver.stop(),
    callbacks: async (reference: string, least: number): Promise<RawCallback[]> => {
      for (let tries = 0; tries < 5_000 && about(reference).length < least; tries += 1) await sleep(20)
      if (about(reference).length < least) throw new Error(`${about(reference).length} of ${least} callbacks arrived`)
      return about(reference)
    },
  }
}

/** The subject of a callback: its sender knows, whether or not the adapter believes it. */
const referencesOf = ({ context }: Emulator, body: string): string[] =>
  context.deliveries
    .list()
    .filter((one) => one.body === body || one.spoilt?.body === body)
    .map(({ subject }) => subject.split(' ')[1]!)

/**
 * A payer's browser: posts the shop's form or follows its link, types a card, types the code if asked for one, and the
 * next card while it is asked for one.
 */
export const payOnPage = async (page: PaymentPage, cards: readonly string[], code: string): Promise<string> => {
  const first =
    page.method === 'GET' ? { url: page.url } : { url: page.url, body: new URLSearchParams({ ...page.fields }) }
  let shown = await open(first.url, first.body)
  for (const card of cards) {
    if (!shown.html.includes('name="card"')) return shown.html
    shown = await open(
      new URL(actionOf(shown.html), shown.url).href,
      new URLSearchParams({ card, expiry: '12/49', cvc: '123' }),
    )
    if (shown.html.includes('name="code"'))
      shown = await open(new URL(actionOf(shown.html), shown.url).href, new URLSearchParams({ code }))
  }
  return shown.html
}

const actionOf = (html: string): string => /<form method="post" action="([^"]+)"/.exec(html)![1]!

const open = async (url: string, body?: URLSearchParams): Promise<{ url: string; html: string }> => {
  const answer = await fetch(url, body === undefined ? {} : { method: 'POST', body })
  return { url: answer.url, html: await answer.text() }
}
