import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAcquirers, readAcquirersConfig } from './index.ts'

let dir = ''
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bursar-acquirers-'))
  writeFileSync(join(dir, 'secret'), '  topsecret\n')
  writeFileSync(join(dir, 'empty'), '\n')
})
afterAll(() => rmSync(dir, { recursive: true }))

const account = (more: object = {}) => ({
  name: 'bank',
  kind: 'bank',
  url: 'https://bank.example',
  account: 'shop',
  secretFile: join(dir, 'secret'),
  payIn: { UAH: { least: '25', most: '29999' } },
  payout: { KZT: { least: '0.01', most: '14500.50' } },
  ...more,
})
const problemOf = (json: unknown): string => {
  try {
    readAcquirersConfig(json)
    return ''
  } catch (error) {
    expect(inspect(error, { depth: 9 })).not.toContain('topsecret')
    return (error as Error).message
  }
}

describe('the file of acquirers', () => {
  test('opens its accounts in order, with limits in minor units', () => {
    const rule = { direction: 'payout', ticker: 'KZT', least: '1', most: '500', acquirers: ['second', 'bank'] }
    const config = readAcquirersConfig({
      accounts: [account(), account({ name: 'second', timeoutMs: 5_000 })],
      routing: [rule],
    })
    expect([...openAcquirers(config).keys()]).toEqual(['bank', 'second'])
    expect(openAcquirers(config).get('bank')).toMatchObject({
      name: 'bank',
      capabilities: {
        payIn: { UAH: { least: 2_500n, most: 2_999_900n } },
        payout: { KZT: { least: 1n, most: 1_450_050n } },
        refund: true,
        statement: true,
      },
    })
    expect(config.routing).toEqual([{ ...rule, least: 100n, most: 50_000n }])
    expect(inspect(config, { depth: 9 })).not.toContain('topsecret')
    expect(openAcquirers(null).size).toBe(0)
    expect(openAcquirers(readAcquirersConfig({ accounts: [] })).size).toBe(0)
  })

  test('reports every error at once', () => {
    const problem = problemOf({
      accounts: [account({ url: 'ftp://x', account: '', colour: 'red', timeoutMs: 1 })],
      routing: [{}],
      more: 1,
    })
    for (const part of [
      'accounts[0] (bank).url: write an https address',
      'accounts[0] (bank).account: write a text',
      'accounts[0] (bank).colour is unknown: there are kind, name, payIn',
      'accounts[0] (bank).timeoutMs: write a whole number from 100',
      'routing[0].direction is missing',
      'more is unknown: there are accounts, routing',
    ])
      expect(problem).toContain(part)
  })

  test.each([
    [null, 'the file: write a JSON object'],
    [[], 'the file: write a JSON object'],
    [{ accounts: {} }, 'accounts: write a list'],
    [{ accounts: [1] }, 'accounts[0]: write a JSON object'],
    [{ accounts: [account({ name: 'a b' })] }, 'accounts[0].name: write 1 to 32'],
    [{ accounts: [account({ name: '-a' })] }, 'accounts[0] (-a).name: write 1 to 32'],
    [{ accounts: [account(), account()] }, 'accounts[1]: bank is listed twice'],
    [{ accounts: [account({ kind: 'constructor' })] }, '(bank).kind: write one of bank, liqpay'],
    [{ accounts: [account({ url: 'http://bank.example' })] }, '(bank).url: write an https address'],
    [{ accounts: [account({ url: 'https://me:pass@bank.example' })] }, '(bank).url: write an https address'],
    [{ accounts: [account({ secretFile: '/nowhere' })] }, "(bank).secretFile: the file can't be read (ENOENT)"],
    [{ accounts: [account({ secretFile: undefined })] }, '(bank).secretFile is missing: write the path of a file'],
    [{ accounts: [account({ secret: 'topsecret' })] }, '(bank).secret is unknown'],
    [{ accounts: [account({ payIn: { USD: {} } })] }, '(bank).payIn.USD is unknown'],
    [
      { accounts: [account({ payIn: { UAH: { least: '0', most: '5' } } })] },
      '(bank).payIn.UAH.least: write an amount above 0',
    ],
    [
      { accounts: [account({ payIn: { UAH: { least: '6', most: '5' } } })] },
      '(bank).payIn.UAH.least: it is above most',
    ],
    [
      { accounts: [account({ payIn: { UAH: { least: 1, most: 5 } } })] },
      '(bank).payIn.UAH.least: write an amount as a string',
    ],
    [
      { accounts: [account({ payIn: { UAH: { least: '1', most: '5.001' } } })] },
      '(bank).payIn.UAH.most: write an amount above 0',
    ],
    [{ accounts: [account({ payIn: undefined, payout: {} })] }, '(bank).payIn: it is missing, and so is payout'],
    [{ accounts: [account()], routing: {} }, 'routing: write a list'],
    [
      {
        accounts: [account()],
        routing: [{ direction: 'payIn', ticker: 'UAH', least: '1', most: '2', acquirers: ['gone'] }],
      },
      'routing[0].acquirers[0]: there is no account of this name',
    ],
  ])('%#: %s', (json, problem) => {
    expect(problemOf(json)).toContain(problem)
  })
})
