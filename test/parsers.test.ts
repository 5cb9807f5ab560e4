/** Every file that parses texts of other systems has a property with changed texts, or a reason why it needs none. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { glob } from 'node:fs/promises'
import { expect, test } from 'vitest'

const root = new URL('../', import.meta.url).pathname

/** Functions that a file calls if it parses external data. */
const READS =
  /JSON\.parse\(|parse: JSON\.parse|parseRpcJson|parseJsonDigits|readJsonDecimals\(|parseXml\(|readXml\(|csv-parse|\b(?:objectOf|listOf)\(|new URLSearchParams\((?!\{)|answer\.body|onResponseData|parseTransaction\(|fromHex\(|export (?:const|function) (?:readPng|readJpeg|parse[A-Z]|decode[A-Z]|join(?:\b|Parts|Bbqr))/

/** Files or folders, and the test that gives them changed texts: each has a property with them, or runs the parser. */
const TRIED: Readonly<Record<string, string>> = {
  'chainkit/src/bbqr.ts': 'chainkit/src/bbqr.test.ts',
  'chainkit/src/bitcoin/': 'chainkit/src/bitcoin/transaction.test.ts',
  'chainkit/src/evm/': 'chainkit/src/evm/transaction.test.ts',
  'chainkit/src/tron/': 'signer/src/server/fuzz.test.ts',
  'server/src/adapters/acquirers/': 'server/src/adapters/acquirers/mutated-answers.test.ts',
  'server/src/adapters/chains/bitcoin/': 'server/src/adapters/chains/bitcoin/mutated-answers.test.ts',
  'server/src/adapters/chains/evm/': 'server/src/adapters/chains/evm/mutated-answers.test.ts',
  'server/src/adapters/chains/tron/': 'server/src/adapters/chains/tron/mutated-answers.test.ts',
  'server/src/adapters/chains/exchange.ts': 'server/src/adapters/chains/evm/mutated-answers.test.ts',
  'server/src/adapters/chains/rpc-answer.ts': 'server/src/adapters/chains/evm/mutated-answers.test.ts',
  'server/src/adapters/json-digits.ts': 'server/src/adapters/rates/mutated-answers.test.ts',
  'server/src/adapters/rates/': 'server/src/adapters/rates/mutated-answers.test.ts',
  'server/src/adapters/screening/': 'server/src/adapters/screening/mutated-answers.test.ts',
  'server/src/app/http/': 'server/src/app/http/fuzz.test.ts',
  'server/src/cards/acquiring/statement-file.ts': 'server/src/cards/acquiring/statement-mutations.test.ts',
  'server/src/merchants/logos/': 'server/src/merchants/logos/reading.test.ts',
  'server/src/people/access/passkeys.ts': 'server/src/people/access/mutated-answers.test.ts',
  'server/src/platform/base/xml.ts': 'server/src/adapters/acquirers/mutated-answers.test.ts',
  'server/src/platform/money/': 'server/src/platform/money/money.test.ts',
  'server/src/risk/screening/': 'server/src/risk/screening/list-file.test.ts',
  'signer/src/client.ts': 'signer/src/mutated-answers.test.ts',
  'signer/src/webauthn/': 'signer/src/webauthn/ceremony.test.ts',
  'signer/src/protocol/': 'signer/src/server/fuzz.test.ts',
  'signer/src/rules/': 'signer/src/server/fuzz.test.ts',
}

/** Files that match and are not given changed texts, with the reason. */
const NOT_TRIED: Readonly<Record<string, string>> = {
  'server/src/adapters/alert-receivers/': 'the status of an answer, and the start of its text for the operator',
  'server/src/adapters/chains/dialects/': 'reports to the operator how a node answers; no money follows from it',
  'server/src/adapters/chains/survey/': 'reports to the operator whether a node is fit; no money follows from it',
  'server/src/app/backup/': 'files that we and PostgreSQL wrote; each is compared with its hash',
  'server/src/app/cli/': 'files and arguments of the operator: server/src/app/cli/rubbish.test.ts',
  'server/src/dashboard/archive/':
    'archives that we wrote; the command that verifies one reports, and no money follows from it',
  'server/src/dashboard/webhooks/': 'notifications that we serialised',
  'server/src/pay-out/requests/file.ts':
    'files of members, read as texts: server/src/pay-out/requests/file.test.ts has a case for each kind',
  'server/src/platform/process/version.ts': 'package.json of this build',
  'signer/src/approvals/': 'forms of approvers, read as texts: signer/src/approvals/page.system.test.ts',
  'server/src/ledger/': 'texts that PostgreSQL wrote',
  'server/src/merchants/accounts/settings.ts': 'values that the operator types: server/src/app/cli/rubbish.test.ts',
  'server/src/merchants/webhooks/attempt.ts': 'stores the start of an answer and concludes nothing from it',
  'server/src/platform/api/answers.ts': 'answers that we wrote',
  'server/src/merchants/mail/activity.ts': 'notifications that we serialised',
  'server/src/pay-in/': 'forms of payers: the fuzz of the api',
  'server/src/people/pages/':
    'forms of members, read as texts: server/src/people/pages/*.test.ts has a case for each kind',
  'server/src/platform/base/repeated-key.ts': 'texts that JSON.parse has accepted; settings of the operator',
  'server/src/platform/config/': 'settings of the operator: server/src/platform/config/shape.test.ts',
  'server/src/platform/traces/': 'the number of rejected spans, for a metric; no money follows from it',
  'server/src/platform/outbound/':
    'answers of receivers: server/src/platform/outbound/outbound.test.ts has a case for each kind',
  'server/src/treasury/': 'files that we wrote',
  'server/src/chain/transactions/': 'transactions that we or the signer made',
  'signer/src/cli/': 'files of the operator; signer/src/server/fuzz.test.ts tests the signed texts in them',
  'signer/src/keys/': 'encrypted files of the operator: signer/src/keys/seed-file.test.ts',
  'signer/src/log/': 'the log of the signer itself: signer/src/log/history.test.ts',
  'signer/src/policy/': 'a file of the operator: signer/src/policy/policy.test.ts',
}

const rowOf = (path: string): string | undefined =>
  [...Object.keys(TRIED), ...Object.keys(NOT_TRIED)].find(
    (row) => path === row || (row.endsWith('/') && path.startsWith(row)),
  )

test('every file that reads external data has a row here', async () => {
  const without: string[] = []
  const rows = new Set<string>()
  for await (const path of glob('{server,signer,chainkit}/src/**/*.ts', { cwd: root })) {
    if (/\.test\.ts$|\/test-|\/conformance|\/simulated\/|\/migrations\//.test(path)) continue
    if (!READS.test(readFileSync(join(root, path), 'utf8'))) continue
    const row = rowOf(path)
    if (row === undefined) without.push(path)
    else rows.add(row)
  }
  expect(without).toEqual([])
  const unused = [...Object.keys(TRIED), ...Object.keys(NOT_TRIED)].filter((row) => !rows.has(row))
  expect(unused).toEqual([])
})

test('every test that a row names has a property', () => {
  for (const path of new Set(Object.values(TRIED))) {
    expect(existsSync(join(root, path)), path).toBe(true)
    expect(readFileSync(join(root, path), 'utf8'), path).toMatch(
      /fc\.(?:assert|asyncProperty|property)|describeMutatedAnswers\(/,
    )
  }
})
