import type { Amount, Language } from './view.ts'

/**
 * Tickers formatted as national currencies. Other amounts are shown unchanged, so that they can be compared with those
 * of a wallet.
 */
const CURRENCIES = new Set(['UAH', 'KZT', 'USD', 'EUR'])
const LOCALES: Readonly<Record<Language, string>> = { uk: 'uk-UA', kk: 'kk-KZ', ru: 'ru-RU', en: 'en-GB' }
const NO_BREAK = '\u00a0'

export const isCurrency = (ticker: string): boolean => CURRENCIES.has(ticker)

/** Formats an amount: `1 200,50 ₴`, `12.5 USDT`. Exact, because the digits are never parsed as a number. */
export const amountText = ({ value, ticker }: Amount, language: Language): string => {
  if (!isCurrency(ticker)) return `${value}${NO_BREAK}${ticker}`
  return currency(ticker, language).format(value as unknown as number)
}

const formats = new Map<string, Intl.NumberFormat>()

const currency = (ticker: string, language: Language): Intl.NumberFormat => {
  const key = `${ticker} ${language}`
  let format = formats.get(key)
  if (!format) {
    format = new Intl.NumberFormat(LOCALES[language], {
      style: 'currency',
      currency: ticker,
      currencyDisplay: 'narrowSymbol',
      trailingZeroDisplay: 'stripIfInteger',
      maximumFractionDigits: 20,
      minimumFractionDigits: 2,
    })
    formats.set(key, format)
  }
  return format
}

/** A sign before exactly three digits: `1,500` and `1.500` are 1.5 for some people and 1500 for others. */
const UNCLEAR = /^(?:[1-9]\d*,|[1-9]\d{0,2}\.)\d{3}$/

/**
 * Whether a typed amount can mean two amounts, so that a form must ask again. `0.125`, `1234.567` and `1.5000` are
 * clear, because no one separates thousands in this way.
 */
export const isUnclear = (typed: string): boolean => UNCLEAR.test(typed)

/** A typed amount with a point as its decimal sign; undefined if it is unclear. It may still be no amount. */
export const pointed = (typed: string): string | undefined => (isUnclear(typed) ? undefined : typed.replace(',', '.'))

/** A decimal for the field of a form: one that would be unclear if a person had typed it gets a fourth digit. */
export const inField = (decimal: string): string => (isUnclear(decimal) ? `${decimal}0` : decimal)

/** Characters of the longest fee that `plusFee` adds. */
export const LONGEST_FEE = 34

/**
 * Adds a fee, as a person types it, to an amount of the same asset. Exact.
 * Undefined if the fee is no amount, or unclear.
 * @param amount a decimal without exponent or sign
 */
export const plusFee = (amount: string, fee: string): string | undefined => {
  const typed = pointed(fee.trim())
  if (typed === undefined || !/^\d{1,15}(\.\d{0,18})?$/.test(typed)) return undefined
  const decimalsOf = (text: string): number => (text.split('.')[1] ?? '').length
  const decimals = Math.max(decimalsOf(amount), decimalsOf(typed))
  const unitsOf = (text: string): bigint => BigInt(text.replace('.', '') + '0'.repeat(decimals - decimalsOf(text)))
  const sum = String(unitsOf(amount) + unitsOf(typed)).padStart(decimals + 1, '0')
  const whole = sum.slice(0, sum.length - decimals)
  const part = sum.slice(sum.length - decimals).replace(/0+$/, '')
  return part === '' ? whole : `${whole}.${part}`
}

const times = new Map<Language, Intl.DateTimeFormat>()

/** Formats a time in UTC, because the reader may be anywhere. */
export const timeText = (at: number, language: Language): string => {
  let format = times.get(language)
  if (!format) {
    format = new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
    times.set(language, format)
  }
  return `${format.format(at)} UTC`
}

/** Formats a duration as `47:05:09`, with any number of hours. Negative durations are shown as zero. */
export const clockText = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const two = (n: number): string => String(n).padStart(2, '0')
  return `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}
