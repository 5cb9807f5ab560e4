/** The model: refunds of underpaid invoices beside their withdrawals and receivers. */
import type { Bursar } from '@bursar/sdk'
import { expect, test } from 'vitest'
import { judgeClaim } from './claims.ts'
import { ledger, stubSimulation } from './stub.ts'

const TO = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'
const claimed = { merchant: 'M1', invoiceId: 'one', address: 'at', network: 'TRON', ticker: 'TRX', to: TO } as const
const TRX = 1_000_000n

/** @param received whole TRX that the receiver has */
const judge = async (claim: string | undefined, withdrawal: string, received: bigint) => {
  const client = {
    invoices: {
      crypto: { get: async () => (claim === undefined ? {} : { claim: { status: claim, withdrawalId: 'w' } }) },
    },
    withdrawals: { crypto: { get: async () => ({ status: withdrawal, amount: '5', fee: '1' }) } },
  } as unknown as Bursar
  const { add, sums } = ledger()
  const problems = await judgeClaim(stubSimulation({ received: { [TO]: received * TRX } }), client, claimed, add)
  return { problems, spent: sums['M1 TRX'] ?? 0n }
}

test('a claim is as its withdrawal ended, and its receiver got the amount of a withdrawal that is Done', async () => {
  expect(await judge('SENT', 'Done', 5n)).toEqual({ problems: [], spent: -6n * TRX })
  expect(await judge('FAILED', 'Failed', 0n)).toEqual({ problems: [], spent: 0n })
  expect(await judge('APPROVED', 'Pending', 0n)).toEqual({ problems: [], spent: -6n * TRX })
  expect((await judge('SENT', 'Failed', 0n)).problems).toHaveLength(1)
  expect((await judge('SENT', 'Done', 0n)).problems).toHaveLength(1)
  expect((await judge('FAILED', 'Failed', 5n)).problems).toHaveLength(1)
})

test('a claim that was never approved pays nothing', async () => {
  expect((await judge(undefined, 'Done', 0n)).problems).toEqual([])
  expect((await judge(undefined, 'Done', 5n)).problems).toHaveLength(1)
})
