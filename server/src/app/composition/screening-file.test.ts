import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readScreeningFile } from './screening-file.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bursar-screening-'))
  writeFileSync(join(dir, 'key'), 'secret\n')
})
afterAll(() => rmSync(dir, { recursive: true }))

const amlbot = (more: object = {}) => ({
  kind: 'amlbot',
  url: 'https://provider.example/',
  accessId: 'ID',
  accessKeyFile: join(dir, 'key'),
  ...more,
})

test('lists alone, with the standard rules', () => {
  expect(readScreeningFile({ providers: [{ kind: 'local-lists' }] })).toEqual({
    providers: [{ kind: 'local-lists' }],
    rules: { riskyFrom: 0.5, lateAfterMs: 1_800_000, whenUnanswered: 'hold', deciders: 1, rescreenMs: 90 * 86_400_000 },
  })
})

test('every setting', () => {
  const file = {
    providers: [
      amlbot({ flow: 'advanced', locale: 'uk_UA', assets: { 'ETHEREUM/USDT': 'TetherERC20' }, timeoutMs: 5_000 }),
    ],
    riskyFrom: 0.7,
    lateAfterMinutes: 5,
    whenUnanswered: 'flag',
    deciders: 2,
    rescreenDays: 7,
  }
  expect(readScreeningFile(file)).toMatchObject({
    providers: [
      {
        url: 'https://provider.example',
        accessKey: 'secret',
        flow: 'advanced',
        assets: { 'ETHEREUM/USDT': 'TetherERC20' },
      },
    ],
    rules: { riskyFrom: 0.7, lateAfterMs: 300_000, whenUnanswered: 'flag', deciders: 2, rescreenMs: 7 * 86_400_000 },
  })
})

test.each([
  [[], 'a JSON object'],
  [{}, 'providers is missing: write a list of at least 1'],
  [{ providers: [{ kind: 'oracle' }] }, 'providers[0].kind: write one of local-lists, issuer-freezes, amlbot'],
  [{ providers: [{ kind: 'local-lists' }, { kind: 'local-lists' }] }, 'once'],
  [{ providers: [{ kind: 'local-lists', url: 'x' }] }, 'providers[0].url is unknown'],
  [{ providers: [{ kind: 'local-lists' }], riskyFrom: 0 }, 'riskyFrom'],
  [{ providers: [{ kind: 'local-lists' }], riskyFrom: 50 }, 'riskyFrom'],
  [{ providers: [{ kind: 'local-lists' }], whenUnanswered: 'pass' }, 'whenUnanswered: write "hold" or "flag"'],
  [{ providers: [{ kind: 'local-lists' }], lateAfterMinutes: 0 }, 'lateAfterMinutes'],
  [{ providers: [{ kind: 'local-lists' }], deciders: 6 }, 'deciders'],
  [{ providers: [{ kind: 'local-lists' }], rescreenDays: 0 }, 'rescreenDays'],
  [{ providers: [{ kind: 'local-lists' }], risky: 1 }, 'risky is unknown: did you mean riskyFrom?'],
])('%j is refused', (file, why) => expect(() => readScreeningFile(file)).toThrow(why))

test.each([
  [{ url: 'ftp://x' }, 'url: write an http(s) address'],
  [{ accessId: '' }, 'accessId: write a text'],
  [{ accessKeyFile: '/nowhere/key' }, "can't be read"],
  [{ accessKeyFile: 'key' }, 'absolute'],
  [{ flow: 'slow' }, 'flow: write "fast" or "advanced"'],
  [{ timeoutMs: 5 }, 'timeoutMs'],
  [{ assets: { 'TRON/USDT': 1 } }, 'assets.TRON/USDT'],
])('AMLBot with %j is refused', (more, why) =>
  expect(() => readScreeningFile({ providers: [amlbot(more)] })).toThrow(why),
)
