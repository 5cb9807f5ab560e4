/**
 * Merchants that want money screened before it is theirs: what is held, let through, quarantined, decided and
 * reorganised.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { ReplenishDone, ReplenishFailed, ReplenishVerified } from '@bursar/contract'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { inTransaction } from '../../platform/db/index.ts'
import { E18, pay } from '../../../../test/world/deposits.ts'
import { listOpen, listRejected, lockDeposits, opinionsOn } from './index.ts'
import { NET, useHeld } from './test-held.ts'

const held = useHeld()
const { setHolding, list, screen, mine, settle, arrive, deposit, decide, receiveFrom, books, targets } = held
const HELD = [0n, E18, -E18, 0n]
const CREDITED = [NET, 0n, -E18, E18 - NET]
const NOTHING = [0n, 0n, 0n, 0n]

describe('a deposit of a merchant that has money held until it is verified', () => {
  test('is Pending and in quarantine until it is judged; then Done and Verified are notified together, and targets run', async () => {
    const id = await arrive()
    expect([await held.world.statuses(), await books(), (await deposit()).state]).toEqual([['Pending'], HELD, 'held'])
    await screen()
    await screen()
    expect([await held.world.statuses(), await books(), targets]).toEqual([
      ['Pending', 'Done', 'Verified'],
      CREDITED,
      [id],
    ])
    const [, done, verified] = (await held.world.notices()).map(({ body }) => body)
    expect([Value.Errors(ReplenishDone, done), Value.Errors(ReplenishVerified, verified)]).toEqual([[], []])
    expect([done, verified]).toMatchObject([
      { id, status: 'Done', block: 10 },
      { id, status: 'Verified', block: 10, compliance: { risky: false } },
    ])
    expect(done).not.toHaveProperty('compliance')
    const { rows } = await sql<{
      n: bigint
    }>`select count(distinct created_at) as n from events where status in ('Done', 'Verified')`.execute(held.world.db)
    expect(Number(rows[0]!.n)).toBe(1)
  })

  test('from a listed sender stays Pending, an alert says so, and nothing runs', async () => {
    await arrive('bad')
    await screen()
    held.world.now += 90 * 86_400_000
    await screen()
    await settle()
    expect([await held.world.statuses(), await books(), targets]).toEqual([['Pending'], HELD, []])
    expect((await listOpen(held.world.db, 10)).map(({ state }) => state)).toEqual(['risky'])
  })

  test('is credited when an operator releases it, once, and the operator and the reason are stored', async () => {
    const id = await arrive('bad')
    await screen()
    expect([await decide('released'), await decide('released'), await decide('rejected')]).toEqual([
      0,
      undefined,
      undefined,
    ])
    expect([await held.world.statuses(), await books(), targets]).toEqual([
      ['Pending', 'Done', 'Verified'],
      CREDITED,
      [id],
    ])
    expect((await held.world.notices()).at(-1)!.body).toMatchObject({ compliance: { risky: true } })
    const { rows } = await sql<{ id: string }>`select id from screenings`.execute(held.world.db)
    expect(await opinionsOn(held.world.db, rows[0]!.id)).toMatchObject([
      { event: 'released', actor: 'cli:ann', reason: 'looked at it' },
    ])
  })

  test('that is rejected is Failed, AML_REJECTED, and the money stays in quarantine', async () => {
    const id = await arrive('bad')
    await screen()
    expect([await decide('rejected'), await decide('released')]).toEqual([0, undefined])
    expect([await held.world.statuses(), await books(), targets]).toEqual([['Pending', 'Failed'], HELD, []])
    const { body } = (await held.world.notices()).at(-1)!
    expect([Value.Errors(ReplenishFailed, body), body]).toMatchObject([
      [],
      { id, status: 'Failed', failReason: 'AML_REJECTED' },
    ])
    expect((await listRejected(held.world.db, 10)).map(({ subjectId }) => subjectId)).toEqual([id])
  })

  test('takes as many people as the installation says', async () => {
    await arrive('bad')
    await screen()
    expect([
      await decide('released', 'cli:ann', 2),
      await decide('released', 'cli:ann', 2),
      await decide('rejected', 'cli:bob', 2),
    ]).toEqual([1, 1, 1])
    expect(await books()).toEqual(HELD)
    expect([await decide('rejected', 'cli:ann', 2), await books(), (await deposit()).state]).toEqual([
      0,
      HELD,
      'rejected',
    ])
  })

  test('that no provider can judge waits for hours, with one alert for all of them; then all are credited', async () => {
    await sql`truncate screening_list_entries, screening_lists cascade`.execute(held.world.db)
    for (const n of [1, 2, 3]) await mine('payer', `h${n}`, 9 + n)
    await settle()
    for (let hour = 0; hour < 6; hour += 1) {
      await screen()
      held.world.now += 3_600_000
    }
    await screen()
    const alerts = async () =>
      (
        await sql<{ text: string }>`select text from alerts where resolved_at is null order by kind`.execute(
          held.world.db,
        )
      ).rows
    expect(await alerts()).toMatchObject([
      {
        text: expect.stringMatching(
          /3 deposits and 0 withdrawals; the oldest has waited for 6\.0 h.*no list has been imported/,
        ),
      },
    ])
    expect((await books())[1]).toBe(3n * E18)
    const { rows } = await sql<{ attempts: number }>`select max(attempts) as attempts from screenings`.execute(
      held.world.db,
    )
    expect(Number(rows[0]!.attempts)).toBeLessThan(10)
    await list('bad')
    held.world.now += 15 * 60_000
    await screen()
    expect([(await books())[0], (await books())[1], await alerts()]).toEqual([3n * NET, 0n, []])
  })

  test.each([
    ['clean', 'payer', CREDITED, ['Pending', 'Done', 'Verified']],
    ['risky', 'bad', HELD, ['Pending']],
  ] as const)(
    'that a reorganisation takes away while it is held leaves nothing behind; %s when it is back',
    async (_what, from, wanted, statuses) => {
      await arrive(from)
      await held.world.orphan('ETHEREUM', 10)
      expect([await books(), (await deposit()).state]).toEqual([NOTHING, 'orphaned'])
      await screen()
      expect([await books(), await held.world.statuses()]).toEqual([NOTHING, ['Pending']])
      await arrive(from)
      await screen()
      expect([await books(), await held.world.statuses()]).toEqual([wanted, statuses])
    },
  )

  test('that was rejected and comes back on another branch is rejected still, and not notified again', async () => {
    await arrive('bad')
    await screen()
    await decide('rejected')
    await held.world.orphan('ETHEREUM', 10)
    expect(await books()).toEqual(NOTHING)
    await setHolding(false)
    await arrive('bad')
    await screen()
    expect([await books(), await deposit(), await held.world.statuses()]).toMatchObject([
      HELD,
      { state: 'rejected', failReason: 'AML_REJECTED' },
      ['Pending', 'Failed'],
    ])
  })

  test('that was released and comes back on another branch is credited, and not notified again', async () => {
    await arrive('bad')
    await screen()
    await decide('released')
    await held.world.orphan('ETHEREUM', 10)
    expect(await books()).toEqual(NOTHING)
    await arrive('bad')
    expect([await books(), await held.world.statuses()]).toEqual([CREDITED, ['Pending', 'Done', 'Verified']])
  })

  test('that is released while a reorganisation has taken it away is credited when it is back', async () => {
    await arrive('bad')
    await screen()
    await held.world.orphan('ETHEREUM', 10)
    expect([await decide('released'), await books()]).toEqual([0, NOTHING])
    await arrive('bad')
    expect([await books(), await held.world.statuses()]).toEqual([CREDITED, ['Pending', 'Done', 'Verified']])
  })

  test('stays held when its merchant changes the setting afterwards', async () => {
    await arrive('bad')
    await setHolding(false)
    await held.world.orphan('ETHEREUM', 10)
    await arrive('bad')
    expect(await books()).toEqual(HELD)
  })

  test('that was Done before the merchant wanted it so is credited again after a reorganisation', async () => {
    await setHolding(false)
    await arrive()
    await setHolding(true)
    await held.world.orphan('ETHEREUM', 10)
    await arrive()
    expect([await books(), await held.world.statuses()]).toEqual([CREDITED, ['Pending', 'Done']])
  })

  test('on the balance already can not be rejected; to release it is a note', async () => {
    await setHolding(false)
    await arrive('bad')
    await screen()
    await expect(decide('rejected')).rejects.toThrow('on the balance already')
    expect([await decide('released'), await books(), targets]).toEqual([0, CREDITED, []])
  })

  test('below the minimum is Failed as ever', async () => {
    await held.world.mine('ETHEREUM', 10, [pay(held.owned.address, 1n)])
    await settle()
    expect((await deposit()).failReason).toBe('LESS_THEN_MIN_AMOUNT')
    expect(await held.world.balance(held.owned.merchantId, 'ETH', 'suspense')).toBe(1n)
  })

  test('that comes back in the moment it is judged is credited all the same', async () => {
    await arrive()
    await held.world.orphan('ETHEREUM', 10)
    let back: Promise<string> | undefined
    await screen({
      verify: async (tx, one, moment) => {
        const effects = await held.world.deposits.verify(tx, one, moment)
        back = arrive()
        await new Promise((resolve) => setTimeout(resolve, 500))
        return effects
      },
    })
    await back
    expect([await books(), await held.world.statuses()]).toEqual([CREDITED, ['Pending', 'Done', 'Verified']])
  })

  test('is not judged while it is being held: the judge sees it held, or is seen', async () => {
    const id = await arrive()
    const [locked, judged] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = inTransaction(held.world.db, async (tx) => {
      await locked.promise
      await lockDeposits(tx, [{ merchantId: held.owned.merchantId, id }])
      judged.resolve()
      await new Promise((resolve) => setTimeout(resolve, 700))
      const { rows } = await sql<{ state: string }>`select state from screenings`.execute(held.world.db)
      return rows[0]!.state
    })
    await screen(held.world.deposits, async (point) => {
      if (point !== 'screening-asked') return
      locked.resolve()
      await judged.promise
    })
    expect([await holding, await books()]).toEqual(['asked', CREDITED])
  })

  test('from a merchant of ours is held like any other: nothing is known against it', async () => {
    await receiveFrom(randomUUID())
    const internal = () =>
      Promise.all(
        (['merchant', 'quarantine', 'clearing'] as const).map((kind) =>
          held.world.balance(held.owned.merchantId, 'ETH', kind),
        ),
      )
    expect([await held.world.statuses(), await internal()]).toEqual([['Pending'], [0n, E18, -E18]])
    await screen()
    expect([await held.world.statuses(), await internal()]).toEqual([
      ['Pending', 'Done', 'Verified'],
      [NET, 0n, -E18],
    ])
  })
})
