/** A running sandbox as tools and merchants speak to it: its api, control server and inbox, its database, its logs. */
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Bursar } from '@bursar/sdk'
import type { DemoMerchant } from '../../sandbox/platform/merchants.ts'
import { askingOf, PATIENCE_MS, type Asking } from './asking.ts'

export interface Message {
  seq: number
  url: string
  headers: Record<string, string>
  body: string
}

export interface Mail {
  seq: number
  messageId: string
  from: string
  to: string[]
  subject: string
  text: string
  html: string
  attachments: { name: string; type: string; size: number }[]
}

export interface Merchant {
  id: string
  privateKey: string
  webhookSecret: string
  notificationsUrl: string
  client: Bursar
}

export type Role = 'api' | 'worker' | 'watcher' | 'signer'

export type Network = 'BITCOIN' | 'ETHEREUM' | 'BINANCE_SMART_CHAIN' | 'TRON'

/** The interface of a sandbox for a test file, its own or one that it shares. */
export interface ConnectedSandbox extends Asking {
  dir: string
  api: string
  /** The members of `.bursar/sandbox.json`, which `npm start` writes, that tests need. */
  description: { api: string; control: string; inbox: string; merchants: readonly object[] }
  environment: NodeJS.ProcessEnv
  database: string
  merchants: readonly [Merchant, Merchant]
  hasBitcoin: boolean
  pay(blockchain: Network, ticker: string, to: string, amount: string): Promise<string>
  mine(blockchain: Network, blocks: number): Promise<void>
  reorg(blockchain: Network, depth: number, without?: string[]): Promise<void>
  outside(blockchain: Network): Promise<string>
  balanceOf(blockchain: Network, ticker: string, address: string): Promise<string>
  credit(merchant: Merchant, ticker: string, amount: string): Promise<void>
  advance(ms: number): Promise<void>
  /** Pays an invoice as its payer would. */
  payInvoice(
    id: string,
    how: 'exact' | 'partial' | 'over' | 'late' | 'wrong-asset',
  ): Promise<{ hash: string; amount: string; ticker: string; blockchain: Network; to: string }>
  rates(usd: Record<string, string>): Promise<void>
  /** Sets the screening provider's answer about a transaction, a deposit address or a destination. */
  verdict(address: string, verdict: 'clean' | 'mixer' | 'gambling' | 'sanctioned' | 'pending'): Promise<void>
  /** That provider fails; without a kind it answers again. */
  screeningFault(kind?: 'down' | 'html' | 'slow' | 'garbage'): Promise<void>
  /** A price source lies or fails; without a kind it is correct again. */
  sourceFault(fault: { source: string; kind?: string; factor?: number }): Promise<void>
  /** Does something to the bank: `POST /bank/WHAT` of the control server. */
  bank(what: 'next' | 'reverse' | 'pay' | 'settle', body: object): Promise<unknown>
  /** The orders of the bank, of one reference or of all. */
  bankFind(reference?: string): Promise<{ payments: object[]; payouts: object[]; lines: object[]; callbacks: object[] }>
  /** Does something to the venue that is hedged on: `POST /venue/WHAT` of the control server. */
  venue(what: 'next' | 'fault' | 'balance', body: object): Promise<unknown>
  venueFind(): Promise<{
    orders: Record<string, string>[]
    trades: Record<string, string>[]
    balances: Record<string, string>
  }>
  behave(merchant: Merchant, behaviour: { status?: number; delayMs?: number; failNext?: number }): Promise<void>
  /**
   * Each notification once, as a receiver takes it: one whose answer a killed worker did not see comes again under its
   * `webhook-id`.
   */
  messages(merchant: Merchant, after?: number): Promise<Message[]>
  /** The mails to an address, oldest first. */
  mails(to: string): Promise<Mail[]>
  /**
   * Waits for a notification of an object, by a field of its body; fails with everything received when it does not
   * come.
   */
  notified(merchant: Merchant, match: Record<string, unknown>, withinMs?: number): Promise<Record<string, unknown>>
  /** Ends a role's process at once, and starts it again as it was. */
  kill(role: Role): Promise<void>
  start(role: Role, env?: Record<string, string>): Promise<void>
  /** Waits until a role stands still at its pause point. */
  paused(role: Exclude<Role, 'signer'>, point: string): Promise<void>
  logs(): string
}

/** Where a sandbox is, in JSON. */
export interface Place {
  dir: string
  api: string
  control: string
  inbox: string
  environment: NodeJS.ProcessEnv
  database: string
  hasBitcoin: boolean
  merchants: readonly DemoMerchant[]
}

/**
 * A dead worker's leases end at once, and not by real time: three minutes for a judgement, one for a notification, two
 * for a mail, a third of one for a transaction.
 */
const LEASES_END = `with claimed as (select id from outgoing where state in ('planned', 'signed', 'broadcast') for update skip locked),
  transactions as (update outgoing set next_step_at = now() - interval '1 hour' where id in (select id from claimed)),
  judgements as (update screenings set leased_until = '-infinity' where leased_until <> '-infinity'),
  notifications as (update event_streams set leased_until = '-infinity' where leased_until <> '-infinity')
  update mails set leased_until = '-infinity' where leased_until <> '-infinity'`

/** A statement of a dead worker that its server still carries out may claim something until its session ends. */
const WORKER_SESSIONS = `select from pg_stat_activity
  where datname = current_database() and application_name like 'bursar worker%'`

/** Reads a log from byte `from` on: it grows for hours, and is looked at fifty times a second. */
const readFrom = (file: string, from: number): string => {
  const fd = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(Math.max(0, statSync(file).size - from))
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, from))
  } finally {
    closeSync(fd)
  }
}

