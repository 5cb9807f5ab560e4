import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { E18 } from '../../../../test/world/deposits.ts'
import { setPrices } from '../../../../test/world/prices.ts'
import { storeFeeRate } from '../../pay-out/withdrawals/terms.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut, noEffects } from '../../ledger/effects/index.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import { deliver, giveUp } from '../../pay-out/withdrawals/commands.ts'
import { askWithdrawal, findById, intentIdOf, type Asked, type Ended } from '../../pay-out/withdrawals/index.ts'
import { decideClaim } from './claims-store.ts'
import { approveClaim, createRefundSubscriber, listClaims, refuseClaim, UNDECIDED } from './index.ts'
import { catalogue, HOUR, OTHER, SHOP, useCryptoInvoices } from '../../../../test/world/crypto-invoices.ts'

const world = useCryptoInvoices()
const PAYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const claimed = async (): Promise<{ id: string; claim: string; token: string }> => {
  const id = await world.create({
    amount: { value: '100', ticker: 'USDT', blockchain: 'ETHEREUM' },
    meta: 'order 7',
    email: 'payer@example.com',
  })
  await world.proceed(id, { language: 'ru' })
  await world.confirm(await world.payment(id, '60'))
  world.now += 73 * HOUR
  await world.tick()
  const token = world.settings.claimTokens.of(id)
  await world.claim(id, token, { refundAddress: PAYER })
  const gas = { kind: 'gas', legacy: false, maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1n } as const
  await storeFeeRate(world.db, 'ETHEREUM', gas, world.now)
  await setPrices(world.runtime, { ETH: 2_000n * E18, USDT: E18 })
  return { id, claim: (await listClaims(world.db, { states: ['requested'] }))[0]!.id, token }
}
const moment = () => ({ at: new Date(world.now), newId: () => crypto.randomUUID() })
const rules = { catalogue, bitcoinChain: 'regtest' as const }
const keyOf = (id: string) => ({ merchantId: SHOP, id })
const approve = (claim: string, more: Partial<Asked> = {}, merchantId = SHOP) =>
  inTransaction(world.db, (tx) =>
    approveClaim(
      tx,
      { merchantId, id: claim },
      (refund) => askWithdrawal(tx, { ...refund, ...more }, rules, world.now, moment()),
      'sorry',
      world.settings,
      moment(),
    ),
  )
const withdrawals = async () =>
  (
    await sql<{
      id: string
      to: string
      units: bigint
      fee: bigint
      state: string
      meta: string
    }>`select id, to_address as to, units, fee_units as fee, state, meta from withdrawals`.execute(world.db)
  ).rows
/** In the order of their answers: those of one moment have none of their own. */
const claimMails = async () =>
  (await world.mails())
    .filter(({ kind }) => kind === 'claim-answered')
    .map(({ data }) => data)
    .toSorted((a, b) => `${String(a.answer)} ${String(a.hash)}`.localeCompare(`${String(b.answer)} ${String(b.hash)}`))

