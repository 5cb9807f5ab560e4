/**
 * AMLBot's API (rows S-1, S-2 and S-3 of docs/dialects.md) as `reference/ecosystem.md` 4.2 (November 2026) and public
 * integrations describe it: `POST /` and `POST /recheck`, forms signed with md5("what:accessKey:accessId"). Field by
 * field: README.md. Its answer about an address or a transaction depends on its last four characters; a fault can be
 * set for the next answers.
 */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { listenOnLoopback } from '../http/listen.ts'
import type { Listening } from '../http/listen.ts'
import { requireFreePort } from '../process/port.ts'
import { dataOf, waitsFor } from './outcomes.ts'
import type { Verdict } from './outcomes.ts'

export { VERDICTS } from './outcomes.ts'

/** `blocked`: HTTP 403 with a page, as Cloudflare answers an address that the provider has not allowed. */
export const FAULTS = ['down', 'html', 'blocked', 'slow', 'garbage'] as const
type Fault = (typeof FAULTS)[number]

export interface ScreeningEmulator extends Listening {
  /** its fault until another setting; undefined: it answers again */
  setFault(fault: Fault | undefined): void
  /**
   * sets the result for a transaction, for all deposits to an address of ours, or for a destination; without one, the
   * last four characters decide
   */
  setVerdict(what: string, verdict: Verdict): void
  /** members of the next reports' `data` that stand in place of its own; undefined: none */
  setData(members: Readonly<Record<string, unknown>> | undefined): void
  /** everything it was asked, oldest first */
  readonly asked: readonly Readonly<Record<string, string>>[]
}

export interface ScreeningOptions {
  /** 0: any free port */
  readonly port: number
  readonly accessId: string
  readonly accessKey: string
  readonly portSetting?: string
  /** the answer about an address without a setting; absent: its last characters decide */
  readonly standard?: Verdict
  readonly now?: () => number
}

const SLOW_MS = 30_000
const MOST_BYTES = 65_536

interface Pending {
  readonly hash: string
  readonly fields: Readonly<Record<string, string>>
  left: number
}

/** Throws PortInUse. */
export async function startScreening({
  port,
  portSetting,
  standard,
  accessId,
  accessKey,
  now = Date.now,
}: ScreeningOptions): Promise<ScreeningEmulator> {
  const asked: Record<string, string>[] = []
  const pending = new Map<string, Pending>()
  const verdicts = new Map<string, Verdict>()
  let fault: Fault | undefined
  let replaced: Readonly<Record<string, unknown>> = {}
  if (port !== 0) await requireFreePort(port, 'the screening emulator', portSetting)

  const tokenOf = (what: string): string => createHash('md5').update(`${what}:${accessKey}:${accessId}`).digest('hex')
  const answered = (path: string, fields: Record<string, string>): unknown => {
    const what = path === '/recheck' ? fields['uid'] : fields['hash']
    if (what === undefined || what === '') return refused(path === '/recheck' ? 'uid is required' : 'hash is required')
    if (fields['accessId'] !== accessId || fields['token'] !== tokenOf(what))
      return refused('Access denied: wrong token')
    if (path === '/recheck') return recheck(what)
    if (!fields['asset']) return refused('asset is required')
    if (fields['address'] !== undefined && !['deposit', 'withdrawal'].includes(fields['direction'] ?? ''))
      return refused('direction is required')
    const verdict = verdictOf(fields)
    const waits = verdict === undefined ? waitsFor(what) : verdict === 'pending' ? 1 : 0
    if (waits === 0) return success(what, uidOf(what), fields)
    pending.set(uidOf(what), { hash: what, fields, left: waits })
    return { result: true, balance: 100, data: { uid: uidOf(what), status: 'pending' } }
  }
  const recheck = (uid: string): unknown => {
    const waiting = pending.get(uid)
    if (waiting === undefined) return refused('uid is not known')
    waiting.left -= 1
    const verdict = verdictOf(waiting.fields)
    if (verdict === 'pending' || (verdict === undefined && waiting.left > 0))
      return { result: true, balance: 100, data: { uid, status: 'pending' } }
    return success(waiting.hash, uid, waiting.fields)
  }
  const verdictOf = ({ hash, address }: Readonly<Record<string, string>>): Verdict | undefined => {
    const set = [hash, address]
      .map((one) => (one === undefined ? undefined : verdicts.get(one.toLowerCase())))
      .find((one) => one !== undefined)
    return set ?? standard
  }
  const said = (fields: Readonly<Record<string, string>>): Exclude<Verdict, 'pending'> | undefined => {
    const verdict = verdictOf(fields)
    return verdict === 'pending' ? undefined : verdict
  }
  const success = (hash: string, uid: string, fields: Readonly<Record<string, string>>): unknown => ({
    result: true,
    balance: 99,
    data: {
      ...dataOf({
        verdict: said(fields),
        hash,
        uid,
        asset: fields['asset']!,
        address: fields['address'],
        direction: fields['direction'],
        at: now(),
      }),
      ...replaced,
    },
  })

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '/').split('?')[0]!
    const body = await bodyOf(request)
    if (request.method !== 'POST' || !['/', '/recheck'].includes(path)) return void response.writeHead(404).end()
    const fields = Object.fromEntries(new URLSearchParams(body))
    asked.push({ ...fields, path })
    if (fault === 'down') return void response.writeHead(502).end()
    if (fault === 'html')
      return void response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<html><body>Just a moment...</body></html>')
    if (fault === 'blocked')
      return void response
        .writeHead(403, { 'content-type': 'text/html' })
        .end('<html><head><title>Attention Required! | Cloudflare</title></head></html>')
    const send = (value: unknown): void =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (fault === 'slow') return void setTimeout(() => send(answered(path, fields)), SLOW_MS).unref()
    send(
      fault === 'garbage'
        ? { result: true, data: { status: 'success', riskscore: 'high', signals: [0.1] } }
        : answered(path, fields),
    )
  }
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()))
  const listening = await listenOnLoopback(server, port)
  return {
    ...listening,
    asked,
    setVerdict: (what, verdict) => void verdicts.set(what.toLowerCase(), verdict),
    setData: (members = {}) => {
      replaced = members
    },
    setFault: (next) => {
      fault = next
    },
  }
}

const refused = (description: string): unknown => ({ result: false, description })
const uidOf = (what: string): string => createHash('sha256').update(what).digest('hex').slice(0, 40)

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MOST_BYTES) throw new Error('too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
