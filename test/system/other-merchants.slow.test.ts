/** Every signed operation that takes an id, with the ids of another merchant's objects, on real processes. */
import { randomUUID } from 'node:crypto'
import { operations } from '@bursar/contract'
import { beforeAll, expect, test } from 'vitest'
import { sign } from '../world/signed-request.ts'
import type { Merchant } from './connected.ts'
import { useSharedSandbox } from './shared-sandbox.ts'

const sandbox = useSharedSandbox()
const victim = (): Merchant => sandbox.merchants[0]
const thief = (): Merchant => sandbox.merchants[1]

/** The id of an object of the other merchant, by the operation that takes it. */
let ids: Readonly<Record<string, string>>
/** Operations with an id in their path. */
const TAKING = operations.filter(({ path, signed }) => signed && path.includes(':id'))

const ask = async ({ id, privateKey }: Merchant, method: string, target: string) => {
  const timestamp = Math.floor(Date.now() / 1_000)
  const body = method === 'POST' ? '{}' : ''
  const answer = await fetch(sandbox.api + target, {
    method,
    headers: {
      'merchant-id': id,
      timestamp: String(timestamp),
      signature: sign(privateKey, method, target, body, timestamp),
      'content-type': 'application/json',
    },
    ...(body !== '' && { body }),
  })
  const { code, description } = (await answer.json()) as { code?: number; description?: string }
  return { status: answer.status, code, description }
}

/** The other merchant's rows, as its API shows them. */
const shownOf = async ({ client }: Merchant): Promise<unknown> => [
  await client.invoices.crypto.get(ids['closeCryptoInvoice']!),
  await client.invoices.fiat.get(ids['getFiatInvoice']!),
  await client.paymentLinks.get(ids['getPaymentLink']!),
  await client.deposits.get(ids['getDeposit']!),
  await client.withdrawals.crypto.get(ids['getCryptoWithdrawal']!),
  await client.balances.list(['USDT']),
]

beforeAll(async () => {
  const { client } = victim()
  const amount = { value: '25', ticker: 'USDT', blockchain: 'ETHEREUM' }
  const invoice = await client.invoices.crypto.create({ name: 'Order', amount })
  const card = await client.invoices.fiat.create({ name: 'Order', amount: { value: '500', ticker: 'UAH' } })
  const link = await client.paymentLinks.create({ name: 'Donation', method: 'CRYPTO', ticker: 'USDT' })
  const { address } = await client.addresses.create({ blockchain: 'ETHEREUM' })
  const hash = await sandbox.pay('ETHEREUM', 'USDT', address, '40')
  const deposit = await sandbox.notified(victim(), { hash, status: 'Done' })
  const to = await sandbox.outside('ETHEREUM')
  const withdrawal = await client.withdrawals.crypto.create({ ticker: 'USDT', blockchain: 'ETHEREUM', amount: '5', to })
  await sandbox.notified(victim(), { id: withdrawal.id, status: 'Done' })
  await sandbox.credit(victim(), 'UAH', '5000')
  const batch = await client.withdrawals.fiat.batch.create({ ticker: 'UAH', to: '4111111111111111', amount: '1500' })
  ids = {
    getCryptoInvoice: invoice.id,
    closeCryptoInvoice: invoice.id,
    getFiatInvoice: card.id,
    getPaymentLink: link.id,
    disablePaymentLink: link.id,
    getDeposit: deposit['id'] as string,
    getDepositCompliance: deposit['id'] as string,
    getCryptoWithdrawal: withdrawal.id,
    getCryptoWithdrawalCompliance: withdrawal.id,
    getFiatBatchWithdrawal: batch.id,
  }
})

test('each operation with an id in its path has an object here, and no other', () => {
  expect(TAKING.map(({ id }) => id).toSorted()).toEqual(Object.keys(ids).toSorted())
})

test('an id of another merchant is answered as an unknown one, and nothing changes', async () => {
  const before = await shownOf(victim())
  for (const { id: operation, method, path } of TAKING) {
    const answered = (id: string) => ask(thief(), method, path.replace(':id', id))
    const answer = await answered(ids[operation]!)
    expect({ operation, ...answer }).toEqual({ operation, ...(await answered(randomUUID())) })
    expect([404, 400], operation).toContain(answer.status)
  }
  expect(await shownOf(victim())).toEqual(before)
})

test('the merchant itself finds each of them, so that the ids above are good ones', async () => {
  for (const { id: operation, method, path } of TAKING.filter((one) => one.id !== 'closeCryptoInvoice')) {
    const { status, code } = await ask(victim(), method, path.replace(':id', ids[operation]!))
    // A report of screening may not exist: this sandbox has no screening.
    const isFound = status === 200 || (operation.endsWith('Compliance') && code !== 101)
    expect({ operation, status, code, isFound }).toMatchObject({ isFound: true })
  }
})
