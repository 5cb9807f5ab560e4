import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBank, type Bank } from '../../../../sandbox/bank/index.ts'
import { readAcquirersConfig } from '../../adapters/acquirers/index.ts'
import { reportAcquirers } from './doctor-acquirers.ts'

let dir = ''
let bank: Bank
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'bursar-doctor-'))
  writeFileSync(join(dir, 'right'), 'the secret\n')
  writeFileSync(join(dir, 'wrong'), 'another secret\n')
  bank = await startBank({ port: 0, dir, accounts: [{ name: 'shop', secret: 'the secret' }] })
})
afterAll(async () => {
  await bank.stop()
  rmSync(dir, { recursive: true })
})

const reported = async (json: unknown): Promise<string[]> => {
  const lines: string[] = []
  await reportAcquirers(
    json === null ? null : readAcquirersConfig(json),
    (good, text) => void lines.push(`${good ? 'ok' : 'BAD'} ${text}`),
  )
  return lines
}

test('each account as configured, and whether it answers with these keys', async () => {
  const account = (name: string, url: string, secret: string) => ({
    name,
    kind: 'bank',
    url,
    account: 'shop',
    secretFile: join(dir, secret),
    payIn: { UAH: { least: '25', most: '29999.50' } },
  })
  const routing = [{ direction: 'payIn', ticker: 'UAH', least: '25', most: '100', acquirers: ['right'] }]
  const lines = await reported({
    accounts: [
      account('right', bank.url, 'right'),
      account('wrong', bank.url, 'wrong'),
      account('gone', 'http://127.0.0.1:1', 'right'),
    ],
    routing,
  })
  const can = 'in UAH 25 to 29999.5; out nothing; refunds; statement'
  expect(lines).toEqual([
    `ok acquirer right (bank): answers; ${can}`,
    `BAD acquirer wrong (bank): wrong: it refuses to answer: bad_signature; ${can}`,
    `BAD acquirer gone (bank): gone: no answer: ECONNREFUSED (nothing listens there: check the host and the port, and whether the server runs); ${can}`,
    'ok routing of payIn UAH 25 to 100: right',
  ])
  expect(lines.join()).not.toContain('secret')
})

test('without any account there are no cards, and that is well', async () => {
  expect(await reported(null)).toEqual(['ok acquirers: BURSAR_ACQUIRERS_FILE is not set, no cards'])
})
