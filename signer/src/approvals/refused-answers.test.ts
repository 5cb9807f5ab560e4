import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { makePasskey } from '../../../test/world/passkeys.ts'
import { approve, codeOf, evmRequest, intentOf, temporaryDirectory } from '../../../test/world/signer.ts'
import { APPROVAL_MS, challengeOf } from './approvals.ts'
import type { Offer } from './approvals.ts'
import {
  NOW,
  alice,
  answer,
  bob,
  carolKey,
  large,
  mallory,
  offerOf,
  payment,
  policy,
  refusedAs,
  waitingFor,
} from './test-approvals.ts'

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
