import { expect, test } from 'vitest'
import { repeatedKey } from './repeated-key.ts'

test.each([
  ['{"a": 1, "b": {"a": 2}, "c": [{"a": 1}, {"a": 2}]}', undefined],
  ['{"a": "x:{", "b": "\\"a\\":"}', undefined],
  ['[1, "a", "a", {"x": "x"}]', undefined],
  ['{"limits": {"day": "10", "hour": "1", "day": "1000"}}', 'day'],
  ['{"a": [], "\\u0061": {}}', 'a'],
])('audit S-2: %s has a member twice: %s', (json, key) => {
  JSON.parse(json)
  expect(repeatedKey(json)).toBe(key)
})
