/**
 * Money held until it is verified, of which no provider knows anything, or whose sender is another merchant of ours.
 */
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { E18, pay, START, type Owned } from '../../../../test/world/deposits.ts'
import { listOpen, screenAgain } from './index.ts'
import { NET, useHeld } from './test-held.ts'

const held = useHeld()
const { setHolding, list, screen, mine, settle, arrive, decide, receiveFrom, books } = held
const HELD = [0n, E18, -E18, 0n]
const CREDITED = [NET, 0n, -E18, E18 - NET]

describe('audit F-2: a source that no provider knows is not clean', () => {
  const pooled = (from: string[]) => {
    const transaction = pay(held.owned.address, E18, { hash: 'h9' })
    transaction.transfers[0] = { ...transaction.transfers[0]!, from }
    return held.world.poolHas('ETHEREUM', [transaction])
  }
  const nothingKnown = () =>
    sql<{ state: string; problem: string }>`select state, problem from screenings`
      .execute(held.world.db)
      .then(({ rows }) => rows[0])

  test.each([
    ['none of its senders', []],
    ['some of its senders', ['payer']],
  ])('audit F-2: the senders are those of the block where the pool showed %s', async (_what, from) => {
    await pooled(from)
    await mine('bad', 'h9')
    await settle()
    await screen()
    expect([await books(), (await listOpen(held.world.db, 10)).map(({ state }) => state)]).toEqual([HELD, ['risky']])
    const { rows } = await sql<{ senders: string[] }>`select senders from deposits`.execute(held.world.db)
    expect(rows).toEqual([{ senders: ['bad'] }])
  })

  test('audit F-2: it stays held with an alert, and is queried again', async () => {
    await held.world.mine('ETHEREUM', 10, [
      {
        ...pay(held.owned.address, E18),
        transfers: pay(held.owned.address, E18).transfers.map((one) => ({ ...one, from: [] })),
      },
    ])
    await settle()
    await screen()
    expect([await books(), await held.world.statuses(), await nothingKnown()]).toMatchObject([
      HELD,
      ['Pending'],
      { state: 'unanswered', problem: expect.stringContaining('no provider knows') },
    ])
    const { rows } = await sql<{
      text: string
    }>`select text from alerts where kind = 'screening-waiting' and resolved_at is null`.execute(held.world.db)
    expect(rows).toMatchObject([
      { text: expect.stringMatching(/1 deposits and 0 withdrawals.*no provider knows anything of it/) },
    ])
    const attempts = async () =>
      Number(
        (await sql<{ attempts: number }>`select attempts from screenings`.execute(held.world.db)).rows[0]!.attempts,
      )
    const before = await attempts()
    held.world.now += 3_600_000
    await screen()
    expect([await attempts(), await books()]).toEqual([before + 1, HELD])
  })

  test.each([
    ['released', CREDITED, ['Pending', 'Done', 'Verified']],
    ['rejected', HELD, ['Pending', 'Failed']],
  ] as const)('people decide about it: %s', async (event, wanted, statuses) => {
    await pooled([])
    await held.world.mine('ETHEREUM', 10, [
      {
        ...pay(held.owned.address, E18, { hash: 'h9' }),
        transfers: pay(held.owned.address, E18).transfers.map((one) => ({ ...one, from: [] })),
      },
    ])
    await settle()
    await screen()
    expect([await decide(event), await books(), await held.world.statuses()]).toEqual([0, wanted, statuses])
    const { rows } = await sql<{
      report: { complete: boolean; risky: boolean }
    }>`select report from screenings`.execute(held.world.db)
    expect(rows).toMatchObject([{ report: { complete: false, risky: false } }])
  })

  test('audit F-2: of a merchant that does not hold money it is Verified, and the judgement says that it is not complete', async () => {
    await setHolding(false)
    await held.world.mine('ETHEREUM', 10, [
      {
        ...pay(held.owned.address, E18),
        transfers: pay(held.owned.address, E18).transfers.map((one) => ({ ...one, from: [] })),
      },
    ])
    await settle()
    await screen()
    const { rows } = await sql<{ report: { complete: boolean } }>`select report from screenings`.execute(held.world.db)
    expect([await held.world.statuses(), rows]).toMatchObject([
      ['Pending', 'Done', 'Verified'],
      [{ report: { complete: false } }],
    ])
    await expect(decide('released')).resolves.toBeUndefined()
  })
})

describe('audit F-2: money from another merchant inherits the open screenings of that merchant', () => {
  let sender: Owned
  let receiver: Owned
  beforeEach(async () => {
    receiver = held.owned
    sender = await held.world.address('ETHEREUM')
    held.owned = sender
    await makeMerchant(held.world.db, START, { id: sender.merchantId })
  })
  const send = async () => {
    held.world.now += 1_000
    held.owned = receiver
    await receiveFrom(sender.merchantId)
  }
  const quarantined = () => held.world.balance(receiver.merchantId, 'ETH', 'quarantine')

  test("audit F-2: it waits for the judgement of the sender's own deposits, and is credited when that is clean", async () => {
    await sql`truncate screening_list_entries, screening_lists cascade`.execute(held.world.db)
    await arrive('payer')
    await send()
    await screen()
    expect(await quarantined()).toBe(E18)
    await list('bad')
    held.world.now += 3_600_000
    await screen()
    held.world.now += 3_600_000
    await screen()
    expect(await quarantined()).toBe(0n)
  })

  test('audit F-2: it stays held while the sender has money that was found risky, and its receiver learns no name', async () => {
    await arrive('bad')
    await screen()
    await send()
    await screen()
    expect(await quarantined()).toBe(E18)
    const { rows } = await sql<{
      state: string
      report: { flags: string[] }
    }>`select state, report from screenings where merchant_id = ${receiver.merchantId}`.execute(held.world.db)
    expect(rows).toMatchObject([
      { state: 'risky', report: { flags: [expect.stringContaining('a merchant of this service')] } },
    ])
    expect(JSON.stringify(rows[0]!.report)).not.toContain(sender.merchantId)
  })

  test('screenings that people have decided, and later ones, are not inherited', async () => {
    await arrive('bad')
    await screen()
    await decide('released')
    await send()
    held.owned = sender
    held.world.now += 1_000
    await mine('bad', 'later', 11)
    held.owned = receiver
    await settle()
    await screen()
    expect(await quarantined()).toBe(0n)
  })

  test('audit F-2: it inherits a sender who was listed after being judged', async () => {
    await arrive('payer')
    await screen()
    await list('bad', 'payer')
    const settings = { windowMs: 86_400_000, halt: async () => new Set<string>() }
    await inTransaction(held.world.db, (tx) => screenAgain(tx, 'OFAC SDN', settings, held.world.moment()))
    await send()
    await screen()
    expect(await quarantined()).toBe(E18)
  })
})
