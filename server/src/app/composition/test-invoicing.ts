/** Members who make invoices by hand and payment links, and payers: for tests of these pages. */
import { sql } from 'kysely'
import { expect } from 'vitest'
import { fieldOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import type { Answer } from '../../../../test/world/edge.ts'
import { listedWorld } from '../../../../test/world/listed.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'

const { catalogue } = listedWorld(undefined as unknown as Parameters<typeof listedWorld>[0])

export const at = (merchantId: string, page: string): string => `/app/merchants/${merchantId}/${page}`

export const INVOICE = { name: 'Order 7', money: 'crypto:USDT', amount: '12,50', duration: '24h' }
export const LINK = { name: 'Donation', money: 'crypto:USDT', amount: '' }

/** Opens a form, and sends it with the key of the page. */
export const send = async (
  browser: TestBrowser,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<Answer & { key: string }> => {
  const key = fieldOf(await browser.get(path), 'key')
  return Object.assign(await browser.post(path, { key, ...fields }), { key })
}

export const idIn = ({ headers }: Answer): string => /[0-9a-f-]{36}$/.exec(String(headers['location']))![0]

/** The pages on a database of their own, for the top of a test file. */
export const useInvoicing = () => {
  const { edge, browse, memberOf } = useDashboard({ catalogue })

  const shop = async (): Promise<string> => (await makeMerchant(edge.db, edge.clock.ms, { name: 'Kava' })).id

  const newLink = async (browser: TestBrowser, merchantId: string, fields: Readonly<Record<string, string>> = {}) => {
    const sent = await send(browser, at(merchantId, 'links/new'), { ...LINK, ...fields })
    expect(sent.status).toBe(303)
    const id = idIn(sent)
    const page = await browser.get(at(merchantId, `links/${id}`))
    return { id, page, path: /https:\/\/pay\.example(\/pay\/[A-Za-z0-9_-]{22})/.exec(page.text)![1]! }
  }
  const invoicesOf = async (merchantId: string) =>
    (
      await sql<{
        id: string
        name: string
        linkId: string | null
        units: bigint | null
        state: string
      }>`select id, name,
          link_id as "linkId", units, state from crypto_invoices where merchant_id = ${merchantId}
        union all select id, name, link_id, units, state from fiat_invoices where merchant_id = ${merchantId}`.execute(
        edge.db,
      )
    ).rows
  const auditOf = async (merchantId: string): Promise<string[]> =>
    (
      await sql<{ action: string }>`select action from dashboard_audit where merchant_id = ${merchantId}
        and action like any(array['%invoice', '%link']) order by at, id`.execute(edge.db)
    ).rows.map(({ action }) => action)

  return { edge, browse, memberOf, shop, newLink, invoicesOf, auditOf }
}
