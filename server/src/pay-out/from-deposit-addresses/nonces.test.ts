import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { depositKey, evmRequest, keyring } from '../../../../test/world/signer.ts'
import { bookAt } from '../../../../test/world/custody.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { DEFAULT_SWEEP_POLICY } from '../../treasury/sweeps/index.ts'
import { createEvmPayoutJob } from '../withdrawals/index.ts'
import { createPayoutWorld, HOT, STRANGER, type PayoutWorld } from '../../../../test/world/payouts.ts'
import { createEvmDirect } from './index.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})
const UNITS = 1_000_000n
const DEPOSIT = keyring.evmAddress(depositKey(7))

test('audit M-B1: a deposit address whose nonce was signed for something unknown keeps no withdrawal waiting', async () => {
  world = await createPayoutWorld(database.url)
  await world.made.signer.sign(
    evmRequest({ id: world.runtime.newId(), asset: 'USDT', to: STRANGER, units: '5' }, {}, { keys: [depositKey(7)] }),
  )
  // Raw: the address has the test signer's key 7, without the six before it.
  await sql`insert into addresses(merchant_id, id, family, blockchain, address, derivation_index, created_at)
    values (${world.merchantId}, ${world.runtime.newId()}, 'EVM', 'ETHEREUM', ${DEPOSIT}, 7, now())`.execute(world.db)
  await bookAt(world.db, { network: 'ETHEREUM', asset: 'USDT', address: DEPOSIT }, UNITS)
  const { policy, ...evm } = world.evm
  const adapter = Object.assign(world.adapter, { codeAt: async () => '0x' as const })
  const fromDeposits = createEvmDirect({ ...evm, adapter, sending: policy, sweeps: DEFAULT_SWEEP_POLICY })
  const plan = createEvmPayoutJob({ ...world.evm, fromDeposits }, 1)
  const id = await world.request(UNITS)
  const { signal } = new AbortController()
  for (let round = 0; round < 3; round += 1) {
    world.later(1_000)
    await plan.run(signal)
    await world.send.run(signal)
  }
  expect(await world.stateOf(id)).toBe('sent')
  const { rows } = await sql<{
    sender: string
    state: string
  }>`select senders[1] as sender, state from outgoing order by created_at`.execute(world.db)
  expect(rows).toEqual([
    { sender: DEPOSIT, state: 'abandoned' },
    { sender: HOT, state: 'broadcast' },
  ])
})
