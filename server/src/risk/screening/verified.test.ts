import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ReplenishVerified } from '@bursar/contract'
import { sql } from 'kysely'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { listSanctions, PUBLIC_URL, screenAll } from '../../../../test/world/screening.ts'
import { nothingSigned } from '../../../../test/setup/signer.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { catalogue, createWorld, E18, pay, START, type Owned, type World } from '../../../../test/world/deposits.ts'
import {
  findDeposit,
  type CreditedSubscriber,
  type DepositSubscriber,
  type Deposits,
} from '../../pay-in/deposits/index.ts'
import { createDocumentMaker } from '../../merchants/documents/index.ts'
import type { PageAnswer, PageRequest } from '../../platform/api/page.ts'
import type { ApiRequest } from '../../platform/api/route.ts'
import { createScreenCredited, createScreeningJobs } from '../../app/composition/screening.ts'
import { reportPage, screeningRoutes, type ComplianceBody } from './index.ts'

const database = useDatabase({ template: migrated })
const documents = createDocumentMaker()
let world: World
let owned: Owned
/** deposits that something else tells of in its own words */
const unnotified = new Set<string>()
const follower: DepositSubscriber = async (_tx, followed) => ({
  effects: { items: [], notices: [] },
  afterAll: new Set(),
  unnotified: new Set(
    followed.filter(({ deposit }) => unnotified.has(deposit.transaction)).map(({ deposit }) => deposit.id),
  ),
})
const verified: string[] = []
const onVerified: CreditedSubscriber = async (_tx, all) => {
  verified.push(...all.map(({ deposit }) => deposit.id))
  return { items: [], notices: [] }
}

beforeAll(() => {
  world = createWorld(database.url, {
    onCredited: [
      (tx, credited, moment) => createScreenCredited(PUBLIC_URL, () => world.deposits)(tx, credited, moment),
    ],
    depositSubscribers: [follower],
    onVerified: [onVerified],
  })
})
afterAll(async () => {
  await documents.close()
  await world.close()
})
beforeEach(async () => {
  await world.reset()
  await sql`truncate screenings, screening_list_entries, screening_lists`.execute(world.db)
  world.now = START
  unnotified.clear()
  verified.length = 0
  owned = await world.address('ETHEREUM')
  await listSanctions(world.db, 'ETH', ['bad'], world.moment())
})

const runtime = () => createTestRuntime(world.db, () => world.now)
const screen = (deposits: Pick<Deposits, 'verify'> = world.deposits) => screenAll(runtime(), catalogue, { deposits })
const arrive = async (from = 'payer', hash = 'h1'): Promise<string> => {
  const transaction = pay(owned.address, E18, { hash })
  transaction.transfers[0] = { ...transaction.transfers[0]!, from: [from] }
  await world.mine('ETHEREUM', 10, [transaction])
  await world.settle('ETHEREUM', 10_000, 10_000)
  const { rows } = await sql<{ id: string }>`select id from deposits where transaction = ${hash}`.execute(world.db)
  return rows[0]!.id
}
const routes = () =>
  screeningRoutes({
    db: world.db,
    publicUrl: PUBLIC_URL,
    stateOf: async (_kind, merchantId, id) => (await findDeposit(world.db, merchantId, id))?.state,
  })
const look = (id: string, merchantId = owned.merchantId) =>
  routes()
    .find(({ operation }) => operation === 'getDepositCompliance')!
    .handle({ merchantId, params: { id } } as unknown as ApiRequest)
const open = (url: string, language?: string) =>
  reportPage({ db: world.db, documents }).handle({
    params: { file: url.slice(`${PUBLIC_URL}/compliance/`.length) },
    query: language === undefined ? {} : { language },
  } as unknown as PageRequest) as Promise<Extract<PageAnswer, { body: unknown }>>

