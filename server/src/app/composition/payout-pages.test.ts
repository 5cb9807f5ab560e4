/** Payouts by two people through their pages, with the rights of the api. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { fieldOf, textOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import type { Answer } from '../../../../test/world/edge.ts'
import { giveMoney } from '../../../../test/world/ledger.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { storeFeeRate } from '../../pay-out/withdrawals/terms.ts'

const { edge, memberOf, origin } = useDashboard()
const TO = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const SECOND = 'bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry'
const BTC = 100_000_000n
const pathOf = (page: string, merchantId = edge.merchant.id): string => `/app/merchants/${merchantId}/${page}`
const TYPED = { 'payout-asset': 'BTC/BITCOIN', 'payout-to': TO, 'payout-amount': '0.5', 'payout-meta': 'invoice 7' }

const freshFee = (): Promise<void> =>
  storeFeeRate(edge.db, 'BITCOIN', { kind: 'vbyte', milliSatPerVb: 2_000n }, edge.clock.ms)

beforeAll(async () => {
  await freshFee()
  const runtime = createTestRuntime(edge.db, () => edge.clock.ms)
  await giveMoney(runtime, { merchantId: edge.merchant.id, asset: 'BTC' }, 10n * BTC)
})

/** Requests a payout as a member does. @returns the path of its page */
const ask = async (browser: TestBrowser, more: Partial<typeof TYPED> = {}): Promise<string> => {
  const typed = { ...TYPED, ...more }
  const checked = await browser.post(pathOf('payouts/new'), { do: 'check', ...typed })
  expect(checked.status).toBe(200)
  const form = { do: 'ask', 'form-key': fieldOf(checked, 'form-key'), fees: fieldOf(checked, 'fees'), ...typed }
  const asked = await browser.post(pathOf('payouts/new'), form)
  expect(asked.status).toBe(303)
  return asked.headers['location'] as string
}
const approve = async (browser: TestBrowser, path: string) =>
  browser.post(path, { do: 'approve', shown: fieldOf(await browser.get(path), 'shown') })
const withdrawals = async () =>
  (
    await sql<{ to: string; units: bigint; meta: string }>`select to_address as "to", units, meta from withdrawals
      where merchant_id = ${edge.merchant.id} order by created_at, id`.execute(edge.db)
  ).rows

