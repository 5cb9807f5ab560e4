import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { isRefused } from '@bursar/chainkit'
import { parseTransaction, withPrevious, type Psbt } from '@bursar/chainkit/bitcoin'
import { parseSigned } from '@bursar/chainkit/evm'
import { RawTx } from '@scure/btc-signer'
import { readPolicy } from '../../policy/policy.ts'
import type { Intent, SignRequest } from '../../protocol/protocol.ts'
import { makeFiles } from '../../../../test/world/signer-process.ts'
import { MINUTE, NOW, TRON_STRANGER, tronIntent, tronRequest } from '../../../../test/world/tron-requests.ts'
import {
  BITCOIN_OTHER,
  BITCOIN_STRANGER,
  STRANGER,
  bitcoinIntent,
  bitcoinRequest,
  codeOf,
  depositKey,
  evmRequest,
  hotKey,
  intentOf,
  keyring,
  makeSigner,
  policyFile,
  temporaryDirectory,
  uuid,
} from '../../../../test/world/signer.ts'

const COLD = keyring.evmAddress({ account: 'deposit', index: 77 })
type Networks = Record<string, { assets: Record<string, object> }>
const withCold = (network: string, ticker: string, cold: string): object => {
  const networks = policyFile.networks as unknown as Networks
  const { assets } = networks[network]!
  return {
    ...policyFile,
    networks: {
      ...networks,
      [network]: { ...networks[network], assets: { ...assets, [ticker]: { ...assets[ticker], cold } } },
    },
  }
}
const ethereum = withCold('ETHEREUM', 'USDT', COLD)
const toCold = (number: number, more: Partial<Intent> = {}): Intent => intentOf(number, { to: COLD, ...more })
const evmCold = (intent: Intent, more = {}): SignRequest => evmRequest(intent, more, { purpose: 'cold' })

describe('a transfer to cold storage', () => {
  test('is signed without limits or approvals, and does not count towards the limits of payments', async () => {
    const { signer } = await makeSigner({ policy: ethereum })
    expect(await codeOf(signer, evmCold(toCold(1, { units: '900000000000' })))).toBe('signed')
    expect(await codeOf(signer, evmRequest(toCold(2, { units: '900000000000' }), { nonce: 1n }))).toBe('limit')
    for (const nonce of [2n, 3n, 4n]) {
      expect(await codeOf(signer, evmRequest(intentOf(10 + Number(nonce), { units: '400000000' }), { nonce }))).toBe(
        'signed',
      )
    }
  })

  test('goes to the address of the policy, with any address in the request', async () => {
    const { signer } = await makeSigner({ policy: ethereum })
    expect(await codeOf(signer, evmCold(intentOf(1, { to: STRANGER })))).toBe('destination-mismatch')
    expect(await codeOf(signer, evmCold(toCold(1, { asset: 'ETH', units: '5' })))).toBe('destination-mismatch')
    const { unsigned } = evmCold(intentOf(1, { to: STRANGER }))
    expect(await codeOf(signer, { ...evmCold(toCold(1)), unsigned })).toBe('destination-mismatch')
    expect(await codeOf(signer, { ...evmCold(toCold(1)), intents: [toCold(1, { units: '2' })] })).toBe(
      'amount-mismatch',
    )
    const { signer: without } = await makeSigner()
    expect(await codeOf(without, evmCold(toCold(1)))).toBe('destination-mismatch')
  })

  test('pays at most the fees of the policy, and is replaced with the same nonce only', async () => {
    const { signer } = await makeSigner({ policy: ethereum })
    expect(await codeOf(signer, evmCold(toCold(1), { gas: 900_000n }))).toBe('fee-too-high')
    expect(await codeOf(signer, evmCold(toCold(1)))).toBe('signed')
    expect(await codeOf(signer, evmCold(toCold(1), { maxFeePerGas: 30n * 10n ** 9n }))).toBe('signed')
    expect(await codeOf(signer, evmCold(toCold(1), { nonce: 1n }))).toBe('intent-already-signed')
    expect(await codeOf(signer, evmRequest(intentOf(2)))).toBe('nonce-used')
  })

  test('on Bitcoin spends coins of ours, and returns change to us', async () => {
    const { signer } = await makeSigner({ policy: withCold('BITCOIN', 'BTC', BITCOIN_STRANGER) })
    const inputs = [{ number: 0, units: 90_000_000n, key: depositKey(3) }]
    const intents = [bitcoinIntent(1, 80_000_000n)]
    expect(await codeOf(signer, bitcoinRequest({ intents, inputs }))).toBe('limit')
    expect(await codeOf(signer, bitcoinRequest({ intents, inputs, request: { purpose: 'cold' } }))).toBe('signed')
    const elsewhere = [bitcoinIntent(2, 80_000_000n, BITCOIN_OTHER)]
    const other = [{ number: 1, units: 90_000_000n, key: depositKey(3) }]
    expect(
      await codeOf(signer, bitcoinRequest({ intents: elsewhere, inputs: other, request: { purpose: 'cold' } })),
    ).toBe('destination-mismatch')
  })

  test('on TRON may last as long as the chain lets it', async () => {
    const { signer } = await makeSigner({ policy: withCold('TRON', 'USDT', TRON_STRANGER) })
    const day = { expiration: NOW + 24 * 60 * MINUTE }
    expect(await codeOf(signer, tronRequest(tronIntent(1), day))).toBe('expiration')
    expect(await codeOf(signer, tronRequest(tronIntent(1), day, { purpose: 'cold' }))).toBe('signed')
    expect(
      await codeOf(signer, tronRequest(tronIntent(2), { expiration: day.expiration + MINUTE }, { purpose: 'cold' })),
    ).toBe('expiration')
  })

  test('names one intent', async () => {
    const { signer } = await makeSigner({ policy: ethereum })
    const client = (intents: Intent[]) => codeOf(signer, { ...evmCold(toCold(1)), intents })
    expect(await client([toCold(1), toCold(2)])).toBe('bad-request')
  })
})

