/**
 * The cost of delivering notifications: one worker, from events stored by `emit` to acknowledged rows, against a bare
 * undici loop that posts the same bodies to the same receiver in another process, in turns in one run. Then what 500
 * receivers that hang do to the others, against the same traffic where they answer. `node bench/webhooks.ts`.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Pool } from 'undici'
import { createSigner } from '../server/src/merchants/webhooks/signature.ts'
import { createClock, type Clock } from '../server/src/platform/runtime/clock.ts'
import { report } from './report.ts'
import { MANY_ROUNDS, ROUNDS } from './rounds.ts'
import { atLeast, atMost, median, medianRatio, reported, type Row } from './row.ts'
import { createDatabase, withServer } from './server.ts'
import type { Order, Ports, Report } from './webhooks/receiver.ts'
import { createWorld, noticeOf, type BenchWorker, type World } from './webhooks/world.ts'

const CONNECTIONS = 64
const MERCHANTS = 100
const OBJECTS = 20_000
const EVENTS_EACH = 2
const EVENTS = OBJECTS * EVENTS_EACH
const ONE_IN = 20
/**
 * Factor by which business time is faster when deliveries are refused: the first retry comes after 3 ms, the third
 * after 18. The end of a run, when only retries are pending, is not representative of a worker with other traffic, and
 * must be short.
 */
const HASTE = 200_000

const HANGING = 500
const OTHERS = 50
const TICK_MS = 50
const OTHERS_A_TICK = 20
const REST_A_TICK = 25
const WARM_MS = 1_000
const MEASURED_MS = 4_000