describe('a payout', () => {
  test('is checked with its fee, requested by one member, and approved by another one', async () => {
    const [maker, checker] = [await memberOf(edge.merchant.id, 'finance'), await memberOf(edge.merchant.id, 'approver')]
    const checked = await maker.post(pathOf('payouts/new'), { do: 'check', ...TYPED })
    expect(textOf(checked)).toContain('Nothing was stored yet.')
    expect(textOf(checked)).toMatch(/Fee now 0\.0000\d+ BTC/)
    expect(textOf(checked)).toContain('Approvals needed: 1')
    const path = await ask(maker)
    const own = await maker.get(path)
    expect(textOf(own)).toContain('You can not approve a request of your own.')
    expect(own.text).not.toContain('value="approve"')
    expect(await withdrawals()).toEqual([])

    const list = await checker.get(pathOf('payouts'))
    expect(list.text).toContain(path)
    const approved = await approve(checker, path)
    expect([approved.status, approved.headers['location']]).toEqual([303, `${path}?done=placed`])
    expect(await withdrawals()).toEqual([{ to: TO, units: BTC / 2n, meta: 'invoice 7' }])
    const after = await checker.get(`${path}?done=placed`)
    expect(textOf(after)).toContain('Approved. The withdrawal was made.')
    expect(textOf(after)).toContain(maker.email)
    expect(after.text).not.toContain('value="approve"')
  })

  test('is requested once by a form that is sent twice, and approved once', async () => {
    const [maker, checker] = [await memberOf(edge.merchant.id, 'finance'), await memberOf(edge.merchant.id, 'owner')]
    const before = (await withdrawals()).length
    const fees = fieldOf(await maker.post(pathOf('payouts/new'), { do: 'check', ...TYPED }), 'fees')
    const form = { do: 'ask', 'form-key': randomUUID(), fees, ...TYPED }
    const [one, other] = await Promise.all([1, 2].map(() => maker.post(pathOf('payouts/new'), form)))
    expect(one!.headers['location']).toBe(other!.headers['location'])
    const path = one!.headers['location'] as string
    const shown = fieldOf(await checker.get(path), 'shown')
    const answers = await Promise.all([1, 2].map(() => checker.post(path, { do: 'approve', shown })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 400])
    expect(textOf(answers.find(({ status }) => status === 400)!)).toContain('was decided already')
    expect(await withdrawals()).toHaveLength(before + 1)
  })

  test('with problems is shown again with all of them, and with the typed text', async () => {
    const maker = await memberOf(edge.merchant.id, 'finance')
    const typed = {
      'payout-asset': 'BTC/BITCOIN',
      'payout-to': '<b>x',
      'payout-amount': '0.123456789',
      'payout-meta': 'm',
    }
    const answer = await maker.post(pathOf('payouts/new'), { do: 'check', ...typed })
    expect(answer.status).toBe(400)
    for (const text of ['This address can not be paid.', 'This amount can not be paid.', 'more decimals'])
      expect(textOf(answer)).toContain(text)
    expect(answer.text).toContain('value="&lt;b&gt;x"')
    expect(answer.text).toContain('value="0.123456789"')
  })

  test('that is empty is shown again with what to choose and to type, without reasons of the API', async () => {
    const maker = await memberOf(edge.merchant.id, 'finance')
    const answer = await maker.post(pathOf('payouts/new'), { do: 'check', 'payout-asset': '', 'payout-to': '' })
    expect(answer.status).toBe(400)
    for (const text of ['Choose an asset and a network.', 'Type an address.', 'Type an amount.'])
      expect(textOf(answer)).toContain(text)
    expect(answer.text).not.toMatch(/must be one of|can not be paid/)
  })

  test('is filled in by an address of the book, and by no link of another site', async () => {
    const maker = await memberOf(edge.merchant.id, 'finance')
    const form = { do: 'add', 'address-name': 'Filled', network: 'BITCOIN', address: TO }
    await maker.post(pathOf('payouts/addresses'), form)
    const [, id] = /new\?address=([0-9a-f-]{36})/.exec((await maker.get(pathOf('payouts/addresses'))).text)!
    expect((await maker.get(`${pathOf('payouts/new')}?address=${id}`)).text).toContain(`value="${TO}"`)
    const query = new URLSearchParams({ ...TYPED, draft: JSON.stringify(TYPED) }).toString()
    expect((await maker.get(`${pathOf('payouts/new')}?${query}`)).text).not.toContain(`value="${TO}"`)
    const edited = await maker.post(pathOf('payouts/new'), { do: 'edit', ...TYPED })
    expect(edited.text).toContain('value="invoice 7"')
    await maker.post(pathOf('payouts/addresses'), { do: 'remove', id: id! })
  })

  test('that exceeds the balance is refused for now, and still waits', async () => {
    const [maker, checker] = [await memberOf(edge.merchant.id, 'finance'), await memberOf(edge.merchant.id, 'approver')]
    const path = await ask(maker, { 'payout-amount': '500' })
    const answer = await approve(checker, path)
    expect(answer.status).toBe(400)
    expect(textOf(answer)).toContain('The request still waits')
    expect(textOf(answer)).toContain('Not enough balance')
    expect((await checker.post(path, { do: 'refuse', reason: 'too much' })).status).toBe(303)
    expect(textOf(await maker.get(path))).toContain('too much')
  })

  test('needs a recent proof: the page asks for it, and the form says so', async () => {
    const [maker, checker] = [await memberOf(edge.merchant.id, 'finance'), await memberOf(edge.merchant.id, 'approver')]
    const path = await ask(maker)
    const shown = fieldOf(await checker.get(path), 'shown')
    edge.clock.ms += 6 * 60_000
    await freshFee()
    const page = await checker.get(path)
    expect(textOf(page)).toContain('Confirm that it is you')
    expect(page.text).not.toContain('value="approve"')
    const answer = await checker.post(path, { do: 'approve', shown })
    expect(answer.status).toBe(403)
    expect(textOf(answer)).toContain('First confirm that it is you.')
    expect((await maker.post(path, { do: 'withdraw' })).status).toBe(303)
    expect(textOf(await maker.get(path))).toContain('Withdrawn')
  })

  test('is not found by members of another merchant, and its pages are closed to other roles', async () => {
    const other = await makeMerchant(edge.db, edge.clock.ms)
    const [maker, stranger] = [await memberOf(edge.merchant.id, 'finance'), await memberOf(other.id, 'owner')]
    const path = await ask(maker)
    const foreign = path.replace(edge.merchant.id, other.id)
    for (const one of [path, foreign]) {
      expect((await stranger.get(one)).status).toBe(404)
      for (const action of ['approve', 'refuse', 'withdraw'])
        expect((await stranger.post(one, { do: action, shown: 'x' })).status).not.toBe(303)
    }
    const viewer = await memberOf(edge.merchant.id, 'viewer')
    expect((await viewer.get(path)).status).toBe(200)
    expect((await viewer.get(pathOf('payouts/new'))).status).toBe(403)
    expect((await viewer.post(pathOf('payouts/new'), { do: 'ask', 'form-key': randomUUID(), ...TYPED })).status).toBe(
      403,
    )
    for (const action of ['approve', 'refuse', 'withdraw'])
      expect((await viewer.post(path, { do: action, shown: 'x' })).status).toBe(403)
    const support = await memberOf(edge.merchant.id, 'support')
    for (const page of ['payouts', 'payouts/addresses', 'payouts/policy'])
      expect((await support.get(pathOf(page))).status).toBe(403)
    expect((await maker.post(path, { do: 'withdraw' }, ['origin', 'https://other.example'])).status).toBe(400)
    expect(textOf(await maker.get(path))).toContain('Waits for approval')
  })
})

