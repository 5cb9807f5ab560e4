/**
 * Writes the files that are generated from the contract, the shapes of settings, the permissions of people, the script
 * of payment pages and the names of tests: `node tools/generate.ts`. With `--check` it writes nothing, and fails if a
 * committed file differs or a finding has no test. A directory as argument replaces the repository.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openApiDocument } from '@bursar/contract/openapi'
import { alertRules, alertsDocument } from './generate-alerts.ts'
import { auditDocument } from './generate-audit.ts'
import { dashboardFiles } from './generate-dashboards.ts'
import { dialectsDocument } from './generate-dialects.ts'
import { faultsDocument } from './generate-faults.ts'
import { fieldsDocument } from './generate-fields.ts'
import { islandModule } from './generate-island.ts'
import { metricsDocument } from './generate-metrics.ts'
import { permissionsDocument } from './generate-permissions.ts'
import { sdkTypes } from './generate-sdk.ts'
import { manifestsYaml } from './package/kubernetes.ts'
import { configurationDocument, settingsSchemas } from './settings/configuration.ts'

const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true })
const repository = positionals[0] ?? join(import.meta.dirname, '..')

const files: { path: string; text: string; mayLag?: true }[] = [
  { path: 'contract/openapi.json', text: `${JSON.stringify(openApiDocument(), null, 2)}\n` },
  { path: 'sdk/src/generated.ts', text: sdkTypes() },
  { path: 'web/checkout/src/island.generated.ts', text: scriptOf('main.ts', 'ISLAND') },
  { path: 'server/src/people/pages/passkeys.generated.ts', text: scriptOf('passkeys.ts', 'PASSKEY_SCRIPT') },
  { path: 'server/src/people/pages/palette.generated.ts', text: scriptOf('palette.ts', 'PALETTE_SCRIPT') },
  { path: 'server/src/dashboard/frame/live.generated.ts', text: scriptOf('live.ts', 'LIVE_SCRIPT') },
  {
    path: 'server/src/dashboard/exchange/countdown.generated.ts',
    text: scriptOf('countdown.ts', 'COUNTDOWN_SCRIPT'),
  },
  { path: 'docs/operating/configuration.md', text: configurationDocument() },
  { path: 'docs/contract-fields.md', text: fieldsDocument(join(import.meta.dirname, '..')) },
  { path: 'docs/operating/alerts.md', text: alertsDocument() },
  { path: 'docs/operating/prometheus/alerts.yml', text: alertRules() },
  { path: 'docs/operating/metrics.md', text: metricsDocument() },
  ...dashboardFiles(),
  { path: 'docs/operating/permissions.md', text: permissionsDocument() },
  { path: 'deploy/kubernetes/bursar.yaml', text: manifestsYaml() },
  ...settingsSchemas(),
  { path: 'docs/faults.md', text: faultsDocument(join(import.meta.dirname, '..')) },
  // Nearly every change adds tests of findings, so the committed table may lack the newest. Whether every finding has a
  // test is always checked.
  { path: 'docs/audit.md', text: auditDocument(join(import.meta.dirname, '..')), mayLag: true },
  { path: 'docs/dialects.md', text: dialectsDocument(join(import.meta.dirname, '..')), mayLag: true },
]

function scriptOf(source: string, name: string): string {
  const file = `web/checkout/island/${source}`
  return islandModule(readFileSync(join(import.meta.dirname, '..', file), 'utf8'), { file, name })
}

const committed = (path: string): string | undefined => {
  try {
    return readFileSync(join(repository, path), 'utf8')
  } catch {
    return undefined
  }
}

const changed = files.filter(({ path, text }) => committed(path) !== text)
const wrong = changed.filter(({ path, mayLag }) => mayLag !== true || committed(path) === undefined)

if (values.check === true) {
  for (const { path } of wrong) {
    console.error(`${path} differs from its sources: run npm run generate, and commit it`)
  }
  process.exitCode = wrong.length === 0 ? 0 : 1
} else {
  for (const { path, text } of changed) writeFileSync(join(repository, path), text)
  console.log(changed.length === 0 ? 'nothing changed' : changed.map(({ path }) => `wrote ${path}`).join('\n'))
}
