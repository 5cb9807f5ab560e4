import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { approvalMessage } from '../policy/approval.ts'
import { readPolicy } from '../policy/policy.ts'
import type { ApprovedEntry } from '../log/entry.ts'
import { approve, codeOf, evmRequest, intentOf, temporaryDirectory } from '../../../test/world/signer.ts'
import { tronIntent, tronRequest } from '../../../test/world/tron-requests.ts'
import { APPROVAL_MS } from './approvals.ts'
import {
  NOW,
  alice,
  aliceAgain,
  answer,
  bob,
  carolKey,
  large,
  offerOf,
  open,
  payment,
  policy,
  refusedAs,
  waitingFor,
} from './test-approvals.ts'

describe('approvals by passkey', () => {
  test('of as many people as the policy requires have the payment signed', async () => {
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
