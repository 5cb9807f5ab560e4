import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { allIsolated, createJobLoop, forEachIsolated, type Job, type JobWatch } from './index.ts'

const log = pino({ level: 'silent' })
const until = async (isSo: () => boolean): Promise<void> => {
  for (let i = 0; i < 12_000 && !isSo(); i += 1) await sleep(5)
  expect(isSo()).toBe(true)
}

test('a thing that fails does not block the things after it, and the first failure is thrown at the end', async () => {
  const done: number[] = []
  const work = async (n: number): Promise<void> => {
    if (n === 2) throw new Error('two')
    done.push(n)
  }
  await expect(forEachIsolated([1, 2, 3], work)).rejects.toThrow('two')
  expect(done).toEqual([1, 3])
  await expect(forEachIsolated([2, 2, 4], work)).rejects.toMatchObject({
    message: /^2 things failed/,
    cause: { message: 'two' },
  })
  await forEachIsolated([5], work)
  expect(done).toEqual([1, 3, 4, 5])
})

test('all at once: those that did not fail, and the failure afterwards', async () => {
  const { results, fail } = await allIsolated([1, 2, 3], async (n) => {
    if (n === 2) throw new Error('two')
    return n * 10
  })
  expect(results).toEqual([10, 30])
  expect(fail).toThrow('two')
  const { fail: none } = await allIsolated([1], async (n) => n)
  none()
})

/** A job that fails for as long as it is notified to, and a watch with a clock of its own. */
const world = () => {
  const state = { fails: true, now: 0, runs: 0, alertFails: false }
  const notified: string[] = []
  const job: Job = {
    name: 'a job',
    everyMs: 1,
    run: async () => {
      state.runs += 1
      if (state.fails) throw new Error('no')
      return false
    },
  }
  const tell = async (what: string): Promise<void> => {
    if (state.alertFails) throw new Error('no database')
    notified.push(what)
  }
  const watch: JobWatch = {
    now: () => state.now,
    failing: (name, since) => tell(`${name} fails since ${since}`),
    stuck: (name, since) => tell(`${name} stands since ${since}`),
    well: (name) => tell(`${name} is well`),
  }
  return { state, notified, job, watch }
}

test('a job that lastingly fails is reported, and its first success after it', async () => {
  const { state, notified, job, watch } = world()
  const loop = createJobLoop([job], log, watch, 1_000)
  state.now = 100
  await until(() => state.runs >= 1)
  expect(notified).toEqual([])
  state.now = 5_000
  await until(() => notified.length > 0)
  expect(notified[0]).toMatch(/^a job fails since (0|100)$/)
  state.fails = false
  await until(() => notified.at(-1) === 'a job is well')
  const count = notified.length
  const { runs } = state
  await until(() => state.runs > runs + 2)
  expect(notified).toHaveLength(count)
  await loop.stop()
})

test('telling that fails keeps the job from nothing, and is done later', async () => {
  const { state, notified, job, watch } = world()
  Object.assign(state, { fails: false, alertFails: true })
  const loop = createJobLoop([job], log, watch)
  await until(() => state.runs > 3)
  expect(notified).toEqual([])
  state.alertFails = false
  await until(() => notified.length > 0)
  expect(notified).toEqual(['a job is well'])
  await loop.stop()
})

test('audit M-B5: a job that makes no progress is reported meanwhile, and so is its first success', async () => {
  const { state, notified, job, watch } = world()
  state.fails = false
  let goOn = (): void => {}
  const stands = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const loop = createJobLoop([{ ...job, run: async () => stands.then(() => false) }], log, watch, 20)
  state.now = 15
  await sleep(100)
  expect(notified).toEqual([])
  state.now = 20
  await until(() => notified.includes('a job stands since 0'))
  goOn()
  await until(() => notified.at(-1) === 'a job is well')
  await loop.stop()
})

test('a run that may take longer is not reported before its own time', async () => {
  const { state, notified, job, watch } = world()
  const loop = createJobLoop(
    [
      {
        ...job,
        longestMs: 1_000,
        run: async (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(false))),
      },
    ],
    log,
    watch,
    20,
  )
  state.now = 999
  await sleep(100)
  expect(notified).toEqual([])
  state.now = 1_000
  await until(() => notified.length > 0)
  await loop.stop()
})

const HOUR_MS = 3_600_000

test('a job with new work for another ends its pause, also one that has not begun', async () => {
  const found = [true]
  const runs = { planning: 0, sending: 0 }
  const planning: Job = {
    name: 'planning',
    everyMs: 5,
    wakes: ['sending', 'of another process'],
    run: async () => {
      runs.planning += 1
      return found.shift() ?? false
    },
  }
  const sending: Job = {
    name: 'sending',
    everyMs: HOUR_MS,
    run: async () => {
      runs.sending += 1
      return false
    },
  }
  const loop = createJobLoop([planning, sending], log)
  // The first run of each needs no end of a pause.
  for (let i = 2; i < 6; i += 1) {
    await until(() => runs.sending === i)
    found.push(true)
  }
  await until(() => runs.sending === 6)
  const { planning: before } = runs
  await until(() => runs.planning > before + 20)
  expect(runs.sending).toBe(6)
  await loop.stop()
})

test('a job that is woken runs again before its pause is over, and no other job does', async () => {
  const runs = { woken: 0, other: 0 }
  const counting = (name: keyof typeof runs): Job => ({
    name,
    everyMs: HOUR_MS,
    run: async () => {
      runs[name] += 1
      return false
    },
  })
  const loop = createJobLoop([counting('woken'), counting('other')], log)
  await until(() => runs.woken === 1 && runs.other === 1)
  for (let i = 2; i < 5; i += 1) {
    loop.wake('woken')
    await until(() => runs.woken === i)
  }
  loop.wake('of another process')
  await loop.stop()
  expect(runs).toEqual({ woken: 4, other: 1 })
})

const IDLE = { everyMs: 5, idleMs: HOUR_MS }

test('pauses grow to the longest one while there is nothing to do, and an announcement makes them short again', async () => {
  const found: boolean[] = []
  let runs = 0
  const run = async (): Promise<boolean> => {
    runs += 1
    return found.shift() ?? false
  }
  const loop = createJobLoop([{ name: 'a job', ...IDLE, run }], log)
  // Pauses of 5, 10, 25, 55 ms and so on: an hour needs 18 runs. The test waits until no run comes for a second.
  const untilIdle = async (): Promise<number> => {
    for (let before = -1; before !== runs; await sleep(1_000)) before = runs
    return runs
  }
  const idle = await untilIdle()
  expect(idle).toBeLessThan(12)
  loop.announce()
  await until(() => runs >= idle + 3)
  const again = await untilIdle()
  found.push(true)
  loop.announce()
  await until(() => runs >= again + 4)
  await loop.stop()
})

test('an announcement during a run shortens the pause after it, because the run may have looked too early', async () => {
  let runs = 0
  const run = async (): Promise<boolean> => {
    await sleep(0)
    runs += 1
    if (runs < 200) loop.announce()
    return false
  }
  const loop = createJobLoop([{ name: 'a job', ...IDLE, run }], log)
  await until(() => runs >= 200)
  await loop.stop()
})

test('an announcement makes no pause shorter than that of a busy job', async () => {
  let runs = 0
  const run = async (): Promise<boolean> => {
    runs += 1
    return false
  }
  const loop = createJobLoop([{ name: 'a job', everyMs: HOUR_MS, run }], log)
  await until(() => runs === 1)
  for (let i = 0; i < 20; i += 1) {
    loop.announce()
    await sleep(1)
  }
  await loop.stop()
  expect(runs).toBe(1)
})
