/**
 * Books with one row of every kind, in their final states: what the modules write, in few lines. The postings and
 * notifications go through the ledger and `emit`; the rows are inserted raw, because no module can make all of them
 * without its counterparties.
 */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { applyAll, type AccountKind, type Cause, type Item } from '../../ledger/postings/index.ts'
import { emit } from '../../merchants/webhooks/index.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import type { Db, Tx } from '../../platform/db/index.ts'

const newId = (): string => uuidv7(Date.now(), randomBytes(10))

export const MERCHANT = newId()
export const WITHDRAWAL = newId()
export const DEPOSIT = newId()
export const PAYOUT = newId()
export const PART = newId()
export const EXCHANGE = newId()
export const CRYPTO_INVOICE = newId()
export const FIAT_INVOICE = newId()
export const PAYMENT = newId()
export const REFUND = newId()
const [OUTGOING, HOLD, PAYOUT_HOLD, REFUND_HOLD, FILL] = [newId(), newId(), newId(), newId(), newId()]
const at = new Date()

type Line = [asset: string, kind: AccountKind, posted: bigint, held?: bigint]

const transfer = (
  kind: Item['transfer']['kind'],
  cause: Cause,
  lines: readonly Line[],
  { id = newId(), closes }: { id?: string; closes?: string } = {},
): Item => ({
  transfer: {
    id,
    merchantId: MERCHANT,
    kind,
    cause,
    at,
    entries: lines.map(([asset, accountKind, posted, held = 0n]) => ({
      account: { merchantId: MERCHANT, asset, kind: accountKind },
      posted,
      held,
    })),
    ...(closes === undefined ? {} : { closes }),
  },
})

const ITEMS: readonly Item[] = [
  transfer('post', { kind: 'deposit', id: DEPOSIT }, [
    ['USDT', 'custody:ETHEREUM', -1000n],
    ['USDT', 'merchant', 990n],
    ['USDT', 'fees', 10n],
  ]),
  transfer('hold', { kind: 'withdrawal', id: WITHDRAWAL }, [['USDT', 'merchant', 0n, 105n]], { id: HOLD }),
  transfer('post', { kind: 'withdrawal', id: WITHDRAWAL }, [
    ['USDT', 'custody:ETHEREUM', 100n],
    ['USDT', 'transit:ETHEREUM', -100n],
  ]),
  transfer(
    'capture',
    { kind: 'withdrawal', id: WITHDRAWAL },
    [
      ['USDT', 'merchant', -105n, -105n],
      ['USDT', 'transit:ETHEREUM', 100n],
      ['USDT', 'fees', 5n],
    ],
    { closes: HOLD },
  ),
  transfer('post', { kind: 'payment', id: PAYMENT }, [
    ['KZT', 'acquirer:bank', -500n],
    ['KZT', 'merchant', 490n],
    ['KZT', 'fees', 10n],
  ]),
  transfer('hold', { kind: 'refund', id: REFUND }, [['KZT', 'merchant', 0n, 50n]], { id: REFUND_HOLD }),
  transfer(
    'capture',
    { kind: 'refund', id: REFUND },
    [
      ['KZT', 'merchant', -50n, -50n],
      ['KZT', 'acquirer:bank', 50n],
    ],
    { closes: REFUND_HOLD },
  ),
  transfer('hold', { kind: 'card-payout', id: PAYOUT }, [['KZT', 'merchant', 0n, 202n]], { id: PAYOUT_HOLD }),
  transfer(
    'capture',
    { kind: 'card-payout', id: PAYOUT },
    [
      ['KZT', 'merchant', -202n, -202n],
      ['KZT', 'acquirer:bank', 200n],
      ['KZT', 'fees', 2n],
    ],
    { closes: PAYOUT_HOLD },
  ),
  transfer(
    'post',
    { kind: 'exchange', id: EXCHANGE },
    [
      ['USDT', 'merchant', -11n],
      ['USDT', 'position', 10n],
      ['USDT', 'fees', 1n],
      ['KZT', 'position', -5n],
      ['KZT', 'merchant', 5n],
    ],
    { id: FILL },
  ),
]

