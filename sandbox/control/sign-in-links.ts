/** Links that give a browser on this machine the cookie of a session of the dashboard, once. */
import { randomBytes } from 'node:crypto'
import { TextAnswer } from '../http/server.ts'
import type { Route } from '../http/server.ts'
import { objectWith, text } from '../http/fields.ts'
import { Refusal } from '../http/refusal.ts'

const TOKEN = /^[A-Za-z0-9_-]{43}$/
/** As the dashboard sets it (`people/pages/visit.ts`). A cookie has no port, so that it is valid at the api, too. */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax'

interface Waiting {
  readonly cookie: string
  readonly to: string
}

/** `POST /sign-in-links {cookie, to}` answers `{path}`; the first `GET` of it sets the cookie and leads to `to`. */
export const signInLinkRoutes = (): Route[] => {
  const waiting = new Map<string, Waiting>()
  return [
    {
      method: 'POST',
      path: /^\/sign-in-links$/,
      name: 'POST /sign-in-links',
      handle: async (request) => {
        const fields = objectWith(request.json(), ['cookie', 'to'])
        const [cookie, to] = [text(fields, 'cookie'), text(fields, 'to')]
        if (!TOKEN.test(cookie)) throw new Refusal('cookie: send the value of the cookie of a session')
        if (!/^http:\/\/127\.0\.0\.1(:\d+)?\//.test(to)) throw new Refusal('to: send a URL at 127.0.0.1')
        const token = randomBytes(24).toString('base64url')
        waiting.set(token, { cookie, to })
        return { path: `/sign-in-links/${token}` }
      },
    },
    {
      method: 'GET',
      path: /^\/sign-in-links\/([\w-]{32})$/,
      name: 'GET /sign-in-links/TOKEN',
      handle: async ({ parameters }) => {
        const [token = ''] = parameters
        const found = waiting.get(token)
        if (found === undefined)
          throw new Refusal('this link was used: make another one with npm run try -- demo', { status: 404, code: 101 })
        waiting.delete(token)
        const headers = {
          location: found.to,
          'set-cookie': `__Host-bursar=${found.cookie}; ${ATTRIBUTES}`,
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
        }
        return new TextAnswer(303, headers, '')
      },
    },
  ]
}
