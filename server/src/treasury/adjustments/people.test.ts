import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { applyAll, PLATFORM } from '../../ledger/postings/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { createAuditJob, listOpenFindings } from '../auditing/index.ts'
import {
  auditAdjustments,
  databaseIdentity,
  enrol,
  enrolmentText,
  makePersonKey,
  removePerson,
  requireSignature,
  signText,
} from './index.ts'
import { itemsOf } from './postings.ts'
import { ann, bob, SHOP, useAdjustments } from './test-adjustments.ts'

const { db, runtime, moment, proposed, signatureOf, apply, adjust, given } = useAdjustments()

describe('people who may sign', () => {
  const vouch = async (person: typeof ann, by: typeof bob): Promise<string> =>
    signText(by.pem, enrolmentText(person, await databaseIdentity(db)))
  const enrolAs = (person: typeof ann, voucher: { id: string; signature: string } | null) =>
    inTransaction(db, (tx) => enrol(tx, person, { actor: 'cli:root', voucher }, moment()))

  test('audit M-D1: only the first person needs no voucher, also after it was removed', async () => {
    await expect(enrolAs(ann, null)).rejects.toThrow(/a person who is enrolled vouches for ann/)
    await expect(enrolAs(ann, { id: 'bob', signature: await vouch(ann, ann) })).rejects.toThrow(
      /not bob's of this enrolment/,
    )
    await expect(enrolAs(ann, { id: 'bob', signature: await vouch({ ...ann, login: 'root' }, bob) })).rejects.toThrow(
      /not bob's/,
    )
    await enrolAs(ann, { id: 'bob', signature: await vouch(ann, bob) })
    await given(PLATFORM, 'suspense', 10n)
    const { id } = await proposed({ from: 'suspense', to: 'capital', units: 10n, by: 'cli:bob' })
    await apply(id, await signatureOf(id, ann), 'ann')
    for (const name of ['ann', 'bob']) await inTransaction(db, (tx) => removePerson(tx, name, 'cli:root', new Date()))
    await expect(enrolAs({ ...makePersonKey(), id: 'eve', login: 'eve' }, null)).rejects.toThrow(/vouches for eve/)
    await expect(enrolAs({ ...ann, id: 'ann2' }, null)).rejects.toThrow(/ann was enrolled before/)
    for (const login of ['service (sudo by eve)', 'eve\nperson: ann', ''])
      await expect(enrolAs({ ...makePersonKey(), id: 'eve', login }, null)).rejects.toThrow(/the login is/)
  })

  test('a decision of another module needs the signature of an enrolled person with another login, of its exact text', async () => {
    const text = 'bursar first-seed v1\ndecision: credit\n'
    const check = (signature: string, actor = 'cli:root', person = 'bob') =>
      inTransaction(db, (tx) => requireSignature(tx, { person, signature, text }, actor))
    const right = signText(bob.pem, text)
    await check(right)
    await expect(check(right, `cli:${bob.login}`)).rejects.toThrow(/another login/)
    await expect(check(signText(ann.pem, text))).rejects.toThrow(/not by the enrolled key of bob/)
    await expect(check(signText(bob.pem, `${text} `))).rejects.toThrow(/not of this text/)
    await expect(check(right, 'cli:root', 'ann')).rejects.toThrow(/not enrolled/)
  })

  /** Rows and postings of an adjustment, as anyone who has the password of operators can write them. */
  const forge = async (person: string, signature: (id: string) => Promise<string>): Promise<string> => {
    await given(PLATFORM, 'suspense', 4n)
    const { id } = await proposed({ from: 'suspense', to: `merchant:${SHOP}`, units: 4n })
    // Forged: no command stores a signature that is not the person's.
    await sql`insert into adjustment_signatures(adjustment_id, person, signature, applied_by, applied_at) values (${id}, ${person}, ${await signature(id)}, 'cli:x', now())`.execute(
      db,
    )
    const part = { account: { merchantId: PLATFORM, asset: 'USDT', kind: 'suspense' as const }, units: 4n }
    await inTransaction(db, (tx) =>
      applyAll(tx, itemsOf(id, [part], { merchantId: SHOP, asset: 'USDT', kind: 'merchant' }, moment())),
    )
    return id
  }
  const audited = async () => {
    await createAuditJob(runtime, 1).run(new AbortController().signal)
    return listOpenFindings(db)
  }

  test('audit S-3: a credit by an adjustment with a forged signature is found before it is paid out', async () => {
    await given(PLATFORM, 'suspense', 5n)
    await adjust({ from: 'suspense', to: `merchant:${SHOP}`, units: 5n })
    expect(await audited()).toEqual([])
    const id = await forge('bob', async () => 'ab'.repeat(64))
    expect(await audited()).toMatchObject([
      { finding: 'cause', detail: `it is credited by adjustment ${id}: the signature is not bob's of it` },
    ])
  })

  test.each([
    ['bob', 'ab'.repeat(64), "person eve: the signature is not bob's of this enrolment"],
    [null, null, 'person eve: no person vouches for eve, nor for another one'],
  ])(
    'audit S-3: so is one by a person that was written into the table as vouched for by %s',
    async (voucher, signature, why) => {
      const eve = { ...makePersonKey(), id: 'eve', login: 'eve' }
      // Forged: no command enrols a person without a true voucher.
      await sql`insert into people(id, public_key, login, enrolled_by, enrolled_at, vouched_by, signature) values ('eve', ${eve.publicKey}, 'eve', 'cli:x', '2020-01-01', ${voucher}, ${signature})`.execute(
        db,
      )
      const id = await forge('eve', (one) => signatureOf(one, eve))
      expect(await audited()).toMatchObject([
        { finding: 'cause', detail: `it is credited by adjustment ${id}: ${why}` },
      ])
      expect((await auditAdjustments(db, null)).findings).toContain(why)
    },
  )

  test('a signature that was forged into the table, or a posting that says something else, is a finding', async () => {
    await given(PLATFORM, 'suspense', 10n)
    const { id } = await proposed({ from: 'suspense', to: 'capital', units: 4n })
    // Forged: no command stores a signature that is not the person's.
    await sql`insert into adjustment_signatures(adjustment_id, person, signature, applied_by, applied_at) values (${id}, 'bob', ${'ab'.repeat(64)}, 'cli:x', now())`.execute(
      db,
    )
    expect((await auditAdjustments(db, null)).findings).toEqual([
      `adjustment ${id}: the signature is not bob's of it`,
      `adjustment ${id}: 0 units were posted, not 4`,
    ])
  })
})
