import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { approvalMessage } from '../policy/approval.ts'
import { readPolicy } from '../policy/policy.ts'
import type { ApprovedEntry } from '../log/entry.ts'
import type { SignRequest } from '../protocol/protocol.ts'
import { AnswerRefused } from '../webauthn/ceremony.ts'
import type { Answering } from '../../../test/world/authenticator.ts'
import { APPROVALS_ORIGIN, makePasskey } from '../../../test/world/passkeys.ts'
import type { TestPasskey } from '../../../test/world/passkeys.ts'
import {
  approve,
  approvers,
  codeOf,
  evmRequest,
  intentOf,
  openSigner,
  policyFile,
  temporaryDirectory,
} from '../../../test/world/signer.ts'
import type { TestSigner } from '../../../test/world/signer.ts'
import { tronIntent, tronRequest } from '../../../test/world/tron-requests.ts'
import { APPROVAL_MS, ApprovalRefused, challengeOf } from './desk.ts'
import type { Offer } from './desk.ts'

const [alice, aliceAgain, bob, mallory] = ['alice', 'alice', 'bob', 'mallory'].map((id) => makePasskey(id)) as [
  TestPasskey,
  TestPasskey,
  TestPasskey,
  TestPasskey,
]
const [carolKey] = approvers as [(typeof approvers)[0]]
const policy = {
  ...policyFile,
  approvers: [alice.entry, aliceAgain.entry, bob.entry, { id: 'carol', publicKey: carolKey.publicKey }],
}
const NOW = 1_700_000_000_000
const large = intentOf(1, { units: '900000000' })
const payment = evmRequest(large)

interface Clocked extends TestSigner {
  at(ms: number): void
  logFile: string
}

async function open(more: { logFile?: string; policy?: object } = {}): Promise<Clocked> {
  let now = NOW
  const made = await openSigner({ policy, ...more, now: () => now, approvalsAt: APPROVALS_ORIGIN })
  onTestFinished(() => made.log.close())
  return { ...made, at: (ms) => (now = ms) }
}

async function waitingFor(request: SignRequest = payment, more: Parameters<typeof open>[0] = {}): Promise<Clocked> {
  const signer = await open(more)
  expect(await codeOf(signer.signer, request)).toBe('needs-approval')
  return signer
}

const offerOf = ({ signer }: TestSigner, approver: string): Offer => signer.approvals.offers(approver)[0]!

/** Answers an offer as the page would. */
async function answer(
  { signer }: TestSigner,
  passkey: TestPasskey,
  offer: Offer,
  { how, ...more }: { how?: Answering; challenge?: Buffer; approver?: string; nonce?: string; expiresAt?: number } = {},
): Promise<void> {
  const { payment: offered, expiresAt, nonce, challenge } = { ...offer, ...more }
  await signer.approvals.approveByPasskey(
    more.approver ?? passkey.entry.id,
    { network: offered.network, intentId: offered.intent.id, expiresAt, nonce, credentialId: passkey.credentialId },
    passkey.answer(challenge, how),
  )
}

const refusedAs = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof ApprovalRefused) return error.code
  if (error instanceof AnswerRefused) return error.fault
  throw error ?? new Error('it was accepted')
}

