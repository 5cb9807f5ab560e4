import { describe, expect, test } from 'vitest'
import { readPolicy } from '../policy/policy.ts'
import {
  bitcoinIntent,
  bitcoinRequest,
  codeOf,
  evmRequest,
  hotKey,
  intentOf,
  makeSigner,
  policyFile,
  uuid,
} from '../../../test/world/signer.ts'
import { tronIntent } from '../../../test/world/tron-requests.ts'

describe('an intent that is closed', () => {
  test('audit M-A5: is never signed for, also after a start', async () => {
    const first = await makeSigner()
    expect(await first.signer.closeIntent(uuid(1))).toEqual([])
    expect(await codeOf(first.signer, evmRequest(intentOf(1)))).toBe('intent-closed')
    await first.log.close()
    const again = await makeSigner({ logFile: first.logFile })
    expect(await codeOf(again.signer, evmRequest(intentOf(1)))).toBe('intent-closed')
    expect(await codeOf(again.signer, evmRequest(intentOf(2)))).toBe('signed')
  })

  test('audit M-A5: was never signed for; otherwise its transactions are listed and it stays open', async () => {
    const { signer, log } = await makeSigner()
    const { hash } = await signer.sign(evmRequest(intentOf(1)))
    const { length } = log
    expect(await signer.closeIntent(uuid(1))).toMatchObject([{ hash }])
    expect(log.length).toBe(length)
    expect(await codeOf(signer, evmRequest(intentOf(1), { maxFeePerGas: 23n * 10n ** 9n }))).toBe('signed')
  })

  test('audit M-A5: of a request under way and a closing, one wins', async () => {
    const { signer } = await makeSigner()
    const [signed, closed] = await Promise.all([signer.sign(evmRequest(intentOf(1))), signer.closeIntent(uuid(1))])
    expect(closed).toMatchObject([{ hash: signed.hash }])
    const [, refused] = await Promise.all([
      signer.closeIntent(uuid(2)),
      codeOf(signer, evmRequest(intentOf(2), { nonce: 1n })),
    ])
    expect(refused).toBe('intent-closed')
  })

  test('is one line of the log, however often it is closed', async () => {
    const { signer, log } = await makeSigner()
    await signer.closeIntent(uuid(1))
    const { length } = log
    await signer.closeIntent(uuid(1))
    expect(log.length).toBe(length)
  })

  test('keeps others of its Bitcoin transaction from being signed, and is named', async () => {
    const { signer } = await makeSigner()
    await signer.closeIntent(uuid(2))
    const request = bitcoinRequest({
      intents: [bitcoinIntent(1), bitcoinIntent(2)],
      inputs: [{ number: 0, units: 400_000n, key: hotKey }],
    })
    await expect(signer.sign(request)).rejects.toMatchObject({ code: 'intent-closed', intents: [uuid(2)] })
  })
})

test('audit M-B3: earlier signatures are returned although the policy has been switched off since', async () => {
  const { signer } = await makeSigner()
  const answer = await signer.sign(evmRequest(intentOf(1)))
  signer.replacePolicy(readPolicy(JSON.stringify({ ...policyFile, enabled: false })))
  expect(await signer.sign(evmRequest(intentOf(1)))).toEqual(answer)
  expect(await codeOf(signer, evmRequest(intentOf(2), { nonce: 1n }))).toBe('disabled')
})

describe('a check before anything is built', () => {
  const check = async (made: Awaited<ReturnType<typeof makeSigner>>, intents: ReturnType<typeof intentOf>[]) =>
    (await made.signer.check({ network: 'ETHEREUM', intents })).map(({ id, refused }) => [id, refused])

  test('audit M-B1: names the payments above a limit and lets the others go', async () => {
    const over = intentOf(2, { units: '1000000001' })
    expect(await check(await makeSigner(), [intentOf(1), over, intentOf(3)])).toEqual([[uuid(2), 'limit']])
  })

  test('audit M-B2: counts the payments before it towards the hour', async () => {
    const most = [1, 2, 3, 4, 5, 6, 7].map((number) => intentOf(number, { units: '500000000' }))
    expect(await check(await makeSigner(), most)).toEqual([[uuid(7), 'velocity']])
  })

  test('audit M-B2: names the part that is switched off, unknown or needs approvals', async () => {
    const made = await makeSigner()
    const asked = [
      intentOf(1, { asset: 'USDC', units: '1' }),
      intentOf(2, { asset: 'DOGE' }),
      intentOf(3, { units: '500000001' }),
    ]
    expect(await check(made, asked)).toEqual([
      [uuid(1), 'disabled'],
      [uuid(2), 'unknown-asset'],
      [uuid(3), 'needs-approval'],
    ])
  })

  test('audit M-A5: names intents that were signed or closed before', async () => {
    const made = await makeSigner()
    await made.signer.sign(evmRequest(intentOf(1)))
    await made.signer.sign(evmRequest(intentOf(2), { nonce: 1n }))
    await made.signer.closeIntent(uuid(3))
    const asked = [intentOf(1), intentOf(2, { units: '7' }), intentOf(3), intentOf(4)]
    expect(await check(made, asked)).toEqual([
      [uuid(1), 'intent-already-signed'],
      [uuid(2), 'intent-changed'],
      [uuid(3), 'intent-closed'],
    ])
    expect(await made.signer.check({ network: 'TRON', intents: [tronIntent(1)] })).toMatchObject([
      { refused: 'intent-changed' },
    ])
  })

  test('leaves nothing behind', async () => {
    const made = await makeSigner()
    const { length } = made.log
    await check(made, [intentOf(1)])
    expect(made.log.length).toBe(length)
    expect(await codeOf(made.signer, evmRequest(intentOf(1)))).toBe('signed')
  })
})
