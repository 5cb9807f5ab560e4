import type { Network } from '@bursar/chainkit'
import { familyOf, holdersOf, type AddressFamily } from '../../chain/addresses/index.ts'
import { Batcher } from '../../platform/base/batcher.ts'
import { isLost, PreparedConnection, type PoolSettings } from '../../platform/db/index.ts'

/** Whose addresses are: a merchant's deposit address, one of the platform's own, or nobody's here. */
export interface AddressHolders {
  holderOf(network: Network, address: string): Promise<'merchant' | 'platform' | 'nobody'>
  close(): Promise<void>
}

interface Asked {
  family: AddressFamily
  address: string
}

const MOST_IN_BATCH = 256

/** Answers from the database; requests that wait together share one query. */
export const createAddressHolders = (settings: PoolSettings): AddressHolders => {
  const connection = new PreparedConnection(settings)
  const find = (batch: readonly Asked[]) => holdersOf(connection.query, batch)
  const batcher = new Batcher<Asked, 'merchant' | 'platform' | 'nobody'>({
    most: MOST_IN_BATCH,
    run: async (batch) => {
      // A connection that broke is found out by using it: reading may be tried again.
      const holders = await find(batch).catch((error: unknown) => (isLost(error) ? find(batch) : Promise.reject(error)))
      return batch.map(({ family, address }) => holders.get(`${family}/${address}`) ?? 'nobody')
    },
  })
  return {
    holderOf: (network, address) => batcher.submit({ family: familyOf(network), address }),
    close: async () => {
      await batcher.close()
      await connection.close()
    },
  }
}
