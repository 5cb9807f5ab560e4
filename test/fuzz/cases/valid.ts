/** Requests as clients send them, to every operation: each is carried out, or refused by a rule of the contract. */
import { operations, type Operation } from '@bursar/contract'
import type { Random } from '../../../sandbox/random.ts'
import type { Answer } from '../connection.ts'
import type { Account } from '../installation.ts'
import type { FuzzWorld, ObjectKind } from '../objects.ts'
import { jsonOf } from '../oracles/answers.ts'
import { bytesOf, signedDraft, type Header } from '../request.ts'
import { aboutOf, mustBeByContract, mustRefuse, type Case, type Created, type Table } from './case.ts'
import { bodyOf, freshName, pathOf, queryOf, withQuery } from './values.ts'

export const signedOperations = operations.filter(({ signed }) => signed)

/** The kind of object that an operation finds by the id in its path. */
export const KIND_OF: Readonly<Record<string, ObjectKind>> = {
  getDeposit: 'deposit',
  getDepositCompliance: 'deposit',
  getCryptoWithdrawal: 'cryptoWithdrawal',
  getCryptoWithdrawalCompliance: 'cryptoWithdrawal',
  getFiatBatchWithdrawal: 'batch',
  getCryptoInvoice: 'cryptoInvoice',
  closeCryptoInvoice: 'cryptoInvoice',
  getFiatInvoice: 'fiatInvoice',
  getPaymentLink: 'paymentLink',
  disablePaymentLink: 'paymentLink',
}

const TABLE_OF: Readonly<Record<string, Table>> = {
  createCryptoWithdrawal: 'withdrawals',
  createFiatWithdrawal: 'card_payouts',
  createFiatBatchWithdrawal: 'card_payouts',
  createExchange: 'exchanges',
  createCryptoExchangeWithdrawal: 'exchange_withdrawals',
  createFiatExchangeWithdrawal: 'exchange_withdrawals',
  createCryptoInvoice: 'crypto_invoices',
  createFiatInvoice: 'fiat_invoices',
  createPaymentLink: 'payment_links',
  createAddress: 'addresses',
  createRotatingAddress: 'addresses',
}

/** The objects that the answers of an operation name as made. */
export const createdBy =
  ({ id: operation }: Operation, { id: merchantId }: Account) =>
  (answers: readonly Answer[]): Created[] =>
    answers.flatMap((answer) => {
      const table = TABLE_OF[operation]
      if (answer.status !== 200 || table === undefined) return []
      const body = jsonOf(answer) as { id?: string; address?: string }
      return [{ table, merchantId, id: String(table === 'addresses' ? body.address?.toLowerCase() : body.id) }]
    })

/** GETs that store something: the price of an estimate is stored for its merchant. */
const storesQuote = ({ id }: Operation): boolean => id.startsWith('estimate')

export const effectOf = (operation: Operation): Case['effect'] =>
  operation.method === 'POST' || storesQuote(operation) ? 'something' : 'nothing'

/** The target of an operation; an id in it is one of the merchant's own. */
export const targetOf = (operation: Operation, world: FuzzWorld, random: Random, by: 0 | 1): string => {
  const kind = KIND_OF[operation.id]
  const path = pathOf(operation, random)
  const filled = kind === undefined ? path : path.replace(':id', random.pick(world.owned[by].ids[kind]))
  return withQuery(filled, queryOf(operation, world, random))
}

export const makeValid = (world: FuzzWorld, random: Random): Case => {
  const operation = random.pick(signedOperations)
  const by = random.pick([0, 1] as const)
  const { account } = world.owned[by]
  const isHead = operation.method === 'GET' && random.chance(0.05)
  const body = operation.body === null ? undefined : JSON.stringify(bodyOf(operation, world, random))
  const more: Header[] =
    operation.method === 'POST' && random.chance(0.4) ? [['Idempotency-Key', freshName(random)]] : []
  const method = isHead ? 'HEAD' : operation.method
  const draft = signedDraft({ method, target: targetOf(operation, world, random, by), body }, account, more)
  const parts = [bytesOf(draft)]
  return {
    kind: `valid ${operation.id}`,
    about: aboutOf(parts),
    parts,
    isHead,
    effect: effectOf(operation),
    judge: mustBeByContract(operation, isHead),
    created: createdBy(operation, account),
    // The same bytes once more get the first answer. A request that moves no money and has no key makes another object.
    isRepeated: operation.movesMoney || more.length > 0,
  }
}

interface Refusable {
  account?: Account
  body?: Record<string, string>
  key?: string
}

/** Why the state of the platform refuses an order that the schema accepts. */
const STATES: Readonly<Record<string, (world: FuzzWorld, random: Random) => Refusable>> = {
  'no balance': ({ installation }) => ({ account: installation.poor }),
  'a taken localId': ({ owned }, random) => ({ body: { amount: '0.07', localId: random.pick(owned[0].localIds) } }),
  'too little': () => ({ body: { amount: '0.000000000000000001' } }),
  'too much': () => ({ body: { amount: '9'.repeat(30) } }),
  'an unknown asset': () => ({ body: { ticker: 'DOGE', spendTicker: 'DOGE' } }),
  'a key with another body': ({ owned }, random) => ({
    body: { localId: freshName(random) },
    key: random.pick(owned[0].idempotencyKeys),
  }),
}

/** Orders that only the state of the platform refuses. */
export const makeUnaffordable = (world: FuzzWorld, random: Random): Case => {
  const order = random.pick(world.orders)
  const operation = signedOperations.find(({ id }) => id === order.operation)!
  const state = random.pick(Object.keys(STATES))
  const { account = world.owned[0].account, body, key } = STATES[state]!(world, random)
  const given = Object.entries({ ...order.body, ...body }).filter(
    ([name]) => name in (operation.body!.properties as object),
  )
  const more: Header[] = key === undefined ? [] : [['Idempotency-Key', key]]
  const signed = { method: 'POST', target: order.path, body: JSON.stringify(Object.fromEntries(given)) }
  const parts = [bytesOf(signedDraft(signed, account, more))]
  return {
    kind: `refused by state: ${state}`,
    about: aboutOf(parts),
    parts,
    effect: 'nothing',
    judge: mustRefuse(operation),
  }
}
