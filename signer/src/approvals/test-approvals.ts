/** A signer with payments that wait for approvals, and its approvers: for tests of approvals. */
import { expect, onTestFinished } from 'vitest'
import type { SignRequest } from '../protocol/protocol.ts'
import { AnswerRefused } from '../webauthn/ceremony.ts'
import type { Answering } from '../../../test/world/authenticator.ts'
import { APPROVALS_ORIGIN, makePasskey } from '../../../test/world/passkeys.ts'
import type { TestPasskey } from '../../../test/world/passkeys.ts'
import { approvers, codeOf, evmRequest, intentOf, openSigner, policyFile } from '../../../test/world/signer.ts'
import type { TestSigner } from '../../../test/world/signer.ts'
import { ApprovalRefused } from './approvals.ts'
import type { Offer } from './approvals.ts'

export const [alice, aliceAgain, bob, mallory] = ['alice', 'alice', 'bob', 'mallory'].map((id) => makePasskey(id)) as [
  TestPasskey,
  TestPasskey,
  TestPasskey,
  TestPasskey,
]
export const [carolKey] = approvers as [(typeof approvers)[0]]
export const policy = {
  ...policyFile,
  approvers: [alice.entry, aliceAgain.entry, bob.entry, { id: 'carol', publicKey: carolKey.publicKey }],
}
export const NOW = 1_700_000_000_000
export const large = intentOf(1, { units: '900000000' })
export const payment = evmRequest(large)

export interface Clocked extends TestSigner {
  at(ms: number): void
  logFile: string
}

export async function open(more: { logFile?: string; policy?: object } = {}): Promise<Clocked> {
  let now = NOW
  const made = await openSigner({ policy, ...more, now: () => now, approvalsAt: APPROVALS_ORIGIN })
  onTestFinished(() => made.log.close())
  return { ...made, at: (ms) => (now = ms) }
}

export async function waitingFor(
  request: SignRequest = payment,
  more: Parameters<typeof open>[0] = {},
): Promise<Clocked> {
  const signer = await open(more)
  expect(await codeOf(signer.signer, request)).toBe('needs-approval')
  return signer
}

export const offerOf = ({ signer }: TestSigner, approver: string): Offer => signer.approvals.offers(approver)[0]!

/** Answers an offer as the page would. */
export async function answer(
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

export const refusedAs = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof ApprovalRefused) return error.code
  if (error instanceof AnswerRefused) return error.fault
  throw error ?? new Error('it was accepted')
}
