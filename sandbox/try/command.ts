/** The words of `npm run try`, read into a command before anything is asked of the sandbox. */
import { parseArgs } from 'node:util'

/** A deposit or a withdrawal: as the API takes it, the amount a decimal text in units of the asset. */
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

/** The command line is wrong; the message says what to type. */
export class UsageError extends Error {}

export const USAGE = `usage: npm run try -- COMMAND

  invoice                                      create an invoice, pay it, show its webhooks and its receipt
  deposit [TICKER [BLOCKCHAIN [AMOUNT]]]       pay a new deposit address, show the webhooks
  withdraw [TICKER [BLOCKCHAIN [AMOUNT]]]      pay an address outside, show the webhooks
  held [TICKER [BLOCKCHAIN [AMOUNT [VERDICT]]]]  a deposit that is screened first
  balances                                     the balances of the first merchant
  page STATE                                   an invoice in a state of its payment page

Without TICKER, BLOCKCHAIN and AMOUNT: USDT ETHEREUM 25. VERDICT is clean, mixer or sanctioned.
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
  page: 1,
  deposit: 3,
  withdraw: 3,
  held: 4,
}

/**
 * @param words what follows `npm run try --`
 * @param pageStates the states that `page` knows
 * @returns undefined where help is asked for
 * @throws UsageError
 */
export function readCommand(words: readonly string[], pageStates: readonly string[]): TryCommand | undefined {
  const { help, positionals } = strictly(words)
  const [given, ...rest] = positionals
  if (help || given === undefined) return undefined
  if (!Object.hasOwn(MOST_WORDS, given)) throw new UsageError(`there is no command "${given}"\n\n${USAGE}`)
  const name = given as TryCommand['name']
  const most = MOST_WORDS[name]
  if (rest.length > most) throw new UsageError(`"${rest[most]}" is one word too many for ${name}\n\n${USAGE}`)
  if (name === 'page') return { name, state: oneOf('a state of the page', rest[0], pageStates) }
  if (name !== 'deposit' && name !== 'withdraw' && name !== 'held') return { name }
  const [ticker = 'USDT', blockchain = 'ETHEREUM', amount = '25', verdict = 'clean'] = rest
  if (!/^\d+(\.\d+)?$/.test(amount) || !/[1-9]/.test(amount))
    throw new UsageError(`"${amount}" is no amount: type a number above 0 with a point, such as 12.5`)
  const network = blockchain.toUpperCase()
  const transfer = { ticker: ticker.toUpperCase(), blockchain: OTHER_NAMES[network] ?? network, amount }
  if (name === 'held') return { name, ...transfer, verdict: oneOf('a verdict', verdict.toLowerCase(), VERDICTS) }
  return { name, ...transfer }
}

function strictly(words: readonly string[]): { help: boolean; positionals: readonly string[] } {
  try {
    const options = { help: { type: 'boolean', short: 'h' } } as const
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    return { help: values.help === true, positionals }
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`, { cause: error })
  }
}

function oneOf(what: string, word: string | undefined, known: readonly string[]): string {
  if (word !== undefined && known.includes(word)) return word
  throw new UsageError(`${word === undefined ? 'name' : `"${word}" is not`} ${what}: ${known.join(', ')}`)
}
