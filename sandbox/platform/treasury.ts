/**
 * Provides the sandbox owner's money: coins in the hot wallets, and gifts to merchants on which books and chains agree.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { deriveAddress as deriveBitcoin } from '@bursar/chainkit/bitcoin'
import { deriveAddress as deriveEvm } from '@bursar/chainkit/evm'
import { deriveAddress as deriveTron } from '@bursar/chainkit/tron'
import { sql } from 'kysely'
import { fundAcquirerItem } from '../../server/src/cards/acquiring/index.ts'
import { createCatalogue } from '../../server/src/market/assets/index.ts'
import type { AssetSettings, Catalogue } from '../../server/src/market/assets/index.ts'
import { createDb, createPool, inTransaction } from '../../server/src/platform/db/index.ts'
import type { Db } from '../../server/src/platform/db/index.ts'
import { applyAll } from '../../server/src/ledger/postings/index.ts'
import { parseUnits } from '../../server/src/platform/money/index.ts'
import { advanceClock, readClockOffset } from '../../server/src/platform/runtime/business-clock.ts'
import { grantCapital } from '../../server/src/treasury/reconciliation/index.ts'
import type { SandboxChain } from '../chains/chain.ts'
import { Refusal } from '../http/refusal.ts'
import { newId, stockPositions, stockVenue } from './exchange.ts'
import type { SandboxWallet } from './keys.ts'

export interface SandboxTreasury {
  /** Sends the initial coins to the hot wallets, once. */
  fill(): Promise<void>
  /** Posts the owner's balances at the venue, once. */
  stockVenue(): Promise<void>
  /** Moves a part of the owner's money into the exchange inventory once it is posted. */
  stock(): void
  /**
   * Of a crypto asset: the hash of the coins that went to a hot wallet. Of a currency: the acquirer's account that has
   * the money.
   */
  credit(credit: {
    merchantId: string
    ticker: string
    amount: string
  }): Promise<{ hash: string } | { acquirer: string }>
  setClock(move: { advanceMs: number }): Promise<{ offsetMs: number }>
  close(): Promise<void>
}

/** Initial balances of the hot wallets, by network and ticker. */
const FIRST_FILLING: Record<string, Record<string, string>> = {
  BITCOIN: { BTC: '5' },
  ETHEREUM: { ETH: '100', USDT: '100000', USDC: '100000' },
  BINANCE_SMART_CHAIN: { BNB: '100', USDT: '100000', USDC: '100000' },
  TRON: { TRX: '100000', USDT: '100000' },
}
/** Number of coins for each address, so that several Bitcoin payouts can be in flight at once. */
const BITCOIN_PIECES = 5
const BOOKED_WAIT_MS = 60_000
/** The bank account that holds currencies. */
const ACQUIRER = 'bank'

export function openTreasury(options: {
  databaseUrl: string
  wallet: SandboxWallet
  assets: AssetSettings
  chains: readonly SandboxChain[]
  log: (line: string) => void
}): SandboxTreasury {
  const pool = createPool({ url: options.databaseUrl, applicationName: 'bursar sandbox', max: 2 })
  const db = createDb(pool)
  const catalogue = createCatalogue(options.assets)
  const stopping = new AbortController()
  let stocking: Promise<void> = Promise.resolve()
  const send = (chain: SandboxChain, ticker: string, amount: string): Promise<string> =>
    chain.pay({ ticker, to: hotAddress(options.wallet, chain.blockchain), amount })
  return {
    fill: async () => {
      for (const chain of options.chains) {
        for (const [ticker, amount] of Object.entries(FIRST_FILLING[chain.blockchain] ?? {})) {
          if (await isFunded(db, chain.blockchain, ticker)) continue
          const pieces = chain.blockchain === 'BITCOIN' ? BITCOIN_PIECES : 1
          for (let piece = 0; piece < pieces; piece += 1) await send(chain, ticker, String(Number(amount) / pieces))
        }
      }
    },
    stockVenue: () => stockVenue(db, catalogue),
    stock: () => {
      stocking = stockPositions(db, catalogue, stopping.signal).catch((error: Error) =>
        options.log(`the owner's money is not traded with: ${error.message}`),
      )
    },
    credit: async ({ merchantId, ticker, amount }) => {
      const units = unitsOf(catalogue, ticker, amount)
      await requireMerchant(db, merchantId)
      const moment = { at: new Date(), newId }
      if (catalogue.findFiat(ticker)) {
        await inTransaction(db, async (tx) => {
          await applyAll(tx, [fundAcquirerItem({ acquirer: ACQUIRER, ticker, units }, moment)])
          await grantCapital(tx, { merchantId, asset: ticker, units }, moment)
        })
        return { acquirer: ACQUIRER }
      }
      const chain = options.chains.find(({ tickers }) => tickers.includes(ticker))
      if (!chain) throw new Refusal(`ticker: no chain of this sandbox has ${ticker}`)
      const hash = await send(chain, ticker, amount)
      await booked(db, chain, hash)
      await inTransaction(db, (tx) => grantCapital(tx, { merchantId, asset: ticker, units }, moment))
      return { hash }
    },
    setClock: async ({ advanceMs }) => ({ offsetMs: await advanceClock(db, advanceMs) }),
    close: async () => {
      stopping.abort()
      await stocking
      await readClockOffset(db).catch(() => 0)
      await pool.end()
    },
  }
}

function hotAddress({ bitcoin, evm, tron }: SandboxWallet, blockchain: string): string {
  if (blockchain === 'BITCOIN') return deriveBitcoin(bitcoin.hot, 0, 0, 'regtest').address
  return blockchain === 'TRON' ? deriveTron(tron.hot, 0).address : deriveEvm(evm.hot, 0).address
}

function unitsOf(catalogue: Catalogue, ticker: string, amount: string): bigint {
  const asset = catalogue.find(ticker)
  if (!asset)
    throw new Refusal(
      `ticker: there are ${[...catalogue.crypto, ...catalogue.fiat].map((one) => one.ticker).join(', ')}`,
    )
  const parsed = parseUnits(
    amount,
    'networks' in asset ? Math.min(...[...asset.networks.values()].map((on) => on.decimals)) : asset.scale,
  )
  if (!parsed.ok || parsed.units === 0n) throw new Refusal(`amount: send a decimal above zero such as "12.5"`)
  const full = parseUnits(amount, asset.scale)
  return full.ok ? full.units : 0n
}

async function requireMerchant(db: Db, id: string): Promise<void> {
  const { rows } = await sql`select id from merchants where id::text = ${id}`.execute(db)
  if (rows.length === 0) throw new Refusal('merchantId: there is no such merchant', { status: 404, code: 101 })
}

/** Returns whether the filling was sent: a funding of the asset was seen, posted or not. */
async function isFunded(db: Db, network: string, ticker: string): Promise<boolean> {
  const { rows } = await sql`select 1 from fundings where network = ${network} and asset = ${ticker} limit 1`.execute(
    db,
  )
  return rows.length > 0
}

/** Waits until the platform has seen the coins, final or not, so that it never owes more than it has. */
async function booked(db: Db, chain: SandboxChain, hash: string): Promise<void> {
  const deadline = performance.now() + BOOKED_WAIT_MS
  for (;;) {
    const { rows } =
      await sql`select 1 from fundings where network = ${chain.blockchain} and transaction = ${hash}`.execute(db)
    if (rows.length > 0) return
    if (performance.now() > deadline)
      throw new Refusal('the coins were sent, but the platform has not seen them: is the watcher running?', {
        status: 503,
        code: 107,
      })
    await chain.mine(1)
    await sleep(200)
  }
}
