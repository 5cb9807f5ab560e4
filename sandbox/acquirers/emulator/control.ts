/** Actions of a tester on an emulator, over HTTP. */
import { objectWith, text } from '../../http/fields.ts'
import { Refusal } from '../../http/refusal.ts'
import type { Route, SandboxRequest } from '../../http/server.ts'
import type { Context } from './context.ts'
import type { Order } from './order.ts'
import { unitsOf } from './numbers.ts'
import { endRefunds, findOrder, giveBackOutside, reverse } from './payments.ts'
import { release } from './payouts.ts'

export function controlRoutes(context: Context): Route[] {
  const post = (path: string, act: (request: SandboxRequest) => unknown): Route => ({
    method: 'POST',
    path: new RegExp(`^/__control/${path}$`),
    name: `POST /__control/${path}`,
    handle: async (request) => act(request),
  })
  const orderOf = (request: SandboxRequest): Order => {
    const reference = text(objectWith(request.json(), ['reference']), 'reference')
    const order = findOrder(context, reference)
    if (order === undefined)
      throw new Refusal('reference: there is no such payment or payout', { status: 404, code: 101 })
    return order
  }
  const giveBackPart = (inContext: Context, request: SandboxRequest): Order => {
    const fields = objectWith(request.json(), ['reference', 'units'])
    const order = findOrder(inContext, text(fields, 'reference'), 'payment')
    const after = order && giveBackOutside(inContext, order, unitsOf(text(fields, 'units')) ?? 0n)
    if (after === undefined) throw new Refusal('units: there is no payment with so much left, such as "12.50"')
    return after
  }
  return [
    post('next', (request) => context.faults.next(request.json())),
    post('reverse', (request) => reverse(context, orderOf(request))),
    post('give-back', (request) => giveBackPart(context, request)),
    post('end-refunds', (request) => endRefunds(context, orderOf(request))),
    post('release', (request) => release(context, orderOf(request))),
    {
      method: 'GET',
      path: /^\/__control\/orders$/,
      name: 'GET /__control/orders',
      handle: async () => context.orders.all(),
    },
    {
      method: 'GET',
      path: /^\/__control\/callbacks$/,
      name: 'GET /__control/callbacks',
      handle: async () => context.deliveries.list(),
    },
  ]
}