test.each([
  ['ETHEREUM', 'USDT', COLD.toLowerCase()],
  ['ETHEREUM', 'USDT', 'nowhere'],
  ['BITCOIN', 'BTC', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
  ['BITCOIN', 'BTC', BITCOIN_STRANGER.toUpperCase()],
  ['TRON', 'USDT', `${TRON_STRANGER.slice(0, -1)}1`],
])('a policy whose cold address for %s %s is %s is no policy', (network, ticker, cold) => {
  expect(() => readPolicy(JSON.stringify(withCold(network, ticker, cold)))).toThrow(/cold/)
})

describe('bursar-signer sign-cold', () => {
  const run = async (policy: object, file: object): Promise<{ text: string; out: string }> => {
    const files = await makeFiles(policy)
    const [source, out] = [join(temporaryDirectory(), 'in.json'), join(temporaryDirectory(), 'out.json')]
    writeFileSync(source, JSON.stringify(file))
    const args = [
      'sign-cold',
      '--seed',
      files.seed,
      '--passphrase-file',
      files.passphrase,
      '--policy',
      files.policy,
      '--in',
      source,
      '--out',
      out,
    ]
    const ended = await promisify(execFile)(process.execPath, [
      new URL('../../main.ts', import.meta.url).pathname,
      ...args,
    ]).then(
      ({ stdout }) => stdout,
      (error: { stderr: string }) => error.stderr,
    )
    return { text: ended, out }
  }
  const { id, ...intent } = toCold(1)
  const { unsigned, network } = evmCold(toCold(1))
  const file = { id, network, ...intent, unsigned, keys: [hotKey], note: 'unchanged' }

  test("signs the transactions that its own machine's policy allows, and prints them", async () => {
    const { text, out } = await run(ethereum, file)
    expect(text).toContain(`1000000 units of USDT on ETHEREUM to ${COLD}`)
    const written = JSON.parse(readFileSync(out, 'utf8')) as { signed: string; hash: string }
    expect(written).toMatchObject(file)
    expect(parseSigned(Buffer.from(written.signed.slice(2), 'hex'))).toMatchObject({
      from: keyring.evmAddress(hotKey),
      hash: written.hash,
    })
  })

  /** The transaction that pays our coin, and a PSBT that spends it. */
  const onBitcoin = (stated = 90_000_000n) => {
    const key = depositKey(3)
    const { script } = keyring.bitcoinAddress(key)
    const inputs = [
      { txid: new Uint8Array(32).fill(5), index: 0, finalScriptSig: new Uint8Array([1, 7]), sequence: 0xffffffff },
    ]
    const raw = RawTx.encode({
      version: 2,
      segwitFlag: false,
      inputs,
      outputs: [{ script, amount: 90_000_000n }],
      witnesses: undefined,
      lockTime: 0,
    })
    const parsed = parseTransaction(raw)
    if (isRefused(parsed)) throw new Error(parsed.message)
    const intent = bitcoinIntent(1, 80_000_000n)
    const alter = (psbt: Psbt): Psbt => ({
      ...psbt,
      inputs: psbt.inputs.map((input) => ({ ...input, txid: parsed.txid, vout: 0 })),
    })
    const request = bitcoinRequest({ intents: [intent], inputs: [{ number: 0, units: stated, key }], alter })
    const proven = withPrevious(Buffer.from(request.unsigned, 'hex'), new Map([[parsed.txid, raw]]))
    const { id: transfer, ...rest } = intent
    const bare = { id: transfer, network: 'BITCOIN', ...rest, unsigned: request.unsigned, keys: [key] }
    return {
      bare,
      proven,
      file: { ...bare, ...(!isRefused(proven) && { psbt: Buffer.from(proven).toString('base64') }) },
    }
  }
  const bitcoin = withCold('BITCOIN', 'BTC', BITCOIN_STRANGER)

  test('on Bitcoin signs when the transactions that are spent from come along', async () => {
    const { file: ours } = onBitcoin()
    const { text, out } = await run(bitcoin, ours)
    expect(text).toContain(`80000000 units of BTC on BITCOIN to ${BITCOIN_STRANGER}, fee at most 1000`)
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({
      ...ours,
      signed: expect.stringMatching(/^0200/) as unknown,
    })
  })

  test.each([
    ['without them', () => onBitcoin().bare],
    [
      'with stated amounts only',
      () => {
        const { bare } = onBitcoin()
        return { ...bare, psbt: Buffer.from(bare.unsigned, 'hex').toString('base64') }
      },
    ],
    [
      'with proof of another amount than the one to sign',
      () => ({ ...onBitcoin().file, unsigned: onBitcoin(90_500_000n).bare.unsigned }),
    ],
  ])('on Bitcoin signs nothing %s', async (_, made) => {
    const { text, out } = await run(bitcoin, made())
    expect(text).toContain('refused (amounts-not-proven)')
    expect(() => readFileSync(out)).toThrow()
  })

  test('nothing proves an amount that is another', () => {
    expect(onBitcoin(90_000_001n).proven).toMatchObject({ refused: 'other' })
  })

  test('signs nothing else', async () => {
    const { text } = await run(policyFile, file)
    expect(text).toContain('refused (destination-mismatch)')
    const wrong = await run(ethereum, { ...file, to: STRANGER, id: uuid(9) })
    expect(wrong.text).toContain(`is ${COLD}, not`)
    expect(() => readFileSync(wrong.out)).toThrow()
  })
})
