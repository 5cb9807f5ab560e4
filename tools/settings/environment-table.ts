import { saysOf } from '../../server/src/platform/config/shape.ts'
import { settingsOf, standardTextOf, type Role, type Setting } from '../../server/src/platform/config/settings.ts'

const ASIDE = new Set<Role>(['all', 'cli'])
const shapeless = {
  networks: () => null,
  assets: () => null,
  xpubs: () => null,
  policy: () => null,
  acquirers: () => null,
  exchange: () => null,
  screening: () => null,
  alerts: () => null,
}

/** Returns the environment variables as a Markdown table. */
export const environmentTable = (): string => {
  const rows = Object.values<Setting<unknown>>(settingsOf(shapeless)).map((setting) => {
    const { shape, env, holds } = setting
    const name = holds === 'secret' ? `\`${env}\` or \`${env}_FILE\`` : `\`${env}\``
    return `| ${name} | ${saysOf(shape)} | ${shape.unit ?? ''} | ${necessity(setting)} | ${shape.description} |`
  })
  return ['| variable | value | unit | when absent | meaning |', '|---|---|---|---|---|', ...rows].join('\n')
}

const necessity = (setting: Setting<unknown>): string => {
  const [standard, { neededBy }] = [standardTextOf(setting), setting]
  if (standard !== null) return standard === '' ? 'none' : `\`${standard}\``
  if (neededBy.length === 0) return 'not used'
  if (neededBy.includes('cli')) return 'refuses to start'
  return `refuses to start: ${neededBy.filter((role) => !ASIDE.has(role)).join(', ')}`
}
