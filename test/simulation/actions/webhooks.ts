/** Two workers deliver at once, and the next notification of an object is stored while the first is under way. */
import type { Simulation } from '../simulation.ts'
import type { RunningRole } from '../installation/roles.ts'
import type { Action } from './action.ts'
import { place, resultOf } from './merchants.ts'
import { runJob } from './program.ts'
import { calm, carry, drawPayment, isComplete, mine } from './sent.ts'

const deliver = async (worker: RunningRole): Promise<void> => {
  for (const job of worker.jobs) if (job.name === 'deliver webhooks') await runJob(job)
}

/** Notifications that arrived between two looks, by how often. */
const arrivedSince = ({ receivers }: Simulation, before: ReadonlyMap<string, number>): Map<string, number> =>
  new Map([...receivers.arrivals].map(([id, count]) => [id, count - (before.get(id) ?? 0)]))

const underWay: Action = {
  name: 'a notification is under way while another worker delivers',
  weight: (simulation) => (isComplete(simulation) ? 2 : 0),
  run: async (simulation, random) => {
    const { books, chains, faults, problems, receivers, roles } = simulation
    const chain = random.pick(chains)
    await calm(simulation, chain)
    receivers.front.silent = false
    const worker = roles.get('worker')!
    await deliver(worker)
    const wanted = await drawPayment(simulation, random, chain)
    books.paidOut.push(wanted)
    const result = resultOf(await place(simulation, wanted))
    await carry(simulation, chain)
    const second = await simulation.startSecondWorker()
    try {
      const before = new Map(receivers.arrivals)
      const stall = faults.stall('receivers', 0)
      const running = deliver(worker)
      const stands = await Promise.race([stall.reached.then(() => true), running.then(() => false)])
      // The block makes the next notification of the payment.
      await mine(simulation, chain, 1)
      await deliver(second)
      const bySecond = arrivedSince(simulation, before)
      stall.release()
      await running
      await deliver(worker)
      // An attempt that ended by its time limit is repeated minutes later, not in this step.
      if (simulation.together === 1)
        for (const [id, count] of arrivedSince(simulation, before))
          if (count > 1 && (bySecond.get(id) ?? 0) > 0) problems.push(`webhook ${id} was sent by two workers at once`)
      return `${wanted.network} ${wanted.ticker}: ${result}, ${stands ? 'one was under way' : 'none was under way'}`
    } finally {
      await second.stop()
    }
  },
}

export const WEBHOOKS: readonly Action[] = [underWay]