describe('a file of payouts', () => {
  /** Sends a form with a file, or with the fields of the page that showed it. */
  const upload = (browser: TestBrowser, parts: Readonly<Record<string, string>>) => {
    const mark = 'form-boundary'
    const body = Object.entries(parts).map(
      ([name, text]) =>
        `--${mark}\r\ncontent-disposition: form-data; name="${name}"${name === 'file' ? '; filename="<i>pay.csv"\r\ncontent-type: text/csv' : ''}\r\n\r\n${text}\r\n`,
    )
    const headers = ['origin', origin, 'content-type', `multipart/form-data; boundary=${mark}`]
    return edge.raw(
      'POST',
      pathOf('payouts/file'),
      ['accept', 'text/html', 'cookie', `__Host-bursar=${browser.cookie!}`, ...headers],
      `${body.join('')}--${mark}--\r\n`,
    )
  }
  const HEAD = 'asset,network,address,amount,reference\n'
  /** The fields of the page that showed a file. */
  const formOf = (page: Answer) =>
    Object.fromEntries(['csv', 'name', 'form-key', 'fees'].map((name) => [name, fieldOf(page, name)]))

  test('is shown with all problems, or with its fees, is requested once and approved as a whole', async () => {
    const [maker, checker] = [await memberOf(edge.merchant.id, 'finance'), await memberOf(edge.merchant.id, 'approver')]
    const wrong = await upload(maker, { file: `${HEAD}BTC,BITCOIN,nowhere,x,\nDOGE,BITCOIN,${TO},1,\n` })
    expect(wrong.status).toBe(400)
    expect(textOf(wrong)).toContain('Lines with problems: 2.')
    for (const text of ['This address can not be paid.', 'This amount can not be paid.', 'Choose an asset'])
      expect(textOf(wrong)).toContain(text)
    for (const file of ['', 'no,columns\n1,2\n', '"']) expect((await upload(maker, { file })).status).toBe(400)

    const csv = `${HEAD}BTC,BITCOIN,${TO},0.1,=1+1\nBTC,BITCOIN,${SECOND},0.2,\nBTC,BITCOIN,${TO},0.1,again\n`
    const shown = await upload(maker, { file: csv })
    expect(shown.status).toBe(200)
    expect(textOf(shown)).toMatch(/BTC 0\.4 BTC 0\.0000\d+ BTC/)
    expect(textOf(shown)).toContain('the same as line 2')
    const again = formOf(shown)
    const [one, other] = await Promise.all([upload(maker, again), upload(maker, again)])
    expect([one.status, other.headers['location']]).toEqual([303, one.headers['location']])
    const path = one.headers['location'] as string
    expect(textOf(await checker.get(path))).toContain('<i>pay.csv (payouts: 3)')
    expect((await approve(checker, path)).headers['location']).toBe(`${path}?done=placing`)
    const viewer = await memberOf(edge.merchant.id, 'viewer')
    expect((await upload(viewer, { file: csv })).status).toBe(403)
    expect((await maker.get(pathOf('payouts/file/example'))).text).toContain('asset,network,address,amount,reference')
  })

  test('is shown to its approver with every line, network and highest fee, and new addresses first', async () => {
    const [maker, checker] = [await memberOf(edge.merchant.id, 'finance'), await memberOf(edge.merchant.id, 'approver')]
    // Raw: an address that was added long ago.
    await sql`insert into payout_addresses(id, merchant_id, name, blockchain, address, added_by, added_at, usable_at)
      select ${randomUUID()}, ${edge.merchant.id}, 'known', 'BITCOIN', ${SECOND}, maker_id, created_at, created_at
      from payout_requests limit 1`.execute(edge.db)
    const rows = Array.from({ length: 210 }, (_, i) => `BTC,BITCOIN,${i === 209 ? TO : SECOND},0.01,row ${i + 1}.\n`)
    const shown = await upload(maker, { file: HEAD + rows.join('') })
    expect(textOf(shown)).toContain('the same as line 2')
    const { headers } = await upload(maker, formOf(shown))
    const text = textOf(await checker.get(headers['location'] as string))
    for (let number = 1; number <= 210; number += 1) expect(text).toContain(`row ${number}.`)
    expect(text.indexOf('row 210.')).toBeLessThan(text.indexOf('row 1.'))
    expect(text).toContain('Payouts to addresses that are not in the address book: 1.')
    expect(text).toMatch(/2\.1 BTC , Bitcoin/)
    expect(text).toMatch(/Fee at most 0\.00\d+ BTC/)
    // Raw: the following tests find an empty book.
    await sql`delete from payout_addresses where name = 'known'`.execute(edge.db)
  })

  test('is shown again, as a single payout is, if the fee has risen since the page showed it', async () => {
    const maker = await memberOf(edge.merchant.id, 'finance')
    const file = await upload(maker, { file: `${HEAD}BTC,BITCOIN,${TO},0.1,\n` })
    const one = await maker.post(pathOf('payouts/new'), { do: 'check', ...TYPED })
    await storeFeeRate(edge.db, 'BITCOIN', { kind: 'vbyte', milliSatPerVb: 2_500n }, edge.clock.ms)
    const again = await upload(maker, formOf(file))
    const form = { do: 'ask', 'form-key': fieldOf(one, 'form-key'), fees: fieldOf(one, 'fees'), ...TYPED }
    for (const answer of [again, await maker.post(pathOf('payouts/new'), form)]) {
      expect(answer.status).toBe(400)
      expect(textOf(answer)).toContain('The fee has risen')
    }
    expect((await upload(maker, formOf(again))).status).toBe(303)
    await freshFee()
  })
})

