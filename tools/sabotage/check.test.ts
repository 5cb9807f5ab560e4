import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SABOTAGES } from '../../test/sabotage/index.ts'
import { CHANGES_MONEY } from '../../test/sabotage/money.ts'
import type { Sabotage } from '../../test/sabotage/sabotage.ts'
import { temporaryFolder } from '../../test/setup/temporary.ts'
import { findStale } from './check.ts'

const repository = temporaryFolder('sabotage')
mkdirSync(join(repository, 'src'))
writeFileSync(join(repository, 'src/guard.ts'), 'if (left < 0n) throw refused\nif (again) throw refused\n')
writeFileSync(join(repository, 'src/guard.test.ts'), `it("the merchant's balance holds", () => {})\n`)

const sound: Sabotage = {
  name: 'no-balance-check',
  file: 'src/guard.ts',
  replace: ['if (left < 0n)', 'if (left < -9n)'],
  fault: 'P2',
  breaks: 'A balance falls below zero.',
  finder: "src/guard.test.ts › the merchant's balance",
}

describe('a sabotage', () => {
  it('that can be applied and whose test exists is sound', () => {
    expect(findStale(repository, [sound])).toEqual([])
  })

  it.each<[string, Partial<Sabotage>]>([
    ['src/guard.ts has its text 0 times', { replace: ['if (left <= 0n)', ''] }],
    ['src/guard.ts has its text 2 times', { replace: ['throw refused', ''] }],
    ['there is no src/gone.ts', { file: 'src/gone.ts' }],
    ['it changes nothing', { replace: ['if (left < 0n)', 'if (left < 0n)'] }],
    ['src/guard.test.ts has no test "another title"', { finder: 'src/guard.test.ts › another title' }],
    ['there is no src/gone.test.ts', { finder: 'src/gone.test.ts › the balance' }],
    ['the name is not in kebab-case', { name: 'No balance check' }],
  ])('is named when %s', (line, change) => {
    const found = findStale(repository, [{ ...sound, ...change }])
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(line)
  })

  it('is named when another one has its name', () => {
    expect(findStale(repository, [sound, sound])).toEqual(['sabotage no-balance-check: the name is used twice'])
  })

  it('without the separator of its finder is refused', () => {
    expect(() => findStale(repository, [{ ...sound, finder: 'src/guard.test.ts' }])).toThrow(RangeError)
  })

  it('that creates or loses money is one of the table', () => {
    const names = new Set(SABOTAGES.map(({ name }) => name))
    expect([...CHANGES_MONEY].filter((name) => !names.has(name))).toEqual([])
  })
})
