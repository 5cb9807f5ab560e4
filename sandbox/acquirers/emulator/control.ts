/** What a tester does to an emulator, over HTTP. */
import { objectWith, text } from '../../http/fields.ts'
import { Refusal } from '../../http/refusal.ts'
import type { Route, SandboxRequest } from '../../http/server.ts'
import type { Desk } from './desk.ts'
import type { Order } from './order.ts'
import { unitsOf } from './numbers.ts'
import { endRefunds, findOrder, giveBackOutside, reverse } from './payments.ts'
import { release } from './payouts.ts'

export function controlRoutes(desk: Desk): Route[] {
  const post = (path: string, act: (request: SandboxRequest) => unknown): Route => ({
    method: 'POST',
    path: new RegExp(`^/__control/${path}$`),
    name: `POST /__control/${path}`,
    handle: async (request) => act(request),
  })
  const orderOf = (request: SandboxRequest): Order => {
    const reference = text(objectWith(request.json(), ['reference']), 'reference')
    const order = findOrder(desk, reference)
    if (order === undefined)
      throw new Refusal('reference: there is no such payment or payout', { status: 404, code: 101 })
    return order
  }
  const giveBackPart = (inDesk: Desk, request: SandboxRequest): Order => {
    const fields = objectWith(request.json(), ['reference', 'units'])
    const order = findOrder(inDesk, text(fields, 'reference'), 'payment')
    const after = order && giveBackOutside(inDesk, order, unitsOf(text(fields, 'units')) ?? 0n)
    if (after === undefined) throw new Refusal('units: there is no payment with so much left, such as "12.50"')
    return after
  }
  return [
    post('next', (request) => desk.faults.next(request.json())),
    post('reverse', (request) => reverse(desk, orderOf(request))),
    post('give-back', (request) => giveBackPart(desk, request)),
    post('end-refunds', (request) => endRefunds(desk, orderOf(request))),
    post('release', (request) => release(desk, orderOf(request))),
    {
      method: 'GET',
      path: /^\/__control\/orders$/,
      name: 'GET /__control/orders',
      handle: async () => desk.orders.all(),
    },
    {
      method: 'GET',
      path: /^\/__control\/callbacks$/,
      name: 'GET /__control/callbacks',
      handle: async () => desk.deliveries.list(),
    },
  ]
}
