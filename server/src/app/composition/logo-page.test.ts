/** The logo of a merchant, from the upload to the pages of payers. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { fieldOf, textOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { lockSettings } from '../../merchants/accounts/index.ts'
import { logosOf, readLogo, removeLogo } from '../../merchants/logos/index.ts'
import { jpegFile, plainPicture, pngFile } from '../../merchants/logos/test-pictures.ts'
import { ROLES } from '../../people/access/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { LINK, send } from './test-invoicing.ts'

const { edge, memberOf, browse, origin, statements } = useDashboard()
let owner: TestBrowser
let stranger: TestBrowser
const at = (more = '', merchant = edge.merchant.id): string => `/app/merchants/${merchant}/settings/logo${more}`
const PREVIEW = (): string => `/app/merchants/${edge.merchant.id}/settings/preview`

/** Sends a file as the form of the page does. */
const upload = (browser: TestBrowser, file: Buffer, { from = origin, path = at('?lang=en'), field = 'logo' } = {}) => {
  const mark = `form-${randomUUID()}`
  const head = `--${mark}\r\ncontent-disposition: form-data; name="${field}"; filename="logo.png"\r\ncontent-type: image/png\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${mark}--\r\n`)])
  const cookies = browser.cookie === undefined ? [] : ['cookie', `__Host-bursar=${browser.cookie}`]
  const headers = ['accept', 'text/html', 'origin', from, 'content-type', `multipart/form-data; boundary=${mark}`]
  return edge.raw('POST', path, [...headers, ...cookies], body)
}
const red = pngFile(plainPicture(200, 100, [200, 0, 0, 255]))
const blue = pngFile(plainPicture(90, 90, [0, 0, 200, 255]))
const hashOf = async (file: Buffer): Promise<string> => (await readLogo(file)).hash
const stored = async (): Promise<Record<string, string>> =>
  Object.fromEntries((await logosOf(edge.db, edge.merchant.id)).map(({ state, hash }) => [state, hash]))
const auditOf = async (): Promise<unknown[]> =>
  (
    await sql<{ action: string; detail: unknown }>`select action, detail from dashboard_audit
      where merchant_id = ${edge.merchant.id} and action like '%logo%' order by at, id`.execute(edge.db)
  ).rows
const ask = (browser: TestBrowser, does: string, hash: string) => browser.post(at('?lang=en'), { do: does, hash })

beforeAll(async () => {
  owner = await memberOf(edge.merchant.id, 'owner')
  stranger = await memberOf((await makeMerchant(edge.db, edge.clock.ms)).id, 'owner')
})

