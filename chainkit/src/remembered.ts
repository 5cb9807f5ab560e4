/**
 * Remembers public keys and addresses that were derived from extended public keys: a derivation costs a multiplication
 * on the curve, and the same few addresses and coins are asked for again and again.
 */

/** Of a few hundred bytes each. */
const MOST = 10_000

/** @returns a function that derives a value unless it remembers one of this id; the longest unused id goes first */
export function createRemembered<T>(most = MOST): (id: string, derive: () => T) => T {
  const known = new Map<string, T>()
  return (id, derive) => {
    const found = known.get(id)
    const value = found === undefined ? derive() : found
    known.delete(id)
    if (known.size >= most) known.delete(known.keys().next().value!)
    known.set(id, value)
    return value
  }
}
