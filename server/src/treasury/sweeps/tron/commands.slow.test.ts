/** The operator's commands for TRON's stake, as they are typed, against a real chain. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { useDatabase } from '../../../../../test/setup/database.ts'
import { migrated } from '../../../../../test/setup/migrated.ts'
import { runCommand } from '../../../app/cli/index.ts'
import { openTronSweeps } from '../../../../../test/world/tron-sweeps.ts'
import { SOLID, TRON_USDT as USDT } from '../../../../../test/world/tron.ts'
import { WALLET } from '../../../../../test/world/wallet.ts'

const database = useDatabase({ template: migrated })

/** Runs a command line. Returns its output and its exit code. */
const bursar = async (
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: number; out: string; err: string }> => {
  const printed = { out: '', err: '' }
  const into = (name: 'out' | 'err') => (text: unknown) => {
    printed[name] += String(text)
    return true
  }
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(into('out') as never),
    vi.spyOn(process.stderr, 'write').mockImplementation(into('err') as never),
  ]
  try {
    return { code: await runCommand(args, env), ...printed }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

test('stake, status, unstake and withdraw', async () => {
  const world = await openTronSweeps(database.url)
  onTestFinished(() => world.close())
  const folder = mkdtempSync(join(tmpdir(), 'bursar-tron-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = (name: string, content: unknown): string => {
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })
    return join(folder, name)
  }
  const limits = { minDeposit: '0', minWithdrawal: '0' }
  const env = {
    DATABASE_URL: database.url,
    BURSAR_LOG_LEVEL: 'silent',
    BURSAR_DATA_KEY_FILE: file('key', 'ab'.repeat(32)),
    BURSAR_XPUBS_FILE: file('xpubs', WALLET),
    BURSAR_NETWORKS_FILE: file('networks', {
      TRON: { url: world.chain.url, genesis: await world.adapter.identity(), internalTransactions: true },
    }),
    BURSAR_ASSETS_FILE: file('assets', {
      crypto: [
        { ticker: 'TRX', name: 'TRON', networks: { TRON: { decimals: 6, ...limits } } },
        { ticker: 'USDT', name: 'Tether', networks: { TRON: { contract: USDT, decimals: 6, ...limits } } },
      ],
      fiat: [],
    }),
  }
  expect(await bursar(env, 'tron', 'stake', '--yes', '1000.5')).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringContaining('ordered as transaction'),
  })
  await world.settle()
  const { out } = await bursar(env, 'tron', 'status')
  expect(out).toMatch(/staked for energy: 1000\.5/)
  expect(out).toMatch(/can be spent: 3999\.\d+/)
  expect(out).toContain('nothing is lent')
  expect((await bursar(env, 'treasury')).out).toMatch(
    /hot wallet TRX: 3999\.\d+ spendable; 1000\.5 staked, lent or unfreezing/,
  )
  expect(await bursar(env, 'tron', 'unstake', '400', '--yes')).toMatchObject({ code: 0 })
  await world.settle()
  expect((await bursar(env, 'treasury')).out, 'what unfreezes is not free yet').toContain(
    '1000.5 staked, lent or unfreezing',
  )
  expect((await bursar(env, 'tron', 'status')).out).toMatch(/unstaked +can be withdrawn from\n +400 +20\d\d-/)
  expect(await bursar(env, 'tron', 'withdraw')).toMatchObject({ code: 1, err: expect.stringContaining('long enough') })
  expect(await bursar(env, 'tron', 'stake', '--yes', '99999')).toMatchObject({
    code: 1,
    err: expect.stringContaining('can spare'),
  })
  expect(await bursar(env, 'tron', 'stake', '--yes', 'much')).toMatchObject({ code: 2 })
  expect(await bursar(env, 'tron', 'stake', '--yes', '200', '--bandwidth')).toMatchObject({ code: 0 })
  // While it is not final it is counted as gone.
  expect(await bursar(env, 'tron', 'stake', '--yes', '3500')).toMatchObject({ code: 0 })
  expect(await bursar(env, 'tron', 'stake', '--yes', '350')).toMatchObject({
    code: 1,
    err: expect.stringContaining('can spare'),
  })
  await world.settle()
  await world.passTime(14 * 86_400_000)
  await world.mine(SOLID)
  expect(await bursar(env, 'tron', 'withdraw')).toMatchObject({ code: 0 })
  await world.settle()
  expect((await bursar(env, 'tron', 'status')).out).toMatch(/staked for bandwidth: 200/)
  expect(await world.differences()).toEqual([])
})
