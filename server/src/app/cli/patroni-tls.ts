/** TLS of Patroni's REST interface and of its connections to etcd. */
import { readFileSync } from 'node:fs'
import { request as requestPlain } from 'node:http'
import { request, type RequestOptions } from 'node:https'
import { isIPv4, isIPv6 } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { mappingOf, textOf, type PlainValue } from './plain-yaml.ts'

type Mapping = Readonly<Record<string, PlainValue>>

const ANSWER_MS = 5_000

/** Files of a client: the authority, and a certificate with its key. */
export type PatroniClient = Required<Pick<RequestOptions, 'ca' | 'cert' | 'key'>>

/** Reads `ca.crt`, `client.crt` and `client.key` of a folder. @throws Error if one can't be read */
export const readPatroniClient = (folder: string): PatroniClient => ({
  ca: readFileSync(join(folder, 'ca.crt')),
  cert: readFileSync(join(folder, 'client.crt')),
  key: readFileSync(join(folder, 'client.key')),
})

/** Sends a GET to Patroni. @throws Error without an answer in five seconds, and for an answer that is no JSON */
export const askPatroni = (url: string, client?: Partial<PatroniClient>): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(ANSWER_MS)
    const asking = url.startsWith('https:')
      ? request(url, { ...client, agent: false, signal })
      : requestPlain(url, { agent: false, signal })
    asking.on('response', (answer) => void json(answer).then(resolve, reject))
    asking.on('error', reject).end()
  })

/**
 * Whether Patroni answers a request without a certificate of the client, whatever it answers.
 * @param ca the authority that signed Patroni's certificate; undefined: one that the system knows
 * @throws Error if that is unknown: nothing answered in five seconds, or the connection could not be made
 */
export const answersWithoutCertificate = (url: string, ca: PatroniClient['ca'] | undefined): Promise<boolean> =>
  new Promise((resolve, reject) => {
    // Patroni's own certificate does not matter here.
    const options = { ...(ca === undefined ? {} : { ca }), rejectUnauthorized: false, agent: false as const }
    // A password is not sent: this server has not proved who it is.
    const asking = request(withoutPassword(url), { ...options, signal: AbortSignal.timeout(ANSWER_MS) })
    let isConnected = false
    asking.on('socket', (socket) => socket.on('connect', () => (isConnected = true)))
    asking.on('response', (answer) => {
      answer.resume()
      resolve(true)
    })
    asking.on('error', (error: NodeJS.ErrnoException) => {
      // Patroni ended the connection, or refused it by an alert of TLS.
      if (isConnected && error.name !== 'AbortError' && error.name !== 'TimeoutError') resolve(false)
      else reject(error)
    })
    asking.end()
  })

const withoutPassword = (url: string): URL => Object.assign(new URL(url), { username: '', password: '' })

/** A file or a URL as it may be printed: without a user and a password, also if the URL is malformed. */
export const withoutUser = (place: string): string => place.replace(/^(https?:\/\/).*@/s, '$1')

/** Whether a place such as `0.0.0.0:8008`, `[::]:8008`, `db1:8008` or a URL is reached from this machine alone. */
export const isLoopback = (place: string): boolean => {
  const host = withoutUser(place.trim())
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '')
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
  if (isIPv4(host)) return host.startsWith('127.')
  return isIPv6(host) ? host === '::1' : host === 'localhost'
}

/**
 * Faults of a file of Patroni: another machine can change the cluster, or read on the way, because a connection has no
 * TLS or needs no certificate of the client.
 */
export const problemsOfTls = (file: Mapping): string[] => {
  const problems: string[] = []
  const { listen, certfile, verify_client: verified } = mappingOf(file['restapi'])
  // Patroni listens on every address of a host that is left out.
  if (listen !== undefined && !isLoopback(textOf(listen))) {
    const missing = [
      ...(textOf(certfile) === '' ? ['certfile'] : []),
      ...(verified === 'required' ? [] : ['verify_client: required']),
    ]
    if (missing.length > 0)
      problems.push(
        `restapi listens on ${textOf(listen)} without ${missing.join(' and ')}: another machine can restart or switch over the database. Let only certificates connect, or listen on 127.0.0.1`,
      )
  }
  for (const name of ['etcd3', 'etcd']) {
    if (file[name] === undefined) continue
    const etcd = mappingOf(file[name])
    const places = hostsOf(etcd)
    if (places.length > 0 && places.every(isLoopback)) continue
    const isTls = etcd['protocol'] === 'https' || (places.length > 0 && places.every((one) => one.startsWith('https:')))
    const missing = [
      ...(isTls ? [] : ['protocol: https']),
      ...['cacert', 'cert', 'key'].filter((member) => textOf(etcd[member]) === ''),
    ]
    if (missing.length > 0)
      problems.push(
        `${name} lacks ${missing.join(', ')}: a person who can write to etcd decides which machine leads. Use TLS with certificates of both ends`,
      )
  }
  return problems
}

/** The machines of a section etcd3 or etcd of a file; none if they are in the environment. */
export const hostsOf = (etcd: Mapping): string[] => {
  const { hosts, host, url } = etcd
  const listed = Array.isArray(hosts) ? hosts.map(textOf) : textOf(hosts ?? host ?? url).split(',')
  return listed.filter((one) => one !== '')
}