describe('a deposit, once screening is on', () => {
  test('is Done at once and Verified when judged, in the shape of the wire; the lookup says the same', async () => {
    const id = await arrive()
    expect(await world.statuses()).toEqual(['Pending', 'Done'])
    await expect(look(id)).rejects.toMatchObject({ status: 409, code: 102, retryAfterSeconds: 60 })
    await screen()
    await screen()
    expect(await world.statuses()).toEqual(['Pending', 'Done', 'Verified'])
    const { body } = (await world.notices()).at(-1)!
    expect(Value.Errors(ReplenishVerified, body)).toEqual([])
    expect(body).toMatchObject({
      id,
      status: 'Verified',
      block: 10,
      compliance: { risky: false, riskScore: 0, timestamp: START },
    })
    expect(await look(id)).toEqual({ status: 200, body: body.compliance })
    expect(verified).toEqual([id])
  })

  test('from a listed sender is Verified as risky, and its document says why in four languages', async () => {
    await arrive('BAD'.toLowerCase())
    await screen()
    const { compliance } = (await world.notices()).at(-1)!.body as { compliance: ComplianceBody }
    expect(compliance).toMatchObject({
      risky: true,
      riskScore: 1,
      dangerSignals: { sanctions: 100 },
      signals: { sanctions: 100 },
    })
    expect(verified).toEqual([])
    const made = await Promise.all(
      ['en', 'uk', 'kk', 'ru'].map(async (language) => (await open(compliance.url, language)).body as Buffer),
    )
    for (const pdf of made) expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
    expect(new Set(made.map((pdf) => pdf.toString('latin1'))).size).toBe(4)
    await expect(open(`${PUBLIC_URL}/compliance/${'0'.repeat(32)}.pdf`)).rejects.toMatchObject({ status: 404 })
    await expect(open(`${PUBLIC_URL}/compliance/..%2f.pdf`)).rejects.toMatchObject({ status: 404 })
  })

  test('of another merchant is not found, like an unknown one', async () => {
    const id = await arrive()
    await screen()
    await expect(look(id, '0199a000-0000-7000-8000-0000000000ff')).rejects.toMatchObject({ status: 404, code: 101 })
    await expect(look('nonsense')).rejects.toMatchObject({ status: 404 })
  })

  test('that a reorganisation took away before it was judged is notified as Verified when it is back, once', async () => {
    const id = await arrive()
    await world.orphan('ETHEREUM', 10)
    await screen()
    expect(await world.statuses()).toEqual(['Pending', 'Done'])
    await arrive()
    expect(await world.statuses()).toEqual(['Pending', 'Done', 'Verified'])
    await world.orphan('ETHEREUM', 10)
    await arrive()
    await screen()
    expect(await world.statuses()).toEqual(['Pending', 'Done', 'Verified'])
    expect(verified).toEqual([id])
  })

  test('that comes back in the moment it is judged is notified as Verified all the same', async () => {
    await arrive()
    await world.orphan('ETHEREUM', 10)
    let back: Promise<string> | undefined
    await screen({
      verify: async (tx, one, moment) => {
        const effects = await world.deposits.verify(tx, one, moment)
        back = arrive()
        await sleep(500)
        return effects
      },
    })
    await back
    await screen()
    expect(await world.statuses()).toEqual(['Pending', 'Done', 'Verified'])
  })

  test('that an invoice notifies in its own way is judged, and not notified by itself', async () => {
    unnotified.add('h1')
    const id = await arrive()
    await screen()
    expect(await world.statuses()).toEqual([])
    expect((await look(id)).status).toBe(200)
    expect(verified).toEqual([id])
  })

  test.each(['failed', 'suspended'])(
    'audit C-11: that is %s and was not screened has no report, and nothing is promised',
    async (state) => {
      const id = await arrive()
      await sql`update deposits set state = ${state} where id = ${id}`.execute(world.db)
      await sql`delete from screenings where subject_id = ${id}`.execute(world.db)
      const refused = await look(id).catch((error: unknown) => error)
      expect(refused).toMatchObject({ status: 409, code: 103 })
      expect((refused as { retryAfterSeconds?: number }).retryAfterSeconds).toBeUndefined()
      await expect(look(randomUUID())).rejects.toMatchObject({ status: 404 })
    },
  )

  test('is never Verified while no provider can judge it', async () => {
    await sql`truncate screening_list_entries, screening_lists`.execute(world.db)
    const id = await arrive()
    await screen()
    expect(await world.statuses()).toEqual(['Pending', 'Done'])
    await expect(look(id)).rejects.toMatchObject({ code: 102 })
  })
})

test('without settings nothing is screened', () => {
  expect(
    createScreeningJobs(
      { runtime: runtime(), catalogue, publicUrl: PUBLIC_URL, screening: null },
      { deposits: world.deposits, adapters: new Map(), signer: nothingSigned, pause: async () => {} },
    ).map(({ name }) => name),
  ).toEqual(['withdrawals judged again'])
})
