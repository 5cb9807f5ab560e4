import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const directory = mkdtempSync(join(tmpdir(), 'bursar-generate-'))
afterAll(() => rmSync(directory, { recursive: true }))

const SCHEMAS = [
  'networks',
  'assets',
  'xpubs',
  'policy',
  'acquirers',
  'exchange',
  'screening',
  'alerts',
  'setup',
  'setup-signer',
]
  .map((name) => `wrote docs/operating/settings/${name}.schema.json\n`)
  .join('')

const DASHBOARDS = ['overview', 'chains', 'money', 'processes']
  .map((name) => `wrote docs/operating/grafana/${name}.json\n`)
  .join('')

const generate = (...args: string[]) => {
  const script = join(import.meta.dirname, 'generate.ts')
  const { status, stdout, stderr } = spawnSync('node', [script, ...args], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('the committed files equal the output for the contract', () => {
  expect(generate('--check')).toEqual({ status: 0, stdout: '', stderr: '' })
})

test('it writes files that are missing or differ, and --check names them', () => {
  for (const folder of [
    'contract',
    'sdk/src',
    'web/checkout/src',
    'server/src/people/pages',
    'server/src/dashboard/frame',
    'server/src/dashboard/exchange',
    'docs/operating/grafana',
    'docs/operating/prometheus',
    'docs/operating/settings',
    'deploy/kubernetes',
  ])
    mkdirSync(join(directory, folder), { recursive: true })
  expect(generate('--check', directory).status).toBe(1)

  expect(generate(directory).stdout).toBe(
    `wrote contract/openapi.json\nwrote sdk/src/generated.ts\nwrote web/checkout/src/island.generated.ts\nwrote server/src/people/pages/passkeys.generated.ts\nwrote server/src/people/pages/palette.generated.ts\nwrote server/src/dashboard/frame/live.generated.ts\nwrote server/src/dashboard/exchange/countdown.generated.ts\nwrote docs/operating/configuration.md\nwrote docs/contract-fields.md\nwrote docs/operating/alerts.md\nwrote docs/operating/prometheus/alerts.yml\nwrote docs/operating/metrics.md\n${DASHBOARDS}wrote docs/operating/permissions.md\nwrote deploy/kubernetes/bursar.yaml\n${SCHEMAS}wrote docs/faults.md\nwrote docs/audit.md\nwrote docs/dialects.md\n`,
  )
  expect(generate('--check', directory).status).toBe(0)
  expect(readFileSync(join(directory, 'sdk/src/generated.ts'), 'utf8')).toContain('interface CreateAddressBody {')

  appendFileSync(join(directory, 'contract/openapi.json'), ' ')
  const { status, stderr } = generate('--check', directory)
  expect(status).toBe(1)
  expect(stderr).toBe('contract/openapi.json differs from its sources: run npm run generate, and commit it\n')
  expect(generate(directory).stdout).toBe('wrote contract/openapi.json\n')
})
