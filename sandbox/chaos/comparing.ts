/**
 * Compares the merchants' orders with their results: in the API, in the webhooks, on the chains, at the bank and
 * on the balances. The books and the chains are compared by `bursar reconcile`.
 */
import type { EventRecord } from '@bursar/sdk'
import { control } from '../try/running.ts'
import type { Description } from '../try/running.ts'
import { patiently } from './asking.ts'
import { differencesOfBalances, unitsOf } from './balances.ts'
import { eventsOf, objectsOf } from './events.ts'
import type { Objects } from './events.ts'
import { hasLocalId } from './orders.ts'
import type { Chaos, ChaosMerchant, Order } from './orders.ts'
import { finalStatuses, webhookKey } from './webhooks.ts'
import type { Webhooks } from './webhooks.ts'

/** The lost, double or different objects, one line each with the ids; and the number of comparisons. */
export interface Comparison {
  readonly problems: string[]
  readonly notifications: number
  readonly balances: number
  /** Orders that ended as failed, with the reason. They paid nothing. */
  readonly failed: string[]
}

interface BankPayout {
  readonly id: string
  readonly status: string
  readonly amount: string
  readonly card?: string
}

/** Returns all payouts of the bank. */
export const payoutsOf = async (sandbox: Description): Promise<BankPayout[]> =>
  (await control<{ payouts: BankPayout[] }>(sandbox, '/bank/find')).payouts

export async function compare(chaos: Chaos, webhooks: Webhooks): Promise<Comparison> {
  const problems: string[] = [...webhooks.problems]
  const failed: string[] = []
  const bank = (await payoutsOf(chaos.sandbox)).filter(({ id }) => !chaos.paidBefore.has(id))
  const asked = new Set<string>()
  let notifications = 0
  let balances = 0
  for (const merchant of chaos.merchants) {
    const events = await eventsOf(chaos, merchant)
    notifications += events.length
    problems.push(...differencesOfWebhooks(merchant, events, webhooks))
    const byObject = Map.groupBy(events, ({ objectId }) => objectId)
    for (const order of chaos.orders.filter((one) => one.merchant === merchant)) {
      const objects = objectsOf(order, byObject)
      for (const [id] of objects) asked.add(id)
      problems.push(...(await judge(chaos, order, objects, { bank, failed })))
    }
    for (const [id, [first]] of byObject)
      if (!asked.has(id)) problems.push(`${first!.kind} ${id} of ${merchant.name}: no actor placed it`)
    const compared = await differencesOfBalances(chaos, merchant, byObject)
    balances += compared.count
    problems.push(...compared.problems)
  }
  return { problems, notifications, balances, failed }
}

/** Each notification of the merchant's list was received with that body, and nothing else was. */
function differencesOfWebhooks(merchant: ChaosMerchant, events: EventRecord[], { bodies }: Webhooks): string[] {
  const problems: string[] = []
  const listed = new Set<string>()
  for (const { id, objectId, kind, status, body } of events) {
    const key = webhookKey(merchant, id)
    listed.add(key)
    const received = bodies.get(key)
    const what = `notification ${id} of ${merchant.name} (${kind} ${objectId} ${status})`
    if (received === undefined) problems.push(`${what}: its webhook was not received`)
    else if (JSON.stringify(JSON.parse(received)) !== JSON.stringify(body))
      problems.push(`${what}: its webhook has another body`)
  }
  for (const key of bodies.keys())
    if (key.startsWith(merchant.id) && !listed.has(key)) problems.push(`webhook ${key}: the merchant's list lacks it`)
  return problems
}

