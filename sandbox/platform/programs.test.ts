import { expect, test } from 'vitest'
import { createGuard } from '../../server/src/platform/outbound/guard.ts'
import { environmentOf, type Places } from './programs.ts'

test('audit C-7: webhooks of the sandbox reach localhost, which is 127.0.0.1 and ::1', () => {
  const places = { keys: {}, files: {}, databaseUrls: () => '' } as unknown as Places
  const { BURSAR_OUTBOUND_ALLOW: allowed = '' } = environmentOf(
    places,
    { ports: {} } as Parameters<typeof environmentOf>[1],
    'worker',
    0,
  )
  const guard = createGuard(allowed.split(','))
  expect([guard('127.0.0.1'), guard('::1')]).toEqual([null, null])
  expect([guard('10.0.0.1'), guard('fe80::1'), guard('fd00::1')]).not.toContain(null)
})
