import { randomUUID } from 'node:crypto'
import type { Block, ChainTransaction, Transfer } from '@bursar/chainkit'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createDb, createPool, inTransaction, type Db } from '../../platform/db/index.ts'
import { withCoinSwept } from './index.ts'

const database = useDatabase({ template: migrated })
const [OURS, STRANGER, TREASURY, PAYER] = [0xa, 0xb, 0xc, 0xd].map((n) => `0x${n.toString(16).repeat(40)}`) as [
  string,
  string,
  string,
  string,
]
let db: Db
beforeAll(async () => {
  const pool = createPool({ url: database.url })
  db = createDb(pool)
  // Raw: an address with a readable name; no signer runs here.
  await sql`insert into addresses(merchant_id, id, family, blockchain, address, derivation_index, created_at)
    values (${randomUUID()}, ${randomUUID()}, 'EVM', 'ETHEREUM', ${OURS}, 1, now())`.execute(db)
  return () => pool.end()
})

const income = (units: bigint): Transfer => ({
  index: `t:${TREASURY}`,
  contract: null,
  from: [PAYER],
  to: TREASURY,
  units,
})
const swept = (account: string, units: bigint, place = 0) => ({ index: `t:l:${place}`, account, units })
const moved = (units: bigint, place = 0): Transfer => ({
  index: `t:l:${place}`,
  contract: null,
  from: [OURS],
  to: TREASURY,
  units,
})
const read = async (
  transfers: Transfer[],
  coinSwept: ChainTransaction['coinSwept'],
  more: Partial<Block> = {},
): Promise<Transfer[]> => {
  const transaction: ChainTransaction = {
    hash: 'sweep',
    keys: [],
    succeeded: true,
    fee: 0n,
    transfers,
    ...(coinSwept && { coinSwept }),
  }
  const block: Block = { height: 5, hash: 'five', parent: 'four', time: 0, transactions: [transaction], ...more }
  return (await inTransaction(db, (tx) => withCoinSwept(tx, 'ETHEREUM', block, { first: TREASURY }))).transactions[0]!
    .transfers
}

test('audit D-E2: coin that an address of ours logs to have swept is a transfer to the treasury', async () => {
  expect(await read([], [swept(OURS, 5n)])).toEqual([moved(5n)])
  expect(await read([], [swept(OURS, 5n), swept(OURS, 6n, 3)], { untraced: true })).toEqual([moved(5n), moved(6n, 3)])
})

test('audit D-E2: is not posted a second time as income of the treasury, which a trace shows as one sum', async () => {
  expect(await read([income(5n)], [swept(OURS, 5n)])).toEqual([moved(5n)])
  expect(await read([income(9n)], [swept(OURS, 5n)])).toEqual([income(4n), moved(5n)])
})

test('audit D-E2: logs of other contracts are ignored', async () => {
  expect(await read([income(5n)], [swept(STRANGER, 5n)])).toEqual([income(5n)])
  expect(await read([income(9n)], [swept(STRANGER, 4n), swept(OURS, 5n, 1)])).toEqual([income(4n), moved(5n, 1)])
  expect(await read([income(9n)], undefined)).toEqual([income(9n)])
})

test('audit D-E2: coin that went to another treasury is not posted to this one', async () => {
  expect(await read([income(4n)], [swept(OURS, 5n)])).toEqual([income(4n)])
})
