/**
 * Money from a transaction with so many inputs and outputs that its senders are not written: no list can say that they
 * are clean.
 */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { nothingSigned } from '../../../../test/setup/signer.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { createScreenHeld, createScreeningJobs } from '../../app/composition/screening.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { createWorld, pay, type World } from '../../../../test/world/deposits.ts'
import { holdsUntilVerified } from '../../merchants/accounts/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { importList, listOpen } from './index.ts'
import { decideFirst } from './test-held.ts'

const database = useDatabase({ template: migrated })
const PUBLIC = 'https://pay.example'
const FILE = {
  providers: [{ kind: 'local-lists' as const }],
  rules: { riskyFrom: 0.5, lateAfterMs: 60_000, whenUnanswered: 'hold' as const, deciders: 1, rescreenMs: 86_400_000 },
}
let world: World
beforeAll(() => {
  world = createWorld(database.url, {
    holds: holdsUntilVerified,
    onHeld: [(...all) => createScreenHeld(PUBLIC, () => world.deposits)(...all)],
  })
})
afterAll(() => world.close())

const screen = async (): Promise<void> => {
  const runtime: Runtime = {
    db: world.db,
    newId: () => uuidv7(world.now, randomBytes(10)),
    clock: { now: () => world.now, business: () => world.now } as Runtime['clock'],
    log: { warn: () => {}, info: () => {} } as unknown as Runtime['log'],
  }
  const [job] = createScreeningJobs(
    { runtime, catalogue: undefined as never, publicUrl: PUBLIC, screening: FILE },
    { deposits: world.deposits, adapters: new Map(), signer: nothingSigned, pause: async () => {} },
  )
  while (await job!.run(new AbortController().signal)) {
    /* until it is idle */
  }
}
const states = async () =>
  (await sql`select state, count(*)::int as count from deposits group by 1 order by 1`.execute(world.db)).rows

test('a listed sender among many stays in quarantine until a person has decided', async () => {
  const [SENDERS, OUTPUTS] = [2_500, 9]
  const owned = await world.address('BITCOIN')
  await makeMerchant(world.db, world.now, { id: owned.merchantId, settings: { holdUntilVerified: true } })
  await inTransaction(world.db, (tx) =>
    importList(
      tx,
      { source: 'OFAC SDN', sha256: 'x', date: '2026-01-01', entries: [{ address: 'bad', asset: 'XBT', name: '' }] },
      true,
      world.moment(),
    ),
  )
  const from = ['bad', ...Array.from({ length: SENDERS }, (_, at) => `payer ${at}`)]
  const to = (at: number) => ({ index: `o:${at}`, contract: null, from, to: owned.address, units: 1_000_000n })
  const transaction = { ...pay(owned.address, 1n), transfers: Array.from({ length: OUTPUTS }, (_, at) => to(at)) }
  await world.mine('BITCOIN', 100, [transaction])
  await world.settle('BITCOIN', 105, 100)
  await screen()
  expect([await states(), (await listOpen(world.db, 10)).map(({ state }) => state)]).toEqual([
    [{ state: 'held', count: OUTPUTS }],
    Array(OUTPUTS).fill('risky'),
  ])
  expect(await decideFirst(world, PUBLIC, { event: 'released', actor: 'cli:ann', deciders: 1 })).toBe(0)
  expect(await states()).toEqual([
    { state: 'credited', count: 1 },
    { state: 'held', count: OUTPUTS - 1 },
  ])
})
