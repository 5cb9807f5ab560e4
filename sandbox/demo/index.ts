/**
 * `npm run try -- demo`: a merchant with three months of history. Everything goes through the doors that merchants,
 * payers and members use, and the business clock of the sandbox is moved by a day after each day
 * (docs/decisions/0194-demo.md). A run that was ended goes on where it stopped; a run after the last day only makes a
 * new sign-in link.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Bursar } from '@bursar/sdk'
import { createOperator } from '../chaos/operator.ts'
import { createRandom } from '../random.ts'
import { control, mailsTo, SandboxError } from '../try/running.ts'
import type { Description } from '../try/running.ts'
import { liveDay } from './days.ts'
import type { Shop } from './days.ts'
import { fieldOf, join, signIn } from './member.ts'
import type { Credentials, Member } from './member.ts'

export interface DemoOptions {
  /** how many days of history */
  readonly days: number
}

/** What a later run needs, in `demo.json` of the sandbox's folder. */
interface State {
  readonly merchant: { readonly id: string; readonly privateKey: string }
  readonly owner: Credentials
  readonly finance: Credentials
  /** days that are over */
  days: number
  /** whether the link, the address book and the requests are there */
  isFurnished: boolean
}

const NAME = 'Kava Roastery'
const PEOPLE = { owner: 'olena@kava.example', finance: 'taras@kava.example' } as const
const DAY_MS = 24 * 3_600_000
const MAIL_WAIT_MS = 60_000

/** @throws SandboxError, BursarError */
export async function runDemo(sandbox: Description, dir: string, { days }: DemoOptions): Promise<string> {
  // An ended sandbox leaves its description: this request finds it ended before anything is made.
  await control(sandbox, '/rates')
  const started = performance.now()
  const file = joinPath(dir, 'demo.json')
  const operator = await createOperator(sandbox.environment)
  const bursar = async <T>(...words: string[]): Promise<T> => {
    const { text, code } = await operator(...words, '--json')
    if (code !== 0) throw new SandboxError(text)
    return JSON.parse(text) as T
  }
  const state = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as State)
    : await createShop(sandbox, bursar, file)
  const client = new Bursar({ url: sandbox.api, merchantId: state.merchant.id, privateKey: state.merchant.privateKey })
  const shop: Shop = { sandbox, client, bursar }
  const random = createRandom('demo')
  while (state.days < days) {
    await liveDay(shop, random.of(state.days), state.days)
    await control(sandbox, '/clock', { advanceMs: DAY_MS })
    state.days += 1
    save(file, state)
    if (state.days % 10 === 0 || state.days === days)
      console.log(`day ${state.days} of ${days}, after ${((performance.now() - started) / 1_000).toFixed(0)} s`)
  }
  const owner = await signIn(sandbox.api, state.owner)
  save(file, state)
  if (!state.isFurnished) {
    await furnish(sandbox, state, owner)
    state.isFurnished = true
    save(file, state)
  }
  const { path } = await control<{ path: string }>(sandbox, '/sign-in-links', {
    cookie: owner.cookie,
    to: `${sandbox.api}/app/merchants/${state.merchant.id}/home`,
  })
  console.log(`merchant  ${NAME}, ${state.merchant.id}`)
  console.log(`members   ${state.owner.email} (owner), ${state.finance.email} (finance)`)
  console.log(`sign in   ${sandbox.control}${path}   (works once; run the command again for another link)`)
  return sandbox.control + path
}

const save = (file: string, state: State): void => {
  writeFileSync(`${file}.new`, JSON.stringify(state, null, 2), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** The merchant and its two members. */
const createShop = async (sandbox: Description, bursar: Shop['bursar'], file: string): Promise<State> => {
  const merchant = await bursar<{ id: string; privateKey: string }>(
    'merchant',
    'create',
    '--name',
    NAME,
    '--url',
    'https://kava.example',
  )
  await bursar('merchant', 'set', merchant.id, 'notificationsUrl', `${sandbox.inbox}/merchant/${merchant.id}`)
  const invite = async (role: keyof typeof PEOPLE): Promise<Credentials> => {
    const email = PEOPLE[role]
    const since = (await mailsTo(sandbox, email)).length
    await bursar('merchant', 'invite', merchant.id, email, '--role', role)
    return (await join(sandbox.api, await linkTo(sandbox, email, since), email)).credentials
  }
  const state = {
    merchant,
    owner: await invite('owner'),
    finance: await invite('finance'),
    days: 0,
    isFurnished: false,
  }
  save(file, state)
  return state
}

/** The link of the newest invitation. @param since how many mails came before it */
const linkTo = async (sandbox: Description, email: string, since: number): Promise<string> => {
  for (const end = performance.now() + MAIL_WAIT_MS; performance.now() < end; await sleep(200)) {
    const mails = (await mailsTo(sandbox, email)).slice(since)
    const link = /https?:\/\/\S+\/app\/join\/[\w-]{43}/.exec(mails.map(({ text }) => text).join('\n'))?.[0]
    if (link !== undefined) return link
  }
  throw new SandboxError(`no invitation was mailed to ${email}: see .bursar/logs`)
}

/** A payment link, an address book, and a payout that waits for the owner. */
const furnish = async (sandbox: Description, state: State, owner: Member): Promise<void> => {
  const at = (page: string): string => `/app/merchants/${state.merchant.id}/${page}`
  const keyed = async (page: string, fields: Readonly<Record<string, string>>): Promise<string> =>
    owner.submit(at(page), { key: fieldOf(await owner.get(at(page)), 'key'), ...fields })
  await keyed('links/new', {
    name: 'Tasting on Saturday',
    description: 'One place at the table, with four coffees.',
    money: 'crypto:USDT',
    amount: '15',
  })
  const { address } = await control<{ address: string }>(sandbox, '/address', { blockchain: 'BINANCE_SMART_CHAIN' })
  const supplier = { do: 'add', 'address-name': 'Green beans GmbH', network: 'BINANCE_SMART_CHAIN', address }
  await owner.submit(at('payouts/addresses'), supplier)
  const finance = await signIn(sandbox.api, state.finance)
  const payout = {
    'payout-asset': 'USDT/BINANCE_SMART_CHAIN',
    'payout-to': address,
    'payout-amount': '125',
    'payout-meta': 'Invoice 2026-114, green beans',
  }
  const checked = await finance.check(at('payouts/new'), { do: 'check', ...payout })
  const form = { do: 'ask', 'form-key': fieldOf(checked, 'form-key'), fees: fieldOf(checked, 'fees'), ...payout }
  await finance.submit(at('payouts/new'), form)
}
