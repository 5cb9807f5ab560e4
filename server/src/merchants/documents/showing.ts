/** How values are written for people, in documents and in mails alike: the same in every language. */

const NETWORK_NAMES: Record<string, string> = {
  BITCOIN: 'Bitcoin',
  ETHEREUM: 'Ethereum',
  BINANCE_SMART_CHAIN: 'BNB Smart Chain',
  TRON: 'TRON',
}

export const showNetwork = (blockchain: string): string => NETWORK_NAMES[blockchain] ?? showText(blockchain, 64)

/** `1234567.5` and a ticker as `1 234 567.5 USDT`, with spaces that break no line. Digits are never rounded. */
export const showAmount = (amount: string, ticker: string): string => {
  const [whole = '', decimals] = amount.split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, '\u00a0')
  return showText(`${decimals === undefined ? grouped : `${grouped}.${decimals}`}\u00a0${ticker}`)
}

/** `2026-11-21 16:23 UTC`: the reader's time zone is not known, and this order can't be misread. @param at ms */
export const showTime = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

const LINE_ENDS = /[\p{Cc}\p{Cs}\u2028\u2029]+/gu
/** They turn the order of characters around, so that a text reads as something else. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Text of a stranger in one line, in the order it is written in, at most `most` characters. */
export const showText = (text: string, most = 1_024): string => {
  const line = text.replaceAll(TURNING, '').replaceAll(LINE_ENDS, ' ').trim()
  const characters = [...line]
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`
}
