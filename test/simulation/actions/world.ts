/** Events around the program: time, prices, blocks, reorganisations, nodes that lag or forget. */
import type { Action } from './action.ts'

const time: Action = {
  name: 'time',
  weight: () => 12,
  run: async ({ clock }, random) => {
    const seconds = random.pick([1, 1, 1, 2, 5, 5, 10, 10, 30, 60, 300])
    clock.advance(seconds * 1_000)
    return `${seconds} s`
  },
}

/** Longer than prices and fees are believed, quotes are held, leases last. */
const hours: Action = {
  name: 'hours',
  weight: () => 0.3,
  run: async ({ clock }, random) => {
    const minutes = random.pick([20, 60, 180, 600])
    clock.advance(minutes * 60_000)
    return `${minutes} minutes`
  },
}

const days: Action = {
  name: 'days',
  weight: () => 0.05,
  run: async ({ clock }, random) => {
    const count = 1 + random.int(3)
    clock.advance(count * 86_400_000)
    return `${count}`
  },
}

/** As a time server or a person sets it: from a step of the time server to a wrong hour. */
const setBack: Action = {
  name: 'clock is set back',
  weight: ({ clock }) => (clock.behind === 0 ? 1 : 0),
  run: async ({ clock, faults: control }, random) => {
    const seconds = random.pick([1, 1, 5, 60, 600, 3_600])
    clock.setBack(seconds * 1_000)
    control.note('clock set back')
    return `${seconds} s`
  },
}

const setRight: Action = {
  name: 'clock is set right',
  weight: ({ clock }) => (clock.behind > 0 ? 2 : 0),
  run: async ({ clock }) => {
    clock.setRight()
    return ''
  },
}

const prices: Action = {
  name: 'prices move',
  weight: () => 3,
  run: async ({ prices: moving }, random) => {
    moving.move(random)
    return ''
  },
}

const mine: Action = {
  name: 'mine',
  weight: () => 20,
  run: async ({ chains, clock }, random) => {
    const chain = random.pick(chains)
    const blocks = random.pick([1, 1, 1, 2, 3])
    clock.advance(1_000)
    return `${chain.network}: ${await chain.mine(blocks)}`
  },
}

const reorganise: Action = {
  name: 'reorganise',
  weight: () => 0.7,
  run: async ({ chains, books, clock, reorganised }, random) => {
    const chain = random.pick(chains)
    const { height } = await chain.head()
    // A reorganisation below the final block must not happen: the program stops the chain then, and rightly.
    const depth = 1 + random.int(3)
    if (height <= depth) return `${chain.network}: too short`
    clock.advance(1_000)
    const recent = books.paidIn.filter(({ network }) => network === chain.network).slice(-5)
    const lost: string[] = []
    for (const { hash } of recent) if (random.chance(0.3) && (await chain.isWithin(hash, depth))) lost.push(hash)
    reorganised.add(chain.network)
    await chain.reorganise(depth, lost)
    return `${chain.network}: ${depth} blocks, ${lost.length} lost`
  },
}

const forget: Action = {
  name: 'node forgets its pool',
  weight: () => 0.3,
  run: async ({ chains, faults: control }, random) => {
    const chain = random.pick(chains)
    await chain.forgetPool()
    control.note(`node of ${chain.network} restarted`)
    return chain.network
  },
}

/** Transfers that wait for a block then fail in it. */
const pause: Action = {
  name: 'token stops',
  weight: ({ chains }) => (chains.some((chain) => chain.pause !== undefined) ? 1 : 0),
  run: async ({ chains }, random) => {
    const isPaused = random.chance(0.3)
    const chain = random.pick(chains.filter((one) => one.pause !== undefined))
    await chain.pause?.(isPaused)
    return `${chain.network}: ${isPaused ? 'stopped' : 'resumed'}`
  },
}

const lag: Action = {
  name: 'node lags',
  weight: () => 1,
  run: async ({ chains }, random) => {
    const chain = random.pick(chains)
    chain.front.lagBlocks = random.pick([0, 0, 0, 1, 2])
    chain.front.silent = random.chance(0.1)
    return `${chain.network}: ${chain.front.silent ? 'silent' : chain.front.lagBlocks}`
  },
}

const dialect: Action = {
  name: 'node speaks otherwise',
  weight: () => 0.5,
  run: async ({ chains }, random) => {
    const chain = random.pick(chains)
    const names = chain.front.drawDialects(random, { hindering: true })
    chain.front.setDialect(names)
    return `${chain.network}: ${names.join(', ') || 'plainly'}`
  },
}

export const WORLD: readonly Action[] = [
  time,
  hours,
  days,
  setBack,
  setRight,
  prices,
  mine,
  reorganise,
  forget,
  pause,
  lag,
  dialect,
]
