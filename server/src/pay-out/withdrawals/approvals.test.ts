/** Withdrawals above the amount from which the signer's policy requires approvals. The signer is the real one. */
import { afterEach, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createPayoutWorld, policyWith, type PayoutWorld } from '../../../../test/world/payouts.ts'
import { approve as sign, approvers } from '../../../../test/world/signer.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { approve, findById } from './index.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

const HOUR_MS = 3_600_000
const [alice, bob] = approvers as [(typeof approvers)[0], (typeof approvers)[0]]
const LIMIT = { approvalsAbove: '5000000', approvalsNeeded: 2 }

const open = async (): Promise<void> => {
  world = await createPayoutWorld(database.url, { policy: policyWith(LIMIT) })
}

/** An approver's signature on a withdrawal as the server has it. */
const signatureOf = async (approver: typeof alice, id: string, expiresAt: number) => {
  const { to, intentId, units } = (await findById(world.db, world.merchantId, id))!
  return sign(approver, 'ETHEREUM', { id: intentId, asset: 'USDT', to, units: units.toString() }, expiresAt)
}

/** Hands an approval to the signer, as `bursar-signer approve` does. */
const handOver = async (approver: typeof alice, id: string, expiresAt: number): Promise<void> => {
  const signature = await signatureOf(approver, id, expiresAt)
  await world.made.signer.approvals.approveBySignature({ network: 'ETHEREUM', intentId: id, ...signature })
}

/** Stores an approval on the server, as `bursar withdrawal approve` does. */
const store = async (approver: typeof alice, id: string, expiresAt: number): Promise<void> => {
  const { keyId, signature } = await signatureOf(approver, id, expiresAt)
  const approval = {
    merchantId: world.merchantId,
    withdrawalId: id,
    keyId,
    expiresAt: new Date(expiresAt),
    signature,
  }
  await inTransaction(world.db, (tx) => approve(tx, approval, momentOf(world.runtime)))
}

test('wait while others are paid, reserve no nonce, raise one alert each, and are listed by the signer', async () => {
  await open()
  const large = await world.request(6_000_000n)
  const small = await world.request(1_000_000n)
  await world.work(3, 31_000)
  expect([await world.stateOf(large), await world.stateOf(small)]).toEqual(['requested', 'sent'])
  expect(await world.nextNonce()).toBe(1)
  expect(world.made.signer.approvals.list()).toMatchObject([{ intent: { id: large }, needed: 2, approvedBy: [] }])
  expect(await world.alerts()).toMatchObject([{ kind: 'signer-needs-approval', subject: large }])
})

test('are paid within half a minute of the last approval, whether the signer or the server got it', async () => {
  await open()
  const large = await world.request(6_000_000n)
  await world.work(1)
  const end = world.runtime.clock.now() + HOUR_MS
  await store(alice, large, end)
  await world.work(1, 30_000)
  expect(await world.stateOf(large)).toBe('requested')
  await handOver(bob, large, end)
  await world.work(2, 30_000)
  expect(await world.stateOf(large)).toBe('sent')
  expect(await world.alerts()).toEqual([])
})

test('are not paid by an approval that has ended', async () => {
  await open()
  const large = await world.request(6_000_000n)
  await world.work(1)
  const end = world.runtime.clock.now() + HOUR_MS
  await store(alice, large, end)
  world.later(HOUR_MS)
  await store(bob, large, end + HOUR_MS)
  await world.work(2, 30_000)
  expect(await world.stateOf(large)).toBe('requested')
  await store(alice, large, end + HOUR_MS)
  await world.work(2, 30_000)
  expect(await world.stateOf(large)).toBe('sent')
})