/** The output of the sandbox itself, beside its processes. */
export const ownLog = (dir: string): string => join(dir, 'logs', 'sandbox.log')

/** @param roles starts and kills the processes */
export const connectSandbox = (
  { dir, api, control, inbox, environment, database, hasBitcoin, merchants }: Place,
  roles: Pick<ConnectedSandbox, 'kill' | 'start'>,
): ConnectedSandbox => {
  const ask = async <T>(method: string, url: string, body?: unknown): Promise<T> => {
    const answer = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${url} ${JSON.stringify(body)}: ${answer.status} ${text}`)
    return JSON.parse(text) as T
  }
  const messages = async (merchant: Merchant, after = 0): Promise<Message[]> => {
    const all = await ask<Message[]>('GET', `${inbox}/messages?after=${after}&merchantId=${merchant.id}`)
    return [
      ...new Map(all.toReversed().map((message) => [message.headers['webhook-id'], message])).values(),
    ].toReversed()
  }
  const logFile = (name: string): string => join(dir, 'logs', `${name}.log`)
  // Bytes. A log goes on when its role is started again: the output of an earlier process is not read.
  const startedAt = new Map<string, number>()
  const logs = (): string =>
    [
      existsSync(ownLog(dir)) ? readFileSync(ownLog(dir), 'utf8') : '',
      ...['api', 'worker', 'watcher', 'signer'].map(
        (role) => `--- ${role}\n${readFileSync(logFile(role), 'utf8').slice(-3000)}`,
      ),
    ].join('\n')
  const asking = askingOf({ environment, database, logs })
  return {
    ...asking,
    dir,
    api,
    description: { api, control, inbox, merchants },
    environment,
    database,
    hasBitcoin,
    merchants: merchants.map((merchant) => ({
      ...merchant,
      client: new Bursar({ url: api, merchantId: merchant.id, privateKey: merchant.privateKey }),
    })) as unknown as [Merchant, Merchant],
    pay: async (blockchain, ticker, to, amount) =>
      (await ask<{ hash: string }>('POST', `${control}/pay`, { blockchain, ticker, to, amount })).hash,
    mine: async (blockchain, blocks) => void (await ask('POST', `${control}/mine`, { blockchain, blocks })),
    reorg: async (blockchain, depth, without = []) =>
      void (await ask('POST', `${control}/reorg`, { blockchain, depth, without })),
    outside: async (blockchain) =>
      (await ask<{ address: string }>('POST', `${control}/address`, { blockchain })).address,
    balanceOf: async (blockchain, ticker, address) =>
      (
        await ask<{ value: string }>(
          'GET',
          `${control}/balance?blockchain=${blockchain}&ticker=${ticker}&address=${address}`,
        )
      ).value,
    credit: async (merchant, ticker, amount) =>
      void (await ask('POST', `${control}/credit`, { merchantId: merchant.id, ticker, amount })),
    mails: (to) => ask('GET', `${control}/mail?to=${encodeURIComponent(to)}`),
    payInvoice: (id, how) => ask('POST', `${control}/invoice/pay`, { id, how }),
    advance: async (advanceMs) => void (await ask('POST', `${control}/clock`, { advanceMs })),
    rates: async (usd) => void (await ask('POST', `${control}/rates`, usd)),
    bank: (what, body) => ask('POST', `${control}/bank/${what}`, body),
    bankFind: (reference) =>
      ask('GET', `${control}/bank/find${reference === undefined ? '' : `?reference=${reference}`}`),
    verdict: async (address, verdict) => void (await ask('POST', `${control}/screening`, { address, verdict })),
    screeningFault: async (kind) =>
      void (await ask('POST', `${control}/screening/fault`, kind === undefined ? {} : { kind })),
    sourceFault: async (fault) => void (await ask('POST', `${control}/rates/fault`, fault)),
    venue: (what, body) => ask('POST', `${control}/venue/${what}`, body),
    venueFind: () => ask('GET', `${control}/venue/find`),
    behave: async (merchant, behaviour) =>
      void (await ask('PUT', `${inbox}/behaviour`, { merchantId: merchant.id, ...behaviour })),
    messages,
    notified: async (merchant, match, withinMs = PATIENCE_MS) => {
      const deadline = performance.now() + withinMs
      let all: Record<string, unknown>[] = []
      while (performance.now() < deadline) {
        all = (await messages(merchant)).map((message) => JSON.parse(message.body) as Record<string, unknown>)
        const found = all.find((body) => Object.entries(match).every(([key, value]) => body[key] === value))
        if (found) return found
        await sleep(100)
      }
      throw new Error(`no notification ${JSON.stringify(match)} among ${JSON.stringify(all, null, 1)}\n${logs()}`)
    },
    kill: async (role) => {
      await roles.kill(role)
      if (role !== 'worker') return
      await asking.until('the end of its sessions', async () => (await asking.query(WORKER_SESSIONS)).length === 0)
      await asking.query(LEASES_END)
    },
    start: async (role, env = {}) => {
      startedAt.set(role, statSync(logFile(role)).size)
      await roles.start(role, env)
    },
    paused: async (role, point) => {
      const deadline = performance.now() + PATIENCE_MS
      while (!readFrom(logFile(role), startedAt.get(role) ?? 0).includes(`paused at ${point}`)) {
        if (performance.now() > deadline) throw new Error(`${role} never came to ${point}\n${logs()}`)
        await sleep(20)
      }
    },
    logs,
  }
}
