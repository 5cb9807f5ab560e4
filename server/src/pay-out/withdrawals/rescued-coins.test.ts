/**
 * Coins of a child that pays for a stranger's deposit: the stranger can take back all of it while the block is not
 * final.
 */
import { randomUUID } from 'node:crypto'
import { outpointOf, parseTransaction } from '@bursar/chainkit/bitcoin'
import { isRefused } from '@bursar/chainkit'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { bitcoinHotAddress, insertPlanned } from '../../chain/transactions/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { createPayoutWorld, WALLET, type PayoutWorld } from '../../../../test/world/payouts.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
let spent: string[]
beforeEach(async () => {
  world = await createPayoutWorld(database.url, { network: 'BITCOIN' })
  spent = []
  world.node.broadcast = (raw) => {
    const parsed = parseTransaction(Buffer.from(raw, 'hex'))
    if (!isRefused(parsed)) spent.push(...parsed.inputs.map(outpointOf))
    return { kind: 'accepted' }
  }
})
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

const HEIGHT = 99
const [DEPOSIT, OWN, CHILD, GRANDCHILD] = ['d0', '0e', 'c1', 'c2'].map((byte) => byte.repeat(32)) as [
  string,
  string,
  string,
  string,
]

/**
 * A transaction of ours that returned a coin to a change address in a block that is not final; the watcher stands at
 * 100, and 95 is final.
 */
const returned = async (hash: string, paysFor?: string): Promise<void> => {
  const id = randomUUID()
  const planned = {
    id,
    network: 'BITCOIN' as const,
    purpose: 'consolidation' as const,
    nonce: null,
    feeRate: {},
    unsigned: '',
    networkFee: 1n,
    signingKeys: [],
    keys: [`${paysFor ?? hash}:7`],
    senders: [],
  }
  await inTransaction(world.db, (tx) =>
    insertPlanned(tx, { ...planned, ...(paysFor !== undefined && { paysFor }) }, momentOf(world.runtime)),
  )
  await sql`update outgoing_attempts set hash = ${hash}, raw = '00' where outgoing_id = ${id}`.execute(world.db)
  await sql`update outgoing set state = 'mined', mined_hash = ${hash}, mined_height = ${HEIGHT}, succeeded = true where id = ${id}`.execute(
    world.db,
  )
  // Raw: the coin of a transaction that no node has.
  await sql`insert into utxos(network, transaction, vout, address, account, branch, derivation_index, units, block_height)
    values ('BITCOIN', ${hash}, 0, ${bitcoinHotAddress(WALLET)}, 'hot', 1, 0, 5000000, ${HEIGHT})`.execute(world.db)
}

test.each([
  ['of a deposit', [[CHILD, DEPOSIT]]],
  [
    'of a child that pays for a deposit',
    [
      [CHILD, DEPOSIT],
      [GRANDCHILD, CHILD],
    ],
  ],
] as const)('a payout does not stand on a child %s before its block is final', async (_name, children) => {
  for (const [hash, paysFor] of children) await returned(hash, paysFor)
  await sql`update utxos set spent_by = ${GRANDCHILD}, spent_height = ${HEIGHT} where transaction = ${CHILD} and ${children.length} = 2`.execute(
    world.db,
  )
  const id = await world.request(1_000_000n)
  await world.work()
  expect([await world.stateOf(id), spent]).toEqual(['requested', []])
  await sql`update watch_cursors set final_height = ${HEIGHT} where network = 'BITCOIN'`.execute(world.db)
  await world.work()
  expect([await world.stateOf(id), spent]).toEqual(['sent', [`${children.at(-1)![0]}:0`]])
})

test('a payout spends the output of a child of a transaction of ours with one confirmation', async () => {
  await returned(OWN)
  await sql`update utxos set spent_by = ${CHILD}, spent_height = ${HEIGHT} where transaction = ${OWN}`.execute(world.db)
  await returned(CHILD, OWN)
  const id = await world.request(1_000_000n)
  await world.work()
  expect([await world.stateOf(id), spent]).toEqual(['sent', [`${CHILD}:0`]])
})
