/** The tables of an archive about the work of members: payouts by two people, links, keys and endpoints. */
import { addressesById } from '../../chain/addresses/index.ts'
import { targetsById } from '../../exchange/conversions/index.ts'
import { listAdditionalKeys } from '../../merchants/accounts/index.ts'
import { listEndpoints } from '../../merchants/webhooks/index.ts'
import {
  approvalsOfRequests,
  everyAddress,
  everyPolicy,
  linesOfRequests,
  requestsInOrder,
} from '../../pay-out/requests/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { ms, showIn, type RecordDeps } from './records.ts'
import { pageOf, pagesById, rowsById, type ArchiveRow, type Subject } from './subject.ts'

/** Requests of payouts, the address book, the policy, payment links, additional keys and additional endpoints. */
export const controlSubjects = (
  deps: RecordDeps,
  merchantId: string,
  { asOf, real }: { asOf: Date; real: Date },
): Subject[] => [
  ...payoutSubjects(deps, merchantId, real),
  ...receivingSubjects(deps.db, merchantId, asOf),
  ...accessSubjects(deps.db, merchantId, real),
]

const payoutSubjects = ({ db, catalogue }: RecordDeps, merchantId: string, real: Date): Subject[] => {
  const show = showIn(catalogue)
  return [
    {
      name: 'payout-requests',
      columns: [
        'id',
        'kind',
        'name',
        'state',
        'maker',
        'createdAt',
        'expiresAt',
        'decidedBy',
        'decidedAt',
        'reason',
        'refundOf',
        'invoiceId',
      ],
      about: 'Requests of payouts and of refunds by members, oldest first.',
      pages: pagesById(
        real,
        (page) => requestsInOrder(db, merchantId, page),
        ({ id }) => id,
        ({ id, kind, name, state, maker, decidedBy, reason, refundOf, invoiceId, ...times }) => ({
          id,
          kind,
          name,
          state,
          maker,
          createdAt: ms(times.createdAt),
          expiresAt: ms(times.expiresAt),
          decidedBy,
          decidedAt: ms(times.decidedAt),
          reason,
          refundOf,
          invoiceId,
        }),
      ),
    },
    {
      name: 'payout-lines',
      columns: [
        'requestId',
        'number',
        'ticker',
        'blockchain',
        'to',
        'amount',
        'mostFee',
        'reference',
        'state',
        'withdrawalId',
        'reason',
        'endedAt',
      ],
      about: 'The payouts of each request. The withdrawalId of a refund to a card is the id of the refund.',
      pages: ofRequests(db, merchantId, real, async (ids) =>
        (await linesOfRequests(db, merchantId, ids)).map(({ units, feeLimit, meta, endedAt, ...line }) => ({
          ...line,
          amount: show(line.ticker, units),
          mostFee: show(line.ticker, feeLimit),
          reference: meta,
          endedAt: ms(endedAt),
        })),
      ),
    },
    {
      name: 'payout-approvals',
      columns: ['requestId', 'by', 'at'],
      about: 'Which member approved which request.',
      pages: ofRequests(db, merchantId, real, async (ids) =>
        (await approvalsOfRequests(db, merchantId, ids)).map(({ at, ...approval }) => ({ ...approval, at: ms(at) })),
      ),
    },
    {
      name: 'payout-addresses',
      columns: ['id', 'name', 'blockchain', 'address', 'addedBy', 'addedAt', 'usableAt', 'removedBy', 'removedAt'],
      about: 'The address book, removed addresses included.',
      pages: pageOf(async () =>
        (await everyAddress(db, merchantId)).map(({ addedAt, usableAt, removedAt, ...one }) => ({
          ...one,
          addedAt: ms(addedAt),
          usableAt: ms(usableAt),
          removedAt: ms(removedAt),
        })),
      ),
    },
    {
      name: 'payout-policies',
      columns: [
        'version',
        'madeBy',
        'madeAt',
        'inForceAt',
        'onlyBook',
        'hours',
        'coolingHours',
        'isApiLimited',
        'ticker',
        'alone',
        'approvals',
        'mostHour',
        'mostDay',
        'api',
      ],
      about:
        'Every version of the policy of payouts: one row for each asset. Bit n of hours is the hour from n, in UTC.',
      pages: pageOf(async () =>
        (await everyPolicy(db, merchantId)).flatMap(({ version, madeBy, madeAt, inForceAt, rules }) => {
          const { assets, ...general } = rules
          const one = { version, madeBy, madeAt: ms(madeAt), inForceAt: ms(inForceAt), ...general }
          if (assets.size === 0) return [one]
          return [...assets].map(([ticker, { alone, approvals, mostHour, mostDay, api }]) => ({
            ...one,
            ticker,
            alone: show(ticker, alone),
            approvals,
            mostHour: show(ticker, mostHour),
            mostDay: show(ticker, mostDay),
            api: show(ticker, api),
          }))
        }),
      ),
    },
  ]
}

