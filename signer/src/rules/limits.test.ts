import { describe, expect, test } from 'vitest'
import type { SignRequest } from '../protocol/protocol.ts'
import {
  approve,
  approvers,
  codeOf,
  evmRequest,
  fillerRequest,
  intentOf,
  makeSigner,
  refusalOf,
  uuid,
} from '../../../test/world/signer.ts'
import { DAY_MS, HOUR_MS } from '../log/velocity.ts'

describe('approvals', () => {
  const intent = intentOf(1, { units: '500000001' })
  const [alice, bob] = approvers as [(typeof approvers)[0], (typeof approvers)[0]]
  const by = (...signers: typeof approvers): SignRequest =>
    evmRequest(intent, {}, { approvals: signers.map((one) => approve(one, 'ETHEREUM', intent)) })

  test('as many as the policy requires let a large amount through', async () => {
    expect(await refusalOf(by(alice))).toBe('needs-approval')
    expect(await refusalOf(by(alice, alice))).toBe('needs-approval')
    expect(await refusalOf(by(alice, bob))).toBe('signed')
  })

  test('are not asked for at the amount itself', async () => {
    expect(await refusalOf(evmRequest(intentOf(1, { units: '500000000' })))).toBe('signed')
  })

  test('of one intent do not serve another', async () => {
    const approvals = by(alice, bob).approvals!
    expect(await refusalOf(evmRequest({ ...intent, id: uuid(2) }, {}, { approvals }))).toBe('needs-approval')
  })
})

describe('velocity', () => {
  const million = (number: number): SignRequest =>
    evmRequest(intentOf(number, { units: '500000000' }), { nonce: BigInt(number), gas: 1n })

  test('an hour and a day hold so much and no more, and the window moves', async () => {
    let now = 1_700_000_000_000
    const { signer } = await makeSigner({ now: () => now })
    for (let number = 0; number < 6; number++) expect(await codeOf(signer, million(number))).toBe('signed')
    expect(await codeOf(signer, million(6))).toBe('velocity')
    expect(signer.status().velocity).toContainEqual(
      expect.objectContaining({ network: 'ETHEREUM', asset: 'USDT', hour: '3000000000', day: '3000000000' }),
    )
    now += HOUR_MS - 1
    expect(await codeOf(signer, million(6))).toBe('velocity')
    now += 1
    for (let number = 6; number < 12; number++) expect(await codeOf(signer, million(number))).toBe('signed')
    now += HOUR_MS
    for (let number = 12; number < 18; number++) expect(await codeOf(signer, million(number))).toBe('signed')
    now += HOUR_MS
    expect(await codeOf(signer, million(18))).toBe('velocity')
    now += DAY_MS
    expect(await codeOf(signer, million(18))).toBe('signed')
  })

  test('is counted from the log again after a start, and setting the clock back wins nothing', async () => {
    let now = 1_700_000_000_000
    const first = await makeSigner({ now: () => now })
    for (let number = 0; number < 6; number++) await first.signer.sign(million(number))
    await first.log.close()
    now -= 2 * DAY_MS
    const { signer } = await makeSigner({ now: () => now, logFile: first.logFile })
    expect(await codeOf(signer, million(6))).toBe('velocity')
  })

  test('an intent counts once, however often its transaction is replaced', async () => {
    const { signer } = await makeSigner()
    for (let number = 0; number < 6; number++) await signer.sign(million(number))
    const bump = evmRequest(intentOf(5, { units: '500000000' }), { nonce: 5n, gas: 2n })
    expect(await codeOf(signer, bump)).toBe('signed')
    expect(signer.status().velocity).toContainEqual(expect.objectContaining({ asset: 'USDT', hour: '3000000000' }))
  })

  test('counts fees: the dearest of those that compete for one nonce', async () => {
    const { signer } = await makeSigner()
    const priced = (nonce: bigint, gas: bigint): SignRequest =>
      fillerRequest({ nonce, gas, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 0n })
    for (const gas of [30_000n, 60_000n, 99_000n]) expect(await codeOf(signer, priced(0n, gas))).toBe('signed')
    const used = (): string =>
      signer.status().velocity.find(({ network, asset }) => network === 'ETHEREUM' && asset === 'fee')!.hour
    expect(used()).toBe((99_000n * 10n ** 11n).toString())
    for (const nonce of [1n, 2n, 3n, 4n]) expect(await codeOf(signer, priced(nonce, 100_000n))).toBe('signed')
    expect(await codeOf(signer, priced(5n, 100_000n))).toBe('velocity')
    expect(await codeOf(signer, priced(5n, 1_000n))).toBe('signed')
  })
})