describe('an approved claim', () => {
  test('audit M-A5: is the same payment to the signer when a restored copy has it approved again', async () => {
    const { id, claim } = await claimed()
    const { withdrawalId } = await approve(claim)
    expect(await findById(world.db, SHOP, withdrawalId)).toMatchObject({ intentId: intentIdOf(SHOP, `refund:${id}`) })
  })

  test('is an ordinary withdrawal of the amount that the invoice brought, fees and all, and ends the invoice', async () => {
    const { id, claim } = await claimed()
    const { withdrawalId } = await approve(claim)
    const [withdrawal, ...more] = await withdrawals()
    expect(more).toEqual([])
    expect(withdrawal).toMatchObject({ id: withdrawalId, to: PAYER, state: 'requested', meta: 'order 7' })
    // 60 less 1 % for the deposit is what it brought; the network's fee comes off that.
    const {
      rows: [held],
    } = await sql<{
      held: bigint
    }>`select held from ledger_accounts where merchant_id = ${SHOP} and asset = 'USDT' and kind = 'merchant'`.execute(
      world.db,
    )
    expect(withdrawal!.units + withdrawal!.fee).toBe(held!.held)
    const spend = 594n * 10n ** 17n
    expect(spend - (withdrawal!.units + withdrawal!.fee)).toBeLessThan(10n ** 12n)
    expect(withdrawal!.units % 10n ** 12n).toBe(0n)
    expect(await world.lookup(id)).toMatchObject({ status: 'EXPIRED', claim: { status: 'APPROVED', withdrawalId } })
    expect(await claimMails()).toMatchObject([{ answer: 'approved', refundAddress: PAYER, note: 'sorry' }])
    await expect(approve(claim)).rejects.toThrow('approved already')
    expect(await world.close(id)).toMatchObject({ code: 100, description: expect.stringContaining('went back') })
    await world.confirm(await world.payment(id, '100'))
    expect(await world.lookup(id)).toMatchObject({ status: 'EXPIRED' })
    expect(await auditLedger(world.db)).toEqual([])
  })

  test('pays another amount when the merchant says so', async () => {
    const { claim } = await claimed()
    await approve(claim, { amount: '50' })
    expect((await withdrawals()).map(({ units }) => units)).toEqual([50n * 10n ** 18n])
  })

  test('that can not be paid is not approved: nothing has happened', async () => {
    const { id, claim } = await claimed()
    await expect(approve(claim, { amount: '1000' })).rejects.toThrow('Not enough balance')
    await expect(approve(claim, { amount: '0.0000001' })).rejects.toThrow('decimals')
    expect(await withdrawals()).toEqual([])
    expect(await world.lookup(id)).toMatchObject({ claim: { status: 'REQUESTED' } })
    await approve(claim)
  })

  test('takes no second decision, also from a caller that has not looked at its state', async () => {
    const { id, claim } = await claimed()
    const { withdrawalId } = await approve(claim)
    const decisions = [
      { state: 'approved', units: 1n, withdrawalId: crypto.randomUUID(), note: null },
      { state: 'refused', note: null },
    ] as const
    for (const decision of decisions)
      expect(
        await inTransaction(world.db, (tx) =>
          decideClaim(tx, { merchantId: SHOP, id: claim }, decision, new Date(world.now)),
        ),
      ).toBe(false)
    expect(await world.find(id)).toMatchObject({ claim: { state: 'approved', withdrawalId, note: 'sorry' } })
  })

  test('two approvals at once pay once', async () => {
    const { claim } = await claimed()
    const both = await Promise.allSettled([approve(claim), approve(claim)])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await withdrawals()).toHaveLength(1)
  })

  test('an approval and the rest at once: the invoice is paid or refunded, never both', async () => {
    for (let round = 0; round < 5; round += 1) {
      await world.reset()
      const { id, claim } = await claimed()
      const rest = await world.payment(id, '40')
      await world.mine(rest.network, [rest.transaction])
      const [approved] = await Promise.allSettled([approve(claim), world.settle(rest.network)])
      const { status } = await world.lookup(id)
      expect([approved!.status, status]).toEqual(
        approved!.status === 'fulfilled' ? ['fulfilled', 'EXPIRED'] : ['rejected', 'PAID'],
      )
      expect(await auditLedger(world.db)).toEqual([])
    }
  })
})

test('a claim is decided in the name of its own merchant only', async () => {
  const { claim } = await claimed()
  await expect(approve(claim, {}, OTHER)).rejects.toThrow('there is no such claim')
  const other = { merchantId: OTHER, id: claim }
  await expect(inTransaction(world.db, (tx) => refuseClaim(tx, other, null, world.settings, moment()))).rejects.toThrow(
    'there is no such claim',
  )
  expect(await listClaims(world.db, { states: ['requested'] })).toHaveLength(1)
  expect(await withdrawals()).toEqual([])
})

test('a refused claim is notified, and the payer may ask again', async () => {
  const { id, claim, token } = await claimed()
  await inTransaction(world.db, (tx) => refuseClaim(tx, keyOf(claim), 'ask the shop', world.settings, moment()))
  expect(await world.find(id)).toMatchObject({ claimable: true, claim: { state: 'refused', note: 'ask the shop' } })
  expect(await claimMails()).toMatchObject([{ answer: 'declined', note: 'ask the shop' }])
  await expect(approve(claim)).rejects.toThrow('refused already')
  await world.claim(id, token, { refundAddress: PAYER })
  expect(await listClaims(world.db, { states: ['requested'] })).toHaveLength(1)
})

