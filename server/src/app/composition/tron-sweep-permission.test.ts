import { expect, test } from 'vitest'
import type { SignerStatus } from '../../adapters/signer/port.ts'
import { createTronSweepPermission } from './tron-sweep-permission.ts'

const permissionWith = (lent: { hour: string; day: string } | null, enabled = true) => {
  const networks = {
    TRON: {
      enabled: true,
      sweep: { enabled: true, maxTopUp: '5' },
      treasury: { enabled },
      assets: { TRX: { enabled: true }, USDC: { enabled: false } },
    },
  }
  const velocity = lent === null ? [] : [{ network: 'TRON', asset: 'loan', ...lent, maxPerHour: '10', maxPerDay: '20' }]
  const status = async () => ({ policy: { enabled: true, networks }, velocity }) as unknown as SignerStatus
  return createTronSweepPermission({ status }, () => 0)()
}

test.each([
  ['nothing was lent', { hour: '0', day: '0' }, true],
  ['some of the hour is left', { hour: '9', day: '9' }, true],
  ['the hour is used up', { hour: '10', day: '10' }, false],
  ['the day is used up', { hour: '0', day: '20' }, false],
  ['an older signer counts no loans', null, true],
])(
  'audit S-16: energy is lent as long as the sums of the signer are below their limits: %s',
  async (_name, lent, mayDelegateEnergy) => {
    expect(await permissionWith(lent)).toEqual({ assets: new Set(['TRX']), maxTopUp: 5n, mayDelegateEnergy })
  },
)

test('nothing is lent where the policy of the signer forbids it', async () => {
  expect(await permissionWith(null, false)).toMatchObject({ mayDelegateEnergy: false })
})
