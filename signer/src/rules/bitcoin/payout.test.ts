import { readFileSync } from 'node:fs'
import { Transaction } from '@scure/btc-signer'
import { describe, expect, test } from 'vitest'
import { toHex } from '@bursar/chainkit/evm'
import type { SignRequest } from '../../protocol/protocol.ts'
import type { RefusalCode } from '../../protocol/refusal.ts'
import {
  BITCOIN_OTHER,
  BITCOIN_STRANGER,
  bitcoinIntent,
  bitcoinRequest,
  changeOutput,
  codeOf,
  depositKey,
  hotKey,
  keyring,
  makeSigner,
  originOf,
  refusalOf,
} from '../../../../test/world/signer.ts'

describe('on Bitcoin', () => {
  const input = (number: number, units = 300_000n, key = depositKey(0)) => ({ number, units, key })
  const plan = {
    intents: [bitcoinIntent(1), bitcoinIntent(2, 50_000n, BITCOIN_OTHER)],
    inputs: [input(0), input(1, 40_000n, hotKey)],
  }

  test('signs a payout of several intents that btc-signer reads as exactly those and our change', async () => {
    const { signer } = await makeSigner()
    const { signed, hash, vsize } = await signer.sign(bitcoinRequest(plan))
    const transaction = Transaction.fromRaw(Buffer.from(signed, 'hex'))
    expect(transaction.id).toBe(hash)
    expect(transaction.vsize).toBe(vsize)
    const outputs = Array.from({ length: 3 }, (_, at) => transaction.getOutput(at))
    expect(outputs.map(({ amount }) => amount)).toEqual([100_000n, 50_000n, 189_000n])
    expect(toHex(outputs[2]!.script!)).toBe(toHex(changeOutput(1n).script))
    const again = await makeSigner()
    expect((await again.signer.sign(bitcoinRequest(plan))).signed).toBe(signed)
  })

  const alterOutput = (at: number, more: object): SignRequest =>
    bitcoinRequest({
      ...plan,
      alter: (psbt) => ({
        ...psbt,
        outputs: psbt.outputs.map((output, i) => (i === at ? { ...output, ...more } : output)),
      }),
    })
  const alterInput = (more: object): SignRequest =>
    bitcoinRequest({ ...plan, alter: (psbt) => ({ ...psbt, inputs: psbt.inputs.map((one) => ({ ...one, ...more })) }) })
  const thief = Uint8Array.from([0x00, 0x14, ...new Uint8Array(20).fill(66)])
  const ownDeposit = keyring.bitcoinAddress({ account: 'deposit', branch: 1, index: 0 }).script

  test.each<[string, SignRequest, RefusalCode]>([
    ['a payment to another address', alterOutput(0, { script: thief }), 'unknown-output'],
    ['one satoshi more', alterOutput(0, { units: 100_001n }), 'amount-mismatch'],
    ['one satoshi less', alterOutput(0, { units: 99_999n }), 'amount-mismatch'],
    [
      'an intent left out',
      { ...bitcoinRequest(plan), intents: [...plan.intents, bitcoinIntent(3, 1_000n)] },
      'destination-mismatch',
    ],
    ['an output too many', { ...bitcoinRequest(plan), intents: plan.intents.slice(1) }, 'unknown-output'],
    [
      'one output for two equal intents',
      { ...bitcoinRequest({ ...plan, intents: [bitcoinIntent(1)] }), intents: [bitcoinIntent(1), bitcoinIntent(3)] },
      'destination-mismatch',
    ],
    ['change to a thief under our origin', alterOutput(2, { script: thief }), 'unknown-output'],
    ['change to us without saying where', alterOutput(2, { origins: [] }), 'unknown-output'],
    [
      'change to a deposit key',
      alterOutput(2, { script: ownDeposit, origins: [originOf({ account: 'deposit', branch: 1, index: 0 })] }),
      'unknown-output',
    ],
    [
      'change on the receiving branch',
      alterOutput(2, { script: keyring.bitcoinAddress(hotKey).script, origins: [originOf(hotKey)] }),
      'unknown-output',
    ],
    [
      'change named by another index',
      alterOutput(2, { origins: [originOf({ account: 'hot', branch: 1, index: 1 })] }),
      'unknown-output',
    ],
    [
      'change of another master key',
      alterOutput(2, { origins: [{ ...changeOutput(1n).origins[0], masterFingerprint: 1 }] }),
      'unknown-output',
    ],
    [
      'change whose origin names a deposit key',
      alterOutput(2, {
        origins: [{ ...changeOutput(1n).origins[0], path: originOf({ account: 'deposit', branch: 1, index: 0 }).path }],
      }),
      'unknown-output',
    ],
    [
      'change in two parts',
      bitcoinRequest({
        ...plan,
        alter: (psbt) => ({
          ...psbt,
          outputs: [...psbt.outputs.slice(0, 2), changeOutput(100_000n), changeOutput(89_000n, 1)],
        }),
      }),
      'unknown-output',
    ],
    ['an input of a stranger', alterInput({ script: thief }), 'key-mismatch'],
    [
      'keys in another order',
      { ...bitcoinRequest(plan), keys: bitcoinRequest(plan).keys.toReversed() },
      'key-mismatch',
    ],
    ['a key too few', { ...bitcoinRequest(plan), keys: [depositKey(0)] }, 'key-mismatch'],
    [
      'B19 a fee above the cap',
      bitcoinRequest({
        intents: [bitcoinIntent(1, 900_000n)],
        inputs: [0, 1, 2, 3, 4, 5].map((one) => input(one)),
        fee: 20_001n,
      }),
      'fee-too-high',
    ],
    ['a fee above the share', bitcoinRequest({ ...plan, fee: 15_001n }), 'fee-too-high'],
    [
      'a rate above the cap',
      bitcoinRequest({ intents: [bitcoinIntent(1, 900_000n)], inputs: [input(0, 1_000_000n)], fee: 14_101n }),
      'fee-too-high',
    ],
    ['outputs above the inputs', alterInput({ units: 10n }), 'not-parsable'],
    ['inputs that are not replaceable', alterInput({ sequence: 0xffffffff }), 'not-parsable'],
    ['a lock time', bitcoinRequest({ ...plan, alter: (psbt) => ({ ...psbt, lockTime: 500 }) }), 'not-parsable'],
    ['version 1', bitcoinRequest({ ...plan, alter: (psbt) => ({ ...psbt, transactionVersion: 1 }) }), 'not-parsable'],
    ['a byte left over', { ...bitcoinRequest(plan), unsigned: `${bitcoinRequest(plan).unsigned}00` }, 'not-parsable'],
    ['rubbish', { ...bitcoinRequest(plan), unsigned: 'abcd' }, 'not-parsable'],
    ['0x before it', { ...bitcoinRequest(plan), unsigned: `0x${bitcoinRequest(plan).unsigned}` }, 'not-parsable'],
    ['a filler', { ...bitcoinRequest(plan), purpose: 'filler', intents: [] }, 'network'],
    [
      'an address of mainnet',
      { ...bitcoinRequest(plan), intents: [bitcoinIntent(1, 100_000n, 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu')] },
      'destination-mismatch',
    ],
    [
      'an address in upper case',
      { ...bitcoinRequest(plan), intents: [bitcoinIntent(1, 100_000n, BITCOIN_STRANGER.toUpperCase())] },
      'destination-mismatch',
    ],
    [
      'an amount above the limit',
      bitcoinRequest({ intents: [bitcoinIntent(1, 1_000_001n)], inputs: [input(0, 2_000_000n)] }),
      'limit',
    ],
  ])('refuses %s', async (_name, request, code) => {
    expect(await refusalOf(request)).toBe(code)
  })

  test('a field of a PSBT that we do not know is refused', async () => {
    const psbt = Transaction.fromPSBT(Buffer.from(bitcoinRequest(plan).unsigned, 'hex'))
    psbt.updateInput(0, { sighashType: 0x83 })
    expect(await refusalOf({ ...bitcoinRequest(plan), unsigned: Buffer.from(psbt.toPSBT()).toString('hex') })).toBe(
      'not-parsable',
    )
  })

  test('a PSBT that spends one input twice is refused', async () => {
    const once = bitcoinRequest({ ...plan, inputs: [input(0)] })
    const psbt = Transaction.fromPSBT(Buffer.from(once.unsigned, 'hex'))
    psbt.addInput(psbt.getInput(0))
    const unsigned = Buffer.from(psbt.toPSBT()).toString('hex')
    expect(await refusalOf({ ...once, unsigned, keys: [...once.keys, ...once.keys] })).toBe('not-parsable')
  })

  test('change that the log remembers is where it says', async () => {
    const { signer, log, logFile } = await makeSigner()
    const outputs = (psbt: { outputs: ReturnType<typeof changeOutput>[] }) => [
      ...psbt.outputs.slice(0, 2),
      changeOutput(189_000n, 4321),
    ]
    await signer.sign(bitcoinRequest({ ...plan, alter: (psbt) => ({ ...psbt, outputs: outputs(psbt) }) }))
    await log.close()
    expect(readFileSync(logFile, 'utf8')).toContain('"changeIndex":4321')
  })

  test('a replacement shares an input with every transaction that paid any of its intents', async () => {
    const { signer } = await makeSigner()
    const pay = (intents: number[], inputs: number[], fee = 1_000n): SignRequest =>
      bitcoinRequest({ intents: intents.map((id) => bitcoinIntent(id)), inputs: inputs.map((one) => input(one)), fee })
    expect(await codeOf(signer, pay([1, 2], [0, 1]))).toBe('signed')
    expect(await codeOf(signer, pay([1, 2], [2]))).toBe('intent-already-signed')
    expect(await codeOf(signer, pay([1], [0, 2]))).toBe('signed')
    // Shares input 1 with the first, but nothing with the second, which would pay intent 1 beside it.
    expect(await codeOf(signer, pay([1, 2], [1, 3]))).toBe('intent-already-signed')
    // Shares an input with each of them, but not one with all: bumps keep one common input.
    expect(await codeOf(signer, pay([1, 2], [1, 2]))).toBe('intent-already-signed')
    expect(await codeOf(signer, pay([2], [1, 2]))).toBe('signed')
    expect(await codeOf(signer, pay([1, 3], [0, 4]))).toBe('signed')
  })

  test('one transaction with other amounts for its inputs is not signed a second time', async () => {
    // BIP 143 signs each input's own amount only: two requests that each misstate one input would together give a
    // valid transaction whose fee the signer never saw.
    const { signer } = await makeSigner()
    const twoInputs = { intents: [bitcoinIntent(1)], inputs: [input(0, 60_000n), input(1, 41_000n, hotKey)] }
    const misstated = { ...twoInputs, inputs: [input(0, 41_000n), input(1, 60_000n, hotKey)] }
    expect(await codeOf(signer, bitcoinRequest(twoInputs))).toBe('signed')
    expect(await codeOf(signer, bitcoinRequest(misstated))).toBe('transaction-changed')
  })

  test('signs a payout of a hundred inputs', async () => {
    const { signer } = await makeSigner()
    const inputs = Array.from({ length: 100 }, (_, number) => input(number, 9_000n, depositKey(number)))
    const payout = bitcoinRequest({ intents: [bitcoinIntent(1, 800_000n)], inputs, fee: 7_000n })
    expect(await codeOf(signer, payout)).toBe('signed')
  })
})