describe('approvals by passkey', () => {
  test('of as many people as the policy asks have the payment signed', async () => {
    const signer = await waitingFor()
    expect(signer.signer.approvals.list()).toEqual([
      {
        network: 'ETHEREUM',
        intent: large,
        amount: '900000000 base units of USDT',
        approvedBy: [],
        needed: 2,
        since: NOW,
      },
    ])
    await answer(signer, alice, offerOf(signer, 'alice'))
    expect(await codeOf(signer.signer, payment)).toBe('needs-approval')
    await answer(signer, bob, offerOf(signer, 'bob'))
    expect(await codeOf(signer.signer, payment)).toBe('signed')
    expect(signer.signer.approvals.list()).toEqual([])
    expect(await codeOf(signer.signer, evmRequest({ ...large, id: intentOf(2).id }, { nonce: 1n }))).toBe(
      'needs-approval',
    )
  })

  test('count once for each person, whichever passkeys that person has', async () => {
    const signer = await waitingFor()
    await answer(signer, alice, offerOf(signer, 'alice'))
    await answer(signer, aliceAgain, offerOf(signer, 'alice'))
    await answer(signer, alice, offerOf(signer, 'alice'))
    expect(signer.signer.approvals.list()[0]!.approvedBy).toEqual(['alice'])
    expect(signer.log.length).toBe(2)
    expect(await codeOf(signer.signer, payment)).toBe('needs-approval')
  })

  test('of a person who has approved are stored again only if they end an hour later', async () => {
    const signer = await waitingFor()
    const give = async (expiresAt: number): Promise<number> => {
      const signature = approve({ ...carolKey, id: 'carol' }, 'ETHEREUM', large, expiresAt)
      await signer.signer.approvals.approveBySignature({ ...signature, network: 'ETHEREUM', intentId: large.id })
      return signer.log.length
    }
    const hour = 3_600_000
    expect(await give(NOW + 2 * hour)).toBe(2)
    expect(await give(NOW + hour)).toBe(2)
    expect(await give(NOW + 3 * hour - 1)).toBe(2)
    expect(await give(NOW + 3 * hour)).toBe(3)
    signer.at(NOW + 3 * hour)
    expect(await codeOf(signer.signer, payment)).toBe('needs-approval')
    expect(await give(NOW + 3 * hour + 1)).toBe(4)
  })

  test('of a payment that was closed are not stored', async () => {
    const signer = await waitingFor()
    const offer = offerOf(signer, 'alice')
    const signature = approve({ ...carolKey, id: 'carol' }, 'ETHEREUM', large)
    await signer.signer.closeIntent(large.id)
    expect(await refusedAs(answer(signer, alice, offer))).toBe('not-waiting')
    await expect(
      signer.signer.approvals.approveBySignature({ ...signature, network: 'ETHEREUM', intentId: large.id }),
    ).rejects.toThrow(/No payment/)
    expect(signer.log.length).toBe(2)
  })

  test('count together with Ed25519 keys, whether the server carries the signature or the signer stores it', async () => {
    const signature = approve({ ...carolKey, id: 'carol' }, 'ETHEREUM', large)
    const carried = await waitingFor()
    await answer(carried, alice, offerOf(carried, 'alice'))
    expect(await codeOf(carried.signer, { ...payment, approvals: [signature] })).toBe('signed')
    const stored = await waitingFor()
    await answer(stored, alice, offerOf(stored, 'alice'))
    const given = { ...signature, network: 'ETHEREUM', intentId: large.id } as const
    await stored.signer.approvals.approveBySignature(given)
    await stored.signer.approvals.approveBySignature(given)
    expect(stored.log.length).toBe(3)
    expect(await codeOf(stored.signer, payment)).toBe('signed')
  })

  test('end, and an old page approves nothing', async () => {
    const signer = await waitingFor()
    const offer = offerOf(signer, 'alice')
    signer.at(NOW + 10 * 60_000 + 1)
    expect(await refusedAs(answer(signer, alice, offer))).toBe('too-old')
    await answer(signer, alice, offerOf(signer, 'alice'))
    await answer(signer, bob, offerOf(signer, 'bob'))
    signer.at(NOW + 10 * 60_000 + 1 + APPROVAL_MS)
    expect(await codeOf(signer.signer, payment)).toBe('needs-approval')
  })

  test('that have ended still serve a replacement of the payment that was signed with them', async () => {
    const signer = await waitingFor()
    await answer(signer, alice, offerOf(signer, 'alice'))
    await answer(signer, bob, offerOf(signer, 'bob'))
    expect(await codeOf(signer.signer, payment)).toBe('signed')
    signer.at(NOW + 2 * APPROVAL_MS)
    expect(await codeOf(signer.signer, evmRequest(large, { maxFeePerGas: 30n * 10n ** 9n }))).toBe('signed')
  })

  test('on TRON serve one transaction, because each of its transactions may be mined', async () => {
    const intent = tronIntent(1, { units: '900000000' })
    const minutes = 60_000
    const signer = await waitingFor(tronRequest(intent))
    await answer(signer, alice, offerOf(signer, 'alice'))
    const carried = [approve({ ...carolKey, id: 'carol' }, 'TRON', intent)]
    expect(await codeOf(signer.signer, { ...tronRequest(intent), approvals: carried })).toBe('signed')
    signer.at(NOW + 30 * minutes)
    const again = tronRequest(intent, { expiration: NOW + 39 * minutes, timestamp: NOW + 30 * minutes })
    expect(await codeOf(signer.signer, { ...again, approvals: carried })).toBe('needs-approval')
    await answer(signer, alice, offerOf(signer, 'alice'))
    expect(await codeOf(signer.signer, { ...again, approvals: carried })).toBe('needs-approval')
    await answer(signer, bob, offerOf(signer, 'bob'))
    expect(await codeOf(signer.signer, { ...again, approvals: carried })).toBe('signed')
  })

  test('on TRON serve one transaction, whichever way the signer gets them', async () => {
    const intent = tronIntent(1, { units: '900000000' })
    const minutes = 60_000
    const ofCarol = approve({ ...carolKey, id: 'carol' }, 'TRON', intent, NOW + APPROVAL_MS)
    const given = { ...ofCarol, network: 'TRON', intentId: intent.id } as const
    const again = tronRequest(intent, { expiration: NOW + 39 * minutes, timestamp: NOW + 30 * minutes })
    for (const isStoredFirst of [true, false]) {
      const signer = await waitingFor(tronRequest(intent))
      await answer(signer, alice, offerOf(signer, 'alice'))
      if (isStoredFirst) await signer.signer.approvals.approveBySignature(given)
      const carried = isStoredFirst ? {} : { approvals: [ofCarol] }
      expect(await codeOf(signer.signer, { ...tronRequest(intent), ...carried })).toBe('signed')
      signer.at(NOW + 30 * minutes)
      expect(await codeOf(signer.signer, again)).toBe('needs-approval')
      await answer(signer, alice, offerOf(signer, 'alice'))
      await signer.signer.approvals.approveBySignature(given)
      expect(await codeOf(signer.signer, { ...again, approvals: [ofCarol] })).toBe('needs-approval')
    }
  })

  test('are in the log: they count after a start, and again without the index', async () => {
    const logFile = join(temporaryDirectory(), 'log')
    const first = await waitingFor(payment, { logFile })
    const offer = offerOf(first, 'alice')
    await answer(first, alice, offer)
    await answer(first, bob, offerOf(first, 'bob'))
    await first.log.close()
    const line = readFileSync(logFile, 'utf8').split('\n')[1]!
    const entry = JSON.parse(line) as ApprovedEntry
    expect(entry).toMatchObject({ kind: 'approved', network: 'ETHEREUM', intent: large, approver: 'alice' })
    // The line proves the approval by itself.
    if (entry.proof.kind !== 'passkey') throw new Error('it is no proof of a passkey')
    const { authenticatorData, clientDataJSON, signature, nonce } = entry.proof
    const bytes = (text: string): Buffer => Buffer.from(text, 'base64url')
    const hash = createHash('sha256').update(bytes(clientDataJSON)).digest()
    const key = createPublicKey({ key: Buffer.from(entry.key, 'hex'), format: 'der', type: 'spki' })
    expect(verify('sha256', Buffer.concat([bytes(authenticatorData), hash]), key, bytes(signature))).toBe(true)
    const text = `${approvalMessage('ETHEREUM', large, entry.expiresAt)}nonce: ${nonce}\n`
    expect(createHash('sha256').update(text).digest()).toEqual(offer.challenge)
    const second = await open({ logFile })
    expect(await second.signer.check({ network: 'ETHEREUM', intents: [large] })).toEqual([])
    await second.log.close()
    for (const name of readdirSync(dirname(logFile))) if (name.includes('.index')) rmSync(join(dirname(logFile), name))
    const third = await open({ logFile })
    expect(await codeOf(third.signer, payment)).toBe('signed')
  })

  test('are in an index from before approvals once it is rebuilt, if the log is whole', async () => {
    const logFile = join(temporaryDirectory(), 'log')
    const before = await waitingFor(payment, { logFile })
    const shorter = readFileSync(logFile)
    await answer(before, alice, offerOf(before, 'alice'))
    await answer(before, bob, offerOf(before, 'bob'))
    expect(await codeOf(before.signer, payment)).toBe('signed')
    await before.log.close()
    const index = new DatabaseSync(`${logFile}.index`)
    for (const table of ['approvals', 'approvedBy', 'usedApprovals', 'counters']) index.exec(`drop table ${table}`)
    index.exec('pragma user_version = 1')
    index.close()
    const whole = readFileSync(logFile)
    writeFileSync(logFile, shorter)
    for (let time = 0; time < 2; time++) await expect(open({ logFile })).rejects.toThrow(/cut back/)
    writeFileSync(logFile, whole)
    const signer = await open({ logFile })
    signer.at(NOW + 2 * APPROVAL_MS)
    expect(await codeOf(signer.signer, evmRequest(large, { maxFeePerGas: 30n * 10n ** 9n }))).toBe('signed')
    await signer.log.close()
    const again = await open({ logFile })
    expect(await codeOf(again.signer, evmRequest(large, { nonce: 2n }))).toBe('intent-already-signed')
  })

  test('do not count once one of the keys of a person is removed, and it was that key', async () => {
    const signer = await waitingFor()
    await answer(signer, alice, offerOf(signer, 'alice'))
    const others = policy.approvers.filter((one) => one !== alice.entry)
    signer.signer.replacePolicy(readPolicy(JSON.stringify({ ...policy, approvers: others })))
    expect(signer.signer.approvals.list()[0]!.approvedBy).toEqual([])
    await answer(signer, aliceAgain, offerOf(signer, 'alice'))
    expect(signer.signer.approvals.list()[0]!.approvedBy).toEqual(['alice'])
  })

  test('do not count once the passkey is removed from the policy', async () => {
    const signer = await waitingFor()
    await answer(signer, alice, offerOf(signer, 'alice'))
    const offer = offerOf(signer, 'bob')
    const without = { ...policy, approvers: policy.approvers.filter((one) => one !== alice.entry) }
    signer.signer.replacePolicy(readPolicy(JSON.stringify(without)))
    await answer(signer, bob, offer)
    expect(signer.signer.approvals.list()[0]!.approvedBy).toEqual(['bob'])
    expect(await codeOf(signer.signer, payment)).toBe('needs-approval')
  })
})

