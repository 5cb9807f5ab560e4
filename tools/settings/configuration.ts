import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TSchema } from 'typebox'
import { FILE_SHAPES } from '../../server/src/app/composition/settings-files.ts'
import { SETUP_SHAPE } from '../../server/src/app/cli/setup/answers.ts'
import { SIGNER_SHAPE } from '../../server/src/app/cli/setup/signer-answers.ts'
import { environmentTable } from './environment-table.ts'
import { jsonSchemaOf } from './json-schema.ts'
import { membersTable } from './members-table.ts'

const SHAPES: readonly [string, TSchema][] = Object.entries(FILE_SHAPES)
/** The settings files, and the answers of `bursar setup` and `bursar setup signer`. */
const WITH_SCHEMA: readonly [string, TSchema][] = [...SHAPES, ['setup', SETUP_SHAPE], ['setup-signer', SIGNER_SHAPE]]

/** Returns docs/operating/configuration.md: its template with a table for each `{{name}}`. */
export const configurationDocument = (): string => {
  const tables: Record<string, string> = {
    environment: environmentTable(),
    ...Object.fromEntries(SHAPES.map(([name, shape]) => [name, membersTable(shape)])),
  }
  const template = readFileSync(join(import.meta.dirname, 'configuration.md'), 'utf8')
  const places = [...template.matchAll(/^\{\{(\w+)\}\}$/gm)].map(([, name]) => name!)
  if (places.toSorted().join() !== Object.keys(tables).toSorted().join())
    throw new Error(`tools/settings/configuration.md has the tables ${places.join(', ')}`)
  return template.replaceAll(/^\{\{(\w+)\}\}$/gm, (_place, name: string) => tables[name]!)
}

/** Returns the JSON Schema of each settings file and of the answers of setup, with its path in the repository. */
export const settingsSchemas = (): { path: string; text: string }[] =>
  WITH_SCHEMA.map(([name, shape]) => ({
    path: `docs/operating/settings/${name}.schema.json`,
    text: `${JSON.stringify(jsonSchemaOf(name, shape), null, 2)}\n`,
  }))
