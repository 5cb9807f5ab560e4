/** What a person who follows docs/operating has beside the machines: packages, PostgreSQL, a node and a bank. */
import { globSync, linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startAnvil, type Anvil } from '../../sandbox/anvil/index.ts'
import { startBank } from '../../sandbox/bank/index.ts'
import { withClient } from '../../sandbox/postgres/connection.ts'
import { debianPrograms, initCluster, startCluster, type Cluster } from '../../test/drill/cluster.ts'
import { drillFolder } from '../../test/drill/folder.ts'
import { passOn } from '../../test/setup/database-port.ts'
import { reservePorts } from '../../test/setup/ports.ts'
import { makeScratch } from '../../test/setup/scratch.ts'
import { sign } from '../../test/world/signed-request.ts'
import { copyPackages } from './built-packages.ts'
import { linesOf, startMachine, type Machine } from './copied-machine.ts'

export const programs = debianPrograms()

const BANK_SECRET = 'a secret of the bank'
const CHAIN_ID = 31_337

type Limits = Record<string, object>

/** The answers of production.md. */
export interface Answers {
  [name: string]: unknown
  networks: Record<string, object>
  assets: { crypto: { ticker: string; networks: Record<string, object> }[]; fiat: object[] }
  limits: Record<string, Limits>
  database: { superuser: string; roles: string }
}

export interface Merchant {
  id: string
  privateKey: string
}

export interface PageWorld {
  readonly node: Anvil
  /** The answers of the page for Ethereum alone, with this node and PostgreSQL. @param name of the database */
  answers(name: string, listen: Readonly<Record<string, string>>): Answers
  /** The accounts of answers with acquirers: one account with the bank. */
  readonly acquirers: object
  /** A machine with the packages and with JSON files in the home of root. */
  machine(name: string, files: Readonly<Record<string, object>>): Machine
  stop(): Promise<void>
}

/** Debian's PostgreSQL: a role needs its password, also for replication; here the superuser needs none. */
const startDatabase = async (): Promise<Cluster> => {
  const folder = drillFolder(programs!)
  await initCluster(programs!, join(folder, 'a'))
  const postgres = await startCluster(programs!, join(folder, 'a'), join(folder, 's'), { max_connections: '100' })
  await withClient(postgres.url, async (client) => {
    const { rows } = await client.query<{ hba_file: string }>('show hba_file')
    const rules = ['local all postgres trust', 'local all all scram-sha-256', 'local replication all scram-sha-256']
    writeFileSync(rows[0]!.hba_file, `${rules.join('\n')}\n`)
    await client.query('select pg_reload_conf()')
  })
  return postgres
}

export const openPageWorld = async (): Promise<PageWorld> => {
  const { dir, remove } = await makeScratch('setup')
  await copyPackages(dir)
  const [port] = await reservePorts(1)
  const postgres = await startDatabase()
  const proxy = await passOn(port!, postgres.url)
  const node = await startAnvil({
    name: 'anvil',
    chainId: CHAIN_ID,
    port: 0,
    slotsInEpoch: 1,
    blockTime: 1,
    logFile: join(dir, 'anvil.log'),
  })
  const bank = await startBank({ port: 0, dir, accounts: [{ name: 'shop', secret: BANK_SECRET }] })
  const machines: Machine[] = []
  return {
    node,
    answers: (name, listen) => {
      const answers = JSON.parse(linesOf('json answers').join('\n')) as Answers
      const at = `127.0.0.1:${port}`
      return {
        ...answers,
        chain: 'regtest',
        networks: { ETHEREUM: { url: node.url, chainId: CHAIN_ID, leastFinalDepth: 1 } },
        assets: {
          crypto: answers.assets.crypto.filter(({ ticker }) => ticker === 'ETH'),
          fiat: [{ ticker: 'UAH', name: 'Hryvnia', scale: 2 }],
        },
        limits: { ETHEREUM: { ETH: answers.limits['ETHEREUM']!['ETH']! } },
        database: { superuser: `postgres://postgres@${at}/postgres`, roles: `postgres://${at}/${name}` },
        listen,
      }
    },
    acquirers: {
      accounts: [
        {
          name: 'bank',
          kind: 'bank',
          url: bank.url,
          account: 'shop',
          secretFile: '/packages/bank-secret',
          payIn: { UAH: { least: '25', most: '29999' } },
          payout: { UAH: { least: '1', most: '14500' } },
        },
      ],
    },
    machine: (name, files) => {
      const folder = join(dir, name)
      mkdirSync(folder)
      for (const file of globSync('*.deb', { cwd: dir })) linkSync(join(dir, file), join(folder, file))
      writeFileSync(join(folder, 'bank-secret'), BANK_SECRET)
      for (const [file, content] of Object.entries(files))
        writeFileSync(join(folder, `${file}.json`), JSON.stringify(content))
      const machine = startMachine(folder)
      machines.push(machine)
      return machine
    },
    stop: async () => {
      for (const machine of machines) await machine.end()
      proxy.close()
      await node.stop()
      await bank.stop()
      await postgres.stop()
      remove()
    },
  }
}

/** Creates the merchant of the page. */
export const createMerchant = async (machine: Machine): Promise<Merchant> => {
  const { code, text } = await machine.type(`${linesOf('sh merchant')[0]} --json`)
  if (code !== 0) throw new Error(text)
  return JSON.parse(text) as Merchant
}

/** Sends a signed request of a merchant. @param api HOST:PORT @returns the text of the answer */
export const ask = async (
  api: string,
  { id, privateKey }: Merchant,
  method: 'GET' | 'POST',
  path: string,
  content?: object,
): Promise<string> => {
  const body = content === undefined ? '' : JSON.stringify(content)
  const timestamp = Math.floor(Date.now() / 1_000)
  const signature = sign(privateKey, method, path, body, timestamp)
  const answer = await fetch(`http://${api}${path}`, {
    method,
    headers: { 'merchant-id': id, signature, timestamp: String(timestamp) },
    ...(body === '' ? {} : { body }),
  })
  return answer.text()
}

/** Sends a deposit of Ether, and waits until the merchant has it. @param ether whole units */
export const depositEther = async (
  { node }: PageWorld,
  api: string,
  merchant: Merchant,
  ether: number,
  polled: (read: () => Promise<string>) => Promise<void>,
): Promise<void> => {
  const made = await ask(api, merchant, 'POST', '/merchants/addresses', { blockchain: 'ETHEREUM', meta: 'one' })
  const { address } = JSON.parse(made) as { address: string }
  await sendEther(node, address, ether)
  await polled(() => ask(api, merchant, 'GET', '/merchants/balances?tickers=ETH'))
}

/** Sends Ether of the node's own account. @param ether whole units */
export const sendEther = async (node: Anvil, to: string, ether: number): Promise<void> => {
  const [from] = await node.rpc<string[]>('eth_accounts')
  await node.rpc('eth_sendTransaction', { from, to, value: `0x${(BigInt(ether) * 10n ** 18n).toString(16)}` })
}