/** Requests whose rows are read at a time: a request has up to a thousand lines. */
const REQUESTS = 20

/** Rows of the requests of a merchant, which are read again page by page. */
async function* ofRequests(
  db: Db,
  merchantId: string,
  before: Date,
  read: (ids: readonly string[]) => Promise<readonly ArchiveRow[]>,
): AsyncGenerator<readonly ArchiveRow[]> {
  const requests = rowsById(
    before,
    REQUESTS,
    (page) => requestsInOrder(db, merchantId, page),
    ({ id }) => id,
  )
  for await (const some of requests) yield await read(some.map(({ id }) => id))
}

const receivingSubjects = (db: Db, merchantId: string, asOf: Date): Subject[] => [
  {
    name: 'addresses',
    columns: ['id', 'blockchain', 'address', 'meta', 'createdAt'],
    about: 'Deposit addresses. Addresses of Ethereum receive on each EVM network.',
    pages: pagesById(
      asOf,
      (page) => addressesById(db, merchantId, page),
      ({ id }) => id,
      ({ createdAt, ...address }) => ({ ...address, createdAt: ms(createdAt) }),
    ),
  },
  {
    name: 'targets',
    columns: ['ownerKind', 'ownerId', 'ticker', 'address', 'blockchain'],
    about: 'Into which asset the money of an address or an invoice is exchanged, and where it is sent.',
    pages: pagesById(
      asOf,
      (page) => targetsById(db, merchantId, page),
      ({ ownerId }) => ownerId,
      (target) => ({ ...target }),
    ),
  },
]

const accessSubjects = (db: Db, merchantId: string, real: Date): Subject[] => [
  {
    name: 'additional-keys',
    columns: ['id', 'name', 'scopes', 'addresses', 'createdAt', 'expiresAt', 'revokedAt', 'lastUsedAt', 'lastUsedFrom'],
    about: 'Additional keys of the API, without their secrets: the newest that the page Keys lists.',
    pages: pageOf(async () =>
      (await listAdditionalKeys(db, merchantId, real)).map(({ createdBy: _, scopes, addresses, ...key }) => ({
        ...key,
        scopes: scopes.join(' '),
        addresses: addresses.join(' '),
        createdAt: ms(key.createdAt),
        expiresAt: ms(key.expiresAt),
        revokedAt: ms(key.revokedAt),
        lastUsedAt: ms(key.lastUsedAt),
      })),
    ),
  },
  {
    name: 'webhook-endpoints',
    columns: ['id', 'url', 'description', 'kinds', 'isOn', 'createdAt'],
    about: 'Additional endpoints of webhooks, without their secrets. Without kinds, an endpoint gets all.',
    pages: pageOf(async () =>
      (await listEndpoints(db, merchantId)).map(({ id, url, description, kinds, isOn, createdAt }) => ({
        id,
        url,
        description,
        kinds: kinds && kinds.join(' '),
        isOn,
        createdAt: ms(createdAt),
      })),
    ),
  },
]
