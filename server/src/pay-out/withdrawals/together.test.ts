/** Jobs of the same hot address that plan at the same time: the money of one plan is not planned again. */
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import type { AccountChainAdapter } from '../../adapters/chains/port.ts'
import {
  evmHotKeys,
  insertOffered,
  insertPlanned,
  readOffered,
  recordImported,
  takeNonce,
} from '../../chain/transactions/index.ts'
import { insertTransfer } from '../../treasury/cold/store.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { freeNonce } from '../../chain/transactions/nonces.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { insertHotMove } from './hot-wallet.ts'
import { createEvmPayoutJob } from './index.ts'
import { hotRow } from './payouts.ts'
import { createPayoutWorld, HOT, STRANGER, WALLET, type PayoutWorld } from '../../../../test/world/payouts.ts'

const UNITS = 1_000_000n
/** Enough for two of these, not for three. */
const BALANCE = 2_500_000n
const { signal } = new AbortController()
let database: TestDatabase
let world: PayoutWorld

beforeEach(async () => {
  database = await createDatabase({ template: migrated })
  world = await createPayoutWorld(database.url)
})
afterEach(async () => {
  await world.close()
  await database.drop()
})

/** A transfer between hot addresses, as the job that levels them plans it. */
const planMove = (): Promise<void> =>
  inTransaction(world.db, async (tx) => {
    const moment = momentOf(world.runtime)
    const nonce = await takeNonce(tx, 'ETHEREUM', HOT, moment.at)
    const id = world.runtime.newId()
    const row = hotRow('ETHEREUM', evmHotKeys(WALLET, 1)[0]!, nonce)
    const plan = {
      unsigned: '0x',
      networkFee: 1n,
      feeRate: { kind: 'gas', legacy: false, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
    }
    await insertPlanned(
      tx,
      { ...row, id, purpose: 'rebalance', ...plan } as Parameters<typeof insertPlanned>[1],
      moment,
    )
    await insertHotMove(tx, id, 'ETHEREUM', { ticker: 'USDT', units: UNITS, from: HOT, to: STRANGER }, moment.at)
  })

/** A transfer to cold storage whose signed bytes are imported: its nonce is not the next one. */
const importCold = (): Promise<void> =>
  inTransaction(world.db, async (tx) => {
    const moment = momentOf(world.runtime)
    const id = world.runtime.newId()
    const row = hotRow('ETHEREUM', evmHotKeys(WALLET, 1)[0]!, 9)
    await insertOffered(
      tx,
      { ...row, id, purpose: 'cold', unsigned: '0x', networkFee: 1n, feeRate: {}, hash: null },
      moment,
    )
    const transfer = { id, network: 'ETHEREUM', asset: 'USDT', units: UNITS, to: STRANGER } as const
    await insertTransfer(tx, { ...transfer, expiresAt: moment.at, createdAt: moment.at })
    const { outgoing } = (await readOffered(tx, id))!
    await recordImported(tx, outgoing, { raw: '0x', hash: '0xc0' }, moment)
  })

/** The node's balance of the hot address, in what it has of tokens. */
const poor = async (_height: number, wanted: readonly { contract: string | null }[]): Promise<bigint[]> =>
  wanted.map(({ contract }) => (contract === null ? 10n ** 20n : BALANCE))

const payouts = async (): Promise<number> =>
  (await sql<{ n: number }>`select count(*) as n from outgoing where purpose = 'payout'`.execute(world.db)).rows[0]!.n

/** Runs the payout job of Ethereum; `meanwhile` runs after its reads of the database and before those of the chain. */
const payOut = async (meanwhile?: () => Promise<void>): Promise<void> => {
  let work = meanwhile
  const adapter = {
    ...world.adapter,
    balancesAt: poor,
    stateFrom: async (least: number) => {
      const now = work
      work = undefined
      await now?.()
      const state = await world.adapter.stateFrom(least)
      return {
        ...state,
        balances: (wanted: readonly { address: string; contract: string | null }[]) => poor(0, wanted),
      }
    },
  } as AccountChainAdapter
  await createEvmPayoutJob({ ...world.evm, adapter }, 1).run(signal)
}

/** A payment that is planned with the next nonce, and refused by the signer after `meanwhile`. */
const planRefused = async (meanwhile: () => Promise<void>): Promise<void> => {
  const { at } = momentOf(world.runtime)
  const nonce = await inTransaction(world.db, (tx) => takeNonce(tx, 'ETHEREUM', HOT, at))
  await meanwhile()
  await inTransaction(world.db, (tx) => freeNonce(tx, { network: 'ETHEREUM', senders: [HOT], nonce }, false, at))
}

test.each([
  ['planned', planMove],
  ['planned behind one that is refused', () => planRefused(planMove)],
  ['imported for cold storage', importCold],
])('an amount that another job has %s while the balance is read is not paid out again', async (_, meanwhile) => {
  await world.request(UNITS)
  await world.plan()
  expect(await payouts()).toBe(1)
  await world.request(UNITS)
  await payOut(meanwhile)
  expect(await payouts()).toBe(1)
  // Nor afterwards, when the transfer is known to leave too little.
  await payOut()
  expect(await payouts()).toBe(1)
})
