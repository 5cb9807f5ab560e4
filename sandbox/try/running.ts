/** Finds and queries the sandbox that runs on this machine, for `npm run try`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Bursar } from '@bursar/sdk'

/** The sandbox's description of itself in `.bursar/sandbox.json`. */
export interface Description {
  readonly api: string
  readonly control: string
  readonly inbox: string
  /** absent: nothing is screened */
  readonly screening?: object
  readonly chains: readonly { readonly blockchain: string }[]
  /** Of the command `bursar`. */
  readonly environment: NodeJS.ProcessEnv
  readonly merchants: readonly { readonly id: string; readonly privateKey: string }[]
}

/** Thrown when no sandbox runs, or when it refuses a request; the message says what to do. */
export class SandboxError extends Error {}

const NOT_RUNNING = 'the sandbox is not running: start it with `npm start` in another terminal, and wait for "ready"'
const WAIT_MS = 120_000

/** @throws SandboxError where no sandbox has run, or another user owns it */
export function readDescription(dir: string): Description {
  const file = join(dir, 'sandbox.json')
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Description
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES') throw new SandboxError(`another user started the sandbox: ${file} can't be read`)
    throw new SandboxError(NOT_RUNNING, { cause: error })
  }
}

export function merchantClient({ api, merchants }: Description, position: 0 | 1): Bursar {
  const { id, privateKey } = merchants[position]!
  return new Bursar({ url: api, merchantId: id, privateKey })
}

/**
 * A verb of the control server.
 *
 * @throws SandboxError with the reason for a refusal
 */
export async function control<T>({ control: url }: Description, path: string, body?: object): Promise<T> {
  const sent =
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const answer = await fetch(url + path, sent)
  const value = (await answer.json()) as T & { description?: string }
  if (!answer.ok) throw new SandboxError(value.description ?? `the control server answered ${answer.status}`)
  return value
}

export interface SandboxMail {
  readonly subject: string
  readonly text: string
  readonly attachments: readonly { readonly name: string; readonly size: number }[]
}

/** Returns mails to an address, oldest first. */
export function mailsTo(sandbox: Description, to: string): Promise<SandboxMail[]> {
  return control(sandbox, `/mail?to=${encodeURIComponent(to)}`)
}

/**
 * Prints the webhooks of one object until one of the statuses `last` came.
 *
 * @throws SandboxError when none of them comes within two minutes
 */
export async function printWebhooks(
  sandbox: Description,
  isIt: (body: Record<string, unknown>) => boolean,
  last: readonly string[],
): Promise<void> {
  const deadline = performance.now() + WAIT_MS
  let after = 0
  while (performance.now() < deadline) {
    const messages = (await (await fetch(`${sandbox.inbox}/messages?after=${after}`)).json()) as {
      readonly seq: number
      readonly body: string
    }[]
    for (const message of messages) {
      after = message.seq
      const body = JSON.parse(message.body) as Record<string, unknown>
      if (!isIt(body)) continue
      console.log(`webhook  ${String(body['kind'])} ${String(body['status'])}: ${message.body}`)
      if (last.includes(String(body['status']))) return
    }
    await sleep(250)
  }
  throw new SandboxError(`no webhook ${last.join(' or ')} came within ${WAIT_MS / 1000} s: see .bursar/logs`)
}

/** @returns whether a request failed because nothing listens there: an ended sandbox leaves its description */
export function isUnreachable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ((cause as NodeJS.ErrnoException).code === 'ECONNREFUSED') return true
  return false
}

export const notRunning = (): SandboxError => new SandboxError(NOT_RUNNING)
