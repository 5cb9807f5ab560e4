import type { Server } from 'node:http'
import { createPageServer } from '../approvals/page-server.ts'
import type { PageServer, PageTls } from '../approvals/page-server.ts'
import { RefusalReports } from '../approvals/refusal-reports.ts'
import { Sessions } from '../approvals/sessions.ts'
import { listen } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import { createHttpServer } from './http-server.ts'
import type { HttpEvents, TlsFiles } from './http-server.ts'
import { openKeyring } from '../keys/open-keyring.ts'
import type { LogOptions } from '../log/log.ts'
import { openMemory } from '../log/memory.ts'
import { readPolicy } from '../policy/policy.ts'
import type { Policy } from '../policy/policy.ts'
import { readTrustedFile } from '../keys/secret-file.ts'
import { requireRotatable } from '../rules/rotation.ts'
import { Signer, chainOf } from './signer.ts'

export interface ServeOptions {
  seedFile: string
  /** Overwritten once the seed is decrypted */
  passphrase: Buffer
  policyFile: string
  logFile: string
  endpoint: Endpoint
  /** Needed with a port, unused with a socket. Called at start and at each reload. */
  tls?: () => Promise<TlsFiles>
  /** The page on which people approve payments; absent: there is none */
  approvals?: ApprovalsOptions
  events: HttpEvents
  /** ms since the epoch */
  now: () => number
  log?: LogOptions
}

export interface ApprovalsOptions {
  host: string
  port: number
  /** Scheme, host and port as people's browsers show them */
  origin: string
  /** Needed unless the origin is of this machine, for tests. Called at start and at each reload. */
  tls?: () => Promise<PageTls>
}

export interface RunningSigner {
  /** The socket's path, or host and port */
  address: string
  masterFingerprint: string
  policyHash: string
  /**
   * Reloads policy, certificates and lists of clients; returns the policy's hash. If one is not valid, throws and
   * changes nothing
   */
  reload(): Promise<string>
  /** Answers the requests in progress, then closes everything and overwrites the keys */
  stop(): Promise<void>
}

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost'])

/** Opens seed, policy and log, and starts listening. It holds the log's lock before anything can be signed. */
export async function startSigner(options: ServeOptions): Promise<RunningSigner> {
  const { endpoint, events, now } = options
  const readTls = 'socketPath' in endpoint ? undefined : requireTls(options)
  const tls = await readTls?.()
  const pageTls = await options.approvals?.tls?.()
  const policy = await loadPolicy(options.policyFile)
  const keyring = await openKeyring(options.seedFile, options.passphrase, chainOf(policy) ?? 'mainnet')
  requireRotatable(keyring, policy)
  const { masterFingerprint, next } = keyring.publicKeys
  const header = { kind: 'log', version: 1, at: now(), masterFingerprint } as const
  const { log, history } = await openMemory(options.logFile, header, {
    ...options.log,
    second: next?.masterFingerprint,
  })
  const { approvals } = options
  const signer = new Signer({ policy, keyring, log, history, now, ...(approvals && { approvalsAt: approvals.origin }) })
  const { server, prepareTls } = createHttpServer(signer, events, tls)
  const page = approvals && createPage(approvals, pageTls, signer, options)
  const close = async (): Promise<void> => {
    await signer.drained()
    keyring.close()
    await log.close()
  }
  try {
    const address = await listen(server, endpoint)
    if (page) await listen(page.server, approvals!)
    const reload = async (): Promise<string> => {
      const [next, nextTls, nextPageTls] = await Promise.all([
        loadPolicy(options.policyFile),
        readTls?.(),
        approvals?.tls?.(),
      ])
      const takeTls = nextTls && prepareTls(nextTls)
      const takePageTls = nextPageTls && page?.prepareTls(nextPageTls)
      signer.replacePolicy(next)
      takeTls?.()
      takePageTls?.()
      return next.hash
    }
    const stop = (): Promise<void> => Promise.all([closeServer(server), page && closeServer(page.server)]).then(close)
    return { address, masterFingerprint, policyHash: policy.hash, reload, stop }
  } catch (error) {
    await Promise.all([closeServer(server), page && closeServer(page.server)])
    await close()
    throw error
  }
}

function createPage(
  { origin, host, tls }: ApprovalsOptions,
  pageTls: PageTls | undefined,
  { approvals }: Signer,
  { logFile, now, events }: ServeOptions,
): PageServer {
  const isLocal = LOOPBACK.has(host) && new URL(origin).hostname === 'localhost'
  if (!tls && !isLocal) throw new Error('The page for approvals needs --approvals-cert and --approvals-key')
  const reports = new RefusalReports((code, message) => events.refused(code, message), now)
  const pageEvents = { ...events, refused: (code: string, message: string) => reports.refused(code, message) }
  const world = { origin, approvals, sessions: new Sessions(origin, now), logFile, now, events: pageEvents }
  return createPageServer(world, pageTls)
}

async function loadPolicy(path: string): Promise<Policy> {
  return readPolicy(await readTrustedFile(path))
}

function requireTls({ tls }: ServeOptions): () => Promise<TlsFiles> {
  if (!tls) {
    throw new Error(
      'A port needs --tls-cert, --tls-key, --tls-ca and --tls-clients: callers prove who they are by certificate',
    )
  }
  return tls
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}
