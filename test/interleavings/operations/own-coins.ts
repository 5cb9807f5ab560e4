/** Our own transactions and coins: signed, broadcast, replaced; swept to the hot wallet, moved to cold storage. */
import { createSigning } from '../../../server/src/app/composition/signing.ts'
import { createSendingJob, type SendingPolicy } from '../../../server/src/chain/transactions/index.ts'
import { catalogue } from '../assets.ts'
import { readBlocks, settlements } from '../chain.ts'
import { cancel, offerTransfers, takeTransfer } from '../cold-storage.ts'
import { AMOUNT, type Scene } from '../scene.ts'
import { planSweeps } from '../sweeping.ts'
import type { Operation, Process } from './operation.ts'

const { signal } = new AbortController()
/** Longer than a claim of the job that sends. */
const LATE_MS = 60_000
/** Longer than a scene lasts: nothing is replaced. */
const NEVER_MS = 365 * 86_400_000

const sendingOf = ({ runtime }: Process, { world }: Scene, policy: Partial<SendingPolicy>) => {
  const { purposeOf, nextIntentsOf } = createSigning(runtime, catalogue, world.signer)
  return createSendingJob({
    ...world.sends,
    runtime,
    subscribers: settlements,
    purposeOf,
    nextIntentsOf,
    policy: { ...world.sends.policy, ...policy },
  })
}

export const ownCoinOperations: readonly Operation[] = [
  {
    name: 'plan-sweep',
    isJob: true,
    changes: ['sweeps'],
    reads: ['stops', 'payouts'],
    run: (process, { world }) => planSweeps(process, world, AMOUNT),
  },
  {
    name: 'mine-sweep',
    changes: ['USDT', 'blocks', 'sweeps'],
    run: ({ runtime }, { sweep }) => readBlocks(runtime, [sweep]),
  },
  {
    name: 'offer-cold',
    isJob: true,
    changes: ['cold storage'],
    reads: ['payouts'],
    run: (process, { world }) => offerTransfers(process, world),
  },
  {
    name: 'take-cold',
    changes: ['cold storage', 'payouts'],
    run: (process, { transfer }) => takeTransfer(process, transfer),
  },
  { name: 'cancel-cold', changes: ['cold storage'], run: (process, { transfer }) => cancel(process, transfer) },
  // After the jobs that plan transactions: when jobs run once more, these are sent.
  {
    name: 'send',
    isJob: true,
    changes: ['payouts', 'sweeps'],
    reads: ['stops', 'cold storage'],
    run: async (process, scene) => {
      await sendingOf(process, scene, { bumpAfterMs: NEVER_MS }).run(signal)
    },
  },
  // Another worker, for which the claims of the first one are over: that one was stopped in between, or is slow.
  {
    name: 'take-over',
    isJob: true,
    changes: ['payouts', 'sweeps'],
    reads: ['stops', 'cold storage'],
    run: async ({ runtime, ...process }, scene) => {
      const { now, business } = runtime.clock
      const clock = { now: () => now() + LATE_MS, business: () => business() + LATE_MS }
      const late = { ...process, runtime: { ...runtime, clock } }
      await sendingOf(late, scene, { bumpAfterMs: NEVER_MS }).run(signal)
    },
  },
  {
    name: 'replace',
    changes: ['payouts', 'sweeps'],
    reads: ['stops', 'cold storage'],
    run: async (process, scene) => {
      const job = sendingOf(process, scene, {})
      // One run plans the replacement of a stuck transaction, the next one has it signed and broadcasts it.
      for (let run = 0; run < 2; run += 1) await job.run(signal)
    },
  },
]
