/** The signer's own page for approvals, as a browser speaks to it, in a process of its own. */
import { request as httpRequest } from 'node:http'
import { onTestFinished } from 'vitest'
import { reservePorts } from '../setup/ports.ts'
import { ASSERTION, type TestPasskey } from './passkeys.ts'
import { serve, type Files } from './signer-process.ts'

export interface Said {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

export interface PageClient {
  origin: string
  /** Sends a request as a browser that has no cookies of its own. */
  ask(
    method: string,
    path: string,
    more?: { form?: Record<string, string>; headers?: Record<string, string> },
  ): Promise<Said>
}

/** A port for the page, and its origin on this machine. */
export async function reserveOrigin(): Promise<{ origin: string; port: number }> {
  const [port] = (await reservePorts(1)) as [number]
  return { origin: `http://localhost:${port}`, port }
}

export const pageArguments = ({ origin, port }: { origin: string; port: number }): string[] => [
  '--approvals-listen',
  `127.0.0.1:${port}`,
  '--approvals-origin',
  origin,
]

export function pageClient({ origin, port }: { origin: string; port: number }): PageClient {
  return {
    origin,
    ask: (method, path, { form, headers = {} } = {}) =>
      new Promise((resolve, reject) => {
        const body = form && new URLSearchParams(form).toString()
        const sent = {
          host: new URL(origin).host,
          ...(body !== undefined && { origin, 'content-type': 'application/x-www-form-urlencoded' }),
          ...headers,
        }
        const request = httpRequest(
          { host: '127.0.0.1', port, method, path, headers: sent, agent: false },
          (response) => {
            const chunks: Buffer[] = []
            response.on('data', (chunk: Buffer) => chunks.push(chunk))
            response.on('end', () =>
              resolve({
                status: response.statusCode!,
                headers: response.headers,
                body: Buffer.concat(chunks).toString('utf8'),
              }),
            )
            response.on('error', reject)
          },
        )
        request.on('error', reject)
        request.end(body)
      }),
  }
}

/** Starts a signer with its page. */
export async function servePage(
  files: Files,
  place: { origin: string; port: number },
): Promise<Awaited<ReturnType<typeof serve>> & { page: PageClient }> {
  const running = await serve(files, pageArguments(place))
  // The next test listens on the same port.
  onTestFinished(async () => {
    running.child.kill('SIGKILL')
    await running.ended
  })
  return { ...running, page: pageClient(place) }
}

/** A form of a page: its hidden fields, and the challenge that it has the passkey sign. */
export interface PageForm {
  action: string
  challenge: Buffer
  fields: Record<string, string>
}

const unescaped = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')

/** Reads the forms of a page that use a passkey. */
export function formsOf({ body }: Said): PageForm[] {
  return [...body.matchAll(/<form method="post" action="([^"]+)" data-challenge="([^"]+)"(.*?)<\/form>/gs)].map(
    ([, action = '', challenge = '', content = '']) => ({
      action,
      challenge: Buffer.from(challenge, 'base64url'),
      fields: Object.fromEntries(
        [...content.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
          name,
          unescaped(value),
        ]),
      ),
    }),
  )
}

/** Fills in a form with the answer of a passkey, as the page's script does. */
export function filled(
  form: PageForm,
  passkey: TestPasskey,
  how?: Parameters<TestPasskey['answer']>[1],
): Record<string, string> {
  const answer = passkey.answer(form.challenge, how)
  const texts = ASSERTION.map((name) => [name, answer[name].toString('base64url')])
  return { ...form.fields, credentialId: passkey.credentialId, ...Object.fromEntries(texts) }
}

/** Signs in. @returns the header with the cookie of the session */
export async function signIn(page: PageClient, passkey: TestPasskey): Promise<{ cookie: string }> {
  const [form] = formsOf(await page.ask('GET', '/')) as [PageForm]
  const said = await page.ask('POST', '/sign-in', { form: filled(form, passkey) })
  if (said.status !== 303) throw new Error(`the sign-in was answered ${said.status}`)
  return { cookie: String(said.headers['set-cookie']).split(';')[0]! }
}
