/** Masks card numbers, alone and inside texts from acquirers. */

const LEADING = 6
const TRAILING = 4
const LENGTH = 16
/** A longer text is no card: acquirers separate groups of digits, and write no more. */
const LONGEST_MASK = 64

/**
 * Converts a card number, or any acquirer's mask of one, to `NNNNNN******NNNN`, unknown digits `*`: `414962*99`,
 * `41****1111`, `5483-18XX-XXXX-0293` or a full number. The result shows at most the first six digits and the last
 * four. Undefined for any other text.
 */
export const maskCard = (text: string | undefined): string | undefined => {
  if (text === undefined || text.length > LONGEST_MASK) return undefined
  const bare = text.replace(/[\s-]/g, '')
  if (!/^\d{1,19}$|^\d*(\*+|[xX]+|•+|\.{2,})\d*$/.test(bare)) return undefined
  const isWhole = /^\d+$/.test(bare)
  if (isWhole && bare.length < 12) return undefined
  const first = /^\d*/.exec(bare)![0].slice(0, LEADING)
  const last = /\d*$/.exec(bare)![0].slice(-TRAILING)
  if (first === '' && last === '') return undefined
  return first.padEnd(LEADING, '*') + '*'.repeat(LENGTH - LEADING - TRAILING) + last.padStart(TRAILING, '*')
}

/** Matches a possible card number in a sentence: twelve to nineteen digits, also in groups. */
const CARD_LIKE = /(?<!\d)\d(?:[ -]?\d){11,18}(?!\d)/g
const LONGEST = 300

/**
 * Prepares an acquirer's text for storage or logs: masks card numbers, removes control characters, limits the length.
 */
export const withoutCards = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .replace(CARD_LIKE, (found) => maskCard(found) ?? '*')
    .slice(0, LONGEST)
