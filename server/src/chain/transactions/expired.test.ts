import { carriesStopped } from '../../pay-out/withdrawals/index.ts'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { readEmptyBlocks } from '../../../../test/world/watcher.ts'
import { alertKinds } from '../../../../test/world/observed.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import type { TronChainAdapter } from '../../adapters/chains/port.ts'
import type { SignedTransaction, Signer } from '../../adapters/signer/port.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import { raiseAlert } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { insertPlanned } from './commands.ts'
import { createSendingJob } from './jobs.ts'
import { DEFAULT_TRON_POLICY } from './policy.ts'
import type { OutgoingChange, OutgoingSubscriber } from './transaction.ts'
import { planTron } from './tron-plan.ts'

const { db } = useDb()
const NOW = Date.UTC(2026, 0, 2)
const EXPIRED = NOW - 3_600_000
const NEXT = randomUUID()
beforeEach(() => emptyTables(db))

const contract = {
  kind: 'TransferContract',
  owner: 'TD5gsCwxykWsLN9aPrq2TAfNjByuZKYp4E',
  to: 'TEdvoHEatmDKvTh3o9vBRB9Vdtbhn4QFhy',
  amount: 5_000_000n,
} as const
const prices = { energy: 100n, bandwidth: 1000n, accountBandwidth: 100_000n, activation: 1_000_000n }
const reference = { refBlockBytes: '0001', refBlockHash: '0011223344556677', time: EXPIRED - 600_000 }
const usage = { bandwidth: 268, energy: 0n, activates: false }

interface More {
  signedBesides?: Partial<SignedTransaction>[]
  adapter?: Partial<TronChainAdapter>
  /** nodes refused it as invalid */
  refused?: boolean
  subscribers?: OutgoingSubscriber[]
  purpose?: 'payout' | 'gas'
  /** what the signer has signed for the next intent */
  signedNext?: Partial<SignedTransaction>[]
  /** the point at which a first worker dies; a second one goes on a minute later */
  dieAt?: string
}

/**
 * A payment that expired, and a watcher whose final block was made at a time; answers the attempt in force after a
 * step.
 */
const stepped = async (
  finalTime: number | null,
  {
    signedBesides = [],
    refused = false,
    purpose = 'payout',
    subscribers = [],
    signedNext = [],
    dieAt,
    ...more
  }: More = {},
): Promise<number> => {
  const runtime = createTestRuntime(db, () => NOW)
  const id = randomUUID()
  const plan = planTron({ id, contract, reference, usage, prices })
  await inTransaction(db, (tx) =>
    insertPlanned(
      tx,
      {
        id,
        network: 'TRON',
        purpose,
        senders: [contract.owner],
        nonce: null,
        keys: [],
        signingKeys: [],
        feeRate: {},
        ...plan,
      },
      momentOf(runtime),
    ),
  )
  await sql`update outgoing set state = ${refused ? 'signed' : 'broadcast'}, refused_since = ${refused ? new Date(EXPIRED) : null} where id = ${id}`.execute(
    db,
  )
  if (refused) await raiseAlert(db, { kind: 'broadcast', subject: id, text: 'TRON rejects it' }, momentOf(runtime))
  await sql`update outgoing_attempts set raw = 'aa', hash = 'bb' where outgoing_id = ${id}`.execute(db)
  await readEmptyBlocks(runtime, 'TRON', { height: finalTime === null ? 80 : 79 })
  await readEmptyBlocks(runtime, 'TRON', {
    height: 100,
    final: 80,
    head: 90_000,
    ...(finalTime !== null && { time: finalTime }),
  })
  // A gateway whose back end keeps no history, or lags: it answers {} twice, beside a head that is new.
  const adapter = {
    network: 'TRON',
    feeRate: async () => ({ kind: 'resources', ...prices }),
    reference: async () => ({ ...reference, time: NOW }),
    estimateCost: async () => ({ ok: true, usage, burn: {}, most: 1n }),
    isProvenDead: async () => true,
    ...more.adapter,
  } as unknown as TronChainAdapter
  const signer = {
    transactionsOf: async (intent: string) => (intent === NEXT ? signedNext : [{ hash: 'bb' }, ...signedBesides]),
  } as unknown as Signer
  const jobWith = (pause: (name: string) => Promise<void>) =>
    createSendingJob({
      runtime,
      network: 'TRON',
      adapter,
      signer,
      policy: DEFAULT_TRON_POLICY,
      subscribers,
      carriesStopped,
      pause,
      wallet: undefined as never,
      nextIntentsOf: async () => [NEXT],
      purposeOf: async () => ({
        purpose: 'payout',
        intents: [{ id, asset: 'TRX', to: contract.to, units: '5000000' }],
      }),
    })
  const { signal } = new AbortController()
  if (dieAt !== undefined) {
    const death = Promise.withResolvers<void>()
    const dying = jobWith((name) => {
      if (name !== dieAt) return Promise.resolve()
      death.resolve()
      return new Promise(() => {})
    })
    await Promise.race([death.promise, dying.run(signal).then(() => expect.fail(`nothing passes ${dieAt}`))])
    await sql`update outgoing set next_step_at = ${new Date(NOW)} where id = ${id}`.execute(db)
  }
  await jobWith(async () => {}).run(signal)
  return (await sql<{ attempt: number }>`select attempt from outgoing where id = ${id}`.execute(db)).rows[0]!.attempt
}

