import { timingSafeEqual } from 'node:crypto'

/** Whether a signature is the expected one. Compares in constant time; the length is not secret. */
export const sameText = (given: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