describe('the address book', () => {
  test('S6 has names of addresses that count as known a day later, and is closed to those who may not change it', async () => {
    const [maker, checker] = [await memberOf(edge.merchant.id, 'finance'), await memberOf(edge.merchant.id, 'approver')]
    const form = { do: 'add', 'address-name': 'Supplier <1>', network: 'BITCOIN', address: SECOND.toUpperCase() }
    expect((await maker.post(pathOf('payouts/addresses'), form)).status).toBe(303)
    const again = await maker.post(pathOf('payouts/addresses'), form)
    expect(textOf(again)).toContain('has this address already')
    expect(again.text).toContain('value="Supplier &lt;1&gt;"')
    const wrong = await maker.post(pathOf('payouts/addresses'), { ...form, address: TO.slice(1) })
    expect(textOf(wrong)).toContain('This is no address of that network.')
    expect((await checker.post(pathOf('payouts/addresses'), form)).status).toBe(403)
    expect(textOf(await checker.get(pathOf('payouts/addresses')))).toContain('known from')

    const path = await ask(maker, { 'payout-to': SECOND })
    expect(textOf(await checker.get(path))).toContain('is not in the address book')
    edge.clock.ms += 24 * 3_600_000
    const { rows } = await sql<{ id: string }>`select id from payout_addresses where address = ${SECOND}`.execute(
      edge.db,
    )
    const next = await memberOf(edge.merchant.id, 'admin')
    expect(textOf(await next.get(path))).not.toContain('is not in the address book')
    expect((await next.post(pathOf('payouts/addresses'), { do: 'remove', id: rows[0]!.id })).status).toBe(303)
    expect(textOf(await next.get(path))).toContain('is not in the address book')
    expect(textOf(await next.get(pathOf('payouts/addresses')))).toContain('No addresses yet.')
    const stranger = await memberOf((await makeMerchant(edge.db, edge.clock.ms)).id, 'owner')
    expect((await stranger.post(pathOf('payouts/addresses'), { do: 'remove', id: rows[0]!.id })).status).toBe(404)
  })
})