test.each([
  ['has read no block', null],
  ['stands before the expiration', EXPIRED - 3_000],
  ['stands at the expiration', EXPIRED],
])(
  'audit M-A6: row T-11: an expired payment on TRON is not made anew while our own watcher %s',
  async (_name, finalTime) => {
    expect(await stepped(finalTime)).toBe(1)
  },
)

test('audit M-A6: it is made anew once our own final block is past the expiration and the node agrees', async () => {
  expect(await stepped(EXPIRED + 3_000)).toBe(2)
})

test.each([
  ['five minutes old', 300_000, 2, []],
  ['older', 300_001, 1, ['head-old']],
])('row T-24: with a node whose head is %s', async (_name, age, attempt, alerts) => {
  const adapter = { reference: async () => ({ ...reference, time: NOW - age }) }
  await stepped(EXPIRED + 3_000, { adapter }).catch((error: Error) => expect(error.name).toBe('ChainUnavailable'))
  expect(await sql`select attempt from outgoing`.execute(db)).toMatchObject({ rows: [{ attempt }] })
  expect((await sql<{ kind: string }>`select kind from alerts`.execute(db)).rows.map(({ kind }) => kind)).toEqual(
    alerts,
  )
})

test('a transfer between our accounts that nodes rejected is not made anew, and its alert ends', async () => {
  expect(await stepped(EXPIRED + 3_000, { purpose: 'gas', refused: true })).toBe(1)
  expect((await sql`select from outgoing where state = 'abandoned'`.execute(db)).rows).toHaveLength(1)
  expect(await alertKinds(db)).toEqual([])
})

test('audit M-A5: it is not made anew when the signer knows another transaction for it', async () => {
  expect(await stepped(EXPIRED + 3_000, { signedBesides: [{ hash: 'cc' }] })).toBe(1)
  const { rows } = await sql<{ text: string }>`select text from alerts where kind = 'stuck'`.execute(db)
  expect(rows[0]!.text).toContain('the signer has also signed cc')
})

describe('audit D-T4: an expired payment that nodes refuse as invalid, or that would revert', () => {
  const seen: OutgoingChange[] = []
  const subscribers: OutgoingSubscriber[] = [async (_tx, change) => (seen.push(change), noEffects)]
  beforeEach(() => void seen.splice(0))
  const reverting = {
    estimateCost: async () => ({ ok: false, reason: 'reverted', message: 'REVERT opcode executed' }) as const,
  }
  const stateOf = async () => (await sql<{ state: string }>`select state from outgoing`.execute(db)).rows[0]!.state

  test.each<[string, More]>([
    ['refused', { refused: true }],
    ['reverting', { adapter: reverting }],
  ])('%s: its withdrawals are judged anew and paid under another intent', async (_name, more) => {
    expect(await stepped(EXPIRED + 3_000, { ...more, subscribers })).toBe(1)
    expect(await stateOf()).toBe('abandoned')
    expect(seen).toMatchObject([{ event: 'refused', superseded: { paid: new Set() } }])
  })

  test('killed at death-proven: the next worker gives it back, once', async () => {
    await stepped(EXPIRED + 3_000, { refused: true, subscribers, dieAt: 'death-proven' })
    expect(await stateOf()).toBe('abandoned')
    expect(seen).toHaveLength(1)
  })

  test.each<[string, number | null, More]>([
    ['our own watcher has not read past its end', EXPIRED, {}],
    ['the node does not say that it is dead', EXPIRED + 3_000, { adapter: { isProvenDead: async () => false } }],
    ['the signer knows another transaction for it', EXPIRED + 3_000, { signedBesides: [{ hash: 'cc' }] }],
    ['the signer has signed for its next intent', EXPIRED + 3_000, { signedNext: [{ hash: 'dd' }] }],
  ])('it stays as it is while %s', async (_name, finalTime, more) => {
    await stepped(finalTime, { refused: true, subscribers, ...more })
    expect([await stateOf(), seen]).toEqual(['signed', []])
  })

  test('one that is not refused is not made anew either while the signer has signed for its next intent', async () => {
    expect(await stepped(EXPIRED + 3_000, { signedNext: [{ hash: 'dd' }] })).toBe(1)
  })
})
