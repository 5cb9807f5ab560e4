/** The operator's commands that show costs and debts, as they are typed. */
import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useInstallation } from '../../../../test/world/installation.ts'
import { createSimulatedChain } from '../../adapters/chains/simulated/index.ts'
import { createWorld, type Owned, type World } from '../../../../test/world/deposits.ts'
import { requestWithdrawal } from '../../../../test/world/withdrawal.ts'
import { createInnerServer } from '../../platform/process/metrics.ts'
import { readPolicies } from '../composition/policy.ts'
import { createReconcileJob, reconcileNetwork, readHotWallet } from '../../treasury/reconciliation/index.ts'
import { CHAIN, catalogue, createTreasury, E18, type Treasury } from '../../../../test/world/treasury.ts'
import { metricsOf } from '../observability/metrics.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const { url, folder, file, ...installation } = useInstallation()
const path = (name: string): string => join(folder, name)
let world: World
let here: Treasury
let owner: Owned
let env: Record<string, string>

beforeAll(() => {
  world = createWorld(url)
  const decimals = { minDeposit: '0', minWithdrawal: '0' }
  const crypto = [
    { ticker: 'BTC', name: 'Bitcoin', networks: { BITCOIN: { decimals: 8, ...decimals } } },
    { ticker: 'ETH', name: 'Ether', networks: { ETHEREUM: { decimals: 18, ...decimals } } },
    {
      ticker: 'USDT',
      name: 'Tether',
      networks: {
        ETHEREUM: { contract: `0x${'a1'.repeat(20)}`, decimals: 6, ...decimals },
        BINANCE_SMART_CHAIN: { contract: `0x${'b1'.repeat(20)}`, decimals: 18, ...decimals },
      },
    },
  ]
  env = {
    ...installation.env,
    BURSAR_ASSETS_FILE: file('assets.json', { crypto, fiat: [] }),
    BURSAR_POLICY_FILE: file('policy.json', POLICY),
  }
})
afterAll(() => world.close())
beforeEach(async () => {
  here = await createTreasury(world, createSimulatedChain(CHAIN))
  owner = await here.owner()
  here.chain.pay([
    { to: owner.address, units: 5n * E18 },
    { to: here.hot, units: 3n * E18 },
  ])
  here.chain.mine(10)
  await here.catchUp()
  await here.withdraw(owner.merchantId, E18)
  here.chain.mine(10)
  await here.catchUp()
})

/** Runs a command line. Returns its output and its exit code. */
const bursar = async (...args: string[]) => {
  const before = process.exitCode
  try {
    return await captured(() => runCommand(args, env))
  } finally {
    process.exitCode = before
  }
}
const COST = '0.000105'
/** The rest of two ETH, at this cost in seven days. */
const RUNWAY = '133326.3'
const POLICY = { ETHEREUM: { hot: { ETH: { cap: `${4n * E18}`, target: `${3n * E18}`, low: `${E18}` } } } }

test.each(['server/src/main.ts', 'tools/bursar.ts'])(
  'a finding of a command is the exit code of its process: %s',
  async (script) => {
    const root = new URL('../../../../', import.meta.url).pathname
    // Neither a signer nor networks are set.
    const code = await promisify(execFile)(process.execPath, [script, 'doctor'], {
      cwd: root,
      env: { PATH: process.env['PATH'], ...env },
    }).then(
      () => 0,
      (error: { code: number; stdout: string }) => (error.stdout.includes('BAD') ? error.code : -1),
    )
    expect(code).toBe(1)
  },
)

test('audit S-12: which API key signed for something is shown by its id', async () => {
  const {
    rows: [made],
  } = await sql<{ id: string }>`select id from withdrawals limit 1`.execute(world.db)
  expect((await bursar('order', 'signed-by', owner.merchantId, made!.id)).out).toMatch(
    /^withdrawal .*\nno signed request made it/,
  )
  const keyId = here.runtime.newId()
  await sql`update withdrawals set api_key_id = ${keyId} where id = ${made!.id}`.execute(world.db)
  expect((await bursar('order', 'signed-by', owner.merchantId, made!.id)).out).toContain(`signed with key ${keyId}`)
  expect((await bursar('order', 'signed-by', owner.merchantId, 'no such localId')).code).toBe(1)
  expect((await bursar('order', 'signed-by', 'me', made!.id)).code).toBe(2)
})

