import type { Network } from '@bursar/chainkit'
import { familyOf, houseAddressesAmong, ownerOf, type AddressFamily } from '../addresses/index.ts'
import { Batcher } from '../base/batcher.ts'
import type { Db } from '../db/index.ts'

/** Whose address this is: a merchant's deposit address, one of the house's own, or nobody's here. */
export type WhoseAddress = (network: Network, address: string) => Promise<'merchant' | 'house' | 'nobody'>

interface Asked {
  family: AddressFamily
  address: string
}

const MOST_IN_BATCH = 256

/** Answers from the database; requests that wait together share its queries. */
export const createWhoseAddress = (db: Db): WhoseAddress => {
  const batcher = new Batcher<Asked, 'merchant' | 'house' | 'nobody'>({
    most: MOST_IN_BATCH,
    lanes: 2,
    laneOf: ({ address }) => address.length + address.charCodeAt(address.length - 1),
    run: async (batch) => {
      const families = [...new Set(batch.map((asked) => asked.family))]
      const known = new Map<string, 'merchant' | 'house'>()
      for (const family of families) {
        const addresses = batch.filter((asked) => asked.family === family).map((asked) => asked.address)
        const [owners, house] = await Promise.all([ownerOf(db, family, addresses), houseAddressesAmong(db, family, addresses)])
        for (const address of house.keys()) known.set(`${family}/${address}`, 'house')
        for (const address of owners.keys()) known.set(`${family}/${address}`, 'merchant')
      }
      return batch.map(({ family, address }) => known.get(`${family}/${address}`) ?? 'nobody')
    },
  })
  return (network, address) => batcher.submit({ family: familyOf(network), address })
}