describe('the withdrawal of an approved claim', () => {
  const withdrawalSubscribers = () => [createRefundSubscriber(world.settings)]
  const giveUpNow = (id: string) =>
    inTransaction(world.db, async (tx) =>
      carryOut(
        tx,
        (await giveUp(
          tx,
          { merchantId: SHOP, id },
          { catalogue, withdrawalSubscribers: withdrawalSubscribers() },
          moment(),
        ))!,
        moment(),
      ),
    )
  /** The chain's word about the transaction that carries it. */
  const follow = (id: string, ended: Ended) =>
    inTransaction(world.db, (tx) => withdrawalSubscribers()[0]!(tx, { merchantId: SHOP, id }, ended, moment()))
  const alerts = async () =>
    (
      await sql<{
        kind: string
        subject: string
        text: string
      }>`select kind, subject, text from alerts where resolved_at is null`.execute(world.db)
    ).rows

  test('that is Done makes it sent, which the payer is written and sees, once', async () => {
    const { id, claim } = await claimed()
    const { withdrawalId } = await approve(claim)
    await follow(withdrawalId, { status: 'Done', hash: '0xabc' })
    await follow(withdrawalId, { status: 'Done', hash: '0xabc' })
    expect(await world.find(id)).toMatchObject({ claimable: false, claim: { state: 'sent', hash: '0xabc' } })
    expect(await world.lookup(id)).toMatchObject({ status: 'EXPIRED', claim: { status: 'SENT', withdrawalId } })
    expect(await claimMails()).toMatchObject([
      { answer: 'approved', hash: null },
      { answer: 'sent', hash: '0xabc', refundAddress: PAYER, note: 'sorry' },
    ])
    await expect(approve(claim)).rejects.toThrow('sent already')
    expect(await alerts()).toEqual([])
  })

  test('that is Failed has the merchant decide again, and another withdrawal pays it', async () => {
    const { id, claim, token } = await claimed()
    const { withdrawalId } = await approve(claim)
    await giveUpNow(withdrawalId)
    expect(await world.find(id)).toMatchObject({ claimable: false, claim: { state: 'failed' } })
    expect(await world.lookup(id)).toMatchObject({ claim: { status: 'FAILED', withdrawalId } })
    expect(await alerts()).toMatchObject([
      { kind: 'refund-claim', subject: claim, text: expect.stringContaining(`bursar claims approve ${claim}`) },
    ])
    expect(await listClaims(world.db, { states: UNDECIDED })).toMatchObject([{ id: claim, state: 'failed' }])
    await expect(world.claim(id, token, { refundAddress: PAYER })).rejects.toMatchObject({ reason: 'claimed-already' })
    // Its end comes late and twice: it is another withdrawal that counts by then.
    const again = await approve(claim)
    expect(again.withdrawalId).not.toBe(withdrawalId)
    await follow(withdrawalId, { status: 'Done', hash: '0xold' })
    expect(await world.find(id)).toMatchObject({ claim: { state: 'approved', withdrawalId: again.withdrawalId } })
    await follow(again.withdrawalId, { status: 'Done', hash: '0xnew' })
    expect((await claimMails()).map(({ answer, hash }) => [answer, hash])).toEqual([
      ['approved', null],
      ['sent', '0xnew'],
    ])
    expect(await alerts()).toEqual([])
    expect(await auditLedger(world.db)).toEqual([])
  })

  test('that is Failed after Done has the merchant decide again, and another one is mailed', async () => {
    const { id, claim } = await claimed()
    const { withdrawalId } = await approve(claim)
    await follow(withdrawalId, { status: 'Done', hash: '0xlost' })
    // Its block was lost, its nonce was used by another transaction, and it is given up.
    await giveUpNow(withdrawalId)
    expect(await world.find(id)).toMatchObject({ claimable: false, claim: { state: 'failed', hash: null } })
    expect(await alerts()).toMatchObject([
      { kind: 'refund-claim', subject: claim, text: expect.stringContaining('after the payer was notified') as string },
    ])
    await follow(withdrawalId, { status: 'Done', hash: '0xlost' })
    expect(await world.find(id)).toMatchObject({ claim: { state: 'failed' } })
    const again = await approve(claim)
    await follow(again.withdrawalId, { status: 'Done', hash: '0xnew' })
    expect(await world.find(id)).toMatchObject({ claim: { state: 'sent', hash: '0xnew' } })
    expect((await claimMails()).map(({ answer, hash }) => [answer, hash])).toEqual([
      ['approved', null],
      ['sent', '0xlost'],
      ['sent', '0xnew'],
    ])
    expect(await alerts()).toEqual([])
  })

  test('that is Failed may be refused then: the payer gets the reason, and may ask again or pay the rest', async () => {
    const { id, claim, token } = await claimed()
    const { withdrawalId } = await approve(claim)
    await giveUpNow(withdrawalId)
    await inTransaction(world.db, (tx) =>
      refuseClaim(tx, keyOf(claim), 'another address please', world.settings, moment()),
    )
    expect(await world.find(id)).toMatchObject({
      claimable: true,
      claim: { state: 'refused', note: 'another address please' },
    })
    await world.claim(id, token, { refundAddress: PAYER })
    expect(await listClaims(world.db, { states: ['requested'] })).toHaveLength(1)
  })

  test("is followed to a sender's own merchant too: a transfer in the ledger counts as sent", async () => {
    const { id, claim } = await claimed()
    const { withdrawalId } = await approve(claim)
    await withoutTriggers(world.db, (tx) =>
      sql`update withdrawals set internal = true where id = ${withdrawalId}`.execute(tx),
    )
    const receive = async () => noEffects
    await inTransaction(world.db, async (tx) => {
      const withdrawal = (await findById(tx, SHOP, withdrawalId))!
      expect(
        await deliver(tx, withdrawal, { catalogue, receive, withdrawalSubscribers: withdrawalSubscribers() }, moment()),
      ).toBeDefined()
    })
    expect(await world.find(id)).toMatchObject({ claim: { state: 'sent', hash: null } })
  })

  test('is ignored if it belongs to no claim', async () => {
    const { claim } = await claimed()
    await follow(crypto.randomUUID(), { status: 'Failed', hash: null })
    expect(await listClaims(world.db, {})).toMatchObject([{ id: claim, state: 'requested' }])
  })
})
