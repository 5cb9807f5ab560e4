/** What is in the database before the load starts: merchants, balances, prices and addresses derived ahead. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { AssetSettings } from '../../server/src/assets/index.ts'
import { uuidv7 } from '../../server/src/base/id.ts'
import { inTransaction, type Db } from '../../server/src/db/index.ts'
import { applyAll } from '../../server/src/ledger/index.ts'
import { createMerchant } from '../../server/src/merchants/index.ts'
import { createSecretBox } from '../../server/src/platform/secrets.ts'
import type { Account } from './prepared.ts'

export const DATA_KEY = new Uint8Array(32).fill(9)

const on = (decimals: number) => ({ decimals, minDeposit: '0', minWithdrawal: '0' })
export const ASSETS: AssetSettings = {
  crypto: [
    { ticker: 'BTC', name: 'Bitcoin', networks: { BITCOIN: on(8) } },
    { ticker: 'ETH', name: 'Ether', networks: { ETHEREUM: on(18) } },
    { ticker: 'USDT', name: 'Tether', networks: { ETHEREUM: { ...on(6), contract: '0xdac17f958d2ee523a2206206994597c13d831ec7' } } },
  ],
  fiat: [{ ticker: 'UAH', name: 'Ukrainian hryvnia', scale: 2 }],
}

const MERCHANTS = 1_000
const E18 = 10n ** 18n
const PRICES: Record<string, bigint> = { BTC: 65_003n * E18, ETH: 3_100n * E18, USDT: E18, UAH: E18 / 41n }

/** Makes the merchants with a balance in every asset. @param now ms */
export const fillWorld = async (db: Db, now: number): Promise<Account[]> => {
  const newId = (): string => uuidv7(now, randomBytes(10))
  const moment = { at: new Date(now), newId }
  const deps = { box: createSecretBox(DATA_KEY), random: randomBytes, actor: 'bench' }
  const accounts = await inTransaction(db, async (tx) => {
    const made: Account[] = []
    for (let n = 0; n < MERCHANTS; n += 1) {
      made.push(await createMerchant(tx, { name: `Shop ${n}`, companyName: 'Shop Ltd', companyUrl: 'https://shop.example' }, deps, moment))
    }
    return made
  })
  await inTransaction(db, async (tx) => {
    const items = accounts.flatMap(({ id }) =>
      ['BTC', 'ETH', 'USDT', 'UAH'].map((asset) => ({ id: newId(), merchantId: id, asset, units: 12_345_678_901n })),
    )
    await applyAll(
      tx,
      items.map(({ id, merchantId, asset, units }) => ({
        transfer: {
          id,
          merchantId,
          kind: 'post' as const,
          cause: { kind: 'adjustment' as const, id },
          legs: [
            { account: { merchantId, asset, kind: 'capital' as const }, posted: -units, held: 0n },
            { account: { merchantId, asset, kind: 'merchant' as const }, posted: units, held: 0n },
          ],
          at: new Date(now),
        },
      })),
    )
  })
  for (const [ticker, usd] of Object.entries(PRICES)) {
    await sql`insert into rates(ticker, usd_e18, source, observed_at) values (${ticker}, ${usd}, 'bench', ${new Date(now + 3_600_000)})`.execute(db)
  }
  await sql`update merchant_keys set first_used_at = ${new Date(now)}`.execute(db)
  await sql`analyze`.execute(db)
  return accounts.map(({ id, privateKey }) => ({ id, privateKey }))
}

/** Stands for a stock that the stock job has derived ahead: what an address is made of does not matter to a request. */
export const fillStock = async (db: Db, count: number): Promise<void> => {
  await sql`insert into address_stock(family, derivation_index, address)
    select 'EVM', 1000000 + n, '0x' || substr(encode(sha256(n::text::bytea), 'hex'), 1, 40) from generate_series(1, ${count}::int) n`.execute(db)
}
