import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Every module that a file reaches by imports of values; an import of types alone does not exist at run time. */
function reachedFrom(file: URL, seen = new Set<string>()): Set<string> {
  if (seen.has(file.href)) return seen
  seen.add(file.href)
  const source = readFileSync(file, 'utf8')
  for (const [, specifier] of source.matchAll(/^(?:import|export) (?!type )[^'"]*from '([^']+)'/gm)) {
    if (specifier!.startsWith('.')) reachedFrom(new URL(specifier!, file), seen)
    else seen.add(specifier!)
  }
  return seen
}

const namesOf = (modules: Set<string>): string[] => [...modules].map((name) => name.replace(/.*\//, '')).toSorted()

test("K2 the signer's modules that the rest of the system imports never reach a key", () => {
  // `approval.ts` holds public keys and the text that they approve.
  const client = [
    'approval.ts',
    'client.ts',
    'log-lines.ts',
    'node:crypto',
    'node:http',
    'node:https',
    'protocol.ts',
    'refusal.ts',
  ]
  expect(namesOf(reachedFrom(new URL('client.ts', import.meta.url)))).toEqual(client)
  expect(namesOf(reachedFrom(new URL('index.ts', import.meta.url)))).toEqual([...client, 'index.ts'].toSorted())
})

test('the walk finds keys where there are some', () => {
  const reached = reachedFrom(new URL('main.ts', import.meta.url))
  expect([...reached]).toEqual(expect.arrayContaining(['@scure/bip32', '@scure/bip39', '@bursar/chainkit/signing']))
})

test('the signer depends on three packages', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    dependencies: Record<string, string>
  }
  expect(Object.keys(dependencies)).toEqual(['@bursar/chainkit', '@scure/bip32', '@scure/bip39'])
})
