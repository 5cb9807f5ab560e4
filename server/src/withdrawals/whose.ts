import type { Network } from '@bursar/chainkit'
import { familyOf, holdersOf, type AddressFamily } from '../addresses/index.ts'
import { Batcher } from '../base/batcher.ts'
import type { Db } from '../db/index.ts'

/** Whose address this is: a merchant's deposit address, one of the house's own, or nobody's here. */
export type WhoseAddress = (network: Network, address: string) => Promise<'merchant' | 'house' | 'nobody'>

interface Asked {
  family: AddressFamily
  address: string
}

const MOST_IN_BATCH = 256

/** Answers from the database; requests that wait together share one query. */
export const createWhoseAddress = (db: Db): WhoseAddress => {
  const batcher = new Batcher<Asked, 'merchant' | 'house' | 'nobody'>({
    most: MOST_IN_BATCH,
    run: async (batch) => {
      const holders = await holdersOf(db, batch)
      return batch.map(({ family, address }) => holders.get(`${family}/${address}`) ?? 'nobody')
    },
  })
  return (network, address) => batcher.submit({ family: familyOf(network), address })
}
