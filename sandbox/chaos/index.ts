/**
 * `npm run try -- chaos`: kills roles of the running sandbox at random while merchants and payers use it, lets
 * everything end, and compares their orders with the results.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../random.ts'
import { recordedProcess } from '../process/record.ts'
import { notRunning, SandboxError } from '../try/running.ts'
import type { Description } from '../try/running.ts'
import { lookUp } from './asking.ts'
import { compare, payoutsOf } from './comparing.ts'
import { killAtRandom } from './killing.ts'
import { makeLoad } from './load.ts'
import { createMerchants } from './merchants.ts'
import { createOperator } from './operator.ts'
import type { Operator } from './operator.ts'
import type { Chaos, ChaosOptions } from './orders.ts'
import { reconcile } from './reconciling.ts'
import { openScreen, verdict } from './screen.ts'
import type { Screen } from './screen.ts'
import { resolveUnsent } from './unsent.ts'
import { waitingOrders, whatWaits } from './waiting.ts'
import { openWebhooks } from './webhooks.ts'
import type { Webhooks } from './webhooks.ts'

const LOOK_EVERY_MS = 500
/** So long may nothing end before the rest is called unfinished. A lease of a killed worker takes three minutes. */
const PATIENCE_MS = 10 * 60_000
/** How often the orders that wait are listed while nothing ends. */
const LIST_EVERY_MS = 60_000

/**
 * @param dir the folder of the sandbox
 * @returns whether nothing is lost, double or different
 * @throws SandboxError when the sandbox does not run, or its books and chains differ beforehand
 */
export async function runChaos(sandbox: Description, dir: string, options: ChaosOptions): Promise<boolean> {
  const requireRunning = (): void => {
    if (recordedProcess(join(dir, 'supervisor.process.json')) === undefined) throw notRunning()
  }
  requireRunning()
  const random = createRandom(options.seed)
  const bursar = await createOperator(sandbox.environment)
  const screen = openScreen(options)
  screen.say('books and chains are compared before the run; two merchants are created and funded')
  const before = await reconcile(bursar, 'changed')
  if (before.problems.length > 0)
    throw new SandboxError(`the books and the chains differ before the run:\n${before.problems.join('\n')}`)
  const merchants = await createMerchants(sandbox, bursar)
  const chaos: Chaos = {
    sandbox,
    merchants,
    orders: [],
    paidBefore: new Set((await payoutsOf(sandbox)).map(({ id }) => id)),
    tally: { kills: {}, pauses: 0, noAnswer: 0 },
    requireRunning,
  }
  const webhooks = openWebhooks(chaos)
  const interrupts = countInterrupts(screen)
  const looking = lookAgainAndAgain(chaos, webhooks, screen)
  try {
    await loadAndKill(chaos, { dir, random, options, webhooks, screen, ending: interrupts.first })
    for (const order of chaos.orders) if (order.state === 'unanswered') await lookUp(chaos, order)
    await untilAllEnded(chaos, { bursar, webhooks, screen }, interrupts.second)
  } finally {
    interrupts.close()
    await looking.stop()
  }
  screen.say('the orders are compared with the API, the webhooks, the chains, the bank and the balances')
  const compared = await compare(chaos, webhooks)
  screen.say('the books are compared with the chains')
  const books = await reconcile(bursar, 'every')
  return verdict(screen, chaos, { ...compared, received: webhooks.bodies.size, repeated: webhooks.repeated(), books })
}

async function loadAndKill(
  chaos: Chaos,
  {
    dir,
    random,
    options,
    webhooks,
    screen,
    ending,
  }: {
    dir: string
    random: ReturnType<typeof createRandom>
    options: ChaosOptions
    webhooks: Webhooks
    screen: Screen
    ending: AbortSignal
  },
): Promise<void> {
  const { minutes, kills = Number.POSITIVE_INFINITY } = options
  const over = new AbortController()
  const time = minutes === undefined ? [] : [AbortSignal.timeout(minutes * 60_000)]
  const signal = AbortSignal.any([ending, over.signal, ...time])
  const load = makeLoad(chaos, { random: random.of('load'), signal, waiting: () => waiting(chaos, webhooks) })
  const killing = killAtRandom(chaos, { dir, random: random.of('kills'), kills, signal, said: screen.did })
  try {
    await Promise.race([killing, load])
  } finally {
    over.abort()
    screen.did('')
    screen.say('no more kills; waiting until open orders have ended')
    await Promise.all([killing, load])
  }
}

const waiting = (chaos: Chaos, webhooks: Webhooks): number => waitingOrders(chaos, webhooks).length

/** Reads the inbox and shows the counts, until it is stopped. */
function lookAgainAndAgain(chaos: Chaos, webhooks: Webhooks, screen: Screen): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const look = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await webhooks.read().catch(() => {})
      screen.counts(chaos, waiting(chaos, webhooks))
      await sleep(LOOK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const done = look()
  return {
    stop: async () => {
      stopping.abort()
      await done
      await webhooks.read()
    },
  }
}

async function untilAllEnded(
  chaos: Chaos,
  { bursar, webhooks, screen }: { bursar: Operator; webhooks: Webhooks; screen: Screen },
  signal: AbortSignal,
): Promise<void> {
  let least = waiting(chaos, webhooks)
  let lastEndedAt = performance.now()
  let listedAt = lastEndedAt
  while (!signal.aborted && waiting(chaos, webhooks) > 0 && performance.now() - lastEndedAt < PATIENCE_MS) {
    chaos.requireRunning()
    await sleep(LOOK_EVERY_MS)
    if (performance.now() - Math.max(lastEndedAt, listedAt) >= LIST_EVERY_MS) {
      for (const line of await whatWaits(chaos, webhooks)) screen.say(line)
      for (const reference of await resolveUnsent(chaos.sandbox, bursar))
        screen.say(`the bank has no card payout ${reference}: the operator resolved it as refused`)
      listedAt = performance.now()
    }
    if (waiting(chaos, webhooks) === least) continue
    least = waiting(chaos, webhooks)
    lastEndedAt = performance.now()
  }
}

/** The first Ctrl-C ends the killing, the second the waiting, the third everything. */
function countInterrupts(screen: Screen): { first: AbortSignal; second: AbortSignal; close(): void } {
  const [first, second] = [new AbortController(), new AbortController()]
  const interrupted = (): void => {
    if (second.signal.aborted) process.exit(130)
    if (first.signal.aborted) return second.abort()
    screen.say('Ctrl-C: the killing ends; once more, and the waiting ends too')
    first.abort()
  }
  process.on('SIGINT', interrupted)
  return { first: first.signal, second: second.signal, close: () => void process.off('SIGINT', interrupted) }
}