/** Measures everything in alternating rounds, so that all see the same state of the machine. */
export const run = (): Promise<Row[]> =>
  withServer('webhooks', async (url) => {
    const receiver = fork(new URL('webhooks/receiver.ts', import.meta.url), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    try {
      const [ports] = (await once(receiver, 'message')) as [Ports]
      return [...(await measurePace(url, receiver, ports)), ...(await measureHanging(url, receiver, ports))]
    } finally {
      receiver.kill()
    }
  })

const command = async <Answer>(receiver: ChildProcess, order: Order): Promise<Answer> => {
  receiver.send(order)
  return ((await once(receiver, 'message')) as [Answer])[0]
}

/**
 * All state is reused between rounds, so that every round is warm: connections on both sides, plans, what is known of
 * receivers.
 */
const measurePace = async (url: string, receiver: ChildProcess, ports: Ports): Promise<Row[]> => {
  const world = await createWorld(await createDatabase(url, 'pace'))
  const merchants = await world.merchants(MERCHANTS, ports.answering, false)
  const [calm, hasty] = [world.worker(createClock()), world.worker(hastyClock())]
  const loop = bareLoop(ports.answering)
  const paces = { bare: [] as number[], worker: [] as number[], refused: [] as number[] }
  let wrong = 0
  const deliver = async (worker: BenchWorker, fail: number): Promise<number> => {
    const delivered = await deliverAll(world, worker, { merchants, receiver, fail })
    wrong += delivered.wrong
    return delivered.pace
  }
  const post = async (): Promise<number> => {
    await command(receiver, { kind: 'begin', fail: 0, inOrder: false })
    return paceOf(EVENTS, loop.postAll)
  }
  // The first round warms everything up and is not counted.
  for (let round = 0; round <= MANY_ROUNDS; round += 1) {
    const [before, worker, between, refused] = [
      await post(),
      await deliver(calm, 0),
      await post(),
      await deliver(hasty, ONE_IN),
    ]
    if (round === 0) continue
    paces.bare.push((before + between) / 2)
    paces.worker.push(worker)
    paces.refused.push(refused)
  }
  await Promise.all([calm.close(), hasty.close(), loop.close()])
  await world.close()
  if (wrong > 0) throw new Error(`${wrong} deliveries were lost, repeated or out of order`)
  const against = (name: string, values: number[], goal: number): Row =>
    atLeast({
      name,
      unit: 'deliveries/s',
      limitName: 'undici loop with the same signatures',
      goal,
      value: median(values),
      limit: median(paces.bare),
      ratio: medianRatio(values, paces.bare),
    })
  return [
    against('webhooks: one worker', paces.worker, 0.65),
    against(`webhooks: one worker, ${100 / ONE_IN} % of answers 500`, paces.refused, 0.55),
    reported(
      'webhooks: lost, repeated or out of order',
      wrong,
      `of ${((MANY_ROUNDS + 1) * 2 * EVENTS).toLocaleString('en-US')}`,
    ),
  ]
}

/** The limit: bodies alike, made beforehand, signed alike when they are sent, with nothing behind them. */
const bareLoop = (port: number): { postAll(): Promise<void>; close(): Promise<void> } => {
  const events = Array.from({ length: EVENTS }, (_, i) => {
    const id = `01890000-0000-7000-8000-${String(i >> 1).padStart(12, '0')}`
    return { id, sequence: i, body: JSON.stringify(noticeOf(id, id, i % 2).body) }
  })
  const origin = `http://127.0.0.1:${port}`
  const pool = new Pool(origin, { connections: CONNECTIONS })
  const signer = createSigner({
    url: `${origin}/webhooks/bursar`,
    signingKey: 'k'.repeat(32),
    webhookSecrets: [`whsec_${'c2VjcmV0'.repeat(4)}`],
  })
  const postAll = async (): Promise<void> => {
    let next = 0
    const loop = async (): Promise<void> => {
      while (next < EVENTS) {
        const event = events[next++]!
        const headers = signer.headers(event, Date.now(), 1)
        const { body } = await pool.request({ path: '/webhooks/bursar', method: 'POST', headers, body: event.body })
        await body.dump()
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, loop))
  }
  return { postAll, close: () => pool.close() }
}

/** Stores events while the worker is paused; it runs until the last of them is acknowledged. */
const deliverAll = async (
  world: World,
  worker: BenchWorker,
  { merchants, receiver, fail }: { merchants: readonly string[]; receiver: ChildProcess; fail: number },
): Promise<{ pace: number; wrong: number }> => {
  const objects = Array.from({ length: OBJECTS }, (_, i) => [merchants[i % MERCHANTS]!, world.newId()] as const)
  for (let n = 0; n < EVENTS_EACH; n += 1) {
    for (let i = 0; i < OBJECTS; i += 500)
      await world.store(objects.slice(i, i + 500).map(([merchant, object]) => [merchant, object, n]))
  }
  await command(receiver, { kind: 'begin', fail, inOrder: true })
  const pace = await paceOf(EVENTS, async () => {
    worker.start()
    await command(receiver, { kind: 'report when', accepted: EVENTS })
    await world.settled()
  })
  await worker.pause()
  const { outOfOrder, again, accepted } = await command<Report>(receiver, { kind: 'report' })
  return { pace, wrong: outOfOrder + again + Math.abs(EVENTS - accepted) }
}

const measureHanging = async (url: string, receiver: ChildProcess, ports: Ports): Promise<Row[]> => {
  const [calm, crowded] = await Promise.all(
    ['calm', 'crowded'].map(async (name) => createWorld(await createDatabase(url, name))),
  )
  const others = await Promise.all([calm!, crowded!].map((world) => world.merchants(OTHERS, ports.answering, true)))
  // As many events are stored where no receiver hangs: the time of storing them is not measured.
  const [answering, hanging] = [
    await calm!.merchants(HANGING, ports.uncounted, true),
    await crowded!.merchants(HANGING, ports.silent, true),
  ]
  const delays = { calm: [] as number[], crowded: [] as number[] }
  for (let round = 0; round <= ROUNDS; round += 1) {
    const without = await delayOf(calm!, others[0]!, answering, receiver)
    const among = await delayOf(crowded!, others[1]!, hanging, receiver)
    if (round === 0) continue
    delays.calm.push(without)
    delays.crowded.push(among)
  }
  await Promise.all([calm!.close(), crowded!.close()])
  const name = `webhooks: p99 of others while ${HANGING} receivers hang`
  const [value, limit, ratio] = [median(delays.crowded), median(delays.calm), medianRatio(delays.crowded, delays.calm)]
  return [atMost({ name, unit: 'ms', value, limit, limitName: 'no receiver hangs', ratio, goal: 1.25 })]
}

/**
 * Returns the delay of the 99th percentile of `others`, while events are stored at a steady rate for them and the
 * `rest`.
 */
const delayOf = async (
  world: World,
  others: readonly string[],
  rest: readonly string[],
  receiver: ChildProcess,
): Promise<number> => {
  const worker = world.worker(createClock())
  worker.start()
  let turn = 0
  const store = (merchants: readonly string[], count: number): Promise<unknown> =>
    Promise.all(
      Array.from({ length: count }, () =>
        world.store([[merchants[(turn += 1) % merchants.length]!, world.newId(), 0]]),
      ),
    )
  const storeFor = async (ms: number): Promise<void> => {
    const end = performance.now() + ms
    while (performance.now() < end) {
      const tick = performance.now()
      await Promise.all([store(others, OTHERS_A_TICK), store(rest, REST_A_TICK)])
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, TICK_MS - (performance.now() - tick))))
    }
  }
  await storeFor(WARM_MS)
  await command(receiver, { kind: 'begin', fail: 0, inOrder: false })
  await storeFor(MEASURED_MS)
  await new Promise((resolve) => setTimeout(resolve, 500))
  const { delays } = await command<Report>(receiver, { kind: 'report' })
  await worker.close()
  return delays.toSorted((a, b) => a - b)[Math.floor(delays.length * 0.99)]!
}

const hastyClock = (): Clock => {
  const start = Date.now()
  return { now: Date.now, business: () => start + (Date.now() - start) * HASTE }
}

const paceOf = async (count: number, work: () => Promise<void>): Promise<number> => {
  const start = performance.now()
  await work()
  return count / ((performance.now() - start) / 1_000)
}

if (import.meta.main) await report(run)
