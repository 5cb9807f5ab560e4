/**
 * docs/operating/production.md is followed literally on copies of this machine: the packages, `bursar setup`, each unit
 * as its user, and a deposit; then a signer on its own machine. The answers of the page get the addresses of this
 * machine's node and database.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isLong } from '../../test/setup/cases.ts'
import { reservePorts } from '../../test/setup/ports.ts'
import type { Machine } from './copied-machine.ts'
import { describeTwoMachines } from './test-two-machines.ts'
import { mayInstall } from './may-install.ts'
import { createMerchant, depositEther, openPageWorld, programs, type PageWorld } from './page-world.ts'

describe.skipIf(!mayInstall() || programs === undefined)('a person who follows the page', () => {
  let world: PageWorld
  let machine: Machine
  let api: string

  beforeAll(async () => {
    world = await openPageWorld()
    const places = (await reservePorts(5)).map((port) => `127.0.0.1:${port}`)
    api = places[0]!
    const [apiInner, workerInner, watcherInner, signer] = places.slice(1) as [string, string, string, string]
    const answers = world.answers('shop', { api, apiInner, workerInner, watcherInner, signer })
    machine = world.machine('one', { answers: { ...answers, acquirers: world.acquirers } })
  })
  afterAll(() => world?.stop())

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
    await depositEther(world, api, await createMerchant(machine), 1, async (read) => {
      await expect.poll(read, { interval: 1_000, timeout: 180_000 }).toMatch(/"1(\.0+)?"/)
    })
  })

  describeTwoMachines(() => world, isLong)
})