async function judge(
  chaos: Chaos,
  order: Order,
  objects: Objects,
  { bank, failed }: { bank: readonly BankPayout[]; failed: string[] },
): Promise<string[]> {
  const { kind, name, id, merchant, state } = order
  const what = `${kind} ${name} of ${merchant.name}${id === undefined ? '' : ` (${id})`}`
  const paid = await paidFor(chaos, order, bank)
  if (state === 'refused' || state === 'not placed') {
    const found = hasLocalId(order) ? await patiently(chaos, () => merchant.client.withdrawals.find(name)) : undefined
    const isThere = found !== undefined || objects.length > 0 || (paid?.payments ?? 0) > 0
    return isThere ? [`${what}: is ${state}, and exists or was paid all the same`] : []
  }
  if (state === 'asked') return [`${what}: its call did not end`]
  if (objects.length === 0) return [`${what}: LOST, it was accepted and has no notification`]
  if (objects.length > 1) return [`${what}: DOUBLE, it exists as ${objects.map(([one]) => one).join(' and ')}`]
  const [[, events]] = objects as [Objects[number]]
  const problems: string[] = []
  if (hasLocalId(order)) {
    const found = await patiently(chaos, () => merchant.client.withdrawals.find(name))
    if (found?.id !== objects[0]![0]) problems.push(`${what}: LOST, its localId finds ${found?.id ?? 'nothing'}`)
    else if (found.status !== events.at(-1)!.status)
      problems.push(`${what}: is ${found.status}, and was last notified as ${events.at(-1)!.status}`)
  }
  const finals = events.filter(({ status }) =>
    finalStatuses(kind, chaos.sandbox.screening !== undefined).includes(status),
  )
  if (finals.length === 0) problems.push(`${what}: has not ended, its last status is ${events.at(-1)!.status}`)
  if (finals.length > 1) problems.push(`${what}: DOUBLE, it ended as ${finals.map(({ status }) => status).join(', ')}`)
  const end = finals[0]
  if (end === undefined) return problems
  const hasFailed = end.status === 'Failed' || end.status === 'EXPIRED'
  const body = end.body as unknown as Record<string, string | undefined>
  if (hasFailed) failed.push(`${what}: ${end.status} ${body['failReason'] ?? body['failedReason'] ?? ''}`)
  problems.push(...differencesOfAmounts(order, body, { what, hasFailed }))
  if (paid !== undefined) {
    const expected = hasFailed ? 0n : netOf(order, body)
    if (paid.units !== expected || paid.payments > 1) {
      const grade = paid.units > expected || paid.payments > 1 ? 'DOUBLE' : 'LOST'
      problems.push(`${what}: ${grade}, it is ${end.status} and the receiver got ${paid.text}`)
    }
  }
  return problems
}

/** The amount that a receiver gets: an exchange with withdrawal states the amount before the fee. */
const netOf = ({ kind }: Order, { amount = '0', fee = '0' }: Record<string, string | undefined>): bigint =>
  kind === 'exchange and withdrawal' ? unitsOf(amount) - unitsOf(fee) : unitsOf(amount)

function differencesOfAmounts(
  { kind, amount }: Order,
  body: Record<string, string | undefined>,
  { what, hasFailed }: { what: string; hasFailed: boolean },
): string[] {
  if (amount === undefined || hasFailed) return []
  const isInvoice = kind === 'crypto invoice' || kind === 'card invoice'
  const stated = body[isInvoice ? 'paidAmount' : 'amount'] ?? '0'
  if (unitsOf(stated) === unitsOf(amount)) return []
  return [`${what}: ${amount} was asked for or paid, and it ended with ${stated}`]
}

/** Returns the balance of the external receiver, or undefined if the order has no external receiver. */
async function paidFor(
  { sandbox }: Chaos,
  { kind, blockchain, ticker, to, card }: Order,
  bank: readonly BankPayout[],
): Promise<{ units: bigint; payments: number; text: string } | undefined> {
  if (card !== undefined) {
    const payouts = bank.filter((one) => one.card === card && one.status === 'succeeded')
    const units = payouts.reduce((sum, { amount }) => sum + unitsOf(amount), 0n)
    return { units, payments: payouts.length, text: payouts.map(({ amount }) => amount).join(' and ') || 'nothing' }
  }
  if (kind === 'deposit' || to === undefined) return undefined
  const query = new URLSearchParams({ blockchain: blockchain!, ticker: ticker!, address: to })
  const { value } = await control<{ value: string }>(sandbox, `/balance?${query}`)
  return { units: unitsOf(value), payments: unitsOf(value) === 0n ? 0 : 1, text: `${value} ${ticker}` }
}
