import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { PLATFORM } from '../../ledger/postings/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { readAccount } from './accounts.ts'
import { auditAdjustments, listAdjustments, removePerson, VALID_MS } from './index.ts'
import { ann, SHOP, useAdjustments, type Typed } from './test-adjustments.ts'

const { db, later, proposed, signatureOf, apply, adjust, balance, given, booksHold } = useAdjustments()

describe('an adjustment', () => {
  test('audit M-D1: moves money that a second person has signed for, once, and is shown with its signature', async () => {
    await given(PLATFORM, 'suspense', 100n)
    const { id } = await proposed({
      from: 'suspense',
      to: `merchant:${SHOP}`,
      units: 60n,
      reason: 'ticket 7: a deposit without a memo',
    })
    expect([await balance(PLATFORM, 'suspense'), await balance(SHOP, 'merchant')]).toEqual([100n, 0n])
    const signature = await signatureOf(id)
    await apply(id, signature)
    expect([await balance(PLATFORM, 'suspense'), await balance(SHOP, 'merchant')]).toEqual([40n, 60n])
    await expect(apply(id, signature)).rejects.toThrow(/was applied at/)
    const { applied, findings } = await auditAdjustments(db, null)
    expect(applied).toMatchObject([
      {
        id,
        reason: 'ticket 7: a deposit without a memo',
        proposedBy: 'cli:ann',
        signed: { person: 'bob', appliedBy: 'cli:ann' },
      },
    ])
    expect(findings).toEqual([])
    await booksHold()
  })

  test('audit M-D1: L20 is posted only with the signature of another, enrolled person for exactly this adjustment', async () => {
    await given(PLATFORM, 'suspense', 100n)
    const { id } = await proposed({ from: 'suspense', to: 'capital', units: 10n })
    const other = await proposed({ from: 'suspense', to: 'capital', units: 11n })
    await expect(apply(id, await signatureOf(other.id))).rejects.toThrow(/not by the enrolled key of bob/)
    await expect(apply(id, await signatureOf(id, ann))).rejects.toThrow(/not by the enrolled key of bob/)
    await expect(apply(id, await signatureOf(id, ann), 'ann')).rejects.toThrow(/ann is not enrolled/)
    const own = await proposed({ from: 'suspense', to: 'capital', units: 12n, by: 'cli:bob' })
    await expect(apply(own.id, await signatureOf(own.id))).rejects.toThrow(
      /was proposed by .*, and bob is enrolled with the login .*: the author of a proposal can not sign it/,
    )
    for (const by of ['cli:service (sudo by bob)', 'cli:bob (sudo by ann)', 'cli:Bob']) {
      const disguised = await proposed({ from: 'suspense', to: 'capital', units: 13n, by })
      await expect(apply(disguised.id, await signatureOf(disguised.id)), by).rejects.toThrow(
        /the author of a proposal can not sign it/,
      )
    }
    const signature = await signatureOf(id)
    await inTransaction(db, (tx) => removePerson(tx, 'bob', 'cli:root', new Date()))
    await expect(apply(id, signature)).rejects.toThrow(/bob is not enrolled/)
    expect(await balance(PLATFORM, 'suspense')).toBe(100n)
  })

  test('is posted within seven days, and judged by the books of that moment', async () => {
    await given(PLATFORM, 'suspense', 100n)
    const first = await proposed({ from: 'suspense', to: 'capital', units: 70n })
    const second = await proposed({ from: 'suspense', to: 'capital', units: 70n })
    await apply(first.id, await signatureOf(first.id))
    await expect(signatureOf(second.id).then((signature) => apply(second.id, signature))).rejects.toThrow(
      /the books do not allow adjustment .* now: suspense has 30 USDT: less than 70\. Propose another one/,
    )
    const late = await proposed({ from: 'suspense', to: 'capital', units: 1n })
    later(VALID_MS + 1)
    await expect(signatureOf(late.id).then((signature) => apply(late.id, signature))).rejects.toThrow(
      /more than seven days ago/,
    )
  })

  test('audit M-D1: neither it nor its signature ever changes', async () => {
    await given(PLATFORM, 'suspense', 100n)
    await adjust({ from: 'suspense', to: 'capital', units: 10n })
    for (const statement of [
      'update adjustments set units = 1',
      'delete from adjustments',
      'delete from adjustment_signatures',
      "update adjustment_signatures set person = 'ann'",
    ]) {
      await expect(sql.raw(statement).execute(db)).rejects.toThrow(/append/i)
    }
  })

  test.each<[string, Partial<Typed>, RegExp]>([
    [
      'a pair that the table does not have',
      { from: 'capital', to: 'quarantine:' + SHOP },
      /no adjustment goes from capital to quarantine: from capital it goes to merchant, suspense, losses/,
    ],
    ['a merchant that is not there', { to: `merchant:${randomUUID()}` }, /there is no merchant/],
    ['more than there is', { units: 101n }, /suspense has 100 USDT: less than 101/],
    ['a reason of two lines', { reason: 'one\nasset: BTC' }, /one line/],
    [
      'money of quarantine without its deposit',
      { from: `quarantine:${SHOP}`, to: 'suspense' },
      /which rejected deposit/,
    ],
    ['custody without an address', { from: 'losses', to: 'custody:TRON' }, /--address/],
    [
      'custody of another network',
      { from: 'losses', to: 'custody:TRON', address: 'ETHEREUM/0xabc' },
      /on ETHEREUM, the account on TRON/,
    ],
    ['a debt that does not exist', { from: 'losses', to: `receivable:${SHOP}` }, /is 0 USDT: less than 50/],
  ])('is not taken down: %s', async (_name, change, message) => {
    await given(PLATFORM, 'suspense', 100n)
    await given(PLATFORM, 'capital', 100n)
    await expect(proposed({ from: 'suspense', to: 'capital', units: 50n, ...change })).rejects.toThrow(message)
    expect(await listAdjustments(db)).toEqual([])
  })

  test.each(['cash', 'capital:' + SHOP, 'merchant', 'custody:MARS', 'quarantine', 'receivable:x'])(
    'has no account "%s"',
    (text) => {
      expect(() => readAccount(text)).toThrow(/"/)
    },
  )
})
