import { randomFillSync } from 'node:crypto'
import { uuidv7, type NewId } from '../base/id.ts'

const RANDOM_BYTES = 10
/** Number of ids for which random bytes are fetched at once, because a system call costs more than an id. */
const BATCH = 256

/** Identifiers by UUID version 7 with cryptographic randomness. @param now real time, ms */
export const createIds = (now: () => number = Date.now): NewId => {
  const pool = new Uint8Array(RANDOM_BYTES * BATCH)
  let at = pool.length
  return () => {
    if (at === pool.length) {
      randomFillSync(pool)
      at = 0
    }
    at += RANDOM_BYTES
    return uuidv7(now(), pool.subarray(at - RANDOM_BYTES, at))
  }
}
