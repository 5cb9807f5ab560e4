/** Parses the arguments of `npm run try` into a command, before any request to the sandbox. */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { SANDBOX_ASSETS } from '../platform/assets.ts'
import type { ChaosOptions } from '../chaos/orders.ts'
import type { DemoOptions } from '../demo/index.ts'

/** A deposit or a withdrawal as in the API, with the amount as decimal text in units of the asset. */
export interface Transfer {
  readonly ticker: string
  readonly blockchain: string
  readonly amount: string
}

export type TryCommand =
  | { readonly name: 'invoice' | 'balances' }
  | ({ readonly name: 'deposit' | 'withdraw' } & Transfer)
  | ({ readonly name: 'held'; readonly verdict: string } & Transfer)
  | { readonly name: 'page'; readonly state: string }
  | ({ readonly name: 'chaos' } & ChaosOptions)
  | ({ readonly name: 'demo' } & DemoOptions)

/** Thrown for an invalid command line; the message names the right arguments. */
export class UsageError extends Error {}

export const USAGE = `usage: npm run try -- COMMAND

  invoice                                      create an invoice, pay it, show its webhooks and its receipt
  deposit [TICKER [BLOCKCHAIN [AMOUNT]]]       pay a new deposit address, show the webhooks
  withdraw [TICKER [BLOCKCHAIN [AMOUNT]]]      pay an address outside, show the webhooks
  held [TICKER [BLOCKCHAIN [AMOUNT [VERDICT]]]]  a deposit that is screened first
  balances                                     the balances of the first merchant
  page STATE                                   an invoice in a state of its payment page
  demo [--days N]                              a merchant with three months of history, and a link to sign in
  chaos [--minutes N | --kills N] [--seed N]   kill roles at random under load, then compare books and chains

Left out, TICKER is USDT, BLOCKCHAIN the usual one of the asset, AMOUNT 25 and VERDICT clean (or mixer, sanctioned).
Capitals do not matter. demo takes up to three minutes, and moves the clock of the sandbox by 90 days.
chaos takes two minutes; Ctrl-C ends the killing and still compares. Short names of a BLOCKCHAIN: btc, eth, bsc, trx.
`

const VERDICTS = ['clean', 'mixer', 'sanctioned']
/** Names in common use for a network of the API. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  BSC: 'BINANCE_SMART_CHAIN',
  BTC: 'BITCOIN',
  ETH: 'ETHEREUM',
  TRX: 'TRON',
}
/** How many words may follow each command. */
const MOST_WORDS: Readonly<Record<TryCommand['name'], number>> = {
  invoice: 0,
  balances: 0,
  chaos: 0,
  demo: 0,
  page: 1,
  deposit: 3,
  withdraw: 3,
  held: 4,
}

/**
 * @param words the arguments after `npm run try --`
 * @param pageStates the states that `page` knows
 * @returns undefined where help is asked for
 * @throws UsageError
 */
export function readCommand(words: readonly string[], pageStates: readonly string[]): TryCommand | undefined {
  const { help, positionals, options } = strictly(words)
  const [given, ...rest] = positionals
  if (help || given === undefined) return undefined
  if (!Object.hasOwn(MOST_WORDS, given)) throw new UsageError(`there is no command "${given}"\n\n${USAGE}`)
  const name = given as TryCommand['name']
  const most = MOST_WORDS[name]
  if (rest.length > most) throw new UsageError(`"${rest[most]}" is one word too many for ${name}\n\n${USAGE}`)
  const takes = OPTIONS_OF[name] ?? []
  const stranger = Object.keys(options).find((option) => !takes.includes(option))
  if (stranger !== undefined) {
    const owner = Object.keys(OPTIONS_OF).find((one) => OPTIONS_OF[one]!.includes(stranger))
    throw new UsageError(`--${stranger} goes with ${owner} only\n\n${USAGE}`)
  }
  if (name === 'chaos') return { name, ...chaosOptions(options) }
  if (name === 'demo')
    return { name, days: options.days === undefined ? DEMO_DAYS : numberIn('days', options.days, MOST_DAYS) }
  if (name === 'page') return { name, state: oneOf('a state of the page', rest[0], pageStates) }
  if (name !== 'deposit' && name !== 'withdraw' && name !== 'held') return { name }
  const [ticker = 'USDT', blockchain, amount = '25', verdict = 'clean'] = rest
  const transfer = transferOf(ticker, blockchain, amount)
  if (name === 'held') return { name, ...transfer, verdict: oneOf('a verdict', verdict.toLowerCase(), VERDICTS) }
  return { name, ...transfer }
}

