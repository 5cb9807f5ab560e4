/** Answers of a signer, or of anything that listens at its socket, with anything changed in them. */
import { createServer } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { cases } from '../../test/setup/cases.ts'
import { mutatedJson } from '../../test/world/mutations.ts'
import { SignerClient, SignerUnavailable } from './client.ts'

const ID = '0197aa12-0000-7000-8000-000000000001'
const TRANSACTION = {
  network: 'ETHEREUM',
  transactionId: ID,
  purpose: 'payout',
  intents: [{ id: ID, asset: 'USDT', to: `0x${'11'.repeat(20)}`, units: '700' }],
  keys: [{ account: 'hot', branch: 0, index: 0 }],
  at: 1_800_000_000_000,
  hash: `0x${'ab'.repeat(32)}`,
  signed: '0x02f8',
  conflictKeys: ['1:0xaa:7'],
}
const SIGNED = JSON.stringify({ signed: '0x02f8', hash: TRANSACTION.hash })
const REFUSED = JSON.stringify({ refused: 'intent-reused', message: 'signed before', intents: [ID] })
const TRANSACTIONS = JSON.stringify({ transactions: [TRANSACTION] })
const REFUSALS = JSON.stringify({ refusals: [{ id: ID, refused: 'over-limit', message: 'too much' }] })

let reply = ''
let client: SignerClient
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signer-'))
  const socketPath = join(folder, 's')
  const server = createServer((_, response) => void response.end(reply))
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  client = new SignerClient({ socketPath })
  return () => {
    client.close()
    server.close()
    server.closeAllConnections()
    rmSync(folder, { recursive: true })
  }
})

const isText = (value: unknown): boolean => typeof value === 'string'
const checkTransactions = (transactions: readonly { hash: string; transactionId: string }[]): void =>
  expect(transactions.every(({ hash, transactionId }) => isText(hash) && isText(transactionId))).toBe(true)

test.each<[what: string, right: string, ask: () => Promise<void>]>([
  [
    'a signature',
    SIGNED,
    async () => {
      const answer = await client.sign({} as never)
      if ('refused' in answer) expect(isText(answer.message)).toBe(true)
      else expect([isText(answer.signed), isText(answer.hash)]).toEqual([true, true])
    },
  ],
  [
    'a refusal',
    REFUSED,
    async () => {
      const answer = await client.sign({} as never)
      if ('refused' in answer) expect((answer.intents ?? []).every(isText)).toBe(true)
    },
  ],
  ['the transactions of an intent', TRANSACTIONS, async () => checkTransactions(await client.transactionsOf(ID))],
  ['the closing of an intent', TRANSACTIONS, async () => checkTransactions(await client.closeIntent(ID))],
  [
    'the refusals of a check',
    REFUSALS,
    async () => {
      for (const { id, refused } of await client.check({} as never)) expect(isText(id) && isText(refused)).toBe(true)
    },
  ],
])('%s with anything changed in it is read exactly, or nothing is known', async (_what, right, ask) => {
  await fc.assert(
    fc.asyncProperty(mutatedJson(right), async ({ text }) => {
      reply = text
      try {
        await ask()
      } catch (error) {
        if (!(error instanceof SignerUnavailable)) throw error
      }
    }),
    { numRuns: cases(60) },
  )
})

test.each(['null', '[]', '1', '"x"', '{"transactions":[null]}'])('%s is no answer', async (text) => {
  reply = text
  await expect(client.transactionsOf(ID)).rejects.toThrow(SignerUnavailable)
})
