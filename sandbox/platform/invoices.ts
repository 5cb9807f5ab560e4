/**
 * A payer without a browser: completes the form of an invoice's page if necessary, and pays on the chains or at the
 * bank.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createCatalogue } from '../../server/src/market/assets/index.ts'
import type { AssetSettings, Catalogue } from '../../server/src/market/assets/index.ts'
import type { DepositKeys } from '../../server/src/chain/addresses/index.ts'
import { createDb, createPool, inTransaction } from '../../server/src/platform/db/index.ts'
import type { Db } from '../../server/src/platform/db/index.ts'
import { carryOut } from '../../server/src/ledger/effects/index.ts'
import { createClaimTokens, createInvoices, PayerRefusal } from '../../server/src/pay-in/crypto-invoices/index.ts'
import type { Invoices, PayerInvoice } from '../../server/src/pay-in/crypto-invoices/index.ts'
import { formatUnits } from '../../server/src/platform/money/index.ts'
import { readClockOffset } from '../../server/src/platform/runtime/business-clock.ts'
import { freshPrices } from '../../server/src/market/rates/index.ts'
import type { SandboxChain } from '../chains/chain.ts'
import type { InvoicePayment } from '../control/index.ts'
import { Refusal } from '../http/refusal.ts'
import { newId } from './exchange.ts'

export interface SandboxPayer {
  pay(payment: InvoicePayment): Promise<object>
  close(): Promise<void>
}

/** The payer's choice if the merchant leaves it open. */
const FAVOURITE = { ticker: 'USDT', blockchain: 'ETHEREUM', value: '10' }
const WAIT_MS = 120_000
const MINED_WITHIN_MS = 24 * 60 * 60_000

export function openPayer(options: {
  databaseUrl: string
  keys: DepositKeys
  assets: AssetSettings
  chains: readonly SandboxChain[]
  quoteMs: number
  /** pays a fiat invoice; returns undefined when there is none with that id */
  payFiat(payment: InvoicePayment): Promise<object | undefined>
  /** advances the business time of all processes, in ms */
  advance(advanceMs: number): Promise<unknown>
}): SandboxPayer {
  const pool = createPool({ url: options.databaseUrl, applicationName: 'bursar sandbox payer', max: 2 })
  const db = createDb(pool)
  const catalogue = createCatalogue(options.assets)
  const invoices = createInvoices({
    catalogue,
    networks: catalogue.networks,
    keys: options.keys,
    quoteMs: options.quoteMs,
    minedWithinMs: MINED_WITHIN_MS,
    publicUrl: '',
    prices: (tx, tickers) => freshPrices(tx, tickers, new Date()),
    // This payer never has a claim link.
    claimTokens: createClaimTokens([new Uint8Array(32)]),
    destinationOf: () => undefined,
  })
  const payer: Payer = { db, catalogue, invoices, chains: options.chains, advance: options.advance }
  return {
    pay: async (payment) => {
      if ((await find(payer, payment.id)) !== undefined) return payCrypto(payer, payment)
      const paid = await options.payFiat(payment)
      if (paid === undefined) throw new Refusal('id: there is no such invoice', { status: 404, code: 101 })
      return paid
    },
    close: () => pool.end(),
  }
}

interface Payer {
  db: Db
  catalogue: Catalogue
  invoices: Invoices
  chains: readonly SandboxChain[]
  advance(advanceMs: number): Promise<unknown>
}

const businessNow = async (db: Db): Promise<Date> => new Date(Date.now() + (await readClockOffset(db)))

const find = async ({ db, invoices }: Payer, id: string): Promise<PayerInvoice | undefined> =>
  invoices.find(db, id, await businessNow(db))

