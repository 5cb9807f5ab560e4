/** Refusals of the signer: their alert ends when it signs again, and when nothing waits any more. */
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { useDb } from '../../../../test/world/database.ts'
import { alertKinds } from '../../../../test/world/observed.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import type { TronChainAdapter } from '../../adapters/chains/port.ts'
import type { SignAnswer, SignRequest } from '../../adapters/signer/port.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import { carriesStopped } from '../../pay-out/withdrawals/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { insertPlanned } from './commands.ts'
import { createRefusalJob } from './jobs-refused.ts'
import { createSendingJob } from './jobs.ts'
import { DEFAULT_TRON_POLICY } from './policy.ts'
import type { Purpose } from './transaction.ts'

const { db } = useDb()
const HOUR = 3_600_000
const EXPIRED: SignAnswer = { refused: 'expiration', message: 'it expires later than the policy allows' }
const SIGNED: SignAnswer = { signed: 'aa', hash: 'bb' }
const { signal } = new AbortController()
let now: number
let answer: SignAnswer
const runtime = createTestRuntime(db, () => now)
beforeEach(async () => {
  await emptyTables(db)
  ;[now, answer] = [Date.UTC(2026, 0, 2), EXPIRED]
})

const send = createSendingJob({
  runtime,
  network: 'TRON',
  adapter: { network: 'TRON', broadcast: async () => ({ kind: 'accepted' }) } as unknown as TronChainAdapter,
  policy: DEFAULT_TRON_POLICY,
  subscribers: [async () => noEffects],
  carriesStopped,
  pause: async () => {},
  signer: {
    // Each transaction has a hash of its own.
    sign: async ({ transactionId }: SignRequest) => ('signed' in answer ? { ...answer, hash: transactionId } : answer),
  } as never,
  wallet: undefined as never,
  purposeOf: async () => ({ purpose: 'sweep', intents: [] }),
})
const refusals = createRefusalJob({ runtime, network: 'TRON' }, 1)

const plan = (purpose: Purpose): Promise<void> =>
  inTransaction(db, (tx) =>
    insertPlanned(
      tx,
      {
        id: randomUUID(),
        network: 'TRON',
        purpose,
        senders: [randomUUID()],
        nonce: null,
        keys: [],
        signingKeys: [],
        feeRate: {},
        unsigned: '0a',
        networkFee: 1n,
        expiresAt: new Date(now + HOUR),
      },
      momentOf(runtime),
    ),
  )
/** Everything that is planned is put to the signer, and the alerts that are over end. */
const work = async (): Promise<string[]> => {
  await send.run(signal)
  await refusals.run(signal)
  return alertKinds(db)
}

test('the alert about a purpose ends when nothing of it was refused for two hours and nothing waits', async () => {
  await plan('gas')
  expect(await work()).toEqual(['signer-expiration'])
  now += 2 * HOUR - 1
  expect(await work()).toEqual(['signer-expiration'])
  now += 1
  expect(await work()).toEqual([])
})

test('it does not end while the same is refused again and again', async () => {
  for (let round = 0; round < 4; round += 1) {
    await plan('gas')
    expect(await work()).toEqual(['signer-expiration'])
    now += HOUR
  }
})

test('it does not end while a transaction waits for its signature', async () => {
  await plan('gas')
  await work()
  answer = { refused: 'busy', message: 'too many requests wait' }
  await plan('gas')
  now += 3 * HOUR
  expect(await work()).toEqual(['signer-expiration'])
  ;[now, answer] = [now + HOUR, SIGNED]
  expect(await work()).toEqual([])
})

test('it is raised, and stays, when the refused transaction was planned long before', async () => {
  answer = { refused: 'busy', message: 'too many requests wait' }
  await plan('gas')
  expect(await work()).toEqual([])
  ;[now, answer] = [now + 3 * HOUR, EXPIRED]
  expect(await work()).toEqual(['signer-expiration'])
  now += 2 * HOUR - 1
  expect(await work()).toEqual(['signer-expiration'])
  now += 1
  expect(await work()).toEqual([])
})

test('it ends at once when the signer signs for the same purpose, not for another one', async () => {
  await plan('gas')
  await work()
  answer = SIGNED
  await plan('sweep')
  expect(await work()).toEqual(['signer-expiration'])
  await plan('gas')
  expect(await work()).toEqual([])
})
