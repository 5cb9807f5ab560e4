import { sql } from 'kysely'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import { PLATFORM } from '../../ledger/postings/index.ts'
import { ownCosts, type Outgoing, type OutgoingSubscriber } from '../../chain/transactions/index.ts'

/**
 * Creates the subscriber that posts the cost of joining coins: an equal share for each coin, charged to the merchant
 * whose deposit made it, or to the platform for change and funding.
 */
export const createConsolidationSettlement =
  (catalogue: Catalogue): OutgoingSubscriber =>
  async (tx, change, moment) => {
    if (change.outgoing.purpose !== 'consolidation') return noEffects
    if (change.event !== 'mined' && change.event !== 'reorganized') return noEffects
    return ownCosts(catalogue, change, await ownersOf(tx, change.outgoing), moment)
  }

/** Returns the owner of each spent coin, in the order of inputs. Coins are never deleted, so it never changes. */
const ownersOf = async (tx: Tx, { network, keys }: Outgoing): Promise<string[]> => {
  const { rows } = await sql<{ owner: string }>`select coalesce(a.merchant_id::text, ${PLATFORM}) as owner
    from unnest(${[...keys]}::text[]) with ordinality k(outpoint, n)
    left join utxos x on x.network = ${network} and x.transaction = split_part(k.outpoint, ':', 1) and x.vout = split_part(k.outpoint, ':', 2)::int
    left join addresses a on a.family = 'BITCOIN' and a.address = x.address order by k.n`.execute(tx)
  return rows.map(({ owner }) => owner)
}
