/** The browser of a member: pages and forms of the dashboard, as the api serves them. */
import { unescaped } from '../../world/page-text.ts'
import type { Simulation } from '../simulation.ts'

export interface Page {
  status: number
  /** of a redirect: the path where it leads; '' otherwise */
  location: string
  text: string
}

export interface Browser {
  get(path: string): Promise<Page>
  post(path: string, body: Readonly<Record<string, string>> | FormData): Promise<Page>
}

/** BURSAR_PUBLIC_URL of the settings: a form is accepted from its pages only. */
const ORIGIN = 'http://127.0.0.1:1'

/**
 * @param token of the session
 * @returns pages with status 0 when the api did not answer
 */
export const browse = ({ roles }: Simulation, token: string): Browser => {
  const send = async (path: string, init: RequestInit): Promise<Page> => {
    const api = roles.get('api')?.api
    const headers = { accept: 'text/html', origin: ORIGIN, cookie: `__Host-bursar=${token}`, ...init.headers }
    try {
      if (!api) throw new Error('no api')
      const answer = await fetch(`${api}${path}`, { ...init, headers, redirect: 'manual' })
      return { status: answer.status, location: answer.headers.get('location') ?? '', text: await answer.text() }
    } catch {
      return { status: 0, location: '', text: '' }
    }
  }
  return {
    get: (path) => send(path, {}),
    post: (path, body) =>
      send(path, { method: 'POST', body: body instanceof FormData ? body : new URLSearchParams(body) }),
  }
}

/** The hidden fields of the first form of a page that has these; undefined: no form has them. */
export const formOf = (
  { text }: Page,
  wanted: { name: string; value?: string },
): Record<string, string> | undefined => {
  for (const [form] of text.matchAll(/<form [^]*?<\/form>/g)) {
    const fields = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
      ([, name, value]) => [name!, unescaped(value!)] as const,
    )
    if (fields.some(([name, value]) => name === wanted.name && value === (wanted.value ?? value)))
      return Object.fromEntries(fields)
  }
  return undefined
}
