import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import { startReceiver, type Receiver } from '../../../../../sandbox/acquirers/receiver.ts'
import { startBank, type Bank } from '../../../../../sandbox/bank/index.ts'
import { payOnPage } from '../../../../../sandbox/bank/payer.ts'
import { signCallback } from '../../../../../sandbox/bank/signature.ts'
import type { Limits } from '../account.ts'
import { describeAcquirer, type AcquirerWorld } from '../conformance.ts'
import type { Acquirer, RawCallback } from '../port.ts'
import { createPatientHttp } from '../../../../../test/world/acquirer-patience.ts'
import { createBank, type BankSettings } from './index.ts'

const SECRET = 'aa55aa55-bank-secret-not-to-be-seen'
const CAPABILITIES: Limits = {
  payIn: { UAH: { least: 2_500n, most: 2_999_900n }, KZT: { least: 1_200_000n, most: 30_000_000n } },
  payout: { UAH: { least: 100n, most: 1_450_000n }, KZT: { least: 100n, most: 29_900_000n } },
}
const CARDS = {
  good: '4242424242424242',
  secure: '4000000000003063',
  refused: '4000000000000002',
  payout: '5555555555554444',
  payoutRefused: '4000000000009995',
}

const stops: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop()
})

const startWorld = async (): Promise<AcquirerWorld> => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-bank-'))
  stops.push(async () => rmSync(dir, { recursive: true, force: true }))
  const bank = await startBank({
    port: 0,
    dir,
    accounts: [{ name: 'shop', secret: SECRET }],
    payoutMs: 30,
    reverseMs: 150,
    callbackPauses: [100, 100, 100],
  })
  stops.push(bank.stop)
  const http = createPatientHttp(() => ordersOf(bank))
  const settings: BankSettings = {
    name: 'bank',
    url: bank.url,
    account: 'shop',
    secret: SECRET,
    capabilities: CAPABILITIES,
    http,
  }
  const acquirer = createBank(settings)
  const receiver = await startReceiver((callback) => acknowledged(acquirer, callback))
  stops.push(receiver.stop)
  return {
    acquirer,
    unreachable: createBank({ ...settings, url: await closedPort() }),
    secrets: [SECRET],
    callbackUrl: `${receiver.url}/acquirers/bank`,
    callbacks: (reference, least) => arrived(receiver, reference, least),
    forge: forgeries,
    next: async (faults) => {
      if (faults.answer === 'held') http.holdNext()
      bank.control.next(faults)
    },
    endRefunds: async (reference) => void bank.control['end-refunds']({ reference }),
    pay: payOnPage,
    cards: CARDS,
    sentToCard: async (reference) => sentToCard(bank, reference),
  }
}

const ordersOf = (bank: Bank): number => {
  const { payments, payouts } = bank.control.find({})
  return payments.length + payouts.length
}

const acknowledged = (acquirer: Acquirer, callback: RawCallback) => {
  try {
    return acquirer.readCallback(callback).ack
  } catch {
    return { status: 400, contentType: 'text/plain', body: 'forged' }
  }
}

const arrived = async (receiver: Receiver, reference: string, least: number): Promise<RawCallback[]> => {
  const ofIt = (): RawCallback[] => receiver.received.filter(({ body }) => body.includes(reference))
  await expect.poll(() => ofIt().length, { interval: 10 }).toBeGreaterThanOrEqual(least)
  return ofIt()
}

/** A port that was free a moment ago. */
const closedPort = async (): Promise<string> => {
  const { url, stop } = await startReceiver(() => ({ status: 200, contentType: 'text/plain', body: '' }))
  await stop()
  return url
}

const sentToCard = (bank: Bank, reference: string): bigint[] =>
  bank.control.find({ reference }).lines.flatMap((line) => {
    const { type, amount } = line as { type: string; amount: string }
    return type === 'payout' && amount.startsWith('-') ? [BigInt(amount.replace(/[-.]/g, ''))] : []
  })

const forgeries = (genuine: RawCallback): { what: string; callback: RawCallback }[] => {
  const event = JSON.parse(genuine.body.toString()) as { object: Record<string, unknown> }
  const timestamp = genuine.headers['x-bank-timestamp']!
  const withBody = (body: string, signature?: string): RawCallback => ({
    ...genuine,
    headers: { ...genuine.headers, ...(signature === undefined ? {} : { 'x-bank-signature': signature }) },
    body: Buffer.from(body),
  })
  const withHeader = (name: string, value: string): RawCallback => ({
    ...genuine,
    headers: { ...genuine.headers, [name]: value },
  })
  const changed = Object.keys(event.object).map((field) => ({
    what: `another ${field}`,
    callback: withBody(JSON.stringify({ ...event, object: { ...event.object, [field]: 'other' } })),
  }))
  const text = genuine.body.toString()
  return [
    ...changed,
    { what: 'a blank more', callback: withBody(`${text} `) },
    { what: 'signed with another secret', callback: withBody(text, signCallback('another secret', timestamp, text)) },
    { what: 'no signature', callback: withBody(text, '') },
    { what: 'half a signature', callback: withBody(text, genuine.headers['x-bank-signature']!.slice(0, 32)) },
    { what: 'another time', callback: withHeader('x-bank-timestamp', String(Number(timestamp) + 1)) },
    { what: 'of another account', callback: withHeader('x-bank-account', 'other') },
  ]
}

describeAcquirer(
  'the sandbox bank',
  { payIn: ['UAH', 'KZT'], payout: ['UAH', 'KZT'], refund: true, statement: true, paymentIsOrdered: true },
  startWorld,
)
