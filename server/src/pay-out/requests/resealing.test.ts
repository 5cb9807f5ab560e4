/** Card numbers of requests get the newest key, also beside many whose key is missing. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { createSecretRing } from '../../platform/config/secrets.ts'
import { tendCards } from './to-cards.ts'

const { db } = useDb()
const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
const [NEW, OLD, LOST] = [key(1), key(2), key(3)]
const AT = new Date('2026-01-05T10:00:00Z')

test('250 numbers whose key is missing hide no other number from the newest key', async () => {
  const merchantId = randomUUID()
  const ids = Array.from({ length: 252 }, () => randomUUID()).toSorted()
  const sealed = ids.map((id, at) =>
    // The first and the last one can be opened.
    createSecretRing([at === 0 || at === 251 ? OLD : LOST]).seal(
      '4242424242424242',
      `payout_cards.sealed_card|${merchantId}|${id}`,
    ),
  )
  // Raw, without foreign keys: so many requests of members take minutes.
  await withoutTriggers(db, async (tx) => {
    await sql`insert into payout_requests(id, merchant_id, kind, form_key, name, state, maker_id, content_hash, created_at,
        expires_at)
      select id, ${merchantId}, 'to-card', gen_random_uuid(), 'x', 'waiting', gen_random_uuid(), '', ${AT}, ${new Date(AT.getTime() + 1)}
      from unnest(${ids}::uuid[]) id`.execute(tx)
    await sql`insert into payout_cards(request_id, merchant_id, sealed_card)
      select id, ${merchantId}, sealed from unnest(${ids}::uuid[], ${sealed}::text[]) c(id, sealed)`.execute(tx)
  })
  const ring = createSecretRing([NEW, OLD])
  await tendCards(db, ring, AT)
  const { rows } = await sql<{ id: string }>`select request_id as id from payout_cards
    where substring(sealed_card for 12) = ${ring.newest} order by 1`.execute(db)
  expect(rows.map(({ id }) => id)).toEqual([ids[0], ids[251]])
})
