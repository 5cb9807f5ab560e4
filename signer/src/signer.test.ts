import { hexToBytes, parseTransaction, recoverTransactionAddress } from 'viem'
import type { Hex, TransactionSerialized } from 'viem'
import { Transaction } from '@scure/btc-signer'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseSigned, toHex } from '@bursar/chainkit/evm'
import type { Intent, SignRequest } from './protocol.ts'
import { Refusal } from './refusal.ts'
import type { RefusalCode } from './refusal.ts'
import type { Signer } from './signer.ts'
import { readPolicy } from './policy.ts'
import {
  BITCOIN_OTHER,
  BITCOIN_STRANGER,
  STRANGER,
  USDC,
  USDT,
  approve,
  approvers,
  bitcoinIntent,
  bitcoinRequest,
  changeOutput,
  evmRequest,
  evmTransaction,
  fillerRequest,
  hotKey,
  intentOf,
  keyring,
  makeSigner,
  originOf,
  policyFile,
  unsignedHex,
  uuid,
} from './test-world.ts'
import { DAY_MS, HOUR_MS } from './velocity.ts'

async function codeOf(signer: Signer, request: SignRequest): Promise<RefusalCode | 'signed'> {
  try {
    await signer.sign(request)
    return 'signed'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

const refusal = async (request: SignRequest, policy?: object): Promise<string> =>
  codeOf((await makeSigner(policy ? { policy } : {})).signer, request)

const deposit = (index: number): SignRequest['keys'][0] => ({ account: 'deposit', branch: 0, index })
const input = (number: number, units = 300_000n, key = deposit(0)) => ({ number, units, key })

describe('on EVM chains', () => {
  test.each([
    ['a token', intentOf(1)],
    ['the native coin', intentOf(1, { asset: 'ETH', units: '700' })],
  ])('signs a payment of %s that viem reads as that payment', async (_name, intent) => {
    const { signer } = await makeSigner()
    const { signed, hash } = await signer.sign(evmRequest(intent))
    const { r: _r, s: _s, v: _v, yParity: _y, ...sent } = parseTransaction(signed as TransactionSerialized)
    const { chainId, nonce, gas, to, value, data, ...prices } = evmTransaction(intent)
    expect(sent).toMatchObject({ chainId: Number(chainId), gas, to: to.toLowerCase(), ...prices })
    expect([sent.nonce ?? 0, sent.value ?? 0n, sent.data ?? '0x']).toEqual([Number(nonce), value, data])
    const from = await recoverTransactionAddress({ serializedTransaction: signed as TransactionSerialized })
    expect(from).toBe(keyring.evmAddress(hotKey))
    expect(parseSigned(hexToBytes(signed as Hex))).toMatchObject({ hash })
  })

  test('signs legacy transactions too, and pays from deposit keys', async () => {
    const { signer } = await makeSigner()
    const intent = intentOf(1)
    const { maxFeePerGas: _a, maxPriorityFeePerGas: _b, ...call } = evmTransaction(intent)
    const unsigned = unsignedHex({ ...call, type: 'legacy', gasPrice: 10n ** 9n })
    const { signed } = await signer.sign(evmRequest(intent, {}, { unsigned, keys: [deposit(7)] }))
    const from = await recoverTransactionAddress({ serializedTransaction: signed as TransactionSerialized })
    expect(from).toBe(keyring.evmAddress(deposit(7)))
  })

  test('signs a filler', async () => {
    const { signer } = await makeSigner()
    const { signed } = await signer.sign(fillerRequest({ nonce: 4n }))
    expect(parseTransaction(signed as TransactionSerialized)).toMatchObject({ nonce: 4, to: keyring.evmAddress(hotKey).toLowerCase() })
  })

  const token = intentOf(1)
  const coin = intentOf(1, { asset: 'ETH', units: '700' })
  const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
  const transferFrom = evmTransaction(token).data.replace('a9059cbb', '23b872dd') as Hex

  test.each<[string, SignRequest, RefusalCode]>([
    ['a token sent elsewhere', evmRequest(token, { data: evmTransaction({ ...token, to: other }).data }), 'destination-mismatch'],
    ['coins sent elsewhere', evmRequest(coin, { to: other }), 'destination-mismatch'],
    ['a twin of the token', evmRequest(token, { to: other }), 'destination-mismatch'],
    ['another token', evmRequest(token, { to: USDC }), 'destination-mismatch'],
    ['one token unit more', evmRequest(token, { data: evmTransaction({ ...token, units: '1000001' }).data }), 'amount-mismatch'],
    ['one wei more', evmRequest(coin, { value: 701n }), 'amount-mismatch'],
    ['one wei less', evmRequest(coin, { value: 699n }), 'amount-mismatch'],
    ['coins beside the token', evmRequest(token, { value: 1n }), 'amount-mismatch'],
    ['data beside the coins', evmRequest(coin, { data: '0x00' }), 'unknown-output'],
    ['transferFrom', evmRequest(token, { data: transferFrom }), 'unknown-output'],
    ['a byte after the call', evmRequest(token, { data: `${evmTransaction(token).data}00` }), 'unknown-output'],
    ['an approval of a spender', evmRequest(token, { data: evmTransaction(token).data.replace('a9059cbb', '095ea7b3') as Hex }), 'unknown-output'],
    ['coins where the intent says token', evmRequest(token, { to: STRANGER, value: 1_000_000n, data: '0x' }), 'destination-mismatch'],
    ['the token where the intent says coins', evmRequest(coin, { to: USDT, value: 0n, data: evmTransaction(token).data }), 'unknown-output'],
    ['a destination in lower case', evmRequest(intentOf(1, { to: STRANGER.toLowerCase() })), 'destination-mismatch'],
    ['a destination with a wrong checksum', evmRequest({ ...token, to: STRANGER.replace('C5', 'c5') }), 'destination-mismatch'],
    ['the zero address', evmRequest(intentOf(1, { to: `0x${'0'.repeat(40)}` })), 'destination-mismatch'],
    ['an address of Bitcoin', { ...evmRequest(token), intents: [{ ...token, to: BITCOIN_STRANGER }] }, 'destination-mismatch'],
    ['gas above the cap', evmRequest(token, { gas: 500_001n }), 'fee-too-high'],
    ['a price above the cap', evmRequest(token, { maxFeePerGas: 100_000_000_001n }), 'fee-too-high'],
    ['another chain id', evmRequest(token, { chainId: 1n }), 'network'],
    ["the other network's chain id", evmRequest(token, { chainId: 31356n }), 'network'],
    ['a network not in the policy', { ...evmRequest(token), network: 'TRON' }, 'network'],
    ['an unknown asset', evmRequest(intentOf(1, { asset: 'DAI' })), 'unknown-asset'],
    ['an asset of another network', evmRequest(intentOf(1, { asset: 'BNB' })), 'unknown-asset'],
    ['an asset switched off', evmRequest(intentOf(1, { asset: 'USDC' })), 'disabled'],
    ['two intents', { ...evmRequest(token), intents: [token, intentOf(2)] }, 'bad-request'],
    ['two keys', { ...evmRequest(token), keys: [hotKey, hotKey] }, 'key-mismatch'],
    ['no key', { ...evmRequest(token), keys: [] }, 'key-mismatch'],
    ['a key on branch 1', { ...evmRequest(token), keys: [{ ...hotKey, branch: 1 }] }, 'key-mismatch'],
    ['bytes without 0x', { ...evmRequest(token), unsigned: evmRequest(token).unsigned.slice(2) }, 'not-parsable'],
    ['rubbish', { ...evmRequest(token), unsigned: '0x02c0' }, 'not-parsable'],
    ['a byte left over', { ...evmRequest(token), unsigned: `${evmRequest(token).unsigned}00` }, 'not-parsable'],
    ['EIP-2930', { ...evmRequest(token), unsigned: `0x01${evmRequest(token).unsigned.slice(4)}` }, 'network'],
    ['EIP-7702', { ...evmRequest(token), unsigned: `0x04${evmRequest(token).unsigned.slice(4)}` }, 'network'],
    ['an amount above the limit', evmRequest(intentOf(1, { units: '1000000001' })), 'limit'],
    ['a large amount without approvals', evmRequest(intentOf(1, { units: '500000001' })), 'needs-approval'],
    ['a filler to somebody', fillerRequest({ to: STRANGER }), 'destination-mismatch'],
    ['a filler from another key', fillerRequest({ to: keyring.evmAddress(deposit(0)) }), 'destination-mismatch'],
    ['a filler with coins', fillerRequest({ value: 1n }), 'amount-mismatch'],
    ['a filler with data', fillerRequest({ data: '0x00' }), 'unknown-output'],
    ['a filler above the fee cap', fillerRequest({ gas: 500_001n }), 'fee-too-high'],
  ])('refuses %s', async (_name, request, code) => {
    expect(await refusal(request)).toBe(code)
  })

  test('kill switches stop all, one network, and answers given before', async () => {
    const request = evmRequest(token)
    expect(await refusal(request, { ...policyFile, enabled: false })).toBe('disabled')
    const off = { ...policyFile.networks.ETHEREUM, enabled: false }
    expect(await refusal(request, { ...policyFile, networks: { ...policyFile.networks, ETHEREUM: off } })).toBe('disabled')
    const { signer } = await makeSigner()
    await signer.sign(request)
    signer.replacePolicy(readPolicy(JSON.stringify({ ...policyFile, enabled: false })))
    expect(await codeOf(signer, request)).toBe('disabled')
  })
})

describe('approvals', () => {
  const intent = intentOf(1, { units: '500000001' })
  const [alice, bob] = approvers as [(typeof approvers)[0], (typeof approvers)[0]]
  const by = (...signers: typeof approvers): SignRequest =>
    evmRequest(intent, {}, { approvals: signers.map((one) => approve(one, 'ETHEREUM', intent)) })

  test('as many as the policy asks let a large amount through', async () => {
    expect(await refusal(by(alice))).toBe('needs-approval')
    expect(await refusal(by(alice, alice))).toBe('needs-approval')
    expect(await refusal(by(alice, bob))).toBe('signed')
  })

  test('are not asked for at the amount itself', async () => {
    expect(await refusal(evmRequest(intentOf(1, { units: '500000000' })))).toBe('signed')
  })

  test('of one intent do not serve another', async () => {
    const approvals = by(alice, bob).approvals!
    expect(await refusal(evmRequest({ ...intent, id: uuid(2) }, {}, { approvals }))).toBe('needs-approval')
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
  })

  test('counts fees: the dearest of those that compete for one nonce', async () => {
    const { signer } = await makeSigner()
    const priced = (nonce: bigint, gas: bigint): SignRequest => fillerRequest({ nonce, gas, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 0n })
    for (const gas of [30_000n, 60_000n, 99_000n]) expect(await codeOf(signer, priced(0n, gas))).toBe('signed')
    const used = (): string => signer.status().velocity.find(({ network, asset }) => network === 'ETHEREUM' && asset === 'fee')!.hour
    expect(used()).toBe((99_000n * 10n ** 11n).toString())
    for (const nonce of [1n, 2n, 3n, 4n]) expect(await codeOf(signer, priced(nonce, 100_000n))).toBe('signed')
    expect(await codeOf(signer, priced(5n, 100_000n))).toBe('velocity')
    expect(await codeOf(signer, priced(5n, 1_000n))).toBe('signed')
  })
})

describe('one intent, one payment', () => {
  test('the same request again gets the same answer, and the log does not grow', async () => {
    const { signer, log } = await makeSigner()
    const request = evmRequest(intentOf(1))
    const answer = await signer.sign(request)
    const { length } = log
    expect(await signer.sign({ ...request, transactionId: uuid(99) })).toEqual(answer)
    expect(log.length).toBe(length)
  })

  test('a replacement with the same nonce is signed, one with another nonce or key is not', async () => {
    const { signer } = await makeSigner()
    await signer.sign(evmRequest(intentOf(1)))
    expect(await codeOf(signer, evmRequest(intentOf(1), { maxFeePerGas: 23n * 10n ** 9n }))).toBe('signed')
    expect(await codeOf(signer, evmRequest(intentOf(1), { nonce: 1n }))).toBe('intent-already-signed')
    expect(await codeOf(signer, evmRequest(intentOf(1), {}, { keys: [deposit(0)] }))).toBe('intent-already-signed')
  })

  test.each<[string, Partial<Intent>]>([
    ['amount', { units: '1000001' }],
    ['destination', { to: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' }],
    ['asset', { asset: 'ETH', units: '1000' }],
  ])("an intent's %s never changes", async (_name, change) => {
    const { signer } = await makeSigner()
    await signer.sign(evmRequest(intentOf(1)))
    expect(await codeOf(signer, evmRequest(intentOf(1, change)))).toBe('intent-changed')
  })

  test("an intent's network never changes", async () => {
    const { signer } = await makeSigner()
    await signer.sign(evmRequest(intentOf(1)))
    expect(await codeOf(signer, { ...evmRequest(intentOf(1), { chainId: 31356n }), network: 'BINANCE_SMART_CHAIN' })).toBe('intent-changed')
  })

  test('one transaction does not serve two intents', async () => {
    const { signer } = await makeSigner()
    await signer.sign(evmRequest(intentOf(1)))
    expect(await codeOf(signer, evmRequest(intentOf(2)))).toBe('transaction-changed')
  })

  test('equal transactions of two keys are two transactions', async () => {
    const { signer } = await makeSigner()
    const [first, second] = [
      await signer.sign(evmRequest(intentOf(1), {}, { keys: [deposit(1)] })),
      await signer.sign(evmRequest(intentOf(2), {}, { keys: [deposit(2)] })),
    ]
    expect(first.hash).not.toBe(second.hash)
    expect(await codeOf(signer, evmRequest(intentOf(1), {}, { keys: [deposit(2)] }))).toBe('transaction-changed')
  })

  test('a nonce serves one intent, or fillers', async () => {
    const { signer } = await makeSigner()
    await signer.sign(evmRequest(intentOf(1)))
    expect(await codeOf(signer, evmRequest(intentOf(2), { gas: 99_000n }))).toBe('nonce-used')
    expect(await codeOf(signer, fillerRequest())).toBe('signed')
    expect(await codeOf(signer, evmRequest(intentOf(2), { gas: 99_000n }))).toBe('nonce-used')
    expect(await codeOf(signer, evmRequest(intentOf(1), { gas: 99_000n }))).toBe('signed')
    expect(await codeOf(signer, fillerRequest({ nonce: 1n }))).toBe('signed')
    expect(await codeOf(signer, evmRequest(intentOf(2), { nonce: 1n }))).toBe('nonce-used')
    expect(await codeOf(signer, fillerRequest({ nonce: 1n, gas: 21_001n }))).toBe('signed')
  })

  test('a start in between changes nothing', async () => {
    const first = await makeSigner()
    const request = evmRequest(intentOf(1))
    const answer = await first.signer.sign(request)
    await first.log.close()
    const { signer } = await makeSigner({ logFile: first.logFile })
    expect(await signer.sign(request)).toEqual(answer)
    expect(await codeOf(signer, evmRequest(intentOf(1), { nonce: 1n }))).toBe('intent-already-signed')
    expect(await codeOf(signer, evmRequest(intentOf(2), { gas: 99_000n }))).toBe('nonce-used')
    expect(await codeOf(signer, evmRequest(intentOf(1, { units: '5' })))).toBe('intent-changed')
  })

  test('whatever is asked in whatever order, no two transactions that can both confirm pay one intent', async () => {
    const ask = fc.record({
      intent: fc.integer({ min: 1, max: 3 }),
      nonce: fc.bigInt({ min: 0n, max: 2n }),
      gas: fc.bigInt({ min: 90_000n, max: 91_000n }),
      key: fc.nat({ max: 1 }),
      filler: fc.boolean(),
      restart: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(ask, { maxLength: 25 }), async (asks) => {
        let world = await makeSigner()
        const paid = new Map<string, Set<string>>()
        const served = new Map<string, Set<string>>()
        for (const { intent, nonce, gas, key, filler, restart } of asks) {
          if (restart) {
            await world.log.close()
            world = await makeSigner({ logFile: world.logFile })
          }
          const request = filler
            ? fillerRequest({ nonce, gas }, deposit(key))
            : evmRequest(intentOf(intent), { nonce, gas }, { keys: [deposit(key)] })
          if ((await codeOf(world.signer, request)) !== 'signed' || filler) continue
          const slot = `${key}:${nonce}`
          paid.set(uuid(intent), new Set([...(paid.get(uuid(intent)) ?? []), slot]))
          served.set(slot, new Set([...(served.get(slot) ?? []), uuid(intent)]))
        }
        for (const slots of paid.values()) expect(slots.size).toBe(1)
        for (const intents of served.values()) expect(intents.size).toBe(1)
        await world.log.close()
      }),
      { numRuns: 25 },
    )
  })
})

describe('on Bitcoin', () => {
  const plan = { intents: [bitcoinIntent(1), bitcoinIntent(2, 50_000n, BITCOIN_OTHER)], inputs: [input(0), input(1, 40_000n, hotKey)] }

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
      alter: (psbt) => ({ ...psbt, outputs: psbt.outputs.map((output, i) => (i === at ? { ...output, ...more } : output)) }),
    })
  const alterInput = (more: object): SignRequest =>
    bitcoinRequest({ ...plan, alter: (psbt) => ({ ...psbt, inputs: psbt.inputs.map((one) => ({ ...one, ...more })) }) })
  const thief = Uint8Array.from([0x00, 0x14, ...new Uint8Array(20).fill(66)])
  const ownDeposit = keyring.bitcoinAddress({ account: 'deposit', branch: 1, index: 0 }).script

  test.each<[string, SignRequest, RefusalCode]>([
    ['a payment to somebody else', alterOutput(0, { script: thief }), 'unknown-output'],
    ['one satoshi more', alterOutput(0, { units: 100_001n }), 'amount-mismatch'],
    ['one satoshi less', alterOutput(0, { units: 99_999n }), 'amount-mismatch'],
    ['an intent left out', { ...bitcoinRequest(plan), intents: [...plan.intents, bitcoinIntent(3, 1_000n)] }, 'destination-mismatch'],
    ['an output too many', { ...bitcoinRequest(plan), intents: plan.intents.slice(1) }, 'unknown-output'],
    ['one output for two equal intents', { ...bitcoinRequest({ ...plan, intents: [bitcoinIntent(1)] }), intents: [bitcoinIntent(1), bitcoinIntent(3)] }, 'destination-mismatch'],
    ['change to a thief under our origin', alterOutput(2, { script: thief }), 'unknown-output'],
    ['change to us without saying where', alterOutput(2, { origins: [] }), 'unknown-output'],
    ['change to a deposit key', alterOutput(2, { script: ownDeposit, origins: [originOf({ account: 'deposit', branch: 1, index: 0 })] }), 'unknown-output'],
    ['change on the receiving branch', alterOutput(2, { script: keyring.bitcoinAddress(hotKey).script, origins: [originOf(hotKey)] }), 'unknown-output'],
    ['change named by another index', alterOutput(2, { origins: [originOf({ account: 'hot', branch: 1, index: 1 })] }), 'unknown-output'],
    ['change of another master key', alterOutput(2, { origins: [{ ...changeOutput(1n).origins[0], masterFingerprint: 1 }] }), 'unknown-output'],
    ['change in two parts', bitcoinRequest({ ...plan, alter: (psbt) => ({ ...psbt, outputs: [...psbt.outputs.slice(0, 2), changeOutput(100_000n), changeOutput(89_000n, 1)] }) }), 'unknown-output'],
    ['an input of a stranger', alterInput({ script: thief }), 'key-mismatch'],
    ['keys in another order', { ...bitcoinRequest(plan), keys: bitcoinRequest(plan).keys.toReversed() }, 'key-mismatch'],
    ['a key too few', { ...bitcoinRequest(plan), keys: [deposit(0)] }, 'key-mismatch'],
    ['a fee above the cap', bitcoinRequest({ ...plan, fee: 20_001n }), 'fee-too-high'],
    ['a fee above the share', bitcoinRequest({ ...plan, fee: 15_001n }), 'fee-too-high'],
    ['a rate above the cap', bitcoinRequest({ intents: [bitcoinIntent(1, 900_000n)], inputs: [input(0, 1_000_000n)], fee: 14_101n }), 'fee-too-high'],
    ['outputs above the inputs', alterInput({ units: 10n }), 'not-parsable'],
    ['inputs that are not replaceable', alterInput({ sequence: 0xffffffff }), 'not-parsable'],
    ['a lock time', bitcoinRequest({ ...plan, alter: (psbt) => ({ ...psbt, lockTime: 500 }) }), 'not-parsable'],
    ['version 1', bitcoinRequest({ ...plan, alter: (psbt) => ({ ...psbt, transactionVersion: 1 }) }), 'not-parsable'],
    ['a byte left over', { ...bitcoinRequest(plan), unsigned: `${bitcoinRequest(plan).unsigned}00` }, 'not-parsable'],
    ['rubbish', { ...bitcoinRequest(plan), unsigned: 'abcd' }, 'not-parsable'],
    ['0x before it', { ...bitcoinRequest(plan), unsigned: `0x${bitcoinRequest(plan).unsigned}` }, 'not-parsable'],
    ['a filler', { ...bitcoinRequest(plan), purpose: 'filler', intents: [] }, 'network'],
    ['an address of mainnet', { ...bitcoinRequest(plan), intents: [bitcoinIntent(1, 100_000n, 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu')] }, 'destination-mismatch'],
    ['an address in upper case', { ...bitcoinRequest(plan), intents: [bitcoinIntent(1, 100_000n, BITCOIN_STRANGER.toUpperCase())] }, 'destination-mismatch'],
    ['an amount above the limit', bitcoinRequest({ intents: [bitcoinIntent(1, 1_000_001n)], inputs: [input(0, 2_000_000n)] }), 'limit'],
  ])('refuses %s', async (_name, request, code) => {
    expect(await refusal(request)).toBe(code)
  })

  test('a field of a PSBT that we do not know is refused', async () => {
    const psbt = Transaction.fromPSBT(Buffer.from(bitcoinRequest(plan).unsigned, 'hex'))
    psbt.updateInput(0, { sighashType: 0x83 })
    expect(await refusal({ ...bitcoinRequest(plan), unsigned: Buffer.from(psbt.toPSBT()).toString('hex') })).toBe('not-parsable')
  })

  test('change that the log remembers is where it says', async () => {
    const { signer, log, logFile } = await makeSigner()
    const outputs = (psbt: { outputs: ReturnType<typeof changeOutput>[] }) => [...psbt.outputs.slice(0, 2), changeOutput(189_000n, 4321)]
    await signer.sign(bitcoinRequest({ ...plan, alter: (psbt) => ({ ...psbt, outputs: outputs(psbt) }) }))
    await log.close()
    const { readFileSync } = await import('node:fs')
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

  test('signs a payout of a hundred inputs within seconds', async () => {
    const { signer } = await makeSigner()
    const inputs = Array.from({ length: 100 }, (_, number) => input(number, 9_000n, deposit(number)))
    const started = performance.now()
    await signer.sign(bitcoinRequest({ intents: [bitcoinIntent(1, 800_000n)], inputs, fee: 7_000n }))
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})

test('more requests than may wait are told to come back', async () => {
  const { signer } = await makeSigner()
  const answers = Array.from({ length: 70 }, (_, nonce) => {
    try {
      return signer.sign(fillerRequest({ nonce: BigInt(nonce), maxFeePerGas: 1n, maxPriorityFeePerGas: 0n })).then(() => 'signed')
    } catch (error) {
      return Promise.resolve((error as Refusal).code)
    }
  })
  const codes = await Promise.all(answers)
  expect(codes.filter((code) => code === 'signed')).toHaveLength(64)
  expect(codes.filter((code) => code === 'busy')).toHaveLength(6)
})

test('a policy for another chain of Bitcoin is not taken over', async () => {
  const { signer } = await makeSigner()
  const bitcoin = { ...policyFile.networks.BITCOIN, chain: 'mainnet' }
  const policy = readPolicy(JSON.stringify({ ...policyFile, networks: { BITCOIN: bitcoin } }))
  expect(() => signer.replacePolicy(policy)).toThrow(/start the signer again/)
})
