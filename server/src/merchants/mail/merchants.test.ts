import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { beforeEach, describe, expect, test } from 'vitest'
import { notifications } from '@bursar/contract'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { useDb } from '../../../../test/world/database.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { writeLetter, type MailTemplates } from '../mail-templates/index.ts'
import { setSetting } from '../accounts/index.ts'
import { keyDeps, makeMerchant, momentAt, newId } from '../../../../test/world/merchant.ts'
import { addEndpoint, emit } from '../webhooks/index.ts'
import { entryOf, MAILED } from './activity.ts'
import { announceSending, createActivityJob, listMails, mailExhausted } from './index.ts'

const { db } = useDb()
const START = 1_800_000_000_000
const QUARTER = 15 * 60_000
let now = START
let merchantId: string
beforeEach(async () => {
  now = START
  await emptyTables(db)
  await announceSending(db, true, new Date(now))
  merchantId = (await makeMerchant(db, now, { settings: { email: 'boss@shop.example', mailLanguage: 'uk' } })).id
})

const runtime = () => ({ db, newId, clock: { now: () => now, business: () => now }, log: pino({ level: 'silent' }) })
const digest = () => createActivityJob(runtime()).run(new AbortController().signal)
const set = (name: string, value: string) =>
  inTransaction(db, (tx) => setSetting(tx, merchantId, { name, value }, keyDeps, momentAt(now)))
const happened = (kind: string, status: string, body: Record<string, unknown>) => {
  const objectId = newId()
  return inTransaction(db, (tx) =>
    emit(tx, [{ merchantId, objectId, kind, status, body: { id: objectId, kind, status, ...body } }], momentAt(now)),
  )
}
const deposit = (amount: string, status = 'Done') =>
  happened('Replenish', status, { ticker: 'USDT', blockchain: 'TRON', amount, meta: 'order 1' })
const mails = async () => (await listMails(db, { merchantId })).toReversed()
const notified = async () =>
  (await mails()).map(({ data }) =>
    (data as MailTemplates['activity']).entries.map(({ kind, amount }) => `${kind} ${amount}`),
  )

describe('a merchant with an address', () => {
  test('is mailed each payment since it was set, once, at most every quarter of an hour, in its language', async () => {
    await deposit('1')
    await digest()
    await deposit('2')
    await deposit('3', 'Pending')
    await happened('Withdraw', 'Failed', {
      ticker: 'UAH',
      amount: '500',
      cardNumber: '4444********1111',
      localId: 'salary',
    })
    await digest()
    expect(await mails()).toEqual([])
    now += QUARTER
    await Promise.all([digest(), digest(), digest()])
    await digest()
    expect(await mails()).toMatchObject([{ kind: 'activity', recipient: 'boss@shop.example', language: 'uk' }])
    expect(await notified()).toEqual([['deposit 2', 'card-payout 500']])
    await deposit('4')
    now += QUARTER - 1
    await digest()
    expect(await mails()).toHaveLength(1)
    now += 1
    await digest()
    expect(await notified()).toEqual([['deposit 2', 'card-payout 500'], ['deposit 4']])
  })

  test('is not written to about nothing, and a busy one gets one mail that says how much more there is', async () => {
    await digest()
    await deposit('1', 'Pending')
    now += QUARTER
    await digest()
    expect(await mails()).toEqual([])
    for (let n = 1; n <= 30; n += 1) await deposit(String(n))
    now += QUARTER
    await digest()
    const [mail] = await mails()
    const data = mail!.data as MailTemplates['activity']
    expect(data.entries).toHaveLength(20)
    expect(data.more).toBe(10)
    expect(writeLetter({ kind: 'activity', data }, 'en').subject).toBe('Shop: deposits: 20, +10')
  })

  test('may switch these mails off; one that removes its address and sets it again starts afresh', async () => {
    await digest()
    await set('activityMails', 'false')
    await deposit('1')
    now += QUARTER
    await digest()
    await set('activityMails', 'true')
    await digest()
    now += QUARTER
    await digest()
    expect(await mails()).toEqual([])
    await deposit('2')
    await set('email', 'none')
    await digest()
    await set('email', 'boss@shop.example')
    await digest()
    await deposit('3')
    now += QUARTER
    await digest()
    expect(await notified()).toEqual([['deposit 3']])
  })

  test('is mailed about each outage of its receiver; one without an address is not', async () => {
    const other = (await makeMerchant(db, now)).id
    const exhausted = (id: string) => ({
      merchantId: id,
      endpointId: null,
      objectId: newId(),
      sequence: 3,
      error: '502 Bad Gateway',
      at: now,
    })
    for (const id of [merchantId, merchantId, other])
      await inTransaction(db, (tx) => mailExhausted(tx, exhausted(id), momentAt(now)))
    expect(await listMails(db, { merchantId: other })).toEqual([])
    expect(await mails()).toMatchObject([
      { kind: 'webhooks-exhausted', data: { merchant: 'Shop', error: '502 Bad Gateway', since: now } },
      { kind: 'webhooks-exhausted' },
    ])
  })
})

test('a mail about an additional endpoint names its URL, not that of the first endpoint', async () => {
  const endpointId = newId()
  const given = { merchantId, id: endpointId, url: 'https://books.example/hooks', description: '', kinds: null }
  await inTransaction(db, (tx) =>
    addEndpoint(
      tx,
      { ...given, createdBy: 'cli:test' },
      { box: { seal: () => '' }, random: randomBytes },
      momentAt(now),
    ),
  )
  await set('notificationsUrl', 'https://shop.example/hooks')
  const exhausted = { merchantId, objectId: newId(), sequence: 1, error: '500', at: now }
  for (const id of [endpointId, null])
    await inTransaction(db, (tx) => mailExhausted(tx, { ...exhausted, endpointId: id }, momentAt(now)))
  const urls = (await mails()).map(({ data }) => (data as MailTemplates['webhooks-exhausted']).url)
  expect(urls.toSorted()).toEqual(['https://books.example/hooks', 'https://shop.example/hooks'])
})

describe('the address and the language of a merchant', () => {
  test('accept only an address that can be mailed, and only a supported language', async () => {
    await expect(set('email', 'a b@shop.example')).rejects.toThrow('email is an address')
    await expect(set('email', 'a@localhost')).rejects.toThrow('email is an address')
    await expect(set('mailLanguage', 'de')).rejects.toThrow('mailLanguage is one of uk, kk, ru, en')
    expect((await set('mailLanguage', 'kk')).mailLanguage).toBe('kk')
    expect((await set('email', 'Boss@Shop.EXAMPLE')).email).toBe('Boss@shop.example')
  })
})

test('every notification that is sent is one of the contract’s, and its example makes a line', () => {
  for (const { kind, status } of MAILED) {
    const of = notifications.filter((one) => one.kind === kind)
    expect(of.length, kind).toBeGreaterThan(0)
    const examples = of.flatMap(
      ({ statuses }) => (statuses[status] as { examples?: Record<string, unknown>[] } | undefined)?.examples ?? [],
    )
    expect(examples.length, `${kind} ${status}`).toBeGreaterThan(0)
    for (const example of examples) {
      const entry = entryOf({ kind, status, objectId: 'x', createdAt: new Date(0), body: JSON.stringify(example) })
      expect(entry.amount).toMatch(/^\d+(\.\d+)?$/)
      expect(entry.ticker).toMatch(/^[A-Z]+$/)
    }
  }
})
