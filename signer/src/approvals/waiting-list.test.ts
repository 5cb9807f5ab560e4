import { describe, expect, test } from 'vitest'
import { APPROVALS_ORIGIN } from '../../../test/world/passkeys.ts'
import { codeOf, evmRequest, intentOf } from '../../../test/world/signer.ts'
import { NOW, large, open, policy, waitingFor } from './test-approvals.ts'

describe('the list of payments that wait', () => {
  test('has payments that lack approvals only, and says where to approve', async () => {
    const signer = await open()
    expect(await codeOf(signer.signer, evmRequest(intentOf(3, { units: '1000000001' })))).toBe('limit')
    expect(signer.signer.approvals.list()).toEqual([])
    const [refusal] = await signer.signer.check({ network: 'ETHEREUM', intents: [large] })
    expect(refusal!.message).toBe(`Intent ${large.id} has 0 of 2 approvals: approve it at ${APPROVALS_ORIGIN}`)
    expect(signer.signer.approvals.list()).toHaveLength(1)
    await signer.signer.closeIntent(large.id)
    expect(signer.signer.approvals.list()).toEqual([])
  })

  test('is bounded, and forgets a payment that is not asked for any more', async () => {
    const signer = await open()
    const many = Array.from({ length: 250 }, (_, at) => intentOf(100 + at, { units: '900000000' }))
    const refusals = await signer.signer.check({ network: 'ETHEREUM', intents: many })
    expect(signer.signer.approvals.list()).toHaveLength(200)
    expect(refusals.at(-1)!.message).toMatch(/the list of payments that wait is full/)
    signer.at(NOW + 15 * 60_000 + 1)
    expect(signer.signer.approvals.list()).toEqual([])
  })

  test('shows amounts in whole coins where the decimals are certain', async () => {
    const withDecimals = structuredClone(policy) as typeof policy & {
      networks: { ETHEREUM: { assets: Record<string, object> } }
    }
    Object.assign(withDecimals.networks.ETHEREUM.assets['USDT']!, { decimals: 6 })
    const signer = await waitingFor(evmRequest({ ...large, units: '900000010' }), { policy: withDecimals })
    expect(signer.signer.approvals.list()[0]!.amount).toBe('900.00001 USDT')
  })
})
