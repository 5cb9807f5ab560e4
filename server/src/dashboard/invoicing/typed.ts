import { randomUUID } from 'node:crypto'
import type { PageRequest } from '../../platform/api/page.ts'
import { paymentLinks, textLimits } from '@bursar/contract'
import { isLanguage } from '../../platform/base/language.ts'
import { mailAddress } from '../../platform/base/mail-address.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { isRedirect } from '../../pay-in/forms/index.ts'
import {
  amountIn,
  canAsk,
  isFormKey,
  isMore,
  tickersOf,
  type LinkFields,
  type LinkKind,
  type MakingSettings,
  type NewLink,
} from '../../pay-in/payment-links/index.ts'
import type { Fields, Draft } from '../../people/pages/index.ts'
import { readDays } from '../frame/index.ts'

/** The fields of both forms, as typed. */
const FIELDS = [
  'name',
  'money',
  'amount',
  'least',
  'most',
  'description',
  'meta',
  'email',
  'language',
  'duration',
  'redirect',
  'expires',
  'uses',
  'key',
] as const
export type Field = (typeof FIELDS)[number]
export type Typed = Readonly<Record<Field, string>>

/** Reads all characters: the readers of the forms find a text that is too long. */
export const typedIn = (fields: (name: string, length: 'whole') => string): Typed =>
  Object.fromEntries(FIELDS.map((name) => [name, fields(name, 'whole').trim()])) as Record<Field, string>

/**
 * The texts of a new form: its URL may have values of fields, and `draft` those that were typed before a sign-in. The
 * form gets a key of its own.
 */
export const typedInUrl = ({ query }: Pick<PageRequest, 'query'>, draft: Draft): Typed => ({
  ...typedIn((name) => draft[name] ?? query[name] ?? ''),
  key: randomUUID(),
})

/** The texts of a form that is shown again. Its key stays, unless the key is the problem. */
export const typedAgain = (fields: Parameters<typeof typedIn>[0], problems: readonly Problem[]): Typed => {
  const typed = typedIn(fields)
  return problems.includes('key') ? { ...typed, key: randomUUID() } : typed
}

/** A field, and what is wrong with it; `many`: no other link can be active; `leaving`: the merchant is leaving. */
export type Problem = Exclude<Field, 'language'> | 'many' | 'leaving'

/** Life of a crypto invoice, ms. The first one is proposed. */
export const DURATIONS = {
  '72h': 259_200_000,
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
}
export type Duration = keyof typeof DURATIONS
const isDuration = (text: string): text is Duration => Object.hasOwn(DURATIONS, text)

const MOST = { name: 255, description: 1_000, meta: 1_000, uses: paymentLinks.payments }
const isLong = (text: string, most: number): boolean => [...text].length > most
const isRedirectOf = (text: string): boolean => text.length <= textLimits.redirectUrl && isRedirect(text)

/** An invoice by hand, without its merchant. */
export interface TypedInvoice {
  kind: LinkKind
  ticker: string
  amount: string
  name: string
  description: string | undefined
  meta: string | undefined
  email: string | undefined
  language: LinkFields['language'] | undefined
  redirectUrl: string | undefined
  duration: number | undefined
}

type Read<Value> = { problems: readonly [Problem, ...Problem[]] } | { value: Value; key: string }

const answer = <Value>(problems: readonly Problem[], value: Value, key: string): Read<Value> => {
  const [first, ...others] = problems
  return first === undefined ? { value, key } : { problems: [first, ...others] }
}

/** The kind and the ticker of `crypto:USDT`. */
const moneyIn = (typed: string, settings: MakingSettings): { kind: LinkKind; ticker: string } | undefined => {
  const [kind, ticker = ''] = typed.split(':')
  if (kind !== 'crypto' && kind !== 'card') return undefined
  return tickersOf(settings)[kind].includes(ticker) ? { kind, ticker } : undefined
}

/** Reads the form of an invoice: the invoice, or every problem. */
export const readInvoiceForm = (fields: Fields, settings: MakingSettings, moment: Moment): Read<TypedInvoice> => {
  const typed = typedIn(fields)
  const [money, amount, email] = [moneyIn(typed.money, settings), amountIn(typed.amount), mailAddress(typed.email)]
  const problems: Problem[] = [
    ...commonProblems(typed),
    ...(money ? [] : ['money' as const]),
    ...(amount !== undefined && (!money || canAsk({ ...money, amount }, settings, moment)) ? [] : ['amount' as const]),
    ...(isLong(typed.meta, MOST.meta) ? ['meta' as const] : []),
    ...(typed.email === '' || email !== undefined ? [] : ['email' as const]),
    ...(typed.redirect === '' || isRedirectOf(typed.redirect) ? [] : ['redirect' as const]),
    ...(isDuration(typed.duration) ? [] : ['duration' as const]),
  ]
  return answer<TypedInvoice>(
    problems,
    {
      kind: money?.kind ?? 'crypto',
      ticker: money?.ticker ?? '',
      amount: amount ?? '',
      name: typed.name,
      description: typed.description || undefined,
      meta: typed.meta || undefined,
      email,
      language: isLanguage(typed.language) ? typed.language : undefined,
      redirectUrl: typed.redirect || undefined,
      duration: isDuration(typed.duration) ? DURATIONS[typed.duration] : undefined,
    },
    typed.key,
  )
}

const commonProblems = ({ name, description, key }: Typed): Problem[] => [
  ...(isFormKey(key) ? [] : ['key' as const]),
  ...(name === '' || isLong(name, MOST.name) ? ['name' as const] : []),
  ...(isLong(description, MOST.description) ? ['description' as const] : []),
]

/** Reads the form of a link: the link, or every problem. @param fixed the kind and the ticker of an existing link */
export const readLinkForm = (
  fields: Fields,
  settings: MakingSettings,
  moment: Moment,
  fixed?: { kind: LinkKind; ticker: string },
): Read<NewLink> => {
  const typed = typedIn(fields)
  const money = fixed ?? moneyIn(typed.money, settings)
  const isAskable = (amount: string | undefined): boolean =>
    amount !== undefined && (!money || canAsk({ ...money, amount }, settings, moment))
  const [amount, least, most] = [amountIn(typed.amount), amountIn(typed.least), amountIn(typed.most)]
  const isOpen = typed.amount === ''
  const expiresAt = readDays({ to: typed.expires }).timeTo
  const uses = /^[1-9]\d{0,6}$/.test(typed.uses) ? Number(typed.uses) : undefined
  const problems: Problem[] = [
    ...commonProblems(typed),
    ...(money ? [] : ['money' as const]),
    ...(isOpen || isAskable(amount) ? [] : ['amount' as const]),
    ...(typed.least === '' || (isOpen && isAskable(least)) ? [] : ['least' as const]),
    ...(typed.most === '' || (isOpen && isAskable(most) && (least === undefined || !isMore(least, most!)))
      ? []
      : ['most' as const]),
    ...(typed.expires === '' || (expiresAt !== null && expiresAt > moment.at) ? [] : ['expires' as const]),
    ...(typed.uses === '' || (uses !== undefined && uses <= MOST.uses) ? [] : ['uses' as const]),
  ]
  return answer<NewLink>(
    problems,
    {
      kind: money?.kind ?? 'crypto',
      ticker: money?.ticker ?? '',
      name: typed.name,
      description: typed.description || null,
      amount: amount ?? null,
      least: least ?? null,
      most: most ?? null,
      language: isLanguage(typed.language) ? typed.language : null,
      expiresAt,
      mostUses: uses ?? null,
    },
    typed.key,
  )
}
