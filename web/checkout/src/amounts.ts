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

/** Characters of the longest fee that `plusFee` adds. */
export const LONGEST_FEE = 34

/**
 * Adds a fee, as a person types it, to an amount of the same asset. Exact. Undefined if the fee is no amount.
 * @param amount a decimal without exponent or sign
 */
export const plusFee = (amount: string, fee: string): string | undefined => {
  const typed = fee.trim().replace(',', '.')
  if (!/^\d{1,15}(\.\d{0,18})?$/.test(typed)) return undefined
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
