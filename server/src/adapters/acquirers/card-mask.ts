/** Card numbers as they may be shown, and texts of others from which they are taken out. */

const LEADING = 6
const TRAILING = 4
const LENGTH = 16

/**
 * A card number or any acquirer's mask of one as `NNNNNN******NNNN`, unknown digits `*`: `414962*99`, `41****1111`,
 * `5483-18XX-XXXX-0293` and a whole number alike. A mask shows at most the first six digits and the last four.
 * Undefined for what is no card's.
 */
export const maskCard = (text: string | undefined): string | undefined => {
  const bare = (text ?? '').replace(/[\s-]/g, '')
  if (!/^\d{1,19}$|^\d*(\*+|[xX]+|•+|\.{2,})\d*$/.test(bare)) return undefined
  const isWhole = /^\d+$/.test(bare)
  if (isWhole && bare.length < 12) return undefined
  const first = /^\d*/.exec(bare)![0].slice(0, LEADING)
  const last = /\d*$/.exec(bare)![0].slice(-TRAILING)
  if (first === '' && last === '') return undefined
  return first.padEnd(LEADING, '*') + '*'.repeat(LENGTH - LEADING - TRAILING) + last.padStart(TRAILING, '*')
}

/** Twelve to nineteen digits, also in groups: what a card number looks like in a sentence. */
const CARD_LIKE = /(?<!\d)\d(?:[ -]?\d){11,18}(?!\d)/g
const LONGEST = 300

/** A text of an acquirer's that is kept or logged: card numbers masked, control characters gone, not endless. */
export const withoutCards = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .replace(CARD_LIKE, (found) => maskCard(found) ?? '*')
    .slice(0, LONGEST)
