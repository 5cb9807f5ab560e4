import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { useDb } from '../../../../test/world/database.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { makeMerchant, momentAt } from '../../../../test/world/merchant.ts'
import {
  announceSending,
  listMails,
  mailAddress,
  mailState,
  maskAddress,
  queueMails,
  sendsMail,
  type Mail,
} from './index.ts'
import { underpaid } from '../../../../test/world/mail.ts'

const { db } = useDb()
const NOW = 1_800_000_000_000
let merchantId: string
beforeEach(async () => {
  await emptyTables(db)
  merchantId = (await makeMerchant(db, NOW)).id
  await announceSending(db, true, new Date(NOW))
})

const queue = (mails: Mail[], at = NOW) => inTransaction(db, (tx) => queueMails(tx, mails, momentAt(at)))

describe('a mail', () => {
  test('is queued with the change that it reports, or not at all', async () => {
    expect(await queue([underpaid(merchantId)])).toEqual(['queued'])
    await expect(
      inTransaction(db, async (tx) => {
        await queueMails(tx, [underpaid(merchantId, { about: 'another' })], momentAt(NOW))
        throw new Error('the change fails')
      }),
    ).rejects.toThrow('the change fails')
    expect(await listMails(db, { merchantId })).toMatchObject([
      {
        kind: 'underpaid',
        recipient: 'payer@example.com',
        state: 'queued',
        language: 'en',
        data: { missing: '40', ticker: 'USDT' },
      },
    ])
    expect(await mailState(db)).toMatchObject({ sends: true, waiting: 1, oldest: new Date(NOW) })
  })

  test('is queued once for an address, however many callers queue it at the same moment', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => queue([underpaid(merchantId)])))
    expect(answers.flat().toSorted()).toEqual(['queued', 'repeated', 'repeated'])
    expect(await queue([underpaid(merchantId, { to: 'Other@EXAMPLE.com' })])).toEqual(['queued'])
    expect((await listMails(db, {})).map(({ recipient }) => recipient).toSorted()).toEqual([
      'Other@example.com',
      'payer@example.com',
    ])
  })

  test('is not queued where nothing sends it', async () => {
    await announceSending(db, false, new Date(NOW))
    expect(await queue([underpaid(merchantId)])).toEqual(['off'])
    expect(await sendsMail(db)).toBe(false)
    expect(await listMails(db, {})).toEqual([])
  })
})

describe('strangers', () => {
  test('get no more than a few mails about one object, even at different addresses', async () => {
    const answers = await queue(
      Array.from({ length: 8 }, (_, i) => underpaid(merchantId, { to: `victim${i}@example.com` })),
    )
    expect(answers).toEqual([...Array.from({ length: 5 }, () => 'queued'), 'limited', 'limited', 'limited'])
  })

  test('get no more than a few mails an hour, regardless of the spelling of the address and of the sender', async () => {
    const other = (await makeMerchant(db, NOW)).id
    const mails = Array.from({ length: 12 }, (_, i) =>
      underpaid(i % 2 ? merchantId : other, { about: `invoice ${i}`, to: `Victim+${i}@Example.com` }),
    )
    expect((await queue(mails)).filter((answer) => answer === 'queued')).toHaveLength(10)
    expect(await queue([underpaid(merchantId, { about: 'later', to: 'victim@example.com' })], NOW + 3_599_000)).toEqual(
      ['limited'],
    )
    expect(await queue([underpaid(merchantId, { about: 'later', to: 'victim@example.com' })], NOW + 3_600_000)).toEqual(
      ['queued'],
    )
  })
})

test('a notice about the sign-in of a person is queued although the mailbox has reached every other limit', async () => {
  const to = 'olena@shop.example'
  const merchant = (n: number): Mail => ({
    kind: 'activity',
    merchantId,
    about: `period ${n}`,
    to,
    language: 'en',
    data: { merchant: 'Shop', from: NOW, until: NOW, entries: [], more: 0 },
  })
  const invitation = (n: number): Mail => ({
    kind: 'dashboard-invitation',
    merchantId,
    about: `invitation ${n}`,
    to,
    language: 'en',
    data: { merchant: 'Shop', joinUrl: 'https://pay.example/app/join/x', until: NOW, isReset: false },
  })
  const many = await queue([
    ...Array.from({ length: 31 }, (_, n) => merchant(n)),
    ...Array.from({ length: 11 }, (_, n) => invitation(n)),
    ...Array.from({ length: 11 }, (_, n) => underpaid(merchantId, { about: `invoice ${n}`, to })),
  ])
  expect([many[30], many[41], many[52]]).toEqual(['limited', 'limited', 'limited'])
  const notice: Mail = {
    kind: 'dashboard-notice',
    merchantId,
    about: 'change',
    to,
    language: 'en',
    data: { event: 'passkey-added', detail: 'Phone', at: NOW },
  }
  expect(await queue([notice])).toEqual(['queued'])
  // The link with which a person gets their access back, too: invitations that others send do not block it.
  const reset = invitation(11)
  const data = { merchant: 'Shop', joinUrl: 'https://pay.example/app/join/y', until: NOW, isReset: true }
  expect(await queue([{ ...reset, data } as Mail])).toEqual(['queued'])
})

describe('an address', () => {
  test.for([
    ['a.b+c@example.com', 'a.b+c@example.com'],
    ["o'hara@Sub.Example.CO", "o'hara@sub.example.co"],
    ['olena@пошта.укр', 'olena@xn--80a1acn3a.xn--j1amh'],
  ])('%s is taken', ([text, address]) => {
    expect(mailAddress(text!)).toBe(address)
  })

  test.for([
    '',
    '@',
    'a@',
    '@example.com',
    'a',
    'a@localhost',
    'a@[127.0.0.1]',
    'a@127.0.0.1',
    '"a b"@example.com',
    'a,b@example.com',
    'a@example.com,b@example.com',
    'a@example.com\r\nBcc: b@example.com',
    'a\n@example.com',
    'a@exam\nple.com',
    'A <a@example.com>',
    'a@b@example.com',
    '.a@example.com',
    'a..b@example.com',
    'a@-example.com',
    'a@example..com',
    'a@exam%70le.com',
    'a@example.com/x',
    'a@ｅxample.com:25',
    `${'a'.repeat(65)}@example.com`,
    `a@${'a.'.repeat(130)}com`,
    'a@example.com ',
    ' a@example.com',
    'a@example.com\0',
  ])('%j is refused', async (text) => {
    expect(mailAddress(text)).toBeUndefined()
    expect(await queue([underpaid(merchantId, { to: text })])).toEqual(['unusable'])
  })

  test('never holds a character that has a meaning in a header', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.emailAddress(),
          fc.tuple(fc.string(), fc.constant('@a.example')).map((parts) => parts.join('')),
        ),
        (text) => {
          const address = mailAddress(text)
          if (address !== undefined) expect(address).toMatch(/^[^\s\p{Cc}<>,;:"()[\]\\@]+@[a-z0-9.-]+$/u)
        },
      ),
    )
  })

  test('is masked where it is shown', () => {
    expect(maskAddress('payer@example.com')).toBe('p***@example.com')
  })
})
