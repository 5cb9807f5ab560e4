/**
 * Starts the platform's processes as an operator would: the signer, then api, worker and watcher. One that ends by
 * itself is started again, as a service manager does.
 */
import { join } from 'node:path'
import { COMPILE_CACHE } from '../../server/src/platform/process/compile-cache.ts'
import { heapFlagsOf } from '../../server/src/platform/process/heap.ts'
import type { Programs } from '../../tools/build.ts'
import { isHealthy } from '../process/health.ts'
import { startProgram } from '../process/program.ts'
import type { SandboxSettings } from '../settings.ts'
import type { Supervisor } from '../supervise.ts'
import type { DatabaseUrls } from './database.ts'
import type { SandboxKeys } from './keys.ts'
import type { SettingsFiles } from './files.ts'

export interface Places {
  readonly programs: Programs
  readonly databaseUrls: DatabaseUrls
  readonly ratesUrl: string
  readonly smtpUrl: string
  readonly keys: SandboxKeys
  readonly files: SettingsFiles
  /** `BURSAR_ACQUIRERS_FILE` */
  readonly acquirers: string
  readonly exchangeFile: string
  /** `BURSAR_SCREENING_FILE`; absent when nothing is screened */
  readonly screeningFile?: string
  /** The signer's socket. The path is short, because it may have at most 107 bytes. */
  readonly socket: string
}

/** Returns the complete environment of a process; nothing is inherited. @param kind its database role */
export function environmentOf(
  places: Places,
  settings: SandboxSettings,
  kind: Parameters<DatabaseUrls>[0],
  inner: number,
): NodeJS.ProcessEnv {
  const { databaseUrls, ratesUrl, smtpUrl, keys, files, acquirers, exchangeFile, screeningFile, socket } = places
  return {
    PATH: process.env['PATH'],
    DATABASE_URL: databaseUrls(kind),
    BURSAR_DATA_KEY_FILE: keys.dataKey,
    BURSAR_CARD_KEY_FILE: keys.cardKey,
    BURSAR_HTTP: `127.0.0.1:${settings.ports.api}`,
    BURSAR_PUBLIC_URL: `http://127.0.0.1:${settings.ports.api}`,
    BURSAR_INNER: `127.0.0.1:${inner}`,
    BURSAR_NETWORKS_FILE: files.networks,
    BURSAR_ASSETS_FILE: files.assets,
    BURSAR_XPUBS_FILE: keys.wallet,
    BURSAR_POLICY_FILE: files.policy,
    BURSAR_ACQUIRERS_FILE: acquirers,
    BURSAR_EXCHANGE_FILE: exchangeFile,
    ...(screeningFile === undefined ? {} : { BURSAR_SCREENING_FILE: screeningFile }),
    BURSAR_SIGNER: `unix:${socket}`,
    BURSAR_RATES_URL: ratesUrl,
    BURSAR_SMTP_URL: smtpUrl,
    BURSAR_MAIL_FROM: 'Bursar sandbox <payments@sandbox.example>',
    BURSAR_OUTBOUND_ALLOW: '127.0.0.0/8,::1/128',
    BURSAR_HTTP_WEBHOOKS: 'true',
    BURSAR_REQUESTS_PER_MINUTE: '1000000',
    BURSAR_PAGE_POSTS_PER_MINUTE: '1000000',
    BURSAR_PAGE_GETS_PER_MINUTE: '1000000',
    // A sandbox that runs briefly should not derive thousands of unused addresses.
    BURSAR_ADDRESS_STOCK: '200',
    BURSAR_SANDBOX: 'true',
    ...(process.env['BURSAR_LOG_LEVEL'] === undefined ? {} : { BURSAR_LOG_LEVEL: process.env['BURSAR_LOG_LEVEL'] }),
  }
}

export async function startSigner(
  supervisor: Supervisor,
  dir: string,
  { programs, keys, files, socket }: Places,
): Promise<void> {
  await supervisor.keep('signer', (signal) =>
    startProgram({
      signal,
      name: 'signer',
      file: process.execPath,
      args: [
        programs['bursar-signer'],
        'serve',
        '--seed',
        keys.seed,
        '--passphrase-file',
        keys.passphrase,
        '--policy',
        files.signerPolicy,
        '--log',
        join(dir, 'signer.log.jsonl'),
        '--socket',
        socket,
      ],
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: COMPILE_CACHE },
      logFile: join(dir, 'logs', 'signer.log'),
      recordFile: join(dir, 'signer.process.json'),
      ready: (pid) => isHealthy({ socketPath: socket }, pid),
    }),
  )
}

export type ServerRole = 'api' | 'worker' | 'watcher'

/** @param more variables for this start only, such as a pause point */
export async function startRole(
  supervisor: Supervisor,
  settings: SandboxSettings,
  places: Places,
  role: ServerRole,
  more: NodeJS.ProcessEnv = {},
): Promise<void> {
  const inner = settings.ports[role === 'api' ? 'innerApi' : role === 'worker' ? 'innerWorker' : 'innerWatcher']
  await supervisor.keep(role, (signal) =>
    startProgram({
      signal,
      name: role,
      file: process.execPath,
      args: [...heapFlagsOf(role), places.programs.bursar, 'serve', '--role', role],
      env: { ...environmentOf(places, settings, role, inner), NODE_COMPILE_CACHE: COMPILE_CACHE, ...more },
      logFile: join(settings.dir, 'logs', `${role}.log`),
      recordFile: join(settings.dir, `${role}.process.json`),
      ready: (pid) => isHealthy({ port: inner }, pid),
    }),
  )
}
