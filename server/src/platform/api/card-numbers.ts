/** Whether the last digit is the check digit of the others (ISO/IEC 7812-1, annex B). @param digits digits only */
export const passesLuhn = (digits: string): boolean => {
  let sum = 0
  for (let i = 0; i < digits.length; i += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48
    const doubled = i % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/**
 * Masks a card number as `NNNNNN******NNNN`, for any length: the digits that PCI DSS 3.4.1 lets anyone see.
 * @param card digits only
 */
export const maskCard = (card: string): string => `${card.slice(0, 6)}******${card.slice(-4)}`

/** A UUID of RFC 9562, an address or a hash in hexadecimal, each as a whole word. */
const IDENTIFIER =
  /\b(?:[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}|(?:0x)?(?:[\da-f]{40}|[\da-f]{64}))\b/
/** A run of digits with the length of a card number, grouped or not, that is not part of a longer run. */
const LIKE_A_CARD = /(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.]|[ -]\d)/
const EITHER = new RegExp(`(?<identifier>${IDENTIFIER.source})|${LIKE_A_CARD.source}`, 'gi')

/**
 * Masks everything in a text that may be a card number, for logs of texts from outside. Identifiers stay, although
 * their digits may look like a card number. It may mask other numbers too: do not use it on a text that must stay
 * exact.
 */
export const withoutCardNumbers = (text: string): string =>
  text.replaceAll(EITHER, (found, identifier: string | undefined) => {
    if (identifier !== undefined) return found
    const digits = found.replaceAll(/\D/g, '')
    return passesLuhn(digits) ? maskCard(digits) : found
  })

/**
 * Masks one card number in a text, however it is grouped.
 * @param card digits only
 */
export const withoutCard = (text: string, card: string): string =>
  text.replaceAll(new RegExp([...card].join('[^0-9A-Za-z]?'), 'g'), maskCard(card))