describe('the page of the logo', () => {
  test('uploads, previews, publishes and removes a logo, each once, and records it', async () => {
    const [first, second] = [await hashOf(red), await hashOf(blue)]
    const uploads = await Promise.all([upload(owner, red), upload(owner, red)])
    expect(uploads.map(({ status }) => status)).toEqual([303, 303])
    const page = await owner.get(at('?lang=en&said=uploaded'))
    expect(textOf(page)).toContain('Uploaded, not published Only members')
    expect([fieldOf(page, 'do'), fieldOf(page, 'hash')]).toEqual(['publish', first])
    expect(page.text).toMatch(/<img class="logo" src="data:image\/png;base64,[^"]+" width="80" height="40" alt=""/)
    expect((await owner.get(PREVIEW())).text).not.toContain('<img')
    expect((await owner.get(`${PREVIEW()}?logo=draft`)).text).toContain('<img class="logo" src="data:image/png;base64,')
    expect((await edge.raw('GET', `/logos/${first}`, [])).status).toBe(404)

    const published = await Promise.all([ask(owner, 'publish', first), ask(owner, 'publish', first)])
    expect(published.map(({ status }) => status)).toEqual([303, 303])
    expect(await stored()).toEqual({ shown: first })
    expect((await owner.get(`${PREVIEW()}?logo=draft`)).text).toContain(`<img class="logo" src="/logos/${first}"`)
    expect((await upload(owner, red)).headers['location']).toContain('said=same')

    await upload(owner, blue)
    await ask(owner, 'publish', second)
    await ask(owner, 'remove', second)
    await ask(owner, 'remove', second)
    expect(await stored()).toEqual({})
    expect(textOf(await owner.get(at('?lang=en')))).toContain('There is no logo.')
    // On the same clock, so that they have no order.
    const recorded = await auditOf()
    expect(recorded).toHaveLength(5)
    expect(recorded).toEqual(
      expect.arrayContaining([
        { action: 'uploaded logo', detail: { hash: first } },
        { action: 'published logo', detail: { hash: first } },
        { action: 'uploaded logo', detail: { hash: second } },
        { action: 'published logo', detail: { hash: second, replaced: first } },
        { action: 'removed logo', detail: { hash: second } },
      ]),
    )
    const audit = textOf(await owner.get(`/app/merchants/${edge.merchant.id}/audit?lang=en`))
    for (const line of ['Uploaded a logo', 'Published a logo', 'Removed the logo']) expect(audit).toContain(line)
  })

  test.each([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'neither a PNG nor a JPEG'],
    ['no file', Buffer.alloc(0), 'Choose a file.'],
    ['a part of a file', red.subarray(0, 60), 'damaged or incomplete'],
    ['a file that is too large', Buffer.concat([red, Buffer.alloc(1_000_000)]), 'too large'],
  ])('says what to do about %s, and stores nothing', async (_name, file, text) => {
    const before = await stored()
    const page = await upload(owner, file)
    expect([page.status, textOf(page).includes(text), page.text.includes('aria-invalid="true"')]).toEqual([
      400,
      true,
      true,
    ])
    expect(await stored()).toEqual(before)
  })

  test('says so for a form without the field, and for one that is not readable', async () => {
    expect((await upload(owner, red, { field: 'other' })).status).toBe(400)
    const headers = ['origin', origin, 'accept', 'text/html', 'content-type', 'multipart/form-data; boundary=x']
    const sent = await edge.raw('POST', at(), [...headers, 'cookie', `__Host-bursar=${owner.cookie!}`], 'nothing')
    expect(sent.status).toBe(400)
    expect((await ask(owner, 'else', 'x')).status).toBe(400)
  })

  test('changes nothing when the logo was changed meanwhile', async () => {
    await upload(owner, red)
    await upload(owner, blue)
    for (const does of ['publish', 'discard']) {
      const page = await ask(owner, does, await hashOf(red))
      expect([page.status, textOf(page).includes('changed meanwhile')]).toEqual([409, true])
    }
    await ask(owner, 'publish', await hashOf(blue))
    expect((await ask(owner, 'remove', await hashOf(red))).status).toBe(409)
    expect(await stored()).toEqual({ shown: await hashOf(blue) })
    await ask(owner, 'remove', await hashOf(blue))
  })

  test('waits for another change of the same merchant, and records nothing that the other has done', async () => {
    await upload(owner, red)
    const before = await auditOf()
    const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const other = inTransaction(edge.db, async (tx) => {
      await lockSettings(tx, edge.merchant.id)
      await removeLogo(tx, edge.merchant.id, 'draft')
      locked.resolve()
      await released.promise
    })
    await locked.promise
    let isDone = false
    const discarded = ask(owner, 'discard', await hashOf(red)).finally(() => {
      isDone = true
    })
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(isDone).toBe(false)
    released.resolve()
    await other
    expect((await discarded).status).toBe(303)
    expect(await auditOf()).toHaveLength(before.length)
  })

  test('S6 publishing and removing need a recent proof, uploading and discarding none', async () => {
    const member = await memberOf(edge.merchant.id, 'admin')
    await upload(owner, blue)
    await ask(owner, 'publish', await hashOf(blue))
    edge.clock.ms += 6 * 60_000
    expect((await upload(member, red)).status).toBe(303)
    for (const [does, file] of [
      ['publish', red],
      ['remove', blue],
    ] as const) {
      const page = await ask(member, does, await hashOf(file))
      expect([page.status, textOf(page).includes('First confirm that it is you')]).toEqual([403, true])
      expect(page.text).toContain('name="do" value="prove-password"')
    }
    expect(await stored()).toEqual({ draft: await hashOf(red), shown: await hashOf(blue) })
    expect((await ask(member, 'discard', await hashOf(red))).status).toBe(303)
    expect(await stored()).toEqual({ shown: await hashOf(blue) })
    owner = await memberOf(edge.merchant.id, 'owner')
    await ask(owner, 'remove', await hashOf(blue))
  })

  test('is for owners and administrators of the merchant', async () => {
    await upload(owner, red)
    const hash = await hashOf(red)
    for (const role of ROLES.filter((one) => one !== 'owner' && one !== 'admin')) {
      const member = await memberOf(edge.merchant.id, role)
      for (const answer of [await member.get(at()), await upload(member, blue), await ask(member, 'publish', hash)])
        expect([role, answer.status]).toEqual([role, 403])
    }
    for (const answer of [await stranger.get(at()), await upload(stranger, blue), await ask(stranger, 'publish', hash)])
      expect(answer.status).toBe(404)
    expect((await upload(owner, blue, { from: 'https://evil.example' })).status).toBe(400)
    expect((await upload(browse(), blue)).status).toBe(401)
    expect(await stored()).toEqual({ draft: hash })
    await ask(owner, 'discard', hash)
  })

  test('needs at most ten statements', async () => {
    await upload(owner, red)
    statements.length = 0
    await owner.get(at())
    expect(statements.length).toBeLessThanOrEqual(10)
    await ask(owner, 'discard', await hashOf(red))
  })
})

test('a page of payers shows the logo, may load it and nothing else, and gets exactly the stored bytes', async () => {
  await send(owner, `/app/merchants/${edge.merchant.id}/links/new`, { ...LINK, money: 'crypto:BTC' })
  const { rows } = await sql<{ token: string }>`select token from payment_links`.execute(edge.db)
  const link = `/pay/${rows[0]!.token}`
  const plain = await edge.raw('GET', link, ['accept', 'text/html'])
  expect(plain.headers['content-security-policy']).toContain('img-src data:;')
  await upload(owner, jpegFile(320, 64))
  const logo = await readLogo(jpegFile(320, 64))
  await ask(owner, 'publish', logo.hash)
  const page = await edge.raw('GET', link, ['accept', 'text/html'])
  expect(page.text).toContain(
    `<img class="logo" src="/logos/${logo.hash}" width="160" height="32" alt="" decoding="async">`,
  )
  expect(page.headers['content-security-policy']).toContain("img-src 'self' data:;")
  const picture = await edge.raw('GET', `/logos/${logo.hash}`, [])
  expect(picture.headers).toMatchObject({
    'content-type': 'image/jpeg',
    'content-length': String(logo.bytes.length),
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
  })
  await ask(owner, 'remove', logo.hash)
  expect((await edge.raw('GET', link, ['accept', 'text/html'])).text).not.toContain('<img')
})
