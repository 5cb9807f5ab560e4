/** The command that removes the logo of a merchant. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useInstallation } from '../../../../test/world/installation.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { logosOf, readLogo, showDraft, storeDraft } from '../../merchants/logos/index.ts'
import { plainPicture, pngFile } from '../../merchants/logos/test-pictures.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const { db, env } = useInstallation()
const NOW = 1_800_000_000_000
const bursar = (...words: string[]) => captured(() => runCommand(words, env))

test('merchant remove-logo removes the logo and the draft of one merchant, and records it', async () => {
  const logo = await readLogo(pngFile(plainPicture(64, 32, [1, 2, 3, 255])))
  const [id, other] = [(await makeMerchant(db, NOW)).id, (await makeMerchant(db, NOW)).id]
  for (const merchantId of [id, other])
    await inTransaction(db, async (tx) => {
      const by = { merchantId, by: 'person:test', at: new Date(NOW) }
      await storeDraft(tx, logo, by)
      await showDraft(tx, merchantId)
      await storeDraft(tx, logo, by)
    })
  expect(await bursar('merchant', 'remove-logo', id, '--yes')).toMatchObject({ code: 0, err: '' })
  expect(await logosOf(db, id)).toEqual([])
  expect(await logosOf(db, other)).toHaveLength(2)
  const { rows } = await sql`select action, detail, actor from dashboard_audit where merchant_id = ${id}`.execute(db)
  expect(rows).toEqual([
    { action: 'removed logo', detail: { draft: logo.hash, shown: logo.hash }, actor: expect.stringMatching(/^cli:/) },
  ])
  expect((await bursar('merchant', 'remove-logo', id, '--yes')).out).toContain('the merchant has no logo')
  const unknown = await bursar('merchant', 'remove-logo', '00000000-0000-4000-8000-00000000abcd', '--yes')
  expect([unknown.code === 0, unknown.err]).toEqual([false, expect.stringContaining('no merchant has the id')])
})
