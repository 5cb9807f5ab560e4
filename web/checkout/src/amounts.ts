import type { Amount, Language } from './view.ts'

/**
 * What is written as money of a country; all else is written as it is, so that it can be compared with what a wallet
 * shows.
 */
const CURRENCIES = new Set(['UAH', 'KZT', 'USD', 'EUR'])
const LOCALES: Readonly<Record<Language, string>> = { uk: 'uk-UA', kk: 'kk-KZ', ru: 'ru-RU', en: 'en-GB' }
const NO_BREAK = '\u00a0'

/** `1 200,50 ₴`, `12.5 USDT`. Exact: the digits are never read as a number. */
export const amountText = ({ value, ticker }: Amount, language: Language): string => {
  if (!CURRENCIES.has(ticker)) return `${value}${NO_BREAK}${ticker}`
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

const times = new Map<Language, Intl.DateTimeFormat>()

/** A moment in Universal Time: anyone who reads it may be anywhere. */
export const timeText = (at: number, language: Language): string => {
  let format = times.get(language)
  if (!format) {
    format = new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
    times.set(language, format)
  }
  return `${format.format(at)} UTC`
}

/** `47:05:09`, hours without a limit. Below zero is zero. */
export const clockText = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const two = (n: number): string => String(n).padStart(2, '0')
  return `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}
