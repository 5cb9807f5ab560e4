import { NETWORKS, NATIVE_TICKER, type Network } from '@bursar/chainkit'
import Type, { type Static } from 'typebox'
import { ACQUIRERS_SHAPE } from '../../../adapters/acquirers/index.ts'
import { chainOfGenesis, NETWORKS_SHAPE, type ChainSettings } from '../../../adapters/chains/settings.ts'
import { requireRanges } from '../../../cards/acquiring/index.ts'
import { ASSETS_SHAPE, createCatalogue, readAssetSettings } from '../../../market/assets/index.ts'
import { problemsOfUrl } from '../../../platform/config/config.ts'
import { byName, byTicker, choice, filePath, origin, text } from '../../../platform/config/fields.ts'
import { readListenAddress, readRolePrefix, readSmtpPlace } from '../../../platform/config/setting.ts'
import { readShape, ShapeError, withRule } from '../../../platform/config/shape.ts'
import { readAcquirers } from '../../composition/fiat.ts'
import { LIMITS, noteLimits } from './limits.ts'

/** HOST:PORT. @param words the standard value, or what its absence means */
export const place = (description: string, words: { standard?: string; absent?: string } = {}) =>
  text(description, { ...words, pattern: "^[^\\s']+:\\d{1,5}$", says: 'HOST:PORT' })

const listen = (description: string, standard: string) => place(description, { standard })

const database = (description: string, standard: string) =>
  text(description, { standard, pattern: "^postgres(ql)?://[^\\s']*$", says: 'a URL that starts with postgres://' })

/** The answers of `bursar setup`: one machine with all roles, and the signer unless it is on another machine. */
export const SETUP_SHAPE = withRule(
  Type.Object(
    {
      chain: choice('the kind of networks: `mainnet` has real money', ['mainnet', 'testnet', 'regtest']),
      publicUrl: origin('where payers, acquirers and people of merchants reach the API through the TLS proxy'),
      proxies: Type.Optional(
        text('ranges of addresses of the TLS proxy, joined by commas', {
          standard: '127.0.0.1/32,::1/128',
          pattern: '^[0-9a-fA-F.:/,]+$',
          says: 'ranges such as 10.0.0.0/8, joined by commas',
        }),
      ),
      database: Type.Optional(
        Type.Object(
          {
            superuser: Type.Optional(
              database(
                'a login of a superuser, used by this command only and stored nowhere. On a Unix socket, root connects as the operating system user of the same name',
                'postgres:///postgres?host=/var/run/postgresql&user=postgres',
              ),
            ),
            roles: Type.Optional(
              database(
                'where the roles connect, and the name of the database, without a user',
                'postgres://127.0.0.1:5432/bursar',
              ),
            ),
            prefix: Type.Optional(
              text('prefix of the names of database roles', {
                standard: 'bursar',
                pattern: '^[a-z][a-z0-9_]{0,40}$',
                says: 'lower-case letters, digits and underscores, at most 41, a letter first',
              }),
            ),
          },
          { description: 'PostgreSQL' },
        ),
      ),
      listen: Type.Optional(
        Type.Object(
          {
            api: Type.Optional(listen('the API, behind the TLS proxy', '127.0.0.1:8080')),
            apiInner: Type.Optional(listen('metrics and health of the api', '127.0.0.1:9090')),
            workerInner: Type.Optional(listen('metrics and health of the worker', '127.0.0.1:9091')),
            watcherInner: Type.Optional(listen('metrics and health of the watcher', '127.0.0.1:9092')),
            signer: Type.Optional(listen('the signer', '127.0.0.1:9443')),
          },
          { description: 'addresses on which the processes listen' },
        ),
      ),
      networks: NETWORKS_SHAPE,
      assets: ASSETS_SHAPE,
      limits: Type.Optional(
        byName(NETWORKS, byTicker(LIMITS), {
          description:
            "limits of the signer's policy for payments, if the signer is on this machine: set them to what you can afford to lose in a day",
          key: 'NETWORK',
        }),
      ),
      signer: Type.Optional(
        filePath(
          'the file that `bursar setup signer` has made on another machine; without it the signer is set up on this machine',
        ),
      ),
      acquirers: Type.Optional(ACQUIRERS_SHAPE),
      backup: Type.Optional(
        Type.Object(
          {
            recipient: Type.Optional(
              filePath(
                'a certificate (PEM) for which settings with secrets are encrypted in backups; without it they are left out of backups. Its private key is on another machine',
              ),
            ),
          },
          { description: 'backups, which the units of the backup make on this machine' },
        ),
      ),
      mail: Type.Optional(
        Type.Object(
          {
            url: text('the mail server, as in `BURSAR_SMTP_URL`', {
              pattern: "^smtp(s|\\+plain)?://[^\\s']+$",
              says: '`smtps://USER@HOST`, `smtp://USER@HOST` or `smtp+plain://HOST`',
            }),
            from: text('the sender', { pattern: "^[^'\\n]+$", says: '`NAME <ADDRESS>`' }),
            passwordFile: Type.Optional(
              filePath('a file with the password of the mail user; it is copied to /etc/bursar'),
            ),
          },
          { description: 'mail to payers and members; without it none is sent' },
        ),
      ),
    },
    { description: 'the answers of `bursar setup`' },
  ),
  ({ chain, database: connections, listen: at, networks, assets, limits, signer, mail }, note) => {
    for (const member of ['superuser', 'roles'] as const) {
      const url = connections?.[member]
      // `bursar migrate` and the roles would refuse it after everything else is made.
      if (url !== undefined) for (const problem of problemsOfUrl(url, 'this URL')) note(problem, 'database', member)
    }
    const served = NETWORKS.filter((network) => networks[network] !== undefined)
    if (served.length === 0) note('write at least one network', 'networks')
    const of = networks.BITCOIN && chainOfGenesis(networks.BITCOIN.genesis)
    if (of !== undefined && of !== chain) note(`write "${of}": BITCOIN has its block 0`, 'chain')
    for (const { network, ticker, decimals } of onNetworks(assets)) {
      if (!served.includes(network)) {
        note(`leave it out, or serve ${network}: ${ticker} is on it`, 'assets')
        continue
      }
      if (signer !== undefined) continue
      const limit = limits?.[network]?.[ticker]
      if (limit === undefined) note('write payment, hour and day', 'limits', network, ticker)
      else noteLimits(limit, decimals, note, 'limits', network, ticker)
    }
    if (signer !== undefined) {
      const why = 'leave it out: the signer on the other machine has its own'
      if (limits !== undefined) note(why, 'limits')
      if (at?.signer !== undefined) note(why, 'listen', 'signer')
    }
    for (const network of served) {
      const coin = NATIVE_TICKER[network]
      if (!onNetworks(assets).some((one) => one.network === network && one.ticker === coin))
        note(`write ${coin} of ${network}: it pays for the fees`, 'assets', 'crypto')
    }
    if (mail !== undefined) {
      const { user } = readSmtpPlace(mail.url)
      if ((user !== null) !== (mail.passwordFile !== undefined))
        note(
          user === null ? 'leave it out: the URL names no user' : 'write the file of the password',
          'mail',
          'passwordFile',
        )
    }
  },
)

