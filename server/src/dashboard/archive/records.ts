/** The tables of an archive that no list of the API has. */
import { paymentsById, refundsById } from '../../cards/acquiring/index.ts'
import { conversionsById } from '../../exchange/conversions/index.ts'
import type { LedgerAccount } from '../../ledger/postings/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { listKeys, profileOf } from '../../merchants/accounts/index.ts'
import { logosOf } from '../../merchants/logos/index.ts'
import { listSent } from '../../merchants/webhooks/index.ts'
import { claimsById, paymentsById as invoicePaymentsById } from '../../pay-in/crypto-invoices/index.ts'
import { auditPage, listMembers } from '../../people/access/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { complianceOf, judgedById } from '../../risk/screening/index.ts'
import { pageOf, pagesById, ROWS, type ArchiveRow, type Subject } from './subject.ts'

export interface RecordDeps {
  db: Db
  catalogue: Catalogue
  publicUrl: string
}

/** The amount of an asset as text; a missing amount is null. Throws for an asset that is not served. */
type Show = (ticker: string, units: bigint | null) => string | null

export const showIn =
  (catalogue: Catalogue): Show =>
  (ticker, units) => {
    if (units === null) return null
    const asset = catalogue.find(ticker)
    if (!asset) throw new Error(`the merchant has amounts in ${ticker}, which the assets file lacks: list it again`)
    return formatUnits(units, asset.scale)
  }

/** A time of an archive. */
export const ms = (at: Date | null): number | null => at && at.getTime()

/** Settings, keys, people and their actions. @param real the time on the real clock, which dates the last two */
export const ownSubjects = ({ db }: RecordDeps, merchantId: string, real: Date): Subject[] => [
  {
    name: 'settings',
    columns: ['name', 'value'],
    about: 'The names and the settings of the merchant.',
    pages: pageOf(() => settingRows(db, merchantId)),
  },
  {
    name: 'logos',
    columns: ['state', 'mediaType', 'width', 'height', 'hash', 'uploadedAt'],
    about: 'The logo that payers see, and the draft. The picture is in the JSON Lines, in Base64.',
    pages: pageOf(async () =>
      (await logosOf(db, merchantId)).map(({ bytes, uploadedAt, uploadedBy: _, ...logo }) => ({
        ...logo,
        uploadedAt: ms(uploadedAt),
        picture: bytes.toString('base64'),
      })),
    ),
  },
  {
    name: 'keys',
    columns: ['id', 'purpose', 'createdAt', 'firstUsedAt', 'expiresAt', 'revokedAt'],
    about: 'Keys of the API and of webhooks, without their secrets.',
    pages: pageOf(async () =>
      (await listKeys(db, merchantId)).map(({ createdAt, firstUsedAt, expiresAt, revokedAt, ...key }) => ({
        ...key,
        createdAt: ms(createdAt),
        firstUsedAt: ms(firstUsedAt),
        expiresAt: ms(expiresAt),
        revokedAt: ms(revokedAt),
      })),
    ),
  },
  {
    name: 'members',
    columns: ['email', 'role', 'state', 'createdAt'],
    about: 'Members of the team and open invitations.',
    pages: pageOf(async () =>
      (await listMembers(db, merchantId, real)).map(({ since, ...member }) => ({ ...member, createdAt: ms(since) })),
    ),
  },
  {
    name: 'audit',
    columns: ['id', 'time', 'by', 'action', 'about', 'before', 'role'],
    about: 'Actions of people for the merchant, newest first. An operator has no name.',
    pages: auditPages(db, merchantId, real),
  },
]

const settingRows = async (db: Db, merchantId: string): Promise<ArchiveRow[]> => {
  const { settings, createdAt, ...names } = (await profileOf(db, merchantId))!
  const all = { id: merchantId, ...names, createdAt: createdAt.toISOString(), ...settings }
  return Object.entries(all).map(([name, value]) => ({ name, value }))
}

async function* auditPages(db: Db, merchantId: string, real: Date): AsyncGenerator<readonly ArchiveRow[]> {
  for (let before: string | null = null; ;) {
    const { actions, hasMore } = await auditPage(db, { merchantId, before, most: ROWS })
    yield actions.flatMap(({ at, ...action }) => (at < real ? [{ ...action, time: ms(at) }] : []))
    if (!hasMore) return
    before = actions.at(-1)!.id
  }
}

