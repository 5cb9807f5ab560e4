/**
 * docs/operating/production.md is followed literally on a copy of this machine: the packages, `bursar setup`, each unit
 * as its user, and a deposit. The answers of the page get the addresses of this machine's node and database.
 */
import { writeFileSync } from 'node:fs'
import type { Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAnvil, type Anvil } from '../../sandbox/anvil/index.ts'
import { withClient } from '../../sandbox/postgres/connection.ts'
import { startBank, type Bank } from '../../sandbox/bank/index.ts'
import { debianPrograms, initCluster, startCluster, type Cluster } from '../../test/drill/cluster.ts'
import { drillFolder } from '../../test/drill/folder.ts'
import { passOn } from '../../test/setup/database-port.ts'
import { reservePorts } from '../../test/setup/ports.ts'
import { makeScratch, type Scratch } from '../../test/setup/scratch.ts'
import { sign } from '../../test/world/signed-request.ts'
import { copyPackages } from './built-packages.ts'
import { linesOf, startMachine, type Machine } from './copied-machine.ts'
import { mayInstall } from './may-install.ts'

interface Answers {
  [name: string]: unknown
  networks: Record<string, object>
  assets: { crypto: { ticker: string; networks: Record<string, object> }[]; fiat: object[] }
  limits: Record<string, Record<string, object>>
}

const BANK_SECRET = 'a secret of the bank'
const ONE_ETHER = '0xde0b6b3a7640000'

const programs = debianPrograms()

