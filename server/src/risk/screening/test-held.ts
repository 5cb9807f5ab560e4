/** What happens to held deposits in tests: people decide, and merchants of the installation pay each other. */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { createDecided } from '../../app/composition/screening.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { E18, type Owned, type World } from '../../pay-in/deposits/test-world.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { decideAs, type Opinion } from './index.ts'

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
export const receiveFromMerchant = async (world: World, sender: string, { address }: Owned): Promise<void> => {
  const id = uuidv7(world.now, randomBytes(10))
  const at = new Date(world.now)
  await sql`insert into withdrawals(merchant_id, id, ticker, blockchain, to_address, units, fee_units, state, internal, hold_id, not_before, created_at, updated_at)
    values (${sender}, ${id}, 'ETH', 'ETHEREUM', ${address}, ${E18}, 0, 'done', true, ${randomUUID()}, ${at}, ${at}, ${at})`.execute(
    world.db,
  )
  await world.act((tx, moment) =>
    world.deposits.receiveInternal(tx, { id, ticker: 'ETH', blockchain: 'ETHEREUM', to: address, units: E18 }, moment),
  )
}
