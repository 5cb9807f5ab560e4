import { expect, test } from 'vitest'
import { isPoint } from './pausing.ts'

test('a pause point of one network is reached on that network, and by its name alone on any', () => {
  expect(isPoint('before-sign@TRON', 'before-sign@TRON')).toBe(true)
  expect(isPoint('before-sign@BITCOIN', 'before-sign@TRON')).toBe(false)
  expect(isPoint('before-sign@BITCOIN', 'before-sign')).toBe(true)
  expect(isPoint('before-sign-again@TRON', 'before-sign')).toBe(false)
  expect(isPoint('mail-sent', 'mail-sent')).toBe(true)
})
