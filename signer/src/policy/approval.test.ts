import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { approvalMessage, approverKey, approversOf } from './approval.ts'
import { approve, approvers, intentOf } from '../../../test/world/signer.ts'

const [alice, bob] = approvers as [(typeof approvers)[0], (typeof approvers)[0]]
const enrolled = new Map(approvers.map(({ id, publicKey }) => [id, approverKey(publicKey)]))
const intent = intentOf(1)

test('the text names everything that can be changed, one a line', () => {
  expect(approvalMessage('ETHEREUM', intent)).toBe(
    'bursar approval v1\nintent: 00000000-0000-4000-8000-000000000001\nnetwork: ETHEREUM\nasset: USDT\n' +
      'to: 0x70997970C51812dc3A010C7d01b50e0d17dc79C8\nunits: 1000000\n',
  )
})

test("keys and signatures are Ed25519's: RFC 8032, test 2", () => {
  const key = approverKey('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c')
  const signature =
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00'
  expect(verify(null, Buffer.of(0x72), key, Buffer.from(signature, 'hex'))).toBe(true)
  expect(key.equals(createPublicKey(key.export({ format: 'pem', type: 'spki' })))).toBe(true)
})

describe('approversOf', () => {
  const of = (...approvals: ReturnType<typeof approve>[]): string[] =>
    approversOf('ETHEREUM', intent, approvals, enrolled)

  test('counts each enrolled approver once', () => {
    expect(of(approve(bob, 'ETHEREUM', intent), approve(alice, 'ETHEREUM', intent))).toEqual(['alice', 'bob'])
    expect(of(approve(alice, 'ETHEREUM', intent), approve(alice, 'ETHEREUM', intent))).toEqual(['alice'])
  })

  test.each([
    ['of another intent', approve(alice, 'ETHEREUM', { ...intent, id: intentOf(2).id })],
    ['of another amount', approve(alice, 'ETHEREUM', { ...intent, units: '1000001' })],
    ['of another destination', approve(alice, 'ETHEREUM', { ...intent, to: `0x${'1'.repeat(40)}` })],
    ['of another asset', approve(alice, 'ETHEREUM', { ...intent, asset: 'USDC' })],
    ['of another network', approve(alice, 'BINANCE_SMART_CHAIN', intent)],
    ['under another name', { ...approve(alice, 'ETHEREUM', intent), keyId: 'bob' }],
    ['of somebody unknown', { ...approve(alice, 'ETHEREUM', intent), keyId: 'mallory' }],
    ['that is nothing', { keyId: 'alice', signature: '00'.repeat(64) }],
  ])('does not count a signature %s', (_name, approval) => {
    expect(of(approval)).toEqual([])
  })
})
