import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { generalErrors } from '@bursar/contract'
import { cases } from '../../../../test/setup/cases.ts'
import { parseStrict } from './strict-json.ts'

const parse = (text: string | Buffer): unknown => parseStrict(Buffer.from(text), generalErrors.invalidRequest)
/** JSON values whose texts PostgreSQL can hold, and whose keys no parser distinguishes. */
const value = fc.json({ stringUnit: 'binary', maxDepth: 8 }).filter((text) => !/\\u0000|__proto__|\0/.test(text))

describe('strict JSON', () => {
  test('parses a text as JSON.parse does', () => {
    fc.assert(
      fc.property(value, fc.constantFrom('', ' ', '\n\t'), (text, space) => {
        const padded = space + text + space
        fc.pre(padded.isWellFormed())
        expect(parse(padded)).toEqual(JSON.parse(text))
      }),
      { numRuns: cases(2_000) },
    )
  })

  test('takes every text that is not JSON for no JSON', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          value.map((text) => text.slice(0, -1)),
          value.map((text) => `${text},`),
        ),
        (text) => {
          let valid = true
          try {
            JSON.parse(text)
          } catch {
            valid = false
          }
          if (!valid) expect(() => parse(text)).toThrow()
        },
      ),
      { numRuns: cases(2_000) },
    )
  })

  test('finds a repeated key, at any place and however it is written', () => {
    const key = fc.string({ minLength: 1, maxLength: 5 }).filter((text) => text !== '__proto__')
    const written = (text: string, escaped: boolean): string =>
      escaped
        ? `"${[...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
        : JSON.stringify(text)
    fc.assert(
      fc.property(key, fc.boolean(), fc.uniqueArray(key), fc.nat(3), (twice, escaped, others, depth) => {
        const rest = others.filter((other) => other !== twice).map((other) => `${JSON.stringify(other)}:{"a":":"}`)
        const object = `{${[`${written(twice, false)}:1`, ...rest, `${written(twice, escaped)}:2`].join(',')}}`
        const nested = `${'[{"x":'.repeat(depth)}${object}${'}]'.repeat(depth)}`
        expect(() => parse(nested)).toThrow('stands twice')
      }),
    )
  })

  test('lets the same key stand in different objects', () => {
    expect(parse('{"a":{"a":1},"b":[{"a":1},{"a":2}]}')).toEqual({ a: { a: 1 }, b: [{ a: 1 }, { a: 2 }] })
  })

  test.each([
    ['"\\ud800"', 'surrogate'],
    ['{"\\udfff":1}', 'surrogate'],
    ['"a\\u0000"', 'U+0000'],
    ['{"__proto__":1}', '__proto__'],
    ['[{"\\u005f_proto__":1}]', '__proto__'],
    ['"\\ud83d\\ude00"', null],
    ['"\\u00e9"', null],
    ['"\\\\u0000"', null],
  ])('%s: %s', (text, says) => {
    if (says === null) expect(parse(text)).toEqual(JSON.parse(text))
    else expect(() => parse(text)).toThrow(says)
  })

  test('16 levels are read, 17 are not; brackets in strings do not count', () => {
    expect(parse(`${'['.repeat(16)}${']'.repeat(16)}`)).toBeDefined()
    expect(() => parse(`${'['.repeat(17)}${']'.repeat(17)}`)).toThrow('16 levels')
    expect(() => parse('[{"a":'.repeat(9))).toThrow('16 levels')
    expect(parse(JSON.stringify('[{'.repeat(100)))).toBe('[{'.repeat(100))
    expect(parse('"\\"[[[[[[[[[[[[[[[[[[[["')).toBe('"[[[[[[[[[[[[[[[[[[[[')
  })

  test('a megabyte of anything is judged quickly', () => {
    const long = [
      `"${'a'.repeat(1_000_000)}"`,
      `"${'\\"'.repeat(500_000)}"`,
      `[${'1,'.repeat(500_000)}1]`,
      '"\\'.repeat(330_000),
      `{"a":"${'\\u00e9'.repeat(160_000)}"}`,
    ]
    for (const text of long) {
      const before = process.cpuUsage()
      try {
        parse(text)
      } catch {}
      // Processor time: a busy machine is slow, and that is no finding.
      expect(process.cpuUsage(before).user).toBeLessThan(1_000_000)
    }
  })
})
