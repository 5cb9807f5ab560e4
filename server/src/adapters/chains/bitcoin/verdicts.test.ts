import { expect, test } from 'vitest'
import { verdictOf } from './broadcast.ts'
import { REFUSALS } from '../../../../../test/world/dialects/bitcoin-refusals.ts'

test.for(REFUSALS)(
  'audit D-B8, rows B-1, B-2, B-3, B-4, B-5, B-6, B-7, B-8, B-10, B-11, B-12 and B-21: %i %s',
  ([code, message, verdict]) => {
    expect(verdictOf(code, message)).toBe(verdict)
  },
)
