/**
 * Virtual time and seeded randomness for everything in this process: `Date`, `Math.random`, `node:crypto`'s random
 * functions, the timer of the adapters of nodes, and pauses of `node:timers/promises`, which last a moment. Timeouts
 * that end an exchange stay real: they protect a run from hanging.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import { REAL_TIMER } from '../../server/src/adapters/chains/pauses.ts'
import type { Random } from '../../sandbox/random.ts'

export interface VirtualClock {
  /** ms since the epoch, by the clock of the program's machine */
  now(): number
  /** the same by the clock of all others, never set back */
  world(): number
  advance(ms: number): void
  /** Sets the machine's clock back. It runs on from there. */
  setBack(ms: number): void
  /** Sets it right. */
  setRight(): void
  /** how far it is behind, ms */
  readonly behind: number
}

/** When the simulation begins. */
export const BEGINNING = Date.UTC(2026, 11, 1)
/** Longest real pause, ms. */
const LONGEST_PAUSE_MS = 1

export const createVirtualClock = (begin = BEGINNING): VirtualClock => {
  let [now, behind] = [begin, 0]
  return {
    now: () => now - behind,
    world: () => now,
    advance: (ms) => {
      if (ms < 0) throw new RangeError('time does not go back')
      now += ms
    },
    setBack: (ms) => {
      behind += ms
    },
    setRight: () => {
      behind = 0
    },
    get behind() {
      return behind
    },
  }
}

/** Replaces time and randomness. @returns a function that puts the real ones back */
export const useVirtual = (clock: VirtualClock, random: Random): (() => void) => {
  const real = {
    Date: globalThis.Date,
    random: Math.random,
    randomBytes: crypto.randomBytes,
    randomUUID: crypto.randomUUID,
    randomInt: crypto.randomInt,
    randomFillSync: crypto.randomFillSync,
    setTimeout: timers.setTimeout,
    timer: { ...REAL_TIMER },
  }
  globalThis.Date = virtualDate(real.Date, clock)
  // A pause between two requests takes its time, so that a step that waits for its end waits as long.
  const sleep = async (ms: number): Promise<void> => clock.advance(Math.ceil(ms))
  Object.assign(REAL_TIMER, { now: clock.now, sleep })
  Math.random = () => random.next()
  const replaced = {
    randomBytes: (length: number, done?: (error: null, bytes: Buffer) => void) => {
      const bytes = random.bytes(length)
      if (done === undefined) return bytes
      queueMicrotask(() => done(null, bytes))
      return undefined
    },
    randomUUID: () => uuidOf(random.bytes(16)),
    randomInt: (least: number, most?: number) =>
      most === undefined ? random.int(least) : least + random.int(most - least),
    randomFillSync: <T extends NodeJS.ArrayBufferView>(view: T): T => {
      new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(random.bytes(view.byteLength))
      return view
    },
  }
  Object.assign(crypto, replaced)
  Object.assign(timers, {
    setTimeout: (ms: number, value: unknown, options?: object) =>
      real.setTimeout(Math.min(ms, LONGEST_PAUSE_MS), value, options),
  })
  syncBuiltinESMExports()
  return () => {
    globalThis.Date = real.Date
    Object.assign(REAL_TIMER, real.timer)
    Math.random = real.random
    const { randomBytes, randomUUID, randomInt, randomFillSync } = real
    Object.assign(crypto, { randomBytes, randomUUID, randomInt, randomFillSync })
    Object.assign(timers, { setTimeout: real.setTimeout })
    syncBuiltinESMExports()
  }
}

const virtualDate = (Real: DateConstructor, clock: VirtualClock): DateConstructor =>
  new Proxy(Real, {
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [clock.now()] : given, newTarget) as object,
    get: (target, name) => (name === 'now' ? clock.now : (Reflect.get(target, name) as unknown)),
  })

/** A UUID of version 4 from 16 random bytes, which it changes. */
export const uuidOf = (bytes: Buffer): string => {
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