const ASSETS: Readonly<Record<string, Readonly<Record<string, number>>>> = SANDBOX_ASSETS
const NETWORKS = [...new Set(Object.values(ASSETS).flatMap((on) => Object.keys(on)))]
/** More no asset has; the API refuses longer amounts. */
const MOST_DIGITS = 30

function transferOf(typedTicker: string, typedNetwork: string | undefined, amount: string): Transfer {
  const ticker = typedTicker.toUpperCase()
  const on = Object.hasOwn(ASSETS, ticker) ? ASSETS[ticker]! : undefined
  if (on === undefined)
    throw new UsageError(`"${typedTicker}" is no asset of the sandbox: type ${either(Object.keys(ASSETS))}`)
  const typed = (typedNetwork ?? Object.keys(on)[0]!).toUpperCase()
  const blockchain = OTHER_NAMES[typed] ?? typed
  if (!NETWORKS.includes(blockchain))
    throw new UsageError(`"${typedNetwork}" is no network of the sandbox: type ${either(NETWORKS)}`)
  if (!Object.hasOwn(on, blockchain))
    throw new UsageError(`${ticker} is not on ${blockchain}: type ${either(Object.keys(on))}`)
  const match = /^(\d+)(?:\.(\d+))?$/.exec(amount)
  if (match === null || !/[1-9]/.test(amount) || match[1]!.length > MOST_DIGITS)
    throw new UsageError(`"${amount}" is no amount: type a number above 0 with a point, such as 12.5`)
  if ((match[2] ?? '').length > on[blockchain]!)
    throw new UsageError(`${amount} is too fine: ${ticker} on ${blockchain} has ${on[blockchain]} decimal places`)
  return { ticker, blockchain, amount }
}

const either = (words: readonly string[]): string =>
  words.length === 1 ? words[0]! : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

type GivenOptions = Readonly<Partial<Record<'minutes' | 'kills' | 'seed' | 'days', string>>>
/** The options of the commands that take some. */
const OPTIONS_OF: Readonly<Record<string, readonly string[]>> = { chaos: ['minutes', 'kills', 'seed'], demo: ['days'] }

const DEFAULT_MINUTES = 2
const MOST = 10_000
/** Three months. */
const DEMO_DAYS = 90
const MOST_DAYS = 400

const numberIn = (option: string, text: string, most: number): number => {
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1 || Number(text) > most)
    throw new UsageError(`--${option} ${text}: type a whole number from 1 to ${most}`)
  return Number(text)
}

function chaosOptions({ minutes, kills, seed }: GivenOptions): ChaosOptions {
  if (minutes !== undefined && kills !== undefined)
    throw new UsageError(`--minutes and --kills can't be used together\n\n${USAGE}`)
  return {
    minutes: kills === undefined ? numberIn('minutes', minutes ?? String(DEFAULT_MINUTES), MOST) : undefined,
    kills: kills === undefined ? undefined : numberIn('kills', kills, MOST),
    seed: seed ?? String(randomInt(1_000_000)),
  }
}

function strictly(words: readonly string[]): {
  help: boolean
  positionals: readonly string[]
  options: GivenOptions
} {
  const negative = words.find((word) => /^-[\d.]/.test(word))
  if (negative !== undefined)
    throw new UsageError(`"${negative}" is no amount: type a number above 0 with a point, such as 12.5`)
  try {
    const known = {
      help: { type: 'boolean', short: 'h' },
      minutes: { type: 'string' },
      kills: { type: 'string' },
      seed: { type: 'string' },
      days: { type: 'string' },
    } as const
    const { values, positionals } = parseArgs({ args: [...words], options: known, allowPositionals: true })
    const { help = false, ...options } = values
    return { help, positionals, options }
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`, { cause: error })
  }
}

function oneOf(what: string, word: string | undefined, known: readonly string[]): string {
  if (word !== undefined && known.includes(word)) return word
  throw new UsageError(`${word === undefined ? 'name' : `"${word}" is not`} ${what}: ${known.join(', ')}`)
}
