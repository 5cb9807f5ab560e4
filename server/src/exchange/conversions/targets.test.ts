/** The target of an address or invoice, as a merchant asks for it. */
import { describe, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { catalogue } from '../../../../test/world/exchange.ts'
import { newId } from '../../../../test/world/merchant.ts'
import { createTargetKeeper } from './index.ts'

const { db } = useDb()
const keep = createTargetKeeper(db, { catalogue, bitcoinChain: 'regtest' })
const target = async (body: Parameters<typeof keep>[1]) =>
  keep({ merchantId: newId(), kind: 'address', id: newId() }, body)
const OUTSIDE = '0x1111111111111111111111111111111111111111'

describe('a target', () => {
  test.each([
    [{ ticker: 'DOGE' }, 'target.ticker'],
    [{ ticker: 'USDT', address: OUTSIDE }, 'target.blockchain'],
    [{ ticker: 'USDT', blockchain: 'ETHEREUM' }, 'target.address'],
    [{ ticker: 'UAH', address: OUTSIDE, blockchain: 'ETHEREUM' }, 'target.address'],
    [{ ticker: 'USDT', address: OUTSIDE, blockchain: 'BITCOIN' }, 'target.blockchain'],
    [{ ticker: 'USDT', address: 'nowhere', blockchain: 'ETHEREUM' }, 'target.address'],
  ])('%j is refused by its field', async (body, field) => {
    await expect(target(body)).rejects.toMatchObject({
      status: 400,
      code: 100,
      field,
    })
  })
})
