import { describe, expect, test } from 'vitest'
import { approve, approvers, intentOf, makeSigner, policyFile } from '../../../test/world/signer.ts'

const LARGE = '500000001'
const assets = policyFile.networks.ETHEREUM.assets as Readonly<Record<string, object>>
const most = { maxPerHour: '1000000000000', maxPerDay: '1000000000000' }
const policy = {
  ...policyFile,
  networks: {
    ...policyFile.networks,
    ETHEREUM: {
      ...policyFile.networks.ETHEREUM,
      assets: { ...assets, USDT: { ...assets['USDT'], ...most } },
    },
  },
}
const intents = (count: number) => Array.from({ length: count }, (_, at) => intentOf(at + 1, { units: LARGE }))

describe('the approvals that a request carries', () => {
  test('are found for each of 50 payments with three approvals each', async () => {
    const { signer } = await makeSigner({ policy })
    const all = intents(50)
    const approvals = all.toReversed().flatMap((one) => approvers.map((by) => approve(by, 'ETHEREUM', one)))
    expect(approvals).toHaveLength(150)
    expect(await signer.check({ network: 'ETHEREUM', intents: all, approvals })).toEqual([])
    const lacking = approvals.filter((_, at) => at % 3 === 0)
    expect(await signer.check({ network: 'ETHEREUM', intents: all, approvals: lacking })).toHaveLength(50)
  })

  test('are verified while other requests have their turn', async () => {
    const { signer } = await makeSigner({ policy })
    const wrong = Array.from({ length: 100 }, () => approve(approvers[0]!, 'ETHEREUM', intentOf(9999)))
    let turns = 0
    let isOver = false
    const turn = (): void => {
      turns++
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    const refusals = await signer.check({ network: 'ETHEREUM', intents: intents(20), approvals: wrong })
    isOver = true
    expect(refusals).toHaveLength(20)
    expect(turns).toBeGreaterThan(50)
  })

  test('are refused when they are too many for the payments', async () => {
    const { signer } = await makeSigner({ policy })
    const wrong = Array.from({ length: 100 }, () => approve(approvers[0]!, 'ETHEREUM', intentOf(9999)))
    await expect(signer.check({ network: 'ETHEREUM', intents: intents(500), approvals: wrong })).rejects.toThrow(
      '100 approvals are too many for 500 payments',
    )
    const small = intents(500).map((one) => ({ ...one, units: '1' }))
    expect(await signer.check({ network: 'ETHEREUM', intents: small, approvals: wrong })).toEqual([])
    const unknown = wrong.map((one) => ({ ...one, keyId: 'unknown' }))
    const refusals = await signer.check({ network: 'ETHEREUM', intents: intents(500), approvals: unknown })
    expect(refusals).toHaveLength(500)
  })
})