export type Answers = Static<typeof SETUP_SHAPE>

/** An asset on a network, as the assets file has it. */
interface Placed {
  network: Network
  ticker: string
  decimals: number
  contract: string | undefined
}

/** Returns each asset on each of its networks. */
export const onNetworks = ({ crypto }: Answers['assets']): Placed[] =>
  crypto.flatMap(({ ticker, networks }) =>
    NETWORKS.flatMap((network) => {
      const on = networks[network] as { decimals: number; contract?: string } | undefined
      return on === undefined ? [] : [{ network, ticker, decimals: on.decimals, contract: on.contract }]
    }),
  )

/** Answers with the defaults in place of absent members. */
const settled = (answers: Answers) => {
  const { database: db = {}, listen: at = {} } = answers
  return {
    ...answers,
    proxies: answers.proxies ?? '127.0.0.1/32,::1/128',
    database: {
      superuser: db.superuser ?? 'postgres:///postgres?host=/var/run/postgresql&user=postgres',
      roles: db.roles ?? 'postgres://127.0.0.1:5432/bursar',
      prefix: readRolePrefix(db.prefix ?? 'bursar'),
    },
    listen: {
      api: at.api ?? '127.0.0.1:8080',
      apiInner: at.apiInner ?? '127.0.0.1:9090',
      workerInner: at.workerInner ?? '127.0.0.1:9091',
      watcherInner: at.watcherInner ?? '127.0.0.1:9092',
      signer: at.signer ?? '127.0.0.1:9443',
    },
  }
}
export type Settled = ReturnType<typeof settled>

/**
 * Reads the answers of a file. The networks and the assets are judged as their settings files are.
 * @throws ShapeError that lists every problem
 */
export const readAnswers = (json: unknown): Settled => {
  const answers = settled(readShape(SETUP_SHAPE, json))
  readAssetSettings(answers.assets)
  requireRoutes(answers)
  const places = Object.entries(answers.listen)
  const problems = places.flatMap(([name, place]) => {
    try {
      readListenAddress(place)
      return []
    } catch (error) {
      return [`listen.${name}: ${(error as Error).message}`]
    }
  })
  const twice = places.filter(([, place], at) => places.findIndex(([, other]) => other === place) < at)
  problems.push(...twice.map(([name, place]) => `listen.${name}: ${place} is used twice`))
  if (databaseName(answers) === '')
    problems.push('database.roles: name the database, as in postgres://127.0.0.1:5432/bursar')
  if (problems.length > 0) throw new ShapeError(problems)
  return answers
}

/**
 * Refuses accounts of acquirers that could serve no payment, for which the api and the worker would not start. @throws
 * Error that lists them
 */
const requireRoutes = ({ acquirers, assets }: Settled): void => {
  if (acquirers !== undefined)
    requireRanges(readAcquirers(acquirers).table, createCatalogue(readAssetSettings(assets)).fiat)
}

/** The name of the database of the installation. */
export const databaseName = ({ database: { roles } }: Settled): string =>
  URL.canParse(roles) ? decodeURIComponent(new URL(roles).pathname.slice(1)) : ''

/** The networks that the answers serve. */
export const servedOf = (networks: ChainSettings): Network[] =>
  NETWORKS.filter((network) => networks[network] !== undefined)
