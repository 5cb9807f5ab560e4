/** Answers of browsers about passkeys with anything changed in them. */
import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { createAuthenticator } from '../../../../test/world/authenticator.ts'
import { mutatedBytes, mutatedJson } from '../../../../test/world/mutations.ts'
import {
  creationOptions,
  credentialIdIn,
  requestOptions,
  verifyNewPasskey,
  verifyPasskey,
  type NewKey,
} from './passkeys.ts'

const party = { id: 'pay.shop.example', origin: 'https://pay.shop.example' }
const challenge = Buffer.from('the challenge of this test 123456').toString('base64url')
const expected = { party, isChallenge: (seen: string) => seen === challenge }
const person = { id: randomUUID(), email: 'olena@shop.example' }
const authenticator = createAuthenticator(party.origin)
const made = authenticator.make(creationOptions(party, person, challenge, []))
const used = authenticator.use(requestOptions(party, challenge))

interface Sent {
  response: Record<string, string>
}
/** The answer with a member of its response replaced. */
const withMember = (text: string, member: string, bytes: Uint8Array): string => {
  const sent = JSON.parse(text) as Sent
  sent.response[member] = Buffer.from(bytes).toString('base64url')
  return JSON.stringify(sent)
}
const bytesOf = (text: string, member: string): Buffer =>
  Buffer.from((JSON.parse(text) as Sent).response[member]!, 'base64url')

const checkKey = (key: NewKey | undefined): void => {
  if (key === undefined) return
  expect(key.challenge).toBe(challenge)
  expect(typeof key.credentialId === 'string' && key.credentialId !== '').toBe(true)
  expect(key.publicKey.length > 0 && Number.isInteger(key.counter) && key.counter >= 0).toBe(true)
}

test('a new passkey with anything changed in its answer is a key of this challenge, or is refused', async () => {
  expect(await verifyNewPasskey(made, expected)).toMatchObject({ credentialId: authenticator.credentialId, challenge })
  await fc.assert(
    fc.asyncProperty(mutatedJson(made), async ({ text }) => {
      const id = credentialIdIn(text)
      expect(id === undefined || typeof id === 'string').toBe(true)
      checkKey(await verifyNewPasskey(text, expected))
    }),
    { numRuns: cases(100) },
  )
  const attestation = bytesOf(made, 'attestationObject')
  await fc.assert(
    fc.asyncProperty(mutatedBytes(attestation), async (bytes) =>
      checkKey(await verifyNewPasskey(withMember(made, 'attestationObject', bytes), expected)),
    ),
    { numRuns: cases(100) },
  )
})

test('the answer of a passkey with any signed byte changed is refused', async () => {
  const key = (await verifyNewPasskey(made, expected))!
  const passkey = { ...key, personId: person.id }
  expect(await verifyPasskey(used, passkey, expected)).toMatchObject({ challenge })
  await fc.assert(
    fc.asyncProperty(mutatedJson(used), async ({ text }) => {
      const verified = await verifyPasskey(text, passkey, expected)
      if (verified === undefined) return
      expect(verified.challenge).toBe(challenge)
      expect(Number.isInteger(verified.counter) && verified.counter > passkey.counter).toBe(true)
    }),
    { numRuns: cases(100) },
  )
  for (const member of ['authenticatorData', 'clientDataJSON']) {
    const signed = bytesOf(used, member)
    await fc.assert(
      fc.asyncProperty(mutatedBytes(signed), async (bytes) => {
        fc.pre(!signed.equals(bytes))
        expect(await verifyPasskey(withMember(used, member, bytes), passkey, expected)).toBeUndefined()
      }),
      { numRuns: cases(100) },
    )
  }
})
