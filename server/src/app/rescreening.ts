import type { Catalogue } from '../assets/index.ts'
import { inTransaction } from '../db/index.ts'
import { carryOut } from '../effects/index.ts'
import type { Job } from '../jobs/index.ts'
import { holdStops, type PausePoint } from '../outgoing/index.ts'
import { momentOf, type Runtime } from '../platform/runtime.ts'
import { decide, findScreening } from '../screening/index.ts'
import { withdrawalFollowers } from './invoicing.ts'
import { giveUp, haltedOf, resume } from '../withdrawals/index.ts'

const EVERY_MS = 1_000
const MOST = 100

/**
 * Ends the waiting of withdrawals that were halted to be judged again: what is clean goes on, what is risky is given back. Where nothing is
 * screened any more, nothing is waited for.
 */
export const createHaltedJob = ({ runtime, catalogue, publicUrl, screens, pause }: { runtime: Runtime; catalogue: Catalogue; publicUrl: string; screens: boolean; pause: PausePoint }): Job => ({
  name: 'withdrawals judged again',
  everyMs: EVERY_MS,
  run: async () => {
    for (const { merchantId, id } of await haltedOf(runtime.db, MOST)) {
      await inTransaction(runtime.db, async (tx) => {
        // No list comes in force meanwhile: what is read of the judgement holds when it is acted on.
        await holdStops(tx)
        const screening = screens ? await findScreening(tx, 'withdrawal', merchantId, id) : undefined
        if (screening === undefined || screening.state === 'clean' || screening.state === 'released') return resume(tx, { merchantId, id })
        const moment = momentOf(runtime)
        if (screening.state !== 'risky' || !(await decide(tx, screening, 'rejected', moment))) return
        const effects = await giveUp(tx, { merchantId, id }, { catalogue, followers: withdrawalFollowers({ catalogue, publicUrl }) }, moment, 'AML_REJECTED')
        if (!effects) throw new Error(`withdrawal ${id} was taken up although it is halted`)
        await carryOut(tx, effects, moment)
      })
      await pause('halted-decided')
    }
    return false
  },
})
