/** Lets a watcher read a chain to its head. */
import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Follower } from '../../server/src/chain/watcher/index.ts'
import type { Db } from '../../server/src/platform/db/index.ts'

const MOST_STEPS = 500

/**
 * Steps until the cursor stands at the head, and once more, for what is noticed only there.
 * @param head the hash of the chain's head now
 */
export const readToHead = async (
  db: Db,
  network: Network,
  follower: Pick<Follower, 'step'>,
  head: () => string | Promise<string>,
): Promise<void> => {
  for (let step = 0; step < MOST_STEPS; step += 1) {
    await follower.step()
    const { rows } = await sql<{ hash: string }>`select hash from watch_cursors where network = ${network}`.execute(db)
    if (rows[0]?.hash === (await head())) return void (await follower.step())
  }
  throw new Error('the watcher does not arrive')
}
