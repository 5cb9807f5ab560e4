import { amountText, isCurrency } from '@bursar/checkout/amounts'
import type { Language } from '../../platform/base/language.ts'

/** Formats values for people, in documents and mails. Only amounts of currencies depend on the language. */

const NETWORK_NAMES: Record<string, string> = {
  BITCOIN: 'Bitcoin',
  ETHEREUM: 'Ethereum',
  BINANCE_SMART_CHAIN: 'BNB Smart Chain',
  TRON: 'TRON',
}

export const showNetwork = (blockchain: string): string => NETWORK_NAMES[blockchain] ?? showText(blockchain, 64)

/**
 * Formats `1234567.5` and a ticker as `1 234 567.5 USDT`, with non-breaking spaces; an amount of a currency as the
 * payment page does: `1 234 567,50 ₴`. Digits are never rounded.
 */
export const showAmount = (amount: string, ticker: string, language: Language): string => {
  if (isCurrency(ticker)) return showText(amountText({ value: amount, ticker }, language))
  const [whole = '', decimals] = amount.split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, '\u00a0')
  return showText(`${decimals === undefined ? grouped : `${grouped}.${decimals}`}\u00a0${ticker}`)
}

/**
 * Formats a time as `2026-11-21 16:23 UTC`: the reader's time zone is unknown, and this order is unambiguous.
 * @param at ms
 */
export const showTime = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

const LINE_ENDS = /[\p{Cc}\p{Cs}\u2028\u2029]+/gu
/** Characters that change the direction of text, and so could make it read as something else. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Formats untrusted text as one line without changes of direction, truncated to `most` characters. */
export const showText = (text: string, most = 1_024): string => {
  const line = text.replaceAll(TURNING, '').replaceAll(LINE_ENDS, ' ').trim()
  const characters = [...line]
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`
}
