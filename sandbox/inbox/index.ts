/** The webhook inbox: a merchant's server that stores all requests, and misbehaves on demand. It shows mails too. */
import { setTimeout as sleep } from 'node:timers/promises'
import { objectWith, text, wholeNumber } from '../http/fields.ts'
import { Refusal } from '../http/refusal.ts'
import { Answer, serve, TextAnswer } from '../http/server.ts'
import type { Route, SandboxRequest, SandboxServer } from '../http/server.ts'
import type { MailStore } from '../mail/index.ts'
import { inboxPage, mailFrame, mailHeaders } from './page.ts'
import { openStore } from './store.ts'
import type { MessageStore } from './store.ts'

export type { Message } from './store.ts'

export interface InboxOptions {
  /** 0: any free port. */
  readonly port: number
  readonly portSetting?: string
  /** The folder of messages. */
  readonly file: string
  /** Shown on the inbox's page. */
  readonly mails?: MailStore
  /** For `receivedAt`. */
  readonly now?: () => Date
  readonly log?: (line: string) => void
}

export interface Inbox extends SandboxServer {
  /** A merchant's notificationsUrl. */
  notificationsUrl(merchantId: string): string
}

interface Behaviour {
  readonly status: number
  readonly delayMs: number
  /** How many of the next messages are answered with 500. */
  failNext: number
}

const longestDelayMs = 600_000

/** Starts the inbox. Messages survive a restart, behaviours do not. Throws PortInUse. */
export async function startInbox(options: InboxOptions): Promise<Inbox> {
  const store = openStore(options.file)
  const behaviours = new Map<string, Behaviour>()
  const now = options.now ?? (() => new Date())
  const server = await serve({
    name: 'the webhook inbox',
    port: options.port,
    ...(options.portSetting === undefined ? {} : { portSetting: options.portSetting }),
    ...(options.log === undefined ? {} : { log: options.log }),
    routes: [
      {
        method: 'POST',
        path: /^\/merchant\/([^/]+)$/,
        name: 'POST /merchant/<merchantId>',
        handle: (request) => receive(request, store, behaviours, now()),
      },
      ...pageRoutes(store, options.mails),
      { method: 'GET', path: /^\/messages$/, name: 'GET /messages', handle: async ({ query }) => list(query, store) },
      {
        method: 'PUT',
        path: /^\/behaviour$/,
        name: 'PUT /behaviour',
        handle: async (request) => behave(request, behaviours),
      },
    ],
  })
  return { ...server, notificationsUrl: (merchantId) => `${server.url}/merchant/${encodeURIComponent(merchantId)}` }
}

async function receive(
  request: SandboxRequest,
  store: MessageStore,
  behaviours: Map<string, Behaviour>,
  at: Date,
): Promise<Answer> {
  const merchantId = request.parameters[0] ?? ''
  const behaviour = behaviours.get(merchantId)
  const fails = behaviour !== undefined && behaviour.failNext > 0
  if (fails) behaviour.failNext--
  const status = fails ? 500 : (behaviour?.status ?? 200)
  store.append({
    receivedAt: at.toISOString(),
    merchantId,
    url: `http://${request.headers.host ?? ''}${request.target}`,
    headers: request.headers,
    body: request.rawBody,
    answered: status,
  })
  if (behaviour !== undefined && behaviour.delayMs > 0) await sleep(behaviour.delayMs, undefined, { ref: false })
  return new Answer(status, undefined)
}

function pageRoutes(store: MessageStore, mails: MailStore | undefined): Route[] {
  const find = async (seq: string | undefined) => {
    const mail = (await mails?.after(Number(seq) - 1))?.[0]
    if (mail === undefined || String(mail.seq) !== seq)
      throw new Refusal('there is no such mail', { status: 404, code: 101 })
    return mail
  }
  const page = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'",
  }
  return [
    {
      method: 'GET',
      path: /^\/$/,
      name: 'GET /',
      handle: async () => new TextAnswer(200, page, inboxPage((await mails?.after(0)) ?? [], store.after(0))),
    },
    {
      method: 'GET',
      path: /^\/mails\/(\d{1,9})\/html$/,
      name: 'GET /mails/<seq>/html',
      handle: async ({ parameters }) => new TextAnswer(200, mailHeaders, mailFrame((await find(parameters[0])).html)),
    },
    {
      method: 'GET',
      path: /^\/mails\/(\d{1,9})\/attachments\/(\d{1,3})$/,
      name: 'GET /mails/<seq>/attachments/<place>',
      handle: async ({ parameters }) => {
        const attachment = (await find(parameters[0])).attachments[Number(parameters[1])]
        if (attachment === undefined) throw new Refusal('there is no such attachment', { status: 404, code: 101 })
        return new TextAnswer(
          200,
          { 'content-type': attachment.type, 'x-content-type-options': 'nosniff' },
          attachment.bytes,
        )
      },
    },
  ]
}

function list(query: Readonly<Record<string, string>>, store: MessageStore): unknown {
  objectWith(query, ['after', 'merchantId'])
  const after = query['after'] ?? '0'
  if (!/^\d{1,15}$/.test(after)) throw new Refusal('after: send the seq of the last message you have, or 0')
  return store.after(Number(after), query['merchantId'])
}

function behave(request: SandboxRequest, behaviours: Map<string, Behaviour>): Behaviour {
  const fields = objectWith(request.json(), ['merchantId', 'status', 'delayMs', 'failNext'])
  const behaviour = {
    status: wholeNumber(fields, 'status', 200, 599, 200),
    delayMs: wholeNumber(fields, 'delayMs', 0, longestDelayMs, 0),
    failNext: wholeNumber(fields, 'failNext', 0, 1_000_000, 0),
  }
  behaviours.set(text(fields, 'merchantId'), behaviour)
  return behaviour
}
