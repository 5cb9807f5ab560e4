/** Logos in the database: which one pages show, who is notified, and what is served. */
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { box, makeMerchant } from '../../../../test/world/merchant.ts'
import { createDirectory } from '../accounts/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { logoHashes, logoRoute, logosOf, readLogo, removeLogo, showDraft, shownLogoOf, storeDraft } from './index.ts'
import { jpegFile, plainPicture, pngFile } from './test-pictures.ts'

const { db, pool } = useDb()
const NOW = Date.UTC(2026, 5, 15)
const [red, blue] = await Promise.all(
  [
    [200, 0, 0, 255],
    [0, 0, 200, 255],
  ].map((colour) => readLogo(pngFile(plainPicture(120, 40, colour)))),
)
const photo = await readLogo(jpegFile(96, 32))
const merchant = async (): Promise<string> => (await makeMerchant(db, NOW)).id
const draft = (merchantId: string, logo = red!) =>
  inTransaction(db, (tx) => storeDraft(tx, logo, { merchantId, by: 'person:test', at: new Date(NOW) }))
const publish = async (merchantId: string, logo = red!) => {
  await draft(merchantId, logo)
  await inTransaction(db, (tx) => showDraft(tx, merchantId))
}
const served = (hash: string) => logoRoute({ db }).handle({ params: { hash } } as never)

test('a draft is replaced by the next one, and is not shown until it is published', async () => {
  const id = await merchant()
  const directory = createDirectory(db, box)
  await draft(id)
  await draft(id, photo)
  expect(await logosOf(db, id)).toMatchObject([{ ...photo, state: 'draft', uploadedBy: 'person:test' }])
  expect(await shownLogoOf(db, id)).toBeUndefined()
  expect((await directory.find(id))!.logo).toBeNull()
  await expect(served(photo.hash)).rejects.toThrow('no such logo')
  await inTransaction(db, (tx) => showDraft(tx, id))
  expect(await shownLogoOf(db, id)).toMatchObject(photo)
  expect(await inTransaction(db, (tx) => logoHashes(tx, id))).toEqual({ shown: photo.hash })
  directory.forget(id)
  expect((await directory.find(id))!.logo).toEqual({ hash: photo.hash, width: 96, height: 32 })
})

test('a logo is served under its hash, with a fixed type, while a merchant shows it', async () => {
  const [one, other] = [await merchant(), await merchant()]
  await publish(one, blue)
  await publish(other, blue)
  expect(await served(blue!.hash)).toEqual({
    status: 200,
    headers: {
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': 'inline',
    },
    body: blue!.bytes,
  })
  await publish(one)
  await inTransaction(db, (tx) => removeLogo(tx, one, 'shown'))
  expect(await served(blue!.hash)).toMatchObject({ status: 200 })
  await inTransaction(db, (tx) => removeLogo(tx, other, 'shown'))
  for (const hash of [blue!.hash, red!.hash.toUpperCase(), '', "'; drop table merchant_logos"])
    await expect(served(hash)).rejects.toThrow('no such logo')
})

test('processes are notified of a logo that pages show, and of no draft', async () => {
  const [id, last] = [await merchant(), await merchant()]
  const client = await pool.connect()
  try {
    await client.query('listen merchant_changed')
    const received: (string | undefined)[] = []
    client.on('notification', ({ payload }) => received.push(payload))
    await draft(id)
    await draft(id, blue)
    await inTransaction(db, (tx) => removeLogo(tx, id, 'draft'))
    await publish(last)
    while (received.length === 0) await once(client, 'notification')
    expect(received).toEqual([last])
    await inTransaction(db, (tx) => removeLogo(tx, last, 'shown'))
    while (received.length === 1) await once(client, 'notification')
    expect(received).toEqual([last, last])
  } finally {
    client.release(true)
  }
})