describe('costs', () => {
  test('by merchant and operation, narrowed by day, merchant, network and asset, and as JSON', async () => {
    const { code, out } = await bursar('costs')
    expect(code).toBe(0)
    expect(out).toMatch(new RegExp(`${owner.merchantId} +ETHEREUM +payout +1 +${COST} +ETH`))
    expect(out).toContain(`total ${COST} ETH`)
    const json = JSON.parse(
      (
        await bursar(
          'costs',
          '--json',
          '--from',
          '2026-01-01',
          '--to',
          '2026-01-01',
          '--merchant',
          owner.merchantId,
          '--asset',
          'ETH',
          '--network',
          'ETHEREUM',
        )
      ).out,
    )
    expect(json).toEqual({
      costs: [
        {
          merchant: owner.merchantId,
          network: 'ETHEREUM',
          asset: 'ETH',
          operation: 'payout',
          postings: 1,
          amount: COST,
        },
      ],
      totals: { ETH: COST },
    })
    for (const narrowed of [
      ['--to', '2025-12-31'],
      ['--merchant', 'platform'],
      ['--asset', 'BTC'],
      ['--network', 'BITCOIN'],
    ]) {
      expect(JSON.parse((await bursar('costs', '--json', ...narrowed)).out).costs).toEqual([])
    }
  })

  test('of one transaction', async () => {
    const { transactions } = here.chain.blocks.findLast((block) => block.transactions.length > 0)!
    const { out } = await bursar('costs', 'transaction', transactions[0]!.hash, '--json')
    expect(JSON.parse(out)).toMatchObject({
      network: 'ETHEREUM',
      asset: 'ETH',
      paid: COST,
      shares: [{ merchant: owner.merchantId, amount: COST }],
    })
    expect(await bursar('costs', 'transaction', 'ff')).toMatchObject({
      code: 1,
      err: expect.stringContaining('none of our transactions'),
    })
  })

  test.each([
    [['--from', '2026-02-31']],
    [['--to', 'today']],
    [['--merchant', 'me']],
    [['--network', 'DOGE']],
    [['--what']],
  ])('typed wrongly: %j', async (args) => {
    expect((await bursar('costs', ...args)).code).toBe(2)
  })
})

describe('reserves', () => {
  test('go into a folder of their own, which nothing commits or serves, unless another is named', async () => {
    for (const command of [['reserves'], ['reserves', 'proof']])
      expect((await bursar('help', ...command)).out).toContain('.bursar/reserves when left out')
  })

  const files = (start: string): string[] => readdirSync(folder).filter((name) => name.startsWith(start))

  test('a report, its proofs, and a merchant that checks its proof without our database', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    writeFileSync(path('sign.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
    await reconcileNetwork(here.runtime, catalogue, here.adapter)
    const made = await bursar('reserves', '--out', folder, '--sign-key', path('sign.pem'))
    expect(made.code).toBe(0)
    expect(made.out).toMatch(/ETH +6\.999895 +0 +[\d.]+ +0 +0 +\d+\.\d+%/)
    expect(made.out).toContain(`ETH on ETHEREUM at ${here.chain.head.height} (${here.chain.head.hash})`)
    const [, commitment, key] = /commitment ([0-9a-f]{64}), signed by ([0-9a-f]{64})/.exec(made.out)!
    const published = JSON.parse(readFileSync(path(files('reserves-')[0]!), 'utf8'))
    expect(published.commitment).toBe(commitment)
    expect(JSON.stringify(published)).not.toContain(owner.merchantId)

    expect((await bursar('reserves', 'proof', '--merchant', owner.merchantId, '--out', folder)).code).toBe(0)
    const proof = path(files('proof-')[0]!)
    expect(statSync(proof).mode & 0o077).toBe(0)
    const mine = String(JSON.parse(readFileSync(proof, 'utf8')).balances[1])
    const owned = `${mine.padStart(19, '0').slice(0, -18)}.${mine.padStart(19, '0').slice(-18)}`
    env = { ...env, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
    const good = await bursar(
      'reserves',
      'verify',
      proof,
      '--merchant',
      owner.merchantId,
      '--commitment',
      commitment!,
      '--public-key',
      key!,
      '--expect',
      `ETH=${owned}`,
    )
    const without = await bursar('reserves', 'verify', proof, '--merchant', owner.merchantId)
    const wrong = await bursar('reserves', 'verify', proof, '--merchant', owner.merchantId, '--expect', 'ETH=9')
    const unpublished = await bursar(
      'reserves',
      'verify',
      proof,
      '--merchant',
      owner.merchantId,
      '--commitment',
      '0'.repeat(64),
    )
    env = { ...env, DATABASE_URL: url }
    expect(good).toMatchObject({ code: 0, err: '' })
    expect(good.out).toContain('the proof holds')
    expect(without.out).toContain('compare the commitment')
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('your books say 9') })
    expect(unpublished).toMatchObject({ code: 1, err: expect.stringContaining('another commitment') })
  })

  test('too little on the chain ends with 1; all proofs at once; no one is notified', async () => {
    await createReconcileJob(here.runtime, catalogue, [here.adapter], 1).run(new AbortController().signal)
    await sql`update custody_rounds set on_chain = 1 where asset = 'ETH'`.execute(world.db)
    const { code, out } = await bursar('reserves', '--out', folder)
    expect(code).toBe(1)
    expect(out).toMatch(/ETH .* 0%/)
    expect((await bursar('reserves', 'proof', '--all', '--out', path('all'))).out).toContain('wrote 1 proof(s)')
    expect(await bursar('reserves', 'proof', '--merchant', '00000000-0000-0000-0000-000000000009')).toMatchObject({
      code: 1,
    })
    expect((await bursar('reserves', 'proof')).code).toBe(2)
    expect((await bursar('reserves', 'verify', path('none'), '--merchant', 'x')).code).toBe(1)
  })
})

