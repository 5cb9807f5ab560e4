/**
 * The whole way in on TRON: a node's HTTP answers, the adapter, the deposits, the ledger. The answers are as java-tron
 * 4.8 writes them (`TransactionUtil.java`, `Program.java`).
 */
import { hexOfAddress } from '@bursar/chainkit/tron'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useDeposits, type Owned } from '../../../../test/world/deposits.ts'
import { follow, readAll } from '../../../../test/world/watcher.ts'
import { hashOfTest, headerOf, startScriptedNode } from '../../../../test/world/scripted-tron-node.ts'
import { createCatalogue } from '../../market/assets/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { createUnknownNoteAlarm } from '../../chain/watcher/index.ts'
import { createBackingJob } from './index.ts'

const CONTRACT = `41${'22'.repeat(20)}`
const HASH = hashOfTest('ab')
const TRX = 1_000_000n
const catalogue = createCatalogue({
  crypto: [{ ticker: 'TRX', name: 'TRON', networks: { TRON: { decimals: 6, minDeposit: '1', minWithdrawal: '1' } } }],
  fiat: [],
})
const world = useDeposits({ catalogue })
const { db, deposits, runtime } = world
let ours: Owned

beforeEach(async () => {
  ours = await world.address('TRON')
})

const entry = (note: string, trx: bigint) => ({
  caller_address: CONTRACT,
  transferTo_address: hexOfAddress(ours.address),
  callValueInfo: [{ callValue: Number(trx * TRX) }],
  note: Buffer.from(note).toString('hex'),
})

/**
 * Lets a node show these entries in block 100, reads that, and lets it become final. @returns what the merchant has, in
 * TRX
 */
const read = async (entries: object[], internalTransactions: boolean, held = 0n): Promise<bigint> => {
  let height = 99
  const call = { owner_address: CONTRACT, contract_address: CONTRACT, data: 'c0ffee' }
  const raw = { contract: [{ type: 'TriggerSmartContract', parameter: { value: call } }] }
  const { adapter } = await startScriptedNode(
    {
      'wallet/getblockbynum': ({ num }) => ({
        ...headerOf(num as number),
        transactions: [{ ret: [{ contractRet: 'SUCCESS' }], txID: HASH, raw_data: raw }],
      }),
      'wallet/getblock': ({ id_or_num }) => headerOf(Number(id_or_num ?? height)),
      'walletsolidity/getblock': () => headerOf(height),
      'walletsolidity/getaccount': () =>
        held === 0n ? {} : { address: hexOfAddress(ours.address), balance: Number(held * TRX) },
      'wallet/gettransactioninfobyblocknum': ({ num }) => [
        { id: HASH, blockNumber: num, fee: 1, receipt: { result: 'SUCCESS' }, internal_transactions: entries },
      ],
    },
    { internalTransactions },
  )
  const follower = await follow(runtime, adapter, [deposits, createUnknownNoteAlarm()])
  height = 100
  await readAll(follower)
  await createBackingJob({ runtime, catalogue, network: 'TRON', adapter, deposits, everyMs: 1 }).run(
    new AbortController().signal,
  )
  return (await world.balance(ours.merchantId, 'TRX')) / TRX
}

const lending = () =>
  Array.from({ length: 10 }, (_, i) =>
    entry(i % 2 === 0 ? 'delegateResourceOfEnergy' : 'unDelegateResourceOfEnergy', 1_000_000n),
  )

test.each([true, false])(
  'audit M-A1 D-T1: energy lent by a contract to a deposit address credits nothing (internalTransactions: %s)',
  async (internalTransactions) => {
    expect(await read(lending(), internalTransactions)).toBe(0n)
  },
)

test('audit M-A1: an entry of an unknown kind credits nothing, and an alert is raised', async () => {
  expect(await read([entry('giveOnTuesdays', 5n)], true)).toBe(0n)
  const { rows } = await sql<{ kind: string; subject: string }>`select kind, subject from alerts`.execute(db)
  expect(rows).toEqual([{ kind: 'unknown-internal-transaction', subject: 'TRON/giveOnTuesdays' }])
})

const alerts = async () =>
  (await sql<{ kind: string; subject: string }>`select kind, subject from alerts where resolved_at is null`.execute(db))
    .rows

test("audit M-A1: a contract's transfer is credited when its address holds it at a final block", async () => {
  expect(await read([entry('call', 5n)], true, 5n)).toBe(5n)
  expect(await alerts()).toEqual([])
})

test('audit M-A1: a listed amount that its address does not hold is not credited, and an alert is raised', async () => {
  expect(await read([entry('call', 5n), entry('call', 3n)], true, 7n)).toBe(0n)
  expect(await alerts()).toEqual([{ kind: 'deposit-not-held', subject: `TRON/${ours.address}` }])
})

test('audit M-A1: an operator ends a deposit that did not happen, once, but not one that only waits for its block', async () => {
  await read([entry('call', 5n)], true, 4n)
  const { rows } = await sql<{
    merchantId: string
    id: string
  }>`select merchant_id as "merchantId", id from deposits`.execute(db)
  const drop = () =>
    inTransaction(db, async (tx) => {
      const moment = world.moment()
      const effects = await deposits.drop(tx, rows[0]!, moment)
      if (effects) await carryOut(tx, effects, moment)
      return effects !== undefined
    })
  await sql`update watch_cursors set final_height = 99`.execute(db)
  expect(await drop()).toBe(false)
  await sql`update watch_cursors set final_height = 100`.execute(db)
  expect([await drop(), await drop()]).toEqual([true, false])
  expect(await alerts()).toEqual([])
  const notified = await sql<{ status: string }>`select status from events order by sequence`.execute(db)
  expect(notified.rows.map(({ status }) => status)).toEqual(['Pending', 'Failed'])
  const custody = await sql`select booked from custody_addresses`.execute(db)
  expect(custody.rows).toEqual([{ booked: 0n }])
})
