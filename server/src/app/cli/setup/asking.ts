/** Asks a person for the answers of setup. */
import { createInterface } from 'node:readline/promises'
import { NETWORKS, type Network } from '@bursar/chainkit'
import { onNetworks, type Answers } from './answers.ts'
import { IDENTITIES, knownAssets, type KnownChain } from './known-networks.ts'
import { readJson } from './places.ts'

/** Asks one question; an empty line means the default. */
export type AskOne = (question: string, standard: string) => Promise<string>

/** Asks in the terminal. */
export const askInTerminal = async (): Promise<Answers> => {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await askForAnswers(async (question, standard) => {
      const typed = await lines.question(`${question}${standard === '' ? '' : ` [${standard}]`}: `)
      return typed.trim() === '' ? standard : typed.trim()
    })
  } finally {
    lines.close()
  }
}

/** Asks until the answer has the form that `read` accepts. */
const until = async <Value>(
  ask: AskOne,
  question: string,
  standard: string,
  read: (typed: string) => Value | undefined,
): Promise<Value> => {
  for (;;) {
    const value = read(await ask(question, standard))
    if (value !== undefined) return value
  }
}

const NODES: Readonly<Record<Network, string>> = {
  BITCOIN: 'Bitcoin Core, as http://USER:PASSWORD@HOST:PORT',
  ETHEREUM: 'JSON-RPC of an Ethereum node',
  BINANCE_SMART_CHAIN: 'JSON-RPC of a BSC node',
  TRON: 'HTTP API of java-tron, or of a gateway',
}

/** Asks for all answers. The identities of networks and the contracts of tokens are known. */
export const askForAnswers = async (ask: AskOne): Promise<Answers> => {
  const chain = await until(ask, 'Networks with real money (mainnet), or test networks (testnet)', 'testnet', (typed) =>
    typed === 'mainnet' || typed === 'testnet' ? typed : undefined,
  )
  const publicUrl = await until(
    ask,
    'Public address of the API and the pages, such as https://pay.example.com',
    '',
    originOf,
  )
  const networks = await askForNetworks(ask, chain)
  const served = NETWORKS.filter((network) => networks[network] !== undefined)
  const cards = await askForAcquirers(ask)
  const assets = { crypto: knownAssets(chain, served), fiat: 'acquirers' in cards ? FIAT : [] }
  const signer = await ask(
    'File of a signer on another machine, for-server.json (empty: the signer is on this one)',
    '',
  )
  const limits: Record<string, Record<string, object>> = {}
  for (const { network, ticker } of signer === '' ? onNetworks(assets) : []) {
    const question = `Most that may be paid in ${ticker} on ${network} in one payment, an hour and a day, such as 1 2 5`
    const of = (limits[network] ??= {})
    of[ticker] = await until(ask, question, '', limitsOf)
  }
  const superuser = await ask(
    'PostgreSQL: login of a superuser, which is used once',
    'postgres:///postgres?host=/var/run/postgresql&user=postgres',
  )
  const roles = await ask(
    'PostgreSQL: where the roles connect, and the name of the database',
    'postgres://127.0.0.1:5432/bursar',
  )
  const mail = await askForMail(ask)
  return {
    chain,
    publicUrl,
    networks,
    assets,
    ...(signer === '' ? { limits } : { signer }),
    database: { superuser, roles },
    ...cards,
    ...(mail && { mail }),
  } as Answers
}

const originOf = (typed: string): string | undefined =>
  URL.canParse(typed) && new URL(typed).origin === typed ? typed : undefined

const limitsOf = (typed: string): object | undefined => {
  const [payment, hour, day, ...more] = typed.split(/\s+/)
  const areAmounts = [payment, hour, day].every((one) => /^\d{1,30}(\.\d{1,18})?$/.test(one ?? ''))
  return areAmounts && more.length === 0 ? { payment, hour, day } : undefined
}

const askForNetworks = async (ask: AskOne, chain: KnownChain): Promise<Answers['networks']> => {
  const networks: Record<string, object> = {}
  for (const network of NETWORKS) {
    const url = await until(ask, `${network}: ${NODES[network]} (empty: not served)`, '', (typed) =>
      typed === '' || /^https?:/.test(typed) ? typed : undefined,
    )
    if (url === '') continue
    const apiKey = network === 'TRON' ? await ask('TRON: API key of the gateway (empty: none)', '') : ''
    networks[network] = { url, ...IDENTITIES[chain][network], ...(apiKey === '' ? {} : { apiKey }) }
  }
  return networks as Answers['networks']
}

/** The currencies that acquirers of this build charge. Without cards, none is served. */
const FIAT = [
  { ticker: 'UAH', name: 'Hryvnia', scale: 2 },
  { ticker: 'KZT', name: 'Tenge', scale: 2 },
]

/** Asks for the file of accounts, whose form `readAnswers` checks as the roles do. */
const askForAcquirers = async (ask: AskOne): Promise<object> => {
  const file = await ask(
    'File with accounts of acquirers for cards, see docs/operating/acquirers.md (empty: no cards)',
    '',
  )
  return file === '' ? {} : { acquirers: readJson(file) }
}

const askForMail = async (ask: AskOne): Promise<Answers['mail']> => {
  const url = await ask('Mail server, such as smtps://USER@HOST (empty: no mail)', '')
  if (url === '') return undefined
  const from = await ask('Sender of mail, such as Shop <pay@shop.example>', '')
  const passwordFile = await ask('File with the password of the mail user (empty: none)', '')
  return { url, from, ...(passwordFile === '' ? {} : { passwordFile }) }
}