/** Payments of invoices, refunds, claims, conversions and judgements that were made before a time. */
export const moneySubjects = (
  { db, catalogue, publicUrl }: RecordDeps,
  merchantId: string,
  before: Date,
): Subject[] => {
  const show = showIn(catalogue)
  return [
    {
      name: 'crypto-invoice-payments',
      columns: ['depositId', 'invoiceId', 'createdAt', 'state', 'ticker', 'amount', 'fee', 'late', 'minedAt'],
      about: 'Which deposit pays which crypto invoice.',
      pages: pagesById(
        before,
        (page) => invoicePaymentsById(db, merchantId, page),
        ({ depositId }) => depositId,
        ({ depositId, invoiceId, arrivedAt, state, ticker, units, fee, late, minedAt }) => ({
          depositId,
          invoiceId,
          createdAt: ms(arrivedAt),
          state,
          ticker,
          amount: show(ticker, units),
          fee: show(ticker, fee),
          late,
          minedAt: ms(minedAt),
        }),
      ),
    },
    {
      name: 'card-payments',
      columns: [
        'id',
        'invoiceId',
        'createdAt',
        'state',
        'ticker',
        'amount',
        'paid.ticker',
        'paid.amount',
        'fee',
        'refunded',
        'maskedCard',
        'refusalCode',
        'refusalMessage',
        'email',
      ],
      about: 'Attempts to pay a card invoice.',
      pages: pagesById(
        before,
        (page) => paymentsById(db, merchantId, page),
        ({ id }) => id,
        ({ id, invoiceId, createdAt, state, ticker, units, paidTicker, paidUnits, ...one }) => ({
          id,
          invoiceId,
          createdAt: ms(createdAt),
          state,
          ticker,
          amount: show(ticker, units),
          paid: paidTicker && { ticker: paidTicker, amount: show(paidTicker, paidUnits) },
          fee: show(paidTicker ?? ticker, one.fee),
          refunded: show(paidTicker ?? ticker, one.refundedUnits),
          maskedCard: one.maskedCard,
          refusalCode: one.refusalCode,
          refusalMessage: one.refusalMessage,
          email: one.email,
        }),
      ),
    },
    {
      name: 'card-refunds',
      columns: ['id', 'paymentId', 'createdAt', 'state', 'ticker', 'amount', 'reason'],
      about: 'Refunds of card payments.',
      pages: pagesById(
        before,
        (page) => refundsById(db, merchantId, page),
        ({ id }) => id,
        ({ id, paymentId, createdAt, state, ticker, units, reason }) => ({
          id,
          paymentId,
          createdAt: ms(createdAt),
          state,
          ticker,
          amount: show(ticker, units),
          reason,
        }),
      ),
    },
    {
      name: 'refund-claims',
      columns: [
        'id',
        'invoiceId',
        'requestedAt',
        'state',
        'refundAddress',
        'withdrawalId',
        'hash',
        'note',
        'decidedAt',
      ],
      about: 'Requests of payers for a refund of an underpaid crypto invoice.',
      pages: pagesById(
        before,
        (page) => claimsById(db, merchantId, page),
        ({ id }) => id,
        ({ id, invoiceId, requestedAt, state, refundAddress, withdrawalId, hash, note, decidedAt }) => ({
          id,
          invoiceId,
          requestedAt: ms(requestedAt),
          state,
          refundAddress,
          withdrawalId,
          hash,
          note,
          decidedAt: ms(decidedAt),
        }),
      ),
    },
    {
      name: 'conversions',
      columns: [
        'id',
        'causedBy',
        'causeId',
        'createdAt',
        'state',
        'ticker',
        'remaining',
        'target.ticker',
        'target.address',
        'target.blockchain',
        'failedReason',
      ],
      about: 'Automatic exchanges of received money. The id is that of the deposit or the card payment.',
      pages: pagesById(
        before,
        (page) => conversionsById(db, merchantId, page),
        ({ id }) => id,
        ({ id, causedBy, causeId, createdAt, state, ticker, units, target, failedReason }) => ({
          id,
          causedBy,
          causeId,
          createdAt: ms(createdAt),
          state,
          ticker,
          remaining: show(ticker, units),
          target,
          failedReason,
        }),
      ),
    },
    {
      name: 'screenings',
      columns: ['kind', 'id', 'riskScore', 'risky', 'time', 'url'],
      about:
        'Judgements of deposits and withdrawals, as the API shows them. The id is that of the deposit or the withdrawal.',
      pages: pagesById(
        before,
        (page) => judgedById(db, merchantId, page),
        ({ id }) => id,
        (screening) => {
          const { timestamp: time, ...compliance } = complianceOf(screening, publicUrl)
          return { kind: screening.kind, id: screening.subjectId, ...compliance, time }
        },
      ),
    },
  ]
}

/** The notifications of a merchant up to one sequence. */
export const notificationSubject = ({ db }: RecordDeps, merchantId: string, upTo: number): Subject => {
  async function* pages(): AsyncGenerator<readonly ArchiveRow[]> {
    for (let after = 0; after < upTo;) {
      const events = await listSent(db, merchantId, { after, upTo }, ROWS)
      yield events.map(({ createdAt, ...event }) => ({ ...event, createdAt: ms(createdAt) }))
      if (events.length < ROWS) return
      after = events.at(-1)!.sequence
    }
  }
  return {
    name: 'notifications',
    columns: ['sequence', 'id', 'createdAt', 'kind', 'status', 'objectId', 'state', 'body'],
    about: 'Notifications of webhooks with the text that is sent, and the state of each delivery.',
    pages: pages(),
  }
}

/** The balances of a merchant as they were when the archive was begun. */
export const balanceSubject = ({ catalogue }: RecordDeps, accounts: readonly LedgerAccount[]): Subject => {
  const show = showIn(catalogue)
  const assets = [...new Set(accounts.map(({ asset }) => asset))]
  const rows = assets.map((ticker) => {
    const at = (kind: LedgerAccount['kind']): LedgerAccount | undefined =>
      accounts.find((one) => one.asset === ticker && one.kind === kind)
    const { posted = 0n, held = 0n, version = 0 } = at('merchant') ?? {}
    return {
      ticker,
      balance: show(ticker, posted),
      held: show(ticker, held),
      available: show(ticker, posted - held),
      quarantined: show(ticker, at('quarantine')?.posted ?? 0n),
      owed: show(ticker, -(at('receivable')?.posted ?? 0n)),
      entries: version,
    }
  })
  return {
    name: 'balances',
    columns: ['ticker', 'balance', 'held', 'available', 'quarantined', 'owed', 'entries'],
    about: 'The balance of each asset: it is the balance after the newest of its entries in this archive.',
    pages: pageOf(async () => rows),
  }
}