describe.skipIf(!mayInstall() || programs === undefined)('a person who follows the page', () => {
  let scratch: Scratch
  let postgres: Cluster
  let bank: Bank
  let machine: Machine
  let gate: Server
  let node: Anvil
  let ports: readonly number[]
  let merchant: { id: string; privateKey: string }

  beforeAll(async () => {
    scratch = await makeScratch('setup')
    await copyPackages(scratch.dir)
    ports = await reservePorts(6)
    await startDatabase()
    gate = await passOn(ports[5]!, postgres.url)
    node = await startAnvil({
      name: 'anvil',
      chainId: 31_337,
      port: 0,
      slotsInEpoch: 1,
      blockTime: 1,
      logFile: join(scratch.dir, 'anvil.log'),
    })
    bank = await startBank({ port: 0, dir: scratch.dir, accounts: [{ name: 'shop', secret: BANK_SECRET }] })
    writeFileSync(join(scratch.dir, 'bank-secret'), BANK_SECRET)
    writeFileSync(join(scratch.dir, 'answers.json'), JSON.stringify(answersHere()))
    machine = startMachine(scratch.dir)
  })
  afterAll(async () => {
    await machine?.end()
    gate?.close()
    await node?.stop()
    await bank?.stop()
    await postgres?.stop()
    await scratch?.remove()
  })

  /** Debian's PostgreSQL: a role needs its password, also for replication; here the superuser needs none. */
  async function startDatabase(): Promise<void> {
    const folder = drillFolder(programs!)
    await initCluster(programs!, join(folder, 'a'))
    postgres = await startCluster(programs!, join(folder, 'a'), join(folder, 's'), { max_connections: '100' })
    await withClient(postgres.url, async (client) => {
      const { rows } = await client.query<{ hba_file: string }>('show hba_file')
      const rules = ['local all postgres trust', 'local all all scram-sha-256', 'local replication all scram-sha-256']
      writeFileSync(rows[0]!.hba_file, `${rules.join('\n')}\n`)
      await client.query('select pg_reload_conf()')
    })
  }

  /** The answers of the page for Ethereum alone, with the node and the database of this test. */
  function answersHere(): object {
    const answers = JSON.parse(linesOf('json answers').join('\n')) as Answers
    const [api, apiInner, workerInner, watcherInner, signer] = ports.map((port) => `127.0.0.1:${port}`)
    const at = `127.0.0.1:${ports[5]}`
    return {
      ...answers,
      chain: 'regtest',
      networks: { ETHEREUM: { url: node.url, chainId: 31_337, leastFinalDepth: 1 } },
      assets: {
        crypto: answers.assets.crypto.filter(({ ticker }) => ticker === 'ETH'),
        fiat: [{ ticker: 'UAH', name: 'Hryvnia', scale: 2 }],
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
      limits: { ETHEREUM: { ETH: answers.limits['ETHEREUM']!['ETH'] } },
      database: { superuser: `postgres://postgres@${at}/postgres`, roles: `postgres://${at}/shop` },
      listen: { api, apiInner, workerInner, watcherInner, signer },
    }
  }

  const type: Machine['type'] = (line) => machine.type(line)
  const typeAll: Machine['typeAll'] = (label) => machine.typeAll(label)

  test('installs the packages', async () => {
    await typeAll('sh install')
    expect((await type('bursar --version')).text).toMatch(/^bursar \d/)
  })

  test('sees with --dry-run what is missing, and nothing is made', async () => {
    const { code, text } = await type('bursar setup --answers answers.json --dry-run')
    expect(code, text).toBe(0)
    expect(text).toContain('missing /etc/bursar-signer/seed.json')
    expect((await type('ls /etc/bursar /etc/bursar-signer')).text).toBe('/etc/bursar:\n\n/etc/bursar-signer:')
  })

  test('runs setup: keys, certificates, policy, settings and database', async () => {
    const text = await typeAll('sh setup')
    expect(text).toContain('made    /etc/bursar-signer/seed.json')
    expect(text).toMatch(/shown once:\n {2}([a-z]+ ){23}[a-z]+\n/)
    expect(text).toMatch(/ETHEREUM +0x[0-9a-fA-F]{40} +ETH/)
    expect(text).not.toContain('BAD')
  })

  test('has files that only their users read', async () => {
    const { text } = await type("stat -c '%n %U:%G %a' /etc/bursar/* /etc/bursar-signer/* | sed 's/.etc.//'")
    const own = ['ca.pem', 'cert.pem', 'clients', 'key.pem', 'passphrase', 'policy.json', 'seed.json', 'signer.env']
    expect(text.split('\n')).toEqual([
      'bursar/acquirer-bank-secret root:bursar 640',
      'bursar/acquirers.json root:bursar 640',
      'bursar/api.env root:root 600',
      'bursar/assets.json root:bursar 640',
      'bursar/backup-signer-cert.pem root:bursar 640',
      'bursar/backup-signer-key.pem root:bursar-backup 640',
      'bursar/backup.env root:root 600',
      'bursar/backup.url root:bursar-backup 640',
      'bursar/bursar.env root:bursar 640',
      'bursar/card-key root:bursar 640',
      'bursar/data-key root:bursar 640',
      'bursar/networks.json root:bursar 640',
      'bursar/operator-cert.pem root:bursar 640',
      'bursar/operator-key.pem root:bursar-operator 640',
      'bursar/operator.env root:bursar-operator 640',
      'bursar/owner.env root:root 600',
      'bursar/signer-ca.pem root:bursar 640',
      'bursar/wallet.json root:bursar 640',
      'bursar/watcher.env root:root 600',
      'bursar/worker-cert.pem root:bursar 640',
      'bursar/worker-key.pem root:bursar-worker 640',
      'bursar/worker.env root:root 600',
      ...own.map((name) => `bursar-signer/${name} bursar-signer:bursar-signer 600`),
    ])
  })

  test('starts the units, and doctor finds no fault', async () => {
    await typeAll('sh start')
    await expect
      .poll(async () => (await type('bursar doctor')).text, { interval: 3_000, timeout: 180_000 })
      .not.toMatch(/^BAD/m)
    await typeAll('sh check')
  })

  test('makes a backup by the settings of setup, and doctor still finds no fault', async () => {
    const text = await typeAll('sh backup')
    expect(text).toMatch(/^backup \d{8}T\d{6}Z-[0-9a-f]{32} up to .* lines$/m)
    expect(text).toContain('BURSAR_ACQUIRERS_FILE')
    expect((await type('bursar doctor')).text).toMatch(/^ok .*acquirer bank \(bank\): answers/m)
    await typeAll('sh check')
  })

  test('runs setup again: everything exists, nothing is changed, and doctor is green', async () => {
    const sums = "sh -c 'sha256sum /etc/bursar/* /etc/bursar-signer/*'"
    const before = await type(sums)
    const { code, text } = await type('bursar setup --answers answers.json')
    expect(code, text).toBe(0)
    expect(text).not.toMatch(/^made/m)
    expect(await type(sums)).toEqual(before)
  })

  test('is refused a second seed, and a new data key, for a database that is in use', async () => {
    await type('mv /etc/bursar/data-key /root/data-key')
    const { code, text } = await type('bursar setup --answers answers.json')
    expect(code, text).toBe(1)
    expect(text).toContain('/etc/bursar/data-key is missing, and the database has secrets that it encrypts')
    await type('mv /root/data-key /etc/bursar/data-key')
  })

  test('creates a merchant, and a deposit is credited', async () => {
    const [line] = linesOf('sh merchant')
    const created = await type(`${line} --json`)
    expect(created).toMatchObject({ code: 0 })
    merchant = JSON.parse(created.text) as typeof merchant
    const { address } = (await (
      await signed('POST', '/merchants/addresses', '{"blockchain":"ETHEREUM","meta":"one"}')
    ).json()) as {
      address: string
    }
    const [from] = await node.rpc<string[]>('eth_accounts')
    await node.rpc('eth_sendTransaction', { from, to: address, value: ONE_ETHER })
    await expect
      .poll(async () => (await signed('GET', '/merchants/balances?tickers=ETH')).text(), {
        interval: 1_000,
        timeout: 180_000,
      })
      .toMatch(/"1(\.0+)?"/)
  })

  function signed(method: string, path: string, body = ''): Promise<Response> {
    const timestamp = Math.floor(Date.now() / 1_000)
    const signature = sign(merchant.privateKey, method, path, body, timestamp)
    return fetch(`http://127.0.0.1:${ports[0]}${path}`, {
      method,
      headers: { 'merchant-id': merchant.id, signature, timestamp: String(timestamp) },
      ...(body === '' ? {} : { body }),
    })
  }
})
