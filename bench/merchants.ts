/** Creates merchants that can withdraw: with keys, funds and the prices that a withdrawal needs. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { AssetSettings } from '../server/src/market/assets/index.ts'
import { inTransaction, type Db } from '../server/src/platform/db/index.ts'
import { createMerchant, setSetting } from '../server/src/merchants/accounts/index.ts'
import { createIds } from '../server/src/platform/runtime/ids.ts'
import { createSecretBox } from '../server/src/platform/config/secrets.ts'
import { fundMerchants } from './books.ts'
import type { Account } from './load/prepared.ts'

export const DATA_KEY = new Uint8Array(32).fill(9)

const on = (decimals: number) => ({ decimals, minDeposit: '0', minWithdrawal: '0' })
export const ASSETS: AssetSettings = {
  crypto: [
    { ticker: 'BTC', name: 'Bitcoin', networks: { BITCOIN: on(8) } },
    { ticker: 'ETH', name: 'Ether', networks: { ETHEREUM: on(18) } },
    {
      ticker: 'USDT',
      name: 'Tether',
      networks: { ETHEREUM: { ...on(6), contract: '0xdac17f958d2ee523a2206206994597c13d831ec7' } },
    },
  ],
  fiat: [{ ticker: 'UAH', name: 'Ukrainian hryvnia', scale: 2 }],
}

const newId = createIds()
const E18 = 10n ** 18n
const PRICES: Record<string, bigint> = { BTC: 65_003n * E18, ETH: 3_100n * E18, USDT: E18, UAH: E18 / 41n }
const GAS = { kind: 'gas', legacy: false, maxFeePerGas: '20000000000', maxPriorityFeePerGas: '1000000000' }

export interface MerchantWishes {
  /** assets they have beside USDT */
  others?: readonly string[]
  notificationsUrl?: string
}

export const createMerchants = async (
  db: Db,
  count: number,
  { others = [], notificationsUrl }: MerchantWishes = {},
): Promise<Account[]> => {
  const at = new Date()
  const deps = { box: createSecretBox(DATA_KEY), random: randomBytes, actor: 'bench' }
  const profile = { name: 'Shop', companyName: 'Shop Ltd', companyUrl: 'https://shop.example' }
  const accounts = await inTransaction(db, async (tx) => {
    const made: Account[] = []
    for (let n = 0; n < count; n += 1) {
      const { id, privateKey } = await createMerchant(tx, profile, deps, { at, newId })
      if (notificationsUrl)
        await setSetting(tx, id, { name: 'notificationsUrl', value: notificationsUrl }, deps, { at, newId })
      made.push({ id, privateKey })
    }
    return made
  })
  await sql`update merchant_keys set first_used_at = ${at}`.execute(db)
  await fundMerchants(
    db,
    accounts.map(({ id }) => id),
    { newId, at, others },
  )
  await setTerms(db, new Date(at.getTime() + 3_600_000))
  return accounts
}

/**
 * Prices and a network fee, as the worker's jobs store them. @param observedAt ahead of time, so that they stay fresh
 */
const setTerms = async (db: Db, observedAt: Date): Promise<void> => {
  for (const [ticker, usd] of Object.entries(PRICES)) {
    await sql`insert into rates(ticker, usd_e18, source, observed_at) values (${ticker}, ${usd}, 'bench', ${observedAt})`.execute(
      db,
    )
  }
  await sql`insert into network_fees(network, rate, observed_at) values ('ETHEREUM', ${JSON.stringify(GAS)}, ${observedAt})`.execute(
    db,
  )
}
