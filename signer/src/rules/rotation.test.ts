import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SECOND_SEED } from '@bursar/chainkit'
import { Transaction } from '@scure/btc-signer'
import { openMemory } from '../log/memory.ts'
import { readPolicy } from '../policy/policy.ts'
import type { SignRequest } from '../protocol/protocol.ts'
import {
  bitcoinIntent,
  bitcoinRequest,
  codeOf,
  depositKey,
  makeSigner,
  openSigner,
  policyFile,
  temporaryDirectory,
  TREASURY,
  twoSeeds,
  type BitcoinPlan,
} from '../../../test/world/signer.ts'

const { BITCOIN } = policyFile.networks
const withEthereum = (sweep: object | undefined): object => {
  const { ETHEREUM } = policyFile.networks
  return {
    ...policyFile,
    networks: { BITCOIN, ETHEREUM: { ...ETHEREUM, sweep: sweep && { ...ETHEREUM.sweep, ...sweep } } },
  }
}
const bitcoinOnly = { ...policyFile, networks: { BITCOIN } }
const old = (number: number) => ({ number, units: 300_000n, key: depositKey(number) })
const recent = (number: number) => ({ number, units: 300_000n, key: depositKey(SECOND_SEED + number) })
const pay = (id: number, more: Partial<BitcoinPlan>): SignRequest =>
  bitcoinRequest({ intents: [bitcoinIntent(id)], inputs: [recent(0)], changeIndex: SECOND_SEED, ...more })
const join = (more: Partial<BitcoinPlan>): SignRequest =>
  pay(0, { intents: [], ...more, request: { purpose: 'consolidation' } })

const logAt = (): string => `${temporaryDirectory()}/log`

test('after a rotation the first seed signs consolidations to the second, and nothing else that is new', async () => {
  const { signer } = await makeSigner({ policy: bitcoinOnly, keyring: twoSeeds })
  const codes = [
    pay(1, {}),
    join({ inputs: [old(1), old(2)] }),
    join({ inputs: [old(3), recent(13)] }),
    pay(2, { inputs: [old(4)] }),
    pay(3, { inputs: [recent(5), old(15)] }),
    pay(4, { inputs: [recent(6)], changeIndex: 0 }),
    join({ inputs: [old(7)], changeIndex: 0 }),
    join({ inputs: [recent(8)], changeIndex: SECOND_SEED - 1 }),
  ].map((request) => codeOf(signer, request))
  expect(await Promise.all(codes)).toEqual([
    'signed',
    'signed',
    'signed',
    'rotated',
    'rotated',
    'rotated',
    'rotated',
    'rotated',
  ])
})

test('the signatures of both seeds are valid together, by btc-signer', async () => {
  const { signer } = await makeSigner({ policy: bitcoinOnly, keyring: twoSeeds })
  const { signed, hash } = await signer.sign(join({ inputs: [old(1), recent(2)] }))
  const transaction = Transaction.fromRaw(Buffer.from(signed, 'hex'))
  expect(transaction.id).toBe(hash)
  const publicKeys = [0, 1].map((at) => Buffer.from(transaction.getInput(at).finalScriptWitness![1]!))
  expect(publicKeys).toEqual(
    [depositKey(1), depositKey(SECOND_SEED + 2)].map((key) => Buffer.from(twoSeeds.bitcoinAddress(key).publicKey)),
  )
})

test('a payment that the first seed signed may be replaced, with the coins that it spends', async () => {
  const logFile = logAt()
  const before = await openSigner({ policy: bitcoinOnly, logFile })
  expect(await codeOf(before.signer, pay(1, { inputs: [old(1)], changeIndex: 0 }))).toBe('signed')
  await before.log.close()
  const { signer } = await makeSigner({ policy: bitcoinOnly, logFile, keyring: twoSeeds })
  expect(await codeOf(signer, pay(1, { inputs: [old(1)], changeIndex: 0, fee: 2_000n }))).toBe('signed')
  expect(await codeOf(signer, pay(1, { inputs: [old(2)], changeIndex: 0 }))).toBe('intent-already-signed')
  const two = pay(1, { intents: [bitcoinIntent(1), bitcoinIntent(2)], inputs: [old(1)], changeIndex: 0 })
  expect(await codeOf(signer, two)).toBe('rotated')
})

