import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createDerivationCheck } from '../../chain/addresses/index.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import { giveAddress } from '../../../../test/world/address.ts'
import { E18, pay, useDeposits } from '../../../../test/world/deposits.ts'

const world = useDeposits({ isDerived: createDerivationCheck(TEST_KEYS) })
const FOREIGN_KEYS = {
  ...TEST_KEYS,
  bitcoin: { deposit: TEST_KEYS.bitcoin.hot },
  evm: { deposit: TEST_KEYS.evm.hot },
}

const alerts = async (): Promise<string[]> =>
  (
    await sql<{ subject: string }>`select subject from alerts where kind = 'address-not-ours'`.execute(world.db)
  ).rows.map(({ subject }) => subject)

test.each(['ETHEREUM', 'BITCOIN'] as const)(
  'audit S-3: a payment to a foreign address on %s is not credited because a row says that the address is ours',
  async (network) => {
    const family = network === 'BITCOIN' ? 'BITCOIN' : 'EVM'
    // Anyone who may write rows of addresses could name any address there is, such as one where an exchange is paid.
    const [merchantId, addressId] = [randomUUID(), randomUUID()]
    const address = await giveAddress(world.runtime, FOREIGN_KEYS, { merchantId, id: addressId, blockchain: network })
    const foreign = { merchantId, addressId, address }
    await world.poolHas(network, [pay(foreign.address, E18)])
    await world.mine(network, 100, [pay(foreign.address, E18), pay(foreign.address, E18)])
    await world.act(
      async (tx, moment) =>
        (await world.deposits.explainBalances(
          tx,
          network,
          { height: 100, hash: 'h' } as never,
          [{ owner: { ...foreign, index: 0, meta: null, leasedUntil: null }, units: E18 }],
          moment,
        )) ?? noEffects,
    )
    await world.settle(network, 200, 200)
    expect(await world.statuses()).toEqual([])
    expect(await alerts()).toEqual([`${family}/${foreign.address}`])

    const own = await world.address(network)
    await world.mine(network, 101, [pay(own.address, E18)])
    await world.settle(network, 300, 300)
    expect(await world.statuses()).toEqual(['Pending', 'Done'])
    expect(await alerts()).toHaveLength(1)
  },
)
