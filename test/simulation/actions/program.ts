/** The program's own work: runs of jobs and steps of watchers; and kills and restarts of its processes. */
import type { Job } from '../../../server/src/platform/jobs/index.ts'
import type { Watcher } from '../../../server/src/chain/watcher/index.ts'
import { ROLES, type RoleName, type Simulation } from '../simulation.ts'
import { failureOf, type Action } from './action.ts'

const signal = new AbortController().signal

/** Runs a job once, as its loop would. */
export const runJob = async (job: Job): Promise<string> => {
  try {
    return (await job.run(signal)) ? 'more' : 'idle'
  } catch (error) {
    return failureOf(error)
  }
}

const steppedNow = new WeakSet<Watcher>()

/** One step at a time, as its loop takes them: two at once could each open a session, and neither would lead. */
export const stepWatcher = async (watcher: Watcher): Promise<string> => {
  if (steppedNow.has(watcher)) return 'busy'
  steppedNow.add(watcher)
  try {
    return (await watcher.step()) === 0 ? 'more' : 'idle'
  } catch (error) {
    return failureOf(error)
  } finally {
    steppedNow.delete(watcher)
  }
}

const jobsOf = ({ roles }: Simulation): { name: string; job: Job }[] =>
  (['api', 'worker'] as const).flatMap((role) =>
    (roles.get(role)?.jobs ?? []).map((job, at) => ({ name: `${role} ${job.name}#${at}`, job })),
  )

const job: Action = {
  name: 'job',
  weight: (simulation) => (jobsOf(simulation).length === 0 ? 0 : 60),
  run: async (simulation, random) => {
    const { name, job: drawn } = random.pick(jobsOf(simulation))
    return `${name}: ${await runJob(drawn)}`
  },
}

/** Order books are believed for a short time only, and without them nothing is exchanged. */
const readBooks: Action = {
  name: 'order books are read',
  weight: ({ roles }) => (roles.has('worker') ? 6 : 0),
  run: async ({ roles }) => {
    const results: string[] = []
    for (const one of roles.get('worker')!.jobs.filter(({ name }) => MARKET_JOBS.has(name)))
      results.push(`${one.name} ${await runJob(one)}`)
    return results.join(', ')
  },
}

/** They read the order books. */
export const MARKET_JOBS = new Set(['order-books', 'official-rates'])

/** Every job and every watcher once, in order, as in a second of a healthy installation. */
const round: Action = {
  name: 'round',
  weight: ({ roles }) => (roles.size === ROLES.length ? 6 : 0),
  run: async (simulation) => {
    simulation.clock.advance(1_000)
    const results: string[] = []
    for (const watcher of simulation.roles.get('watcher')!.watchers.values()) results.push(await stepWatcher(watcher))
    for (const { job: one } of jobsOf(simulation)) results.push(await runJob(one))
    simulation.countMore(results.length - 1)
    return results.map((result) => result[0]).join('')
  },
}

const watch: Action = {
  name: 'watch',
  weight: ({ roles }) => (roles.has('watcher') ? 20 : 0),
  run: async ({ roles }, random) => {
    const [network, watcher] = random.pick([...roles.get('watcher')!.watchers])
    return `${network}: ${await stepWatcher(watcher)}`
  },
}

const kill: Action = {
  name: 'kill',
  weight: ({ roles }) => (roles.size > 0 ? 0.3 : 0),
  run: async (simulation, random) => {
    const name = random.pick([...simulation.roles.keys()])
    await killRole(simulation, name)
    simulation.faults.note(`${name} killed`)
    return name
  },
}

/** A process that ended is started again soon. */
const start: Action = {
  name: 'start',
  weight: ({ roles }) => (ROLES.length - roles.size) * 10,
  run: async (simulation, random) => {
    const name = random.pick(ROLES.filter((one) => !simulation.roles.has(one)))
    try {
      await simulation.startRole(name)
      return name
    } catch (error) {
      return `${name}: ${failureOf(error)}`
    }
  },
}

const signerRestart: Action = {
  name: 'signer restarts',
  weight: () => 0.2,
  run: async ({ signer, faults }) => {
    await signer.restart()
    faults.note('signer restarted')
    return ''
  },
}

export const killRole = async ({ roles }: Simulation, name: RoleName): Promise<void> => {
  const role = roles.get(name)
  roles.delete(name)
  await role?.kill()
}

export const PROGRAM: readonly Action[] = [job, readBooks, round, watch, kill, start, signerRestart]
