/** Requests of merchants to the handlers of routes, without the HTTP server: signatures and schemas are not checked. */
import { randomUUID } from 'node:crypto'
import { ApiRefusal, type ApiRequest, type Route } from '../../server/src/platform/api/route.ts'

export interface Answer {
  status: number
  /** as parsed from the JSON that is sent */
  body: Record<string, unknown> & { id?: string; status?: string; code?: number; description?: string }
  headers?: Readonly<Record<string, string>>
}

/** Calls the route of an operation. @throws ApiRefusal */
export const callRoute = async (
  routes: readonly Route[],
  operation: string,
  merchantId: string,
  request: Partial<ApiRequest> = {},
): Promise<Answer> => {
  const route = routes.find((one) => one.operation === operation)
  if (!route) throw new Error(`no route for ${operation}`)
  const answer = await route.handle({
    merchantId,
    params: {},
    query: {},
    body: undefined,
    keyId: randomUUID(),
    requestId: 'r',
    answerKeys: [],
    ...request,
  })
  return {
    status: answer.status,
    ...(answer.headers && { headers: answer.headers }),
    body: JSON.parse('json' in answer ? answer.json : JSON.stringify(answer.body)) as Answer['body'],
  }
}

/** The same, with a refusal as the body that the HTTP server makes of it. */
export const answerOf = async (...request: Parameters<typeof callRoute>): Promise<Answer> => {
  try {
    return await callRoute(...request)
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error
    const { status, code, message: description, field } = error
    return { status, body: { code, description, ...(field && { field }) } }
  }
}
