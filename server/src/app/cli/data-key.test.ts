import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useInstallation } from '../../../../test/world/installation.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { createClaimTokens } from '../../pay-in/crypto-invoices/index.ts'
import { apply, type Item } from '../../ledger/postings/index.ts'
import { createDirectory } from '../../merchants/accounts/index.ts'
import { withStoredAnswer } from '../../platform/api/answers.ts'
import { createSecretRing, readDataKeys } from '../../platform/config/secrets.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const { db, env, file } = useInstallation()
const [OLD, NEW] = ['ab'.repeat(32), 'cd'.repeat(32)] as const

const type = async (keys: readonly string[], ...words: string[]): Promise<{ code: number; said: string }> => {
  file('key', keys.join('\n'))
  const { code, text } = await captured(() => runCommand(words, env, null))
  return { code, said: text }
}
const nameOf = (key: string): string => createHash('sha256').update(Buffer.from(key, 'hex')).digest('hex').slice(0, 8)
const ringOf = (...keys: string[]) => createSecretRing(readDataKeys(keys.join('\n')))
const secretsBy = async (merchantId: string, ...keys: string[]): Promise<string[]> => {
  const merchant = await createDirectory(db, ringOf(...keys)).find(merchantId)
  return merchant!.keys.map(({ secret }) => secret)
}

test('audit S-10: the data key is changed while merchants are served, and the older one goes when it seals nothing', async () => {
  const made = await type([OLD], 'merchant', 'create', '--name', 'Shop', '--url', 'https://shop.example', '--json')
  const { id, privateKey } = JSON.parse(made.said) as { id: string; privateKey: string }
  // A file with both reads what either sealed; the newest comes first.
  expect(await secretsBy(id, NEW, OLD)).toContain(privateKey)
  expect((await type([NEW, OLD], 'data-key')).said).toBe(
    `data key ${nameOf(NEW)}, the newest: encrypts 0 secret(s)\ndata key ${nameOf(OLD)}: encrypts 2 secret(s)\n\`bursar data-key reseal\` encrypts the values of older keys with the newest key\n`,
  )
  const resealed = await type([NEW, OLD], 'data-key', 'reseal')
  expect(resealed).toEqual({ code: 0, said: expect.stringContaining('encrypted 2 secret(s)') })
  expect((await type([NEW, OLD], 'data-key', 'reseal')).said).toContain('encrypted 0 secret(s)')
  expect(await secretsBy(id, NEW)).toContain(privateKey)
  await expect(secretsBy(id, OLD)).rejects.toThrow(`sealed with data key ${nameOf(NEW)}`)
})

test('audit S-10: values sealed with a missing key are reported, and stay unchanged', async () => {
  await sql`update merchant_keys set sealed = ${`v1.00000000.${'A'.repeat(60)}`} where id = (select id from merchant_keys order by id limit 1)`.execute(
    db,
  )
  const { code, said } = await type([OLD, NEW], 'data-key', 'reseal')
  expect([code, said]).toEqual([1, expect.stringContaining('encrypted 1 secret(s)')])
  expect(said).toContain("data key 00000000 is missing from the file: 1 secret(s) can't be read")
})

test('audit S-10: claim links that an older key made are valid while the file has that key', () => {
  const [older, newer] = [readDataKeys(OLD), readDataKeys(`${NEW}\n${OLD}`)]
  const link = createClaimTokens(older).of('invoice')
  expect(createClaimTokens(newer).isOf('invoice', link)).toBe(true)
  expect(createClaimTokens(newer).isOf('other', link)).toBe(false)
  expect(createClaimTokens(newer).of('invoice')).toBe(createClaimTokens(readDataKeys(NEW)).of('invoice'))
  expect(createClaimTokens(readDataKeys(NEW)).isOf('invoice', link)).toBe(false)
})

test("audit S-10: a request whose answer is stored under an older key's fingerprint is the same request", async () => {
  const merchantId = '00000000-0000-4000-8000-000000000001'
  const answer = (fingerprint: string, older?: readonly string[]) =>
    inTransaction(db, (tx) =>
      withStoredAnswer(
        tx,
        { merchantId, answerKeys: [{ key: 'key:one', fingerprint, ...(older && { older }) }] },
        new Date(),
        async () => ({ status: 200, body: { by: fingerprint } }),
      ),
    )
  expect(await answer('old')).toEqual({ status: 200, json: '{"by":"old"}' })
  expect(await answer('new', ['older', 'old'])).toEqual({ status: 200, json: '{"by":"old"}' })
  await expect(answer('new', ['older'])).rejects.toThrow('came before with another request')
  // The ledger judges by the same rule.
  const item = (fingerprint: string, older?: readonly string[]): Item => ({
    transfer: {
      id: crypto.randomUUID(),
      merchantId,
      kind: 'post',
      cause: { kind: 'adjustment', id: crypto.randomUUID() },
      at: new Date(),
      entries: [
        { account: { merchantId, asset: 'USDT', kind: 'capital' }, posted: -1n, held: 0n },
        { account: { merchantId, asset: 'USDT', kind: 'merchant' }, posted: 1n, held: 0n },
      ],
    },
    answers: {
      keys: [{ key: 'key:two', fingerprint, ...(older && { older }) }],
      of: () => ({ status: 200, body: '{}' }),
    },
  })
  const kinds = await inTransaction(db, (tx) => apply(tx, [item('old'), item('new', ['old']), item('new')]))
  expect(kinds.map(({ kind }) => kind)).toEqual(['applied', 'answered', 'key-reused'])
})
