import { Transaction } from '@scure/btc-signer'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toHex } from '@bursar/chainkit/evm'
import { parsePsbt } from '@bursar/chainkit/bitcoin'
import { isRefused } from '@bursar/chainkit'
import { cases } from '../../../../test/setup/cases.ts'
import { readPolicy } from '../../policy/policy.ts'
import type { SignRequest } from '../../protocol/protocol.ts'
import type { RefusalCode } from '../../protocol/refusal.ts'
import {
  bitcoinIntent,
  bitcoinRequest,
  changeOutput,
  codeOf,
  depositKey,
  evmRequest,
  hotKey,
  intentOf,
  keyring,
  makeSigner,
  originOf,
  policyFile,
  refusalOf,
  type BitcoinPlan,
} from '../../../../test/world/signer.ts'

const inputs = [
  { number: 0, units: 30_000n, key: depositKey(0) },
  { number: 1, units: 20_000n, key: depositKey(7) },
  { number: 2, units: 10_000n, key: hotKey },
]
/** Three coins of ours into one, at change index 0 unless it is altered. */
const joining = (more: Partial<BitcoinPlan> = {}): SignRequest =>
  bitcoinRequest({ intents: [], inputs, fee: 1_000n, ...more, request: { purpose: 'consolidation', ...more.request } })
const toScript = (script: Uint8Array, origins: ReturnType<typeof originOf>[]): SignRequest =>
  joining({ alter: (psbt) => ({ ...psbt, outputs: [{ ...psbt.outputs[0]!, script, origins }] }) })

const thief = Uint8Array.from([0x00, 0x14, ...new Uint8Array(20).fill(66)])
const scriptOf = (key: typeof hotKey): Uint8Array => keyring.bitcoinAddress(key).script

const without = (alter: (bitcoin: Record<string, unknown>) => void): object => {
  const policy = structuredClone(policyFile)
  alter(policy.networks.BITCOIN)
  return policy
}

