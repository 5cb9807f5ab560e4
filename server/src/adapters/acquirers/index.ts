/** Acquirers behind one port. Promises that an outcome which is not known is never called a refusal. */
import { amountLimitsOf, createAccountReader, isGiven, type AccountReader, type Given } from './account-reader.ts'
import { createBank, readBankSettings } from './bank/index.ts'
import { createFreedomPay, readFreedomPaySettings } from './freedompay/index.ts'
import { createLiqPay, readLiqPaySettings } from './liqpay/index.ts'
import type { Acquirer, CardTicker } from './port.ts'
import { createWayForPay, readWayForPaySettings } from './wayforpay/index.ts'

export { AcquirerUnreachable } from './port.ts'
export type { Acquirer, AcquirerState } from './port.ts'

/** What makes an account's adapter of its settings. It throws nothing: the reader notes problems. */
type AcquirerKind = (account: AccountReader) => Acquirer

/** Every kind of acquirer this build can talk to. */
const KINDS: Readonly<Record<string, AcquirerKind>> = {
  bank: (account) => createBank(readBankSettings(account)),
  liqpay: (account) => createLiqPay(readLiqPaySettings(account)),
  wayforpay: (account) => createWayForPay(readWayForPaySettings(account)),
  freedompay: (account) => createFreedomPay(readFreedomPaySettings(account)),
}

/** Who gets orders of these amounts (minor units, both ends included), in order of preference. */
interface RoutingRule {
  direction: 'payIn' | 'payout'
  ticker: CardTicker
  least: bigint
  most: bigint
  acquirers: readonly string[]
}

/** `BURSAR_ACQUIRERS_FILE`, read. */
export interface AcquirersConfig {
  /** in the order of preference where no rule speaks */
  accounts: readonly { name: string; kind: string; acquirer: Acquirer }[]
  routing: readonly RoutingRule[]
}

/** The accounts by name, in the order of the file. None when there is no file. */
export const openAcquirers = (config: AcquirersConfig | null): Map<string, Acquirer> =>
  new Map((config?.accounts ?? []).map(({ name, acquirer }) => [name, acquirer]))

/** As in the ledger's accounts and in the paths of callbacks. */
const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/i

/**
 * Reads the file, and the files of secrets it names. Throws an Error that lists everything wrong, and never a secret.
 */
export const readAcquirersConfig = (json: unknown): AcquirersConfig => {
  if (!isGiven(json) || !Array.isArray(json['accounts'])) throw new Error('it is not {"accounts": [...]}')
  const problems = Object.keys(json)
    .filter((key) => !['accounts', 'routing'].includes(key))
    .map((key) => `${key} is unknown; there are accounts, routing`)
  const names = new Set<string>()
  const accounts = (json['accounts'] as unknown[]).flatMap((given, index) => {
    const problem = problemOfAccount(given, names)
    if (problem !== undefined) problems.push(`accounts[${index}]: ${problem}`)
    if (problem !== undefined || !isGiven(given)) return []
    const reader = createAccountReader(given, problems)
    names.add(reader.name)
    const kind = String(given['kind'])
    const acquirer = KINDS[kind]!(reader)
    reader.unread()
    return [{ name: reader.name, kind, acquirer }]
  })
  const rules: unknown = json['routing'] ?? []
  if (!Array.isArray(rules)) problems.push('routing is a list of rules')
  const routing = Array.isArray(rules) ? rules.flatMap((given, index) => readRule(given, index, names, problems)) : []
  if (problems.length > 0) throw new Error(problems.join('; '))
  return { accounts, routing }
}

const problemOfAccount = (given: unknown, names: ReadonlySet<string>): string | undefined => {
  if (!isGiven(given)) return 'it is an object'
  const { name, kind } = given
  if (typeof name !== 'string' || !NAME.test(name))
    return 'name is 1 to 32 letters, digits and dashes, and no dash first'
  if (names.has(name)) return `${name} is listed twice`
  if (typeof kind !== 'string' || !Object.hasOwn(KINDS, kind))
    return `${name}.kind is one of ${Object.keys(KINDS).join(', ')}`
  return undefined
}

const readRule = (given: unknown, index: number, names: ReadonlySet<string>, problems: string[]): RoutingRule[] => {
  const rule: Given = isGiven(given) ? given : {}
  const { direction, ticker, least, most, acquirers, ...unknown } = rule
  const limits = amountLimitsOf({ least, most })
  const isRule =
    (direction === 'payIn' || direction === 'payout') &&
    (ticker === 'UAH' || ticker === 'KZT') &&
    Array.isArray(acquirers)
  if (!limits || !isRule || Object.keys(unknown).length > 0) {
    problems.push(
      `routing[${index}] is not {"direction": "payIn", "ticker": "UAH", "least": "25", "most": "500", "acquirers": ["a-name"]}`,
    )
    return []
  }
  const strangers = acquirers.filter((name) => !names.has(String(name)))
  if (strangers.length > 0) problems.push(`routing[${index}] names ${strangers.join(', ')}, which is no account`)
  return [{ direction, ticker, ...limits, acquirers: acquirers as string[] }]
}
