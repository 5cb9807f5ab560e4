import { hostname } from 'node:os'
import { setAside } from '../../chain/addresses/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { beat, lookForTheDead, signsOfLife, type LivingRole } from '../../platform/process/heartbeats.ts'
import { requireSameDatabase, RestoredCopy } from '../../platform/runtime/installation.ts'
import type { Figure } from '../../platform/process/metrics.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'

const BEAT_EVERY_MS = 10_000

/**
 * Creates the job that records that this process is alive, checks the other roles, and checks that the database is
 * still the one that it has served.
 * @param askSigner rejects when the signer does not answer; absent in a process that does not use it
 * @param fail ends the process, because the database was replaced by a copy
 */
export const createLifeJob = (
  runtime: Runtime,
  roles: readonly LivingRole[],
  { askSigner, fail }: { askSigner?: () => Promise<unknown>; fail(error: Error): void },
): Job => {
  const self = { id: runtime.newId(), host: hostname(), startedAt: new Date(runtime.clock.now()) }
  return {
    name: 'sign of life',
    everyMs: BEAT_EVERY_MS,
    run: async () => {
      const signerLives =
        askSigner !== undefined &&
        (await askSigner().then(
          () => true,
          () => false,
        ))
      await beat(runtime.db, self, signerLives ? [...roles, 'signer'] : roles, new Date(runtime.clock.now()))
      await lookForTheDead(runtime, self.startedAt)
      try {
        await requireSameDatabase(runtime.db, momentOf(runtime))
      } catch (error) {
        if (!(error instanceof RestoredCopy)) throw error
        fail(error)
      }
      if (roles.includes('worker')) await inTransaction(runtime.db, setAside)
      return false
    },
  }
}

/** Figures of living processes, for an external alarm that also works when this process is dead. */
export const lifeMetrics = ({ db, clock }: Pick<Runtime, 'db' | 'clock'>): Figure[] => [
  {
    name: 'bursar_processes',
    help: 'Processes that reported in the last minute, by role',
    labels: ['role'],
    read: async () =>
      [...(await signsOfLife(db, clock.now()))].map(([role, { living }]) => ({ labels: { role }, value: living })),
  },
  {
    name: 'bursar_sign_of_life_age_seconds',
    help: 'Time since the last report of any process of a role',
    labels: ['role'],
    read: async () =>
      [...(await signsOfLife(db, clock.now()))].map(([role, { ageMs }]) => ({
        labels: { role },
        value: ageMs / 1_000,
      })),
  },
]