const ROWS = [
  sql`insert into local_ids(merchant_id, local_id, operation, object_id) values (${MERCHANT}, 'mine', 'createCryptoWithdrawal', ${WITHDRAWAL})`,
  sql`insert into local_ids(merchant_id, local_id, operation, object_id) values (${MERCHANT}, 'fill', 'createExchange', ${EXCHANGE})`,
  sql`insert into outgoing(id, network, purpose, state, senders, keys, next_step_at, created_at, updated_at, mined_hash, succeeded)
    values (${OUTGOING}, 'ETHEREUM', 'payout', 'final', '{0xa}', '{}', ${at}, ${at}, ${at}, '0xd', true)`,
  sql`insert into withdrawals(merchant_id, id, ticker, blockchain, to_address, units, fee_units, state, hold_id, outgoing_id, done_sent, local_id, not_before, created_at, updated_at)
    values (${MERCHANT}, ${WITHDRAWAL}, 'USDT', 'ETHEREUM', '0xb', 100, 5, 'settled', ${HOLD}, ${OUTGOING}, true, 'mine', ${at}, ${at}, ${at})`,
  sql`insert into watch_blocks(network, height, hash, parent) values ('ETHEREUM', 7, 'h7', 'h6')`,
  sql`insert into deposits(merchant_id, id, network, asset, transaction, index, address, address_id, senders, units, fee_units, state, told, keys, block_height, block_hash, created_at, updated_at)
    values (${MERCHANT}, ${DEPOSIT}, 'ETHEREUM', 'USDT', '0x1', '0', '0xc', ${newId()}, '{}', 1000, 10, 'credited', 'Done', '{}', 7, 'h7', ${at}, ${at})`,
  sql`insert into custody_addresses(network, asset, address, booked) values ('ETHEREUM', 'USDT', '0xc', 900)`,
  sql`insert into card_payouts(merchant_id, id, kind, ticker, units, fee_units, masked_card, hold_id, open_parts, created_at, updated_at)
    values (${MERCHANT}, ${PAYOUT}, 'single', 'KZT', 200, 2, '400000******0002', ${PAYOUT_HOLD}, 0, ${at}, ${at})`,
  sql`insert into card_payout_parts(merchant_id, payout_id, number, id, ticker, units, fee_units, state, next_step_at, created_at, updated_at)
    values (${MERCHANT}, ${PAYOUT}, 1, ${PART}, 'KZT', 200, 2, 'succeeded', ${at}, ${at}, ${at})`,
  sql`insert into card_payout_attempts(reference, merchant_id, payout_id, part_id, account, state, sent_at)
    values (${newId()}, ${MERCHANT}, ${PAYOUT}, ${PART}, 'bank', 'succeeded', ${at})`,
  sql`insert into exchanges(merchant_id, id, spend_ticker, target_ticker, side, exchange_units, fee_units, target_units, pair_first, pair_second, price, market_price, basis, state, transfer_id, local_id, created_at)
    values (${MERCHANT}, ${EXCHANGE}, 'USDT', 'KZT', 'spend', 10, 1, 5, 'USDT', 'KZT', 1, 1, '{}', 'done', ${FILL}, 'fill', ${at})`,
  sql`insert into exchange_inventory(asset, chunk, units) values ('USDT', 0, 10)`,
  sql`insert into crypto_invoices(merchant_id, id, state, name, ticker, blockchain, units, address, address_id, paid_units, fee_units, client_expires_at, expires_at, created_at, moved_at)
    values (${MERCHANT}, ${CRYPTO_INVOICE}, 'paid', 'one', 'USDT', 'ETHEREUM', 1000, '0xc', ${newId()}, 1000, 10, ${at}, ${at}, ${at}, ${at})`,
  sql`insert into crypto_invoice_payments(merchant_id, deposit_id, invoice_id, units, fee_units, state, late, told, unvalued, arrived_at)
    values (${MERCHANT}, ${DEPOSIT}, ${CRYPTO_INVOICE}, 1000, 10, 'credited', false, true, false, ${at})`,
  sql`insert into payments(merchant_id, id, invoice_id, acquirer, tried, ticker, units, description, language, return_url, expires_at, state, paid_ticker, paid_units, fee_units, refunded_units, created_at, updated_at)
    values (${MERCHANT}, ${PAYMENT}, ${FIAT_INVOICE}, 'bank', '{bank}', 'KZT', 500, 'one', 'en', '', ${at}, 'credited', 'KZT', 500, 10, 50, ${at}, ${at})`,
  sql`insert into payment_refunds(merchant_id, id, payment_id, acquirer, ticker, units, source, hold_id, state, reason, actor, created_at, updated_at, sent_at)
    values (${MERCHANT}, ${REFUND}, ${PAYMENT}, 'bank', 'KZT', 50, 'merchant', ${REFUND_HOLD}, 'done', 'asked', 'op', ${at}, ${at}, ${at})`,
  sql`insert into fiat_invoices(merchant_id, id, name, state, ticker, units, paid_units, fee_units, payment_id, expires_at, created_at, updated_at)
    values (${MERCHANT}, ${FIAT_INVOICE}, 'one', 'done', 'KZT', 500, 500, 10, ${PAYMENT}, ${at}, ${at}, ${at})`,
]

const NOTICES = [
  ...['Pending', 'Done'].map((status) => [WITHDRAWAL, 'Withdraw', status] as const),
  [DEPOSIT, 'Replenish', 'Done'] as const,
  [PAYOUT, 'Withdraw', 'Done'] as const,
  [EXCHANGE, 'Exchange', 'Done'] as const,
  [CRYPTO_INVOICE, 'CryptoInvoice', 'DONE'] as const,
  [FIAT_INVOICE, 'Invoice', 'Done'] as const,
].map(([objectId, kind, status]) => ({ merchantId: MERCHANT, objectId, kind, status, body: {} }))

export const writeBooks = (db: Db): Promise<void> =>
  withoutTriggers(db, async (tx) => {
    await fundPosition(tx)
    await applyAll(tx, ITEMS)
    for (const row of ROWS) await row.execute(tx)
    await emit(tx, NOTICES, { at, newId })
  })

/** The platform's position of KZT, of which the exchange sells: funded by its owner. */
const fundPosition = async (tx: Tx): Promise<void> => {
  await applyAll(tx, [
    transfer('post', { kind: 'exchange', id: newId() }, [
      ['KZT', 'capital', -5n],
      ['KZT', 'position', 5n],
    ]),
  ])
}
