/** For tests of held deposits in this module alone: people decide, and merchants of the installation pay each other. */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { listSanctions, PUBLIC_URL, screenAll } from '../../../../test/world/screening.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { changeSettings, makeMerchant } from '../../../../test/world/merchant.ts'
import { holdsUntilVerified } from '../../merchants/accounts/index.ts'
import { createDecided, createScreenCredited, createScreenHeld } from '../../app/composition/screening.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import type { CreditedSubscriber, Deposits } from '../../pay-in/deposits/index.ts'
import { E18, type Owned, START, type World, catalogue, createWorld, pay } from '../../../../test/world/deposits.ts'
import { carryOut, noEffects } from '../../ledger/effects/index.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import { type Opinion, decideAs } from './index.ts'

export const NET = (E18 * 99n) / 100n

/**
 * A person decides about the first judgement there is. @returns how many more have to, undefined when nothing was to be
 * decided
 */
export const decideFirst = async (
  world: World,
  publicUrl: string,
  { event, actor, deciders }: { event: Opinion['event']; actor: string; deciders: number },
): Promise<number | undefined> => {
  const { rows } = await sql<{ id: string }>`select id from screenings order by created_at`.execute(world.db)
  return inTransaction(world.db, async (tx) => {
    const rules = { deciders, riskyFrom: 0.5, subscribers: [createDecided(publicUrl, world.deposits)] }
    const outcome = await decideAs(tx, rows[0]!.id, { event, actor, reason: 'looked at it' }, rules, world.moment())
    if (outcome) await carryOut(tx, outcome.effects, world.moment())
    return outcome?.missing
  })
}

/** A merchant of the installation sends money to an address of another. */
const receiveFromMerchant = async (world: World, sender: string, { address }: Owned): Promise<void> => {
  const id = uuidv7(world.now, randomBytes(10))
  const at = new Date(world.now)
  // Raw: the sender's withdrawal; only its receiver is the subject.
  await sql`insert into withdrawals(merchant_id, id, ticker, blockchain, to_address, units, fee_units, state, internal, hold_id, not_before, created_at, updated_at)
    values (${sender}, ${id}, 'ETH', 'ETHEREUM', ${address}, ${E18}, 0, 'done', true, ${randomUUID()}, ${at}, ${at}, ${at})`.execute(
    world.db,
  )
  await world.act((tx, moment) =>
    world.deposits.receiveInternal(tx, { id, ticker: 'ETH', blockchain: 'ETHEREUM', to: address, units: E18 }, moment),
  )
}

/**
 * For the top of a test file: a merchant that has money held until it is verified, its deposit address, and a list of
 * sanctions that names `bad`.
 */
export const useHeld = () => {
  const { url } = useDatabase({ template: migrated })
  const held = {} as { world: World; owned: Owned }
  const targets: string[] = []
  const onVerified: CreditedSubscriber = async (_tx, all) => {
    targets.push(...all.map(({ deposit }) => deposit.id))
    return noEffects
  }

  beforeAll(() => {
    held.world = createWorld(url, {
      onCredited: [(...all) => createScreenCredited(PUBLIC_URL, () => held.world.deposits)(...all)],
      onVerified: [onVerified],
      holds: holdsUntilVerified,
      onHeld: [(...all) => createScreenHeld(PUBLIC_URL, () => held.world.deposits)(...all)],
    })
  })
  afterAll(() => held.world.close())
  beforeEach(async () => {
    await held.world.reset()
    await withoutTriggers(held.world.db, (tx) =>
      sql`truncate screenings, screening_decisions, screening_list_entries, screening_lists, merchants cascade`.execute(
        tx,
      ),
    )
    held.world.now = START
    targets.length = 0
    held.owned = await held.world.address('ETHEREUM')
    await makeMerchant(held.world.db, START, { id: held.owned.merchantId, settings: { holdUntilVerified: true } })
    await list('bad')
  })
  afterEach(async () => expect(await auditLedger(held.world.db)).toEqual([]))

  const setHolding = (on: boolean) =>
    changeSettings(held.world.db, held.owned.merchantId, { holdUntilVerified: on }, held.world.now)
  const list = (...addresses: string[]) => listSanctions(held.world.db, 'ETH', addresses, held.world.moment())
  const screen = (deposits: Pick<Deposits, 'verify'> = held.world.deposits, pause = async (_point: string) => {}) =>
    screenAll(
      createTestRuntime(held.world.db, () => held.world.now),
      catalogue,
      { deposits, pause },
    )
  const mine = async (from: string, hash = 'h1', height = 10): Promise<void> => {
    const transaction = pay(held.owned.address, E18, { hash })
    transaction.transfers[0] = { ...transaction.transfers[0]!, from: [from] }
    await held.world.mine('ETHEREUM', height, [transaction])
  }
  const settle = () => held.world.settle('ETHEREUM', 10_000, 10_000)
  const arrive = async (from = 'payer'): Promise<string> => {
    await mine(from)
    await settle()
    return (await deposit()).id
  }
  const deposit = async () =>
    (
      await sql<{
        id: string
        state: string
        told: string
        failReason: string | null
      }>`select id, state, told, fail_reason as "failReason" from deposits`.execute(held.world.db)
    ).rows[0]!
  const decide = (event: Opinion['event'], actor = 'cli:ann', deciders = 1) =>
    decideFirst(held.world, PUBLIC_URL, { event, actor, deciders })
  const receiveFrom = (sender: string) => receiveFromMerchant(held.world, sender, held.owned)
  /** balance, quarantine, custody and fees */
  const books = async () =>
    Promise.all(
      (['merchant', 'quarantine', 'custody:ETHEREUM', 'fees'] as const).map((kind) =>
        held.world.balance(held.owned.merchantId, 'ETH', kind),
      ),
    )
  return Object.assign(held, {
    targets,
    setHolding,
    list,
    screen,
    mine,
    settle,
    arrive,
    deposit,
    decide,
    receiveFrom,
    books,
  })
}
