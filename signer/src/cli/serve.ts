import { parseArgs } from 'node:util'
import type { Endpoint } from '../server/endpoint.ts'
import type { HttpEvents, TlsFiles } from '../server/http-server.ts'
import { LogFailed } from '../log/log.ts'
import { readOrigin } from '../policy/approvers.ts'
import { readSecretFile, readTrustedFile } from '../keys/secret-file.ts'
import { startSigner } from '../server/serve.ts'
import type { ApprovalsOptions, RunningSigner } from '../server/serve.ts'
import { readClients } from '../server/tls-clients.ts'
import { readPassphrase } from './passphrase.ts'
import { VERSION } from './version.ts'

const OPTIONS = {
  seed: { type: 'string' },
  'passphrase-file': { type: 'string' },
  'passphrase-stdin': { type: 'boolean' },
  policy: { type: 'string' },
  log: { type: 'string' },
  socket: { type: 'string' },
  listen: { type: 'string' },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
  'tls-ca': { type: 'string' },
  'tls-clients': { type: 'string' },
  'tls-crl': { type: 'string' },
  'approvals-listen': { type: 'string' },
  'approvals-origin': { type: 'string' },
  'approvals-cert': { type: 'string' },
  'approvals-key': { type: 'string' },
  'exit-on-stdin-end': { type: 'boolean' },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

/**
 * Serves until SIGTERM or SIGINT. SIGHUP reloads the policy, the certificates, the list of clients and the list of
 * revoked certificates. With `--exit-on-stdin-end` the signer also stops when its standard input ends, that is, when
 * the process that started it ends. Prints a line of JSON when it is ready.
 */
export async function serve(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: OPTIONS })
  const passphrase = await readPassphrase({ file: values['passphrase-file'], stdin: values['passphrase-stdin'] })
  const tls = tlsReader(values)
  const approvals = readApprovals(values)
  const running = await startSigner({
    seedFile: required(values, 'seed'),
    passphrase,
    policyFile: required(values, 'policy'),
    logFile: required(values, 'log'),
    endpoint: readEndpoint(values),
    ...(tls && { tls }),
    ...(approvals && { approvals }),
    events: EVENTS,
    now: Date.now,
  })
  attachSignals(running, values['exit-on-stdin-end'] ?? false)
  const { address, masterFingerprint, policyHash } = running
  process.stdout.write(`${JSON.stringify({ ready: true, version: VERSION, address, masterFingerprint, policyHash })}\n`)
}

const EVENTS: HttpEvents = {
  refused: (code, message) => note({ refused: code, message }),
  failed: (error) => {
    note({ failed: error.name, message: error.message })
    if (error instanceof LogFailed) process.exit(1)
  },
}

/** Writes one line of JSON to standard error. It contains no secrets: a refusal repeats only data of the request. */
function note(event: Record<string, string>): void {
  process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), ...event })}\n`)
}

function attachSignals(running: RunningSigner, exitOnStdinEnd: boolean): void {
  let isStopping = false
  const stop = (reason: string): void => {
    if (isStopping) return
    isStopping = true
    note({ stopping: reason })
    void running.stop().then(() => process.exit(0))
  }
  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('SIGINT', () => stop('SIGINT'))
  process.on('SIGHUP', () => {
    running.reload().then(
      (hash) => note({ policy: hash }),
      (error: Error) => note({ failed: 'policy and certificates are unchanged', message: error.message }),
    )
  })
  if (exitOnStdinEnd) process.stdin.on('end', () => stop('standard input ended')).resume()
}

function required(values: Values, name: 'seed' | 'policy' | 'log'): string {
  const value = values[name]
  if (!value) throw new Error(`--${name} FILE is missing`)
  return value
}

function readEndpoint({ socket, listen }: Values): Endpoint {
  if ((socket === undefined) === (listen === undefined)) {
    throw new Error('Give either --socket PATH or --listen HOST:PORT')
  }
  if (socket !== undefined) return { socketPath: socket }
  return readPort(listen!, '--listen')
}

function readPort(text: string, name: string): { host: string; port: number } {
  const match = /^(.+):([0-9]{1,5})$/.exec(text)
  if (!match || Number(match[2]) > 65535) throw new Error(`${name} takes HOST:PORT`)
  return { host: match[1]!.replace(/^\[(.*)\]$/, '$1'), port: Number(match[2]) }
}

/** Reads where the page for approvals is; undefined when there is none. */
function readApprovals(values: Values): ApprovalsOptions | undefined {
  const { 'approvals-listen': listen, 'approvals-origin': origin } = values
  const { 'approvals-cert': cert, 'approvals-key': key } = values
  if ([listen, origin, cert, key].every((value) => value === undefined)) return undefined
  if (listen === undefined || origin === undefined || (cert === undefined) !== (key === undefined))
    throw new Error('Give --approvals-listen, --approvals-origin, --approvals-cert and --approvals-key together')
  return {
    ...readPort(listen, '--approvals-listen'),
    origin: readOrigin(origin, '--approvals-origin'),
    ...(cert !== undefined && {
      tls: async () => ({ cert: await readTrustedFile(cert), key: (await readSecretFile(key!)).toString() }),
    }),
  }
}

function tlsReader(values: Values): (() => Promise<TlsFiles>) | undefined {
  const { 'tls-cert': cert, 'tls-key': key, 'tls-ca': ca, 'tls-clients': clients, 'tls-crl': crl } = values
  if (!cert && !key && !ca && !clients && !crl) return undefined
  if (!cert || !key || !ca || !clients)
    throw new Error('Give --tls-cert, --tls-key, --tls-ca and --tls-clients together')
  return async () => ({
    cert: await readTrustedFile(cert),
    key: (await readSecretFile(key)).toString(),
    ca: await readTrustedFile(ca),
    ...(crl && { crl: await readTrustedFile(crl) }),
    clients: readClients(await readTrustedFile(clients)),
  })
}