test('metrics: costs by network, asset and operation and never by merchant; drift, and the age of the last comparison', async () => {
  const wrong = new Map([[owner.address, -E18]])
  const truth = here.adapter.balancesAt.bind(here.adapter)
  here.adapter.balancesAt = async (height, wanted) =>
    (await truth(height, wanted)).map((units, i) => units + (wrong.get(wanted[i]!.address) ?? 0n))
  await createReconcileJob(here.runtime, catalogue, [here.adapter], 1).run(new AbortController().signal)
  await bursar('costs')
  here.later(90_000)
  const server = createInnerServer(metricsOf(here.runtime, catalogue, readPolicies(POLICY).treasury), {
    healthy: async () => {},
    missing: async () => [],
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  await new Promise((resolve) => server.close(resolve))
  expect(text).toContain(`bursar_network_costs_total{network="ETHEREUM",asset="ETH",operation="payout"} ${COST}`)
  expect(text).toContain('bursar_custody_shortage{network="ETHEREUM",asset="ETH"} 1')
  expect(text).toContain('bursar_custody_surplus{network="ETHEREUM",asset="USDT"} 0')
  expect(text).toContain('bursar_reconcile_age_seconds{network="ETHEREUM"} 90')
  expect(text).toContain(`bursar_hot_balance{network="ETHEREUM",asset="ETH"} ${2 - Number(COST)}`)
  expect(text).toContain('bursar_hot_cap{network="ETHEREUM",asset="ETH"} 4')
  expect(text).not.toContain('bursar_hot_cap{network="ETHEREUM",asset="USDT"}')
  expect(text).toContain('bursar_unswept_deposits{network="ETHEREUM",asset="ETH"} 5')
  expect(text).toContain('bursar_waiting_payouts{network="ETHEREUM",asset="ETH"} 0')
  expect(text).toContain('bursar_cold_balance{network="ETHEREUM",asset="ETH"} 0')
  expect(text).toContain(`bursar_runway_days{network="ETHEREUM",asset="ETH"} ${RUNWAY}`)
  expect(text).not.toContain(owner.merchantId)
})

test('treasury: balances by place, waiting amounts, addresses to refill, and how long the coin for fees lasts', async () => {
  await bursar('costs')
  const before = (await bursar('treasury')).out
  const hot = `${2 - Number(COST)}`
  expect(before).toMatch(new RegExp(`ETHEREUM +ETH +${hot} +4 +0 +0 +5 +0 +0\\n`))
  expect(before).toMatch(/ETHEREUM +USDT +0 +- +0 +0 +0 +0 +-\n/)
  // The command's own clock is far ahead of these books; the test's is not.
  expect(before).toMatch(/ETHEREUM +ETH +0 +-\n/)
  expect((await readHotWallet(here.runtime, catalogue, 'ETHEREUM')).runway).toMatchObject({
    spent: 105_000_000_000_000n,
    days: Number(RUNWAY),
  })
  expect(before).toMatch(/BITCOIN +BTC +0 +-\n/)
  await requestWithdrawal(here.runtime, {
    merchantId: owner.merchantId,
    ticker: 'ETH',
    blockchain: 'ETHEREUM',
    to: '0x',
    units: 3n * E18,
    fee: 0n,
  })
  expect((await bursar('treasury')).out).toMatch(new RegExp(`ETH +${hot} +4 +0 +3 +5 +0 +1.000105\\n`))
  // The costs of a week ago say nothing of the days to come.
  here.later(8 * 86_400_000)
  const { rows } = await sql<{ days: number }>`select count(*) as days from network_costs`.execute(world.db)
  expect(rows[0]!.days).toBe(1)
  expect((await readHotWallet(here.runtime, catalogue, 'ETHEREUM')).runway).toMatchObject({ spent: 0n, days: null })
})
