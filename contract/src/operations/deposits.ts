import { generalErrors } from '../errors.ts'
import { idParams } from '../fields.ts'
import { listFilters, listOperation } from '../list.ts'
import { Compliance } from '../notifications/compliance.ts'
import { Replenish } from '../notifications/replenish.ts'
import { operation } from '../operation.ts'

/** An addition of this project, for clients that missed a notification. */
export const getDeposit = operation({
  id: 'getDeposit',
  method: 'GET',
  scopes: ['read'],
  path: '/merchants/replenishment/crypto/:id',
  tag: 'Deposits',
  summary: 'Find a deposit',
  description: 'The deposit as its newest notification states it.',
  params: idParams('Identifier of the deposit'),
  response: Replenish,
})

/** `contract.md` 5.6, 18 #24. */
export const getDepositCompliance = operation({
  id: 'getDepositCompliance',
  method: 'GET',
  scopes: ['read'],
  path: '/merchants/replenishment/crypto/:id/compliance',
  tag: 'Deposits',
  summary: 'Screening report of a deposit',
  description:
    'Best asked about five minutes after the transaction was broadcast. Until the report exists the answer is 409, ' +
    'code 102, with `Retry-After`. A deposit that failed before it was screened never has one: 409, code 103.',
  params: idParams('Identifier of the deposit'),
  response: Compliance,
  errors: [generalErrors.notScreenedYet, generalErrors.conflict],
})

/** `contract.md` section 20. */
export const listDeposits = listOperation({
  id: 'listDeposits',
  name: 'deposits',
  tag: 'Deposits',
  what: 'deposits',
  more: ' Payments of crypto invoices are deposits, too.',
  filters: {
    ids: listFilters.ids,
    status: listFilters.status(['Pending', 'Done', 'Verified', 'Failed']),
    ticker: listFilters.ticker('asset'),
    blockchain: listFilters.blockchain,
    ...listFilters.amounts,
    meta: listFilters.meta,
    address: listFilters.address('to'),
    hash: listFilters.hash,
  },
  item: Replenish,
  pageTitle: 'DepositPage',
  csv: [
    'id',
    'time',
    'status',
    'ticker',
    'blockchain',
    'amount',
    'fee',
    'to',
    'from',
    'hash',
    'block',
    'internal',
    'withdrawId',
    'meta',
    'failReason',
  ],
})