describe('the policy', () => {
  const form = (version: number, more: Readonly<Record<string, string>> = {}) => ({
    version: String(version),
    'alone-BTC': '0',
    'approvals-BTC': '2',
    'hour-BTC': '',
    'day-BTC': '5',
    api: 'free',
    addresses: 'any',
    cooling: '24',
    'from-hour': '0',
    'to-hour': '0',
    ...more,
  })
  test('S6 is changed by an owner, at once where it forbids more, a day later where it allows more', async () => {
    await freshFee()
    const [owner, maker, checker] = [
      await memberOf(edge.merchant.id, 'owner'),
      await memberOf(edge.merchant.id, 'finance'),
      await memberOf(edge.merchant.id, 'approver'),
    ]
    expect((await maker.post(pathOf('payouts/policy'), form(0))).status).toBe(403)
    const wrong = await owner.post(pathOf('payouts/policy'), form(0, { 'day-BTC': 'five' }))
    expect(textOf(wrong)).toContain('The policy is not valid.')
    expect(wrong.text).toContain('value="five"')
    expect((await owner.post(pathOf('payouts/policy'), form(0))).status).toBe(303)
    expect(textOf(await owner.post(pathOf('payouts/policy'), form(0)))).toContain('It has changed since')
    const path = await ask(maker)
    expect((await approve(checker, path)).headers['location']).toBe(`${path}?done=counted&missing=1`)
    expect(textOf(await checker.get(`${path}?done=counted&missing=1`))).toContain('Approvals missing: 1.')
    expect((await owner.post(pathOf('payouts/policy'), form(1, { 'approvals-BTC': '1' }))).status).toBe(303)
    expect(textOf(await owner.get(pathOf('payouts/policy')))).toContain('A change waits')
    expect((await approve(owner, path)).headers['location']).toBe(`${path}?done=placed`)
    const log = await owner.get(pathOf('audit'))
    for (const action of ['Changed the policy of payouts', 'Approved a payout', 'Requested a payout'])
      expect(textOf(log)).toContain(action)
  })
})

test('every page is shown in each language, and no form is open to another origin', async () => {
  const owner = await memberOf(edge.merchant.id, 'owner')
  for (const lang of ['en', 'uk', 'kk', 'ru'])
    for (const page of ['payouts', 'payouts/new', 'payouts/file', 'payouts/addresses', 'payouts/policy'])
      expect((await owner.get(`${pathOf(page)}?lang=${lang}`)).status).toBe(200)
  expect(origin).not.toBe('https://other.example')
  for (const page of ['payouts/new', 'payouts/addresses', 'payouts/policy'])
    expect((await owner.post(pathOf(page), {}, ['origin', 'https://other.example'])).status).toBe(400)
})
