import { describe, expect, test } from 'vitest'
import { findViolations } from './boundaries.ts'
import { findCycle } from './cycles.ts'
import { importsOf, type SourceFile } from './imports.ts'
import { findRawRows } from './raw-rows.ts'
import { findUntidy } from './tidy.ts'

const file = (path: string, text: string): SourceFile => ({ path, text, imports: importsOf(path, text) })
const world = (...extra: SourceFile[]): SourceFile[] => [
  file('server/src/platform/base/id.ts', ''),
  file('server/src/ledger/postings/index.ts', ''),
  file('server/src/ledger/postings/store.ts', ''),
  file('server/src/pay-in/deposits/index.ts', ''),
  file('server/src/pay-in/deposits/store.ts', ''),
  file('server/src/adapters/chains/port.ts', ''),
  ...extra,
]

describe('canaries: each rule finds its example', () => {
  test.each([
    ['imports point down', 'server/src/platform/base/x.ts', "import { a } from '../../ledger/postings/index.ts'"],
    [
      'imports point down',
      'server/src/ledger/postings/x.ts',
      "import type { a } from '../../pay-in/deposits/index.ts'",
    ],
    ['imports point down', 'server/src/pay-out/withdrawals/x.ts', "import { a } from '../../pay-in/deposits/index.ts'"],
    [
      'modules meet through index.ts',
      'server/src/pay-out/withdrawals/x.ts',
      "import { a } from '../../ledger/postings/store.ts'",
    ],
    ['modules meet through index.ts', 'server/src/ledger/orders/x.ts', "import { a } from '../postings/store.ts'"],
    ['in no district', 'server/src/deposits/x.ts', ''],
    [
      'only jobs and the watcher',
      'server/src/pay-out/withdrawals/commands.ts',
      "import { a } from '../../adapters/chains/port.ts'",
    ],
    [
      'only jobs and the watcher',
      'server/src/pay-out/withdrawals/evm/plans.ts',
      "import { a } from '../../../adapters/chains/port.ts'",
    ],
    [
      'adapters know no database',
      'server/src/adapters/chains/x.ts',
      "import { a } from '../../pay-in/deposits/index.ts'",
    ],
    ['contract imports typebox only', 'contract/src/x.ts', "import fs from 'node:fs'"],
    ['chainkit is pure', 'chainkit/src/x.ts', "import fs from 'node:fs'"],
    ['pages are pure', 'web/checkout/src/x.ts', "import fs from 'node:fs'"],
    ['few dependencies', 'signer/src/x.ts', "import pg from 'pg'"],
    ['no runtime dependency', 'sdk/src/x.ts', "import { request } from 'undici'"],
    [
      'only the signer takes private keys',
      'server/src/pay-out/withdrawals/jobs.ts',
      "import { a } from '@bursar/chainkit/signing'",
    ],
    ['by its client only', 'server/src/pay-out/withdrawals/jobs.ts', "import { a } from '@bursar/signer'"],
    ['named for its subject', 'server/src/pay-in/deposits/helpers.ts', ''],
    ['no such file', 'server/src/pay-in/deposits/x.ts', "export * from './gone.ts'"],
  ])('%s', (says, path, text) => {
    expect(findViolations(world(file(path, text))).join('\n')).toContain(says)
  })

  test('a type import of a port is allowed anywhere', () => {
    const text = "import type { Head } from '../../adapters/chains/port.ts'"
    expect(findViolations(world(file('server/src/pay-out/withdrawals/commands.ts', text)))).toEqual([])
  })

  test('cycles of files and of modules, types included', () => {
    const a = file('server/src/ledger/aa/index.ts', "import type { b } from '../bb/index.ts'")
    const b = file('server/src/ledger/bb/index.ts', "export { c } from './c.ts'")
    const c = file('server/src/ledger/bb/c.ts', "import type { a } from '../aa/index.ts'")
    const found = findViolations(world(a, b, c)).join('\n')
    expect(found).toContain('import cycle')
    expect(found).toContain('modules import each other')
    expect(
      findCycle(
        new Map([
          ['a', ['b']],
          ['b', ['c']],
          ['c', []],
        ]),
      ),
    ).toBeUndefined()
  })

  test.each([
    ['only ledger/postings writes', 'server/src/pay-in/deposits/x.ts', 'sql`update ledger_accounts set posted = 1`'],
    ['takes the time as a parameter', 'server/src/pay-in/deposits/x.ts', 'sql`select now()`'],
    ['no number near an amount', 'server/src/platform/money/x.ts', 'parseFloat(text)'],
    ['no focused or skipped', 'server/src/x.test.ts', "test.only('x')"],
    ['nothing left open', 'server/src/pay-in/deposits/x.ts', `// ${['TO', 'DO'].join('')} later`],
    ['who makes a temporary folder removes it', 'server/src/x.test.ts', "mkdtempSync(join(tmpdir(), 'x-'))"],
    [
      'is a DatabaseClient',
      'server/src/pay-in/deposits/x.ts',
      'const client = new pg.Client({ connectionString: url })',
    ],
    ['is a DatabaseClient', 'server/src/pay-in/deposits/x.ts', "import { Client } from 'pg'"],
    ['time comes from a clock', 'server/src/pay-in/deposits/commands.ts', 'const at = Date.now()'],
    ['over 120 columns', 'server/src/pay-in/deposits/x.ts', `// ${'word '.repeat(30)}`],
    ['over 120 columns', 'server/src/pay-in/deposits/x.ts', `const x = ${'1 + '.repeat(40)}1`],
    ['over 400 lines', 'server/src/pay-in/deposits/x.ts', '\n'.repeat(500)],
  ])('%s', (says, path, text) => {
    expect(findUntidy([file(path, text)]).join('\n')).toContain(says)
  })

  test.each([
    ['a row without a reason', 'await sql`insert into deposits(id) values (1)`', 1],
    ['a row with a reason', '// Raw: of an older build.\nawait sql`insert into deposits(id) values (1)`', 0],
    ['a header with a reason', '/** Rows are inserted raw: forged. */\nsql`insert into deposits(id) values (1)`', 0],
    ['a table of the test', 'sql`create table fruit(name text)`\nsql`insert into fruit values (1)`', 0],
  ])('raw rows: %s', (_what, text, count) => {
    expect(findRawRows([file('server/src/pay-in/deposits/x.test.ts', text)])).toHaveLength(count)
  })
})
