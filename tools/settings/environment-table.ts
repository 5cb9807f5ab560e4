import { settingsOf, type Role, type Setting } from '../../server/src/platform/config/settings.ts'

const ASIDE = new Set<Role>(['all', 'cli'])
const shapeless = {
  networks: () => null,
  assets: () => null,
  xpubs: () => null,
  policy: () => null,
  acquirers: () => null,
  exchange: () => null,
  screening: () => null,
}

/** The environment variables as a Markdown table. */
export const environmentTable = (): string => {
  const rows = Object.values<Setting<unknown>>(settingsOf(shapeless)).map((setting) => {
    const name = setting.holds === 'secret' ? `\`${setting.env}\` or \`${setting.env}_FILE\`` : `\`${setting.env}\``
    return `| ${name} | ${necessity(setting)} | ${setting.about} |`
  })
  return ['| variable | when absent | meaning |', '|---|---|---|', ...rows].join('\n')
}

const necessity = ({ standard, neededBy }: Setting<unknown>): string => {
  if (standard !== null) return standard === '' ? 'none' : `\`${standard}\``
  if (neededBy.length === 0) return 'not used'
  if (neededBy.includes('cli')) return 'refuses to start'
  return `refuses to start: ${neededBy.filter((role) => !ASIDE.has(role)).join(', ')}`
}