async function payCrypto(payer: Payer, { id, how }: InvoicePayment): Promise<object> {
  await proceed(payer, id)
  if (how === 'late') await endOf(payer, id)
  const invoice = (await find(payer, id))!
  const { destination, ticker, blockchain } = invoice
  if (destination === null || ticker === null || blockchain === null)
    throw new Refusal(`id: this invoice is ${invoice.state.toUpperCase()} and has no address`)
  const chain = payer.chains.find((one) => one.blockchain === blockchain)
  if (chain === undefined) throw new Refusal(`id: this sandbox runs no ${blockchain}`)
  const sent = how === 'wrong-asset' ? wrongAsset(chain, ticker) : { ticker, amount: amountOf(payer, invoice, how) }
  const hash = await chain.pay({ ...sent, to: destination.address })
  return { hash, blockchain, ...sent, to: destination.address }
}

/** Submits the page's form, with the payer's default choices for open fields. */
async function proceed({ db, invoices }: Payer, id: string): Promise<void> {
  const moment = { at: await businessNow(db), newId }
  const view = await invoices.find(db, id, moment.at)
  if (view?.state !== 'created') return
  const options = view.options.filter(({ unpriced }) => !unpriced)
  const favourite =
    options.find(({ ticker, blockchain }) => ticker === FAVOURITE.ticker && blockchain === FAVOURITE.blockchain) ??
    options[0]
  const choice = {
    ticker: favourite?.ticker,
    blockchain: favourite?.blockchain,
    value: favourite?.ticker === FAVOURITE.ticker ? FAVOURITE.value : favourite?.minimum,
  }
  try {
    await inTransaction(db, async (tx) => carryOut(tx, await invoices.proceed(tx, id, choice, moment), moment))
  } catch (error) {
    if (error instanceof PayerRefusal) throw new Refusal(`id: its payer can not continue: ${error.reason}`)
    throw error
  }
}

/** Advances the sandbox's time past the invoice's end, and waits until the invoice has ended. */
async function endOf(payer: Payer, id: string): Promise<void> {
  const { expiredAt } = (await find(payer, id))!
  const left = expiredAt - (await businessNow(payer.db)).getTime()
  if (left >= 0) await payer.advance(left + 1_000)
  const deadline = performance.now() + WAIT_MS
  while ((await find(payer, id))!.state !== 'expired') {
    if (performance.now() > deadline)
      throw new Refusal('id: it does not expire: a payment that was seen in time is on its way, or it is paid', {
        status: 503,
        code: 107,
      })
    await sleep(100)
  }
}

/**
 * Returns the missing amount, half of it (`partial`), or it plus half of the invoice's amount (`over`), rounded down to
 * the network's decimals.
 */
function amountOf(
  { catalogue }: Payer,
  { ticker, blockchain, toSend, missing, asked }: PayerInvoice,
  how: 'exact' | 'partial' | 'over' | 'late',
): string {
  if (toSend === null || missing === null || asked === null) throw new Refusal('id: nothing is missing on this invoice')
  const { scale, networks } = catalogue.findCrypto(ticker!)!
  const on = networks.get(blockchain!)!
  const grain = 10n ** BigInt(scale - on.decimals)
  const whole = (units: bigint): bigint => (units / grain) * grain
  if (how === 'over') return formatUnits(whole(toSend.units + asked.units / 2n), scale)
  if (how !== 'partial') return toSend.text
  const half = whole(missing.units / 2n)
  if (half < on.minDeposit)
    throw new Refusal(
      `how: half of it is less than the ${formatUnits(on.minDeposit, scale)} ${ticker} that are credited`,
    )
  return formatUnits(half, scale)
}

const WRONG_AMOUNTS: Readonly<Record<string, string>> = { ETH: '0.5', BNB: '0.5', TRX: '50' }

function wrongAsset(chain: SandboxChain, ticker: string): { ticker: string; amount: string } {
  const other = chain.tickers.find((one) => one !== ticker)
  if (other === undefined) throw new Refusal(`how: ${chain.blockchain} has nothing but ${ticker}`)
  return { ticker: other, amount: WRONG_AMOUNTS[other] ?? '25' }
}