describe('a consolidation', () => {
  test('joins coins of ours into one of the hot account, and the log remembers where', async () => {
    const { signer } = await makeSigner()
    const { signed, hash } = await signer.sign(joining())
    const transaction = Transaction.fromRaw(Buffer.from(signed, 'hex'))
    expect([transaction.id, transaction.inputsLength, transaction.outputsLength]).toEqual([hash, 3, 1])
    expect(transaction.getOutput(0).amount).toBe(59_000n)
    expect(toHex(transaction.getOutput(0).script!)).toBe(toHex(changeOutput(1n).script))
  })

  test('audit D-B9, B8: is of version 3 where it pays for a transaction of version 3', async () => {
    const { signer } = await makeSigner()
    const { signed } = await signer.sign(joining({ alter: (psbt) => ({ ...psbt, transactionVersion: 3 }) }))
    expect(signed.slice(0, 8)).toBe('03000000')
  })

  test.each<[string, SignRequest, RefusalCode]>([
    ['to a thief', toScript(thief, []), 'unknown-output'],
    [
      'to a thief under our origin',
      toScript(thief, [originOf({ account: 'hot', branch: 1, index: 0 })]),
      'unknown-output',
    ],
    ['to ours without saying which', toScript(changeOutput(1n).script, []), 'unknown-output'],
    ['to a deposit address', toScript(scriptOf(depositKey(3)), [originOf(depositKey(3))]), 'unknown-output'],
    ['to the receiving branch', toScript(scriptOf(hotKey), [originOf(hotKey)]), 'unknown-output'],
    [
      'to another index than it says',
      toScript(changeOutput(1n).script, [originOf({ account: 'hot', branch: 1, index: 9 })]),
      'unknown-output',
    ],
    [
      'with a second output',
      joining({ alter: (psbt) => ({ ...psbt, outputs: [changeOutput(40_000n), changeOutput(19_000n, 1)] }) }),
      'unknown-output',
    ],
    [
      'that pays another address besides',
      joining({
        alter: (psbt) => ({
          ...psbt,
          outputs: [changeOutput(40_000n), { script: thief, units: 19_000n, origins: [] }],
        }),
      }),
      'unknown-output',
    ],
    [
      'of a coin that is not ours',
      joining({ alter: (psbt) => ({ ...psbt, inputs: psbt.inputs.map((one) => ({ ...one, script: thief })) }) }),
      'key-mismatch',
    ],
    ['with a fee above the allowed share of the amount that arrives', joining({ fee: 5_455n }), 'fee-too-high'],
    [
      'with a fee above the cap',
      joining({ inputs: [{ number: 0, units: 10n ** 8n, key: hotKey }], fee: 20_001n }),
      'fee-too-high',
    ],
    [
      'with a rate above the cap',
      joining({ inputs: [{ number: 0, units: 10n ** 8n, key: hotKey }], fee: 11_001n }),
      'fee-too-high',
    ],
    ['with a lock time', joining({ alter: (psbt) => ({ ...psbt, lockTime: 5 }) }), 'not-parsable'],
    ['on an EVM chain', evmRequest(intentOf(1), {}, { purpose: 'consolidation', intents: [] }), 'network'],
  ])('is not signed %s', async (_name, request, code) => {
    expect(await refusalOf(request)).toBe(code)
  })

  test.each<[string, (bitcoin: Record<string, unknown>) => void]>([
    ['is not in the policy', (bitcoin) => delete bitcoin['consolidation']],
    ['is switched off', (bitcoin) => (bitcoin['consolidation'] = { enabled: false })],
    [
      'may not sign BTC',
      (bitcoin) => (bitcoin['assets'] = { BTC: { ...(bitcoin['assets'] as { BTC: object }).BTC, enabled: false } }),
    ],
  ])('is not signed when it %s', async (_name, alter) => {
    const { signer } = await makeSigner({ policy: without(alter) })
    expect(await codeOf(signer, joining())).toBe('disabled')
  })

  test('a policy names nothing else', () => {
    const strange = without((bitcoin) => (bitcoin['consolidation'] = { enabled: true, to: 'somewhere' }))
    expect(() => readPolicy(JSON.stringify(strange))).toThrow(/consolidation/)
  })

  test('counts each fee once: those that compete for a coin by the dearest, the others each', async () => {
    const { signer } = await makeSigner()
    const join = (numbers: number[], fee: bigint): Promise<string> =>
      codeOf(
        signer,
        joining({ inputs: numbers.map((number) => ({ number, units: 300_000n, key: depositKey(number) })), fee }),
      )
    const used = (): string =>
      signer.status().velocity.find(({ network, asset }) => network === 'BITCOIN' && asset === 'fee')!.hour
    expect([await join([0, 1], 5_000n), used()]).toEqual(['signed', '5000'])
    expect([await join([0, 1], 8_000n), used()]).toEqual(['signed', '8000'])
    expect([await join([2, 3], 12_000n), used()]).toEqual(['signed', '20000'])
    expect([await join([4, 5], 15_000n), used()]).toEqual(['signed', '35000'])
    expect([await join([6, 7], 15_001n), used()]).toEqual(['velocity', '35000'])
  })

  test('does not make a payment any safer to repeat', async () => {
    const { signer } = await makeSigner()
    const pay = (number: number): SignRequest =>
      bitcoinRequest({ intents: [bitcoinIntent(1)], inputs: [{ number, units: 300_000n, key: depositKey(0) }] })
    expect(await codeOf(signer, pay(0))).toBe('signed')
    expect(await codeOf(signer, joining({ inputs: [{ number: 0, units: 300_000n, key: depositKey(0) }] }))).toBe(
      'signed',
    )
    expect(await codeOf(signer, pay(1))).toBe('intent-already-signed')
  })

  test('with any changed bytes pays only our change, or is not signed', async () => {
    const good = Buffer.from(joining().unsigned, 'hex')
    const flips = fc.array(fc.record({ at: fc.nat({ max: good.length - 1 }), byte: fc.nat({ max: 255 }) }), {
      minLength: 1,
      maxLength: 3,
    })
    const { signer } = await makeSigner()
    await fc.assert(
      fc.asyncProperty(flips, async (edits) => {
        const bytes = Buffer.from(good)
        for (const { at, byte } of edits) bytes[at] = byte
        const request = joining({ request: { unsigned: bytes.toString('hex') } })
        if ((await codeOf(signer, request)) !== 'signed') return
        const psbt = parsePsbt(bytes)
        expect(isRefused(psbt)).toBe(false)
        if (isRefused(psbt)) return
        expect(psbt.outputs).toHaveLength(1)
        const index = psbt.outputs[0]!.origins[0]!.path.at(-1)!
        expect(toHex(psbt.outputs[0]!.script)).toBe(toHex(changeOutput(1n, index).script))
      }),
      { numRuns: cases(50) },
    )
  })
})
