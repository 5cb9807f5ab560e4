/** Seeded randomness of chaos, the simulation and the fuzz: the same seed and labels give the same numbers. */
import { createHash } from 'node:crypto'

export interface Random {
  /** from 0 up to, and without, 1 */
  next(): number
  /** a whole number from 0 up to, and without, `below` */
  int(below: number): number
  pick<T>(items: readonly T[]): T
  chance(probability: number): boolean
  bytes(length: number): Buffer
  /**
   * An independent generator that depends on the seed and the labels only, not on how many numbers were drawn before:
   * concurrent callers get the same numbers in any order.
   */
  of(...labels: (string | number)[]): Random
}

export const createRandom = (seed: string | number): Random => {
  const name = String(seed)
  const digest = createHash('sha256').update(name).digest()
  // xoshiro128** (Blackman and Vigna), whose state of 128 bits is the digest of the seed.
  const state = new Uint32Array([0, 4, 8, 12].map((at) => digest.readUInt32LE(at)))
  const word = (): number => {
    const [a, b, c, d] = state as unknown as [number, number, number, number]
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0
    const [mixedC, mixedD] = [c ^ a, d ^ b]
    state.set([a ^ mixedD, b ^ mixedC, mixedC ^ (b << 9), rotate(mixedD, 11)])
    return result
  }
  const random: Random = {
    next: () => word() / 2 ** 32,
    int: (below) => Math.floor(random.next() * below),
    pick: (items) => {
      if (items.length === 0) throw new RangeError('there is nothing to pick from')
      return items[random.int(items.length)]!
    },
    chance: (probability) => random.next() < probability,
    bytes: (length) => Buffer.from(Uint8Array.from({ length }, () => word() & 0xff)),
    of: (...labels) => createRandom(`${name}\n${labels.join('\n')}`),
  }
  return random
}

const rotate = (value: number, by: number): number => ((value << by) | (value >>> (32 - by))) >>> 0
