/** Looks for secrets of a sandbox in everything that leaves its processes. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectedSandbox } from './connected.ts'

/** A secret by its name. */
export type Secrets = ReadonlyMap<string, string>

/** Shorter texts occur by chance. */
const LEAST = 16

/** Files of `keys` that hold one secret each: those of acquirers, the venue, the provider of screening, passphrases. */
const textsIn = (folder: string): [string, string][] =>
  readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((entry): [string, string][] => {
    if (!entry.isFile() || entry.name.endsWith('.json')) return []
    return [[entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8').trim()]]
  })

/** Members of the signer's seed file with which anyone could restore its keys. */
const seedIn = (folder: string): [string, string][] =>
  [...readFileSync(join(folder, 'seed.json'), 'utf8').matchAll(/"(ciphertext|tag)":\s*"([^"]+)"/g)].map(
    ([, name, value]) => [`seed.json ${name}`, value!],
  )

/** Passwords in the urls of settings: of nodes, databases and the mail server. */
const passwordsIn = (text: string): [string, string][] =>
  [...text.matchAll(/\w+:\/\/[^:@/\s"]+:([^@/\s"]+)@/g)].map(([, password]) => [
    'a password of a url',
    decodeURIComponent(password!),
  ])

export const secretsOf = ({ dir, merchants, environment }: ConnectedSandbox): Secrets => {
  const keys = join(dir, 'keys')
  const settings = readdirSync(join(dir, 'settings')).map((name) => readFileSync(join(dir, 'settings', name), 'utf8'))
  return new Map(
    [
      ...textsIn(keys),
      ...seedIn(keys),
      ...passwordsIn([...settings, ...Object.values(environment)].join('\n')),
      ...merchants.flatMap(({ id, privateKey, webhookSecret }): [string, string][] => [
        [`the private key of ${id}`, privateKey],
        [`the webhook secret of ${id}`, webhookSecret],
      ]),
    ].filter(([, secret]) => secret.length >= LEAST),
  )
}

/** How a text may be written elsewhere. */
const writingsOf = (secret: string): string[] => {
  const bytes = Buffer.from(secret.replace(/^whsec_/, ''))
  return [
    ...new Set([
      secret.replace(/^whsec_/, ''),
      encodeURIComponent(secret),
      bytes.toString('hex'),
      // Without its end, which depends on the next bytes.
      bytes.toString('base64').slice(0, Math.floor(bytes.length / 3) * 4),
    ]),
  ]
}

/** A card number alone or in groups of four. */
const writingsOfCard = (card: string): RegExp => new RegExp(card.replaceAll(/(\d{4})(?=\d)/g, '$1[ -]?'))

export interface Place {
  name: string
  text: string
}

/** Names each text that was found, and the place. */
export const foundIn = (places: readonly Place[], secrets: Secrets, cards: readonly string[]): string[] =>
  places.flatMap(({ name, text }) => [
    ...[...secrets]
      .filter(([, secret]) => writingsOf(secret).some((writing) => text.includes(writing)))
      .map(([secret]) => `${secret} in ${name}`),
    ...cards.filter((card) => writingsOfCard(card).test(text)).map((card) => `the card ${card} in ${name}`),
  ])

/** The logs of all processes, of PostgreSQL and of nodes. */
export const logsIn = (dir: string): Place[] =>
  readdirSync(join(dir, 'logs')).map((name) => ({
    name: `logs/${name}`,
    text: readFileSync(join(dir, 'logs', name), 'latin1'),
  }))

/** Every row of every table, in the same form as `pg_dump` writes it. */
export const rowsOf = async ({ query }: ConnectedSandbox): Promise<Place[]> => {
  const tables = await query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const places: Place[] = []
  for (const { name } of tables) {
    const rows = await query<{ row: string }>(`select t::text as row from only ${name} t`)
    places.push({ name: `table ${name}`, text: rows.map(({ row }) => row).join('\n') })
  }
  return places
}

/** Dumps of memory that a killed or crashed process left. */
export const coresIn = (folders: readonly string[]): string[] =>
  folders.filter(existsSync).flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => /^core(?:\.\d+)?$|^Heap\.|\.heapsnapshot$|^report\..*\.json$/.test(name))
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => join(folder, name)),
  )
