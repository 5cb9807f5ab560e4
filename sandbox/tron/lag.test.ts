import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTronApi, type TronBlock } from '../chains/tron-api.ts'
import { base58Of } from './address.ts'
import { startTronChain, type TronChain } from './index.ts'

let chain: TronChain
beforeAll(async () => {
  chain = await startTronChain({ port: 0, solidLag: 3, slotMs: 1 })
})
afterAll(() => chain.stop())

const receiver = base58Of(`41${'ab'.repeat(20)}`)
const balance = async (): Promise<number> =>
  (await openTronApi(chain.url).ask<{ balance?: number }>('wallet/getaccount', { address: receiver })).balance ?? 0

test('a node that lags knows neither its newest blocks nor their changes, and pools their transactions', async () => {
  await chain.mine(5)
  const hash = await chain.fund({ ticker: 'TRX', to: receiver, amount: '2' })
  const before = chain.status()
  const { id, height } = await chain.mine(2)
  expect(await balance()).toBe(2_000_000)
  await chain.behind(2)
  expect(chain.status()).toMatchObject({
    height: before.height,
    id: before.id,
    solidId: before.solidId,
    pending: [hash],
  })
  const { blockID } = await openTronApi(chain.url).ask<Partial<TronBlock>>('wallet/getblockbynum', { num: height })
  expect(blockID).toBeUndefined()
  await chain.behind(1)
  expect(chain.status()).toMatchObject({ height: height - 1, pending: [] })
  await chain.behind(0)
  expect(chain.status()).toMatchObject({ id, height, pending: [] })
  expect(await balance()).toBe(2_000_000)
})

test('payments that arrive during a lag wait afterwards; the chain does not grow during the lag', async () => {
  await chain.mine(1)
  await chain.behind(1)
  await expect(chain.mine()).rejects.toThrow('1 blocks behind')
  await expect(chain.fund({ ticker: 'TRX', to: receiver, amount: '1' })).rejects.toThrow('behind')
  await expect(chain.reorg({ depth: 1, without: [], others: 'mined' })).rejects.toThrow('behind')
  await chain.behind(0)
  const hash = await chain.fund({ ticker: 'TRX', to: receiver, amount: '1' })
  await chain.behind(1)
  // It refers to the block that the node does not know now.
  expect(chain.status().pending).toEqual([])
  await chain.behind(0)
  expect(chain.status().pending).toEqual([hash])
})
