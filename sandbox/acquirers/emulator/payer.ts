/** The payer's steps on the hosted page: card, 3-D Secure if the card has it, back to the shop. */
import { TextAnswer } from '../../http/server.ts'
import type { Route, SandboxRequest } from '../../http/server.ts'
import type { Context } from './context.ts'
import type { Order } from './order.ts'
import { cardPage, endPage, plainPage, securePage } from './page.ts'
import { confirmSecure, findOrder, isCard, payByCard, takesCard } from './payments.ts'

export function payerRoutes(context: Context): Route[] {
  const step = (method: string, path: string, act: (order: Order, request: SandboxRequest) => TextAnswer): Route => ({
    method,
    path: new RegExp(`^/pay/([0-9a-f]{32})${path}$`),
    name: `${method} /pay/<token>${path}`,
    handle: async (request) => {
      const order = context.orders.all().find(({ token }) => token === request.parameters[0])
      return order === undefined
        ? html(404, plainPage(context.dialect, 'There is no such payment'))
        : act(findOrder(context, order.reference, order.kind)!, request)
    },
  })
  const show = (order: Order): TextAnswer => {
    if (takesCard(context, order)) return html(200, cardPage(context.dialect, order))
    return html(200, order.status === 'secure' ? securePage(context.dialect, order) : endPage(context.dialect, order))
  }
  return [
    step('GET', '', show),
    step('POST', '', (order, { rawBody }) => {
      const number = (new URLSearchParams(rawBody).get('card') ?? '').replace(/[\s-]/g, '')
      if (takesCard(context, order) && !isCard(number))
        return html(422, cardPage(context.dialect, order, 'There is no card of this number.'))
      return seeAgain(payByCard(context, order, number))
    }),
    step('POST', '/secure', (order, { rawBody }) =>
      seeAgain(confirmSecure(context, order, new URLSearchParams(rawBody).get('code')?.trim() ?? '')),
    ),
    step('POST', '/cancel', (order) => seeAgain(confirmSecure(context, order, undefined))),
  ]
}

export function html(status: number, text: string): TextAnswer {
  return new TextAnswer(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }, text)
}

function seeAgain({ token }: Order): TextAnswer {
  return new TextAnswer(303, { location: `/pay/${token}` }, '')
}