describe('an answer is not accepted', () => {
  test.each<[string, Parameters<typeof answer>[3], string]>([
    ['to another challenge', { challenge: createHash('sha256').update('x').digest() }, 'challenge'],
    ['on another origin', { how: { origin: 'https://evil.example' } }, 'origin'],
    ['for another relying party', { how: { rpId: 'example.com' } }, 'relying-party'],
    ['without a person', { how: { absent: true } }, 'presence'],
    ['without verification', { how: { unverified: true } }, 'verification'],
    ['with another end', { expiresAt: NOW + APPROVAL_MS + 1 }, 'not-waiting'],
    ['with an end that is no time', { expiresAt: NaN }, 'not-waiting'],
    ['with an end beyond all dates', { expiresAt: 1e300 }, 'not-waiting'],
    ['with a nonce of its own', { nonce: `${'0'.repeat(32)}.${'0'.repeat(64)}` }, 'not-waiting'],
    ['with an odd nonce', { nonce: 'x' }, 'not-waiting'],
    ['under the name of another person', { approver: 'bob' }, 'not-waiting'],
  ])('%s', async (_name, how, code) => {
    const signer = await waitingFor()
    expect(await refusedAs(answer(signer, alice, offerOf(signer, 'alice'), how))).toBe(code)
    expect(signer.log.length).toBe(1)
  })

  test('of a passkey that the policy does not enrol, or of another person', async () => {
    const signer = await waitingFor()
    const offer = offerOf(signer, 'alice')
    expect(await refusedAs(answer(signer, mallory, offer, { approver: 'alice' }))).toBe('not-enrolled')
    expect(await refusedAs(answer(signer, bob, offer, { approver: 'alice' }))).toBe('not-enrolled')
  })

  test('of a passkey that was made for another page, such as a former one', async () => {
    const former = makePasskey('alice', 'https://former.example.com')
    const signer = await waitingFor(payment, { policy: { ...policy, approvers: [...policy.approvers, former.entry] } })
    expect(await refusedAs(answer(signer, former, offerOf(signer, 'alice')))).toBe('not-enrolled')
    const challenge = createHash('sha256').update('sign-in').digest()
    const signIn = async (): Promise<unknown> =>
      signer.signer.approvals.verifySignIn(former.credentialId, challenge, former.answer(challenge))
    expect(await refusedAs(signIn())).toBe('not-enrolled')
  })

  test('to the offer of another payment, network or contents', async () => {
    const signer = await waitingFor()
    await codeOf(signer.signer, evmRequest({ ...large, id: intentOf(2).id }, { nonce: 1n }))
    const changed = { ...large, units: '900000001' }
    expect(await codeOf(signer.signer, evmRequest(changed, { nonce: 2n }))).toBe('needs-approval')
    const [offer, other, third] = signer.signer.approvals.offers('alice') as [Offer, Offer, Offer]
    // The page of one payment is answered with the challenge of another one.
    expect(await refusedAs(answer(signer, alice, offer, { challenge: other.challenge }))).toBe('challenge')
    expect(await refusedAs(answer(signer, alice, offer, { challenge: third.challenge }))).toBe('challenge')
    const onBsc = challengeOf({ network: 'BINANCE_SMART_CHAIN', intent: large }, offer.expiresAt, offer.nonce)
    expect(await refusedAs(answer(signer, alice, offer, { challenge: onBsc }))).toBe('challenge')
    // An approval of the first contents says nothing about the changed ones.
    await answer(signer, alice, offer)
    await answer(signer, bob, signer.signer.approvals.offers('bob')[0]!)
    expect(await codeOf(signer.signer, evmRequest(changed, { nonce: 2n }))).toBe('needs-approval')
    expect(await codeOf(signer.signer, payment)).toBe('signed')
  })

  test('when its counter falls or stays, also after a start', async () => {
    const logFile = join(temporaryDirectory(), 'log')
    const signer = await waitingFor(payment, { logFile })
    await answer(signer, alice, offerOf(signer, 'alice'), { how: { counter: 10 } })
    for (const counter of [0, 9, 10])
      expect(await refusedAs(answer(signer, alice, offerOf(signer, 'alice'), { how: { counter } }))).toBe('counter')
    await signer.log.close()
    const next = await waitingFor(payment, { logFile })
    expect(await refusedAs(answer(next, alice, offerOf(next, 'alice'), { how: { counter: 10 } }))).toBe('counter')
    await answer(next, alice, offerOf(next, 'alice'), { how: { counter: 11 } })
  })

  test('a second time: it changes nothing, and after a start it is not known', async () => {
    const logFile = join(temporaryDirectory(), 'log')
    const signer = await waitingFor(payment, { logFile })
    const offer = offerOf(signer, 'alice')
    const assertion = alice.answer(offer.challenge, { counter: 0 })
    const given = {
      network: 'ETHEREUM',
      intentId: large.id,
      expiresAt: offer.expiresAt,
      nonce: offer.nonce,
      credentialId: alice.credentialId,
    }
    await signer.signer.approvals.approveByPasskey('alice', given, assertion)
    await signer.signer.approvals.approveByPasskey('alice', given, assertion)
    expect(signer.log.length).toBe(2)
    await signer.log.close()
    const next = await waitingFor(payment, { logFile })
    expect(await refusedAs(next.signer.approvals.approveByPasskey('alice', given, assertion))).toBe('not-waiting')
  })

  test('an Ed25519 approval of a payment that does not wait, or by an unknown key', async () => {
    const signer = await waitingFor()
    const given = { network: 'ETHEREUM', intentId: large.id } as const
    const other = approve(carolKey, 'ETHEREUM', { ...large, units: '900000001' })
    for (const approval of [other, { ...approve(carolKey, 'ETHEREUM', large), keyId: 'alice' }])
      await expect(signer.signer.approvals.approveBySignature({ ...given, ...approval })).rejects.toThrow(/No payment/)
    expect(signer.log.length).toBe(1)
  })
})

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