test('a payment of the second seed is not replaced by one that returns its change to the first', async () => {
  const { signer } = await makeSigner({ policy: bitcoinOnly, keyring: twoSeeds })
  expect(await codeOf(signer, pay(1, { inputs: [recent(0)] }))).toBe('signed')
  expect(await codeOf(signer, pay(1, { inputs: [recent(0)], changeIndex: 0, fee: 2_000n }))).toBe('rotated')
})

test('a replacement of a payment of the first seed brings no coin of the second to its change', async () => {
  const logFile = logAt()
  const before = await openSigner({ policy: bitcoinOnly, logFile })
  expect(await codeOf(before.signer, pay(1, { inputs: [old(1)], changeIndex: 0 }))).toBe('signed')
  await before.log.close()
  const { signer } = await makeSigner({ policy: bitcoinOnly, logFile, keyring: twoSeeds })
  const inputs = [old(1), { ...recent(7), units: 50_000_000n }]
  expect(await codeOf(signer, pay(1, { inputs, changeIndex: 0, fee: 2_000n }))).toBe('rotated')
})

test('the limits count the payments of both seeds together', async () => {
  const logFile = logAt()
  const before = await openSigner({ policy: bitcoinOnly, logFile })
  for (const id of [1, 2]) {
    const inputs = [{ ...old(id), units: 1_100_000n }]
    const request = pay(id, { intents: [bitcoinIntent(id, 1_000_000n)], inputs, changeIndex: 0 })
    expect(await codeOf(before.signer, request)).toBe('signed')
  }
  await before.log.close()
  const { signer } = await makeSigner({ policy: bitcoinOnly, logFile, keyring: twoSeeds })
  const more = (id: number, units: bigint): SignRequest =>
    pay(id, { intents: [bitcoinIntent(id, units)], inputs: [{ ...recent(id), units: 1_100_000n }] })
  expect(await codeOf(signer, more(3, 1_000_000n))).toBe('signed')
  expect(await codeOf(signer, more(4, 50_000n))).toBe('velocity')
})

test('the log names the second seed once, and is used with it only from then on', async () => {
  const logFile = logAt()
  for (let start = 0; start < 2; start++) {
    const { log } = await openSigner({ policy: bitcoinOnly, logFile, keyring: twoSeeds })
    await log.close()
  }
  const lines = readFileSync(logFile, 'utf8').trim().split('\n')
  const { masterFingerprint } = twoSeeds.publicKeys.next!
  expect(lines).toHaveLength(2)
  expect(JSON.parse(lines[1]!)).toMatchObject({ kind: 'rotated', masterFingerprint })
  await expect(openSigner({ policy: bitcoinOnly, logFile })).rejects.toThrow(/second seed .* has both/)
  const header = { kind: 'log', version: 1, at: 0, masterFingerprint: twoSeeds.publicKeys.masterFingerprint } as const
  await expect(openMemory(logFile, header, { second: '00000000' })).rejects.toThrow(/not 00000000/)
})

test.each([
  ['has other networks', policyFile, /serves Bitcoin and EVM chains only, and the policy has TRON:/],
  [
    'sweeps to another address',
    withEthereum({ treasury: TREASURY }),
    /treasury of sweeps must be 0x\w{40}, .* not 0x5aAeb/,
  ],
  ['does not allow sweeps on Ethereum', withEthereum(undefined), /does not allow sweeps on ETHEREUM/],
  [
    'does not allow consolidation',
    { ...policyFile, networks: { BITCOIN: { ...BITCOIN, consolidation: undefined } } },
    /does not allow consolidation/,
  ],
])('a running signer with two seeds takes no policy that %s', async (_name, policy, message) => {
  const { signer } = await makeSigner({ policy: bitcoinOnly, keyring: twoSeeds })
  expect(() => signer.replacePolicy(readPolicy(JSON.stringify(policy)))).toThrow(message)
})
