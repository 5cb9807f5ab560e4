/** Creates signed invoices as a shop does, and continues them as payers do. */
import { createHmac } from 'node:crypto'
import { TEST_KEYS } from '../../test/world/keys.ts'
import { createCatalogue } from '../../server/src/market/assets/index.ts'
import { inTransaction, type Db } from '../../server/src/platform/db/index.ts'
import { carryOut } from '../../server/src/ledger/effects/index.ts'
import { createClaimTokens, createInvoices } from '../../server/src/pay-in/crypto-invoices/index.ts'
import { createIds } from '../../server/src/platform/runtime/ids.ts'
import type { Account } from '../load/prepared.ts'
import { ASSETS, DATA_KEY } from '../merchants.ts'

const AT_ONCE = 32
const PATH = '/merchants/invoices/crypto'

/** Creates invoices through an api. @returns their ids */
export const createManyInvoices = async (
  port: number,
  { id, privateKey }: Account,
  count: number,
  more: object = {},
): Promise<string[]> => {
  const ids: string[] = []
  const one = async (n: number): Promise<void> => {
    const body = JSON.stringify({
      name: `Order ${n}`,
      description: 'Three bags of coffee',
      amount: { value: '24.09', ticker: 'USDT', blockchain: 'ETHEREUM' },
      ...more,
    })
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const signature = createHmac('sha256', privateKey).update(`POST${PATH}${body}${timestamp}`).digest('hex')
    const answer = await fetch(`http://127.0.0.1:${port}${PATH}`, {
      method: 'POST',
      body,
      headers: { 'merchant-id': id, signature, timestamp, 'content-type': 'application/json' },
    })
    if (!answer.ok) throw new Error(await answer.text())
    ids.push(((await answer.json()) as { id: string }).id)
  }
  for (let n = 0; n < count; n += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - n) }, (_, i) => one(n + i)))
  return ids
}

/** Brings a payer to the payment step, as the page's form does. Resolves when it is committed. */
export const createProceeding = (db: Db): ((id: string) => Promise<void>) => {
  const catalogue = createCatalogue(ASSETS)
  const newId = createIds()
  const invoices = createInvoices({
    catalogue,
    networks: catalogue.networks,
    keys: TEST_KEYS,
    prices: async () => new Map(),
    quoteMs: 900_000,
    minedWithinMs: 86_400_000,
    publicUrl: 'http://127.0.0.1',
    claimTokens: createClaimTokens([DATA_KEY]),
    destinationOf: () => undefined,
  })
  return (id) =>
    inTransaction(db, async (tx) => {
      const moment = { at: new Date(), newId }
      await carryOut(tx, await invoices.proceed(tx, id, { email: 'payer@example.com' }, moment), moment)
    })
}
