import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { LONGEST_APPROVAL_MS, approvalMessage, signingKeyOf } from './approval.ts'
import { approverKey, readApprovers } from './approvers.ts'
import { approve, approvers, intentOf, policyFile } from '../../../test/world/signer.ts'
import { makePasskey } from '../../../test/world/passkeys.ts'

const [alice, bob] = approvers as [(typeof approvers)[0], (typeof approvers)[0]]
const enrolled = readApprovers(policyFile.approvers)
const intent = intentOf(1)
const NOW = 1_700_000_000_000
const END = NOW + 3_600_000

test('the text names everything that can be changed, one a line', () => {
  expect(approvalMessage('ETHEREUM', intent, END)).toBe(
    'bursar approval v2\nintent: 00000000-0000-4000-8000-000000000001\nnetwork: ETHEREUM\nasset: USDT\n' +
      'to: 0x70997970C51812dc3A010C7d01b50e0d17dc79C8\nunits: 1000000\nexpires: 2023-11-14T23:13:20.000Z\n',
  )
})

test("keys and signatures are Ed25519's: RFC 8032, test 2", () => {
  const key = approverKey('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c')
  const signature =
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00'
  expect(verify(null, Buffer.of(0x72), key, Buffer.from(signature, 'hex'))).toBe(true)
  expect(key.equals(createPublicKey(key.export({ format: 'pem', type: 'spki' })))).toBe(true)
})

describe('signingKeyOf', () => {
  const of = (approval: ReturnType<typeof approve>, now = NOW): string | undefined =>
    signingKeyOf('ETHEREUM', intent, approval, enrolled, now)

  test('names the key of the approver who signed, until the approval ends', () => {
    const approval = approve(bob, 'ETHEREUM', intent)
    expect(of(approval)).toBe(bob.publicKey)
    expect(of(approval, END - 1)).toBe(bob.publicKey)
    expect(of(approval, END)).toBeUndefined()
  })

  test('an approval counts for a week at most', () => {
    expect(of(approve(bob, 'ETHEREUM', intent, NOW + LONGEST_APPROVAL_MS))).toBe(bob.publicKey)
    expect(of(approve(bob, 'ETHEREUM', intent, NOW + LONGEST_APPROVAL_MS + 1))).toBeUndefined()
  })

  test('finds any Ed25519 key of a person, and never takes a passkey for one', () => {
    const more = readApprovers([makePasskey('dora').entry, { id: 'dora', publicKey: bob.publicKey }])
    const approval = { ...approve(bob, 'ETHEREUM', intent), keyId: 'dora' }
    expect(signingKeyOf('ETHEREUM', intent, approval, more, NOW)).toBe(bob.publicKey)
  })

  test.each([
    ['of another intent', approve(alice, 'ETHEREUM', { ...intent, id: intentOf(2).id })],
    ['of another amount', approve(alice, 'ETHEREUM', { ...intent, units: '1000001' })],
    ['of another destination', approve(alice, 'ETHEREUM', { ...intent, to: `0x${'1'.repeat(40)}` })],
    ['of another asset', approve(alice, 'ETHEREUM', { ...intent, asset: 'USDC' })],
    ['of another network', approve(alice, 'BINANCE_SMART_CHAIN', intent)],
    ['of another end', { ...approve(alice, 'ETHEREUM', intent), expiresAt: END + 1 }],
    ['under another name', { ...approve(alice, 'ETHEREUM', intent), keyId: 'bob' }],
    ['of an unknown approver', { ...approve(alice, 'ETHEREUM', intent), keyId: 'mallory' }],
    ['that is nothing', { keyId: 'alice', expiresAt: END, signature: '00'.repeat(64) }],
  ])('does not count a signature %s', (_name, approval) => {
    expect(of(approval)).toBeUndefined()
  })
})
