import { timingSafeEqual } from 'node:crypto'

/**
 * Whether a signature is the expected one, in a time that says nothing about where they differ. Their length is no
 * secret.
 */
export const sameText = (given: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
