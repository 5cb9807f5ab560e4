/**
 * The worker is killed, -9, at every point between gathering small coins and recording that a node has the transaction
 * that joins them; afterwards they are joined once, and books and chain agree at every address.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox, type Sandbox } from '../system/sandbox.ts'

const POINTS = ['coins-gathered', 'before-sign', 'signed-not-stored', 'stored-not-broadcast', 'broadcast-not-recorded']
/** As many as the sandbox takes for worth joining. */
const COINS = 10

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({
    BURSAR_BLOCK_SECONDS_BITCOIN: '0',
    BURSAR_BLOCK_SECONDS_ETHEREUM: '0',
    BURSAR_BLOCK_SECONDS_BSC: '0',
  })
  await sandbox.credit(sandbox.merchants[0], 'BTC', '1')
  await sandbox.kill('worker')
})
afterAll(() => sandbox?.stop())

const query = <T extends object>(text: string): Promise<T[]> => sandbox.query<T>(text)
const reconcile = async (): Promise<string> =>
  (await sandbox.bursar('reconcile', '--network', 'BITCOIN', '--full')).text

const SPENDABLE = `select 1 from utxos x join watch_cursors c using (network)
  where x.account = 'deposit' and x.spent_by is null and x.block_height <= c.final_height`
const joined = (state: string) =>
  query(`select id from outgoing where purpose = 'consolidation' and state = '${state}'`)
const until = async (what: string, holds: () => Promise<boolean>): Promise<void> =>
  void (await sandbox.until(what, holds))

describe('killed', () => {
  test.each(POINTS)('%s: coins are joined once', async (point) => {
    const [shop] = sandbox.merchants
    const addresses = await Promise.all(
      Array.from({ length: COINS }, () => shop.client.addresses.create({ blockchain: 'BITCOIN' })),
    )
    for (const { address } of addresses) await sandbox.pay('BITCOIN', 'BTC', address, '0.0003')
    await sandbox.mine('BITCOIN', 7)
    await until('all are spendable', async () => (await query(SPENDABLE)).length === COINS)
    const before = (await query(`select id from outgoing where purpose = 'consolidation'`)).length
    await sandbox.start('worker', { BURSAR_SANDBOX_PAUSE: point })
    await sandbox.paused('worker', point)
    await sandbox.kill('worker')
    await sandbox.start('worker')
    // Rows that the killed worker had claimed are free again when its lease is over.
    await sandbox.advance(60_000)
    await until('it is handed over', async () => (await joined('broadcast')).length === 1)
    await sandbox.kill('worker')
    await sandbox.mine('BITCOIN', 7)
    await until('it is final', async () => (await joined('final')).length === before + 1)
    expect(await query(`select id from outgoing where purpose = 'consolidation'`)).toHaveLength(before + 1)
    const left = await query(`select 1 from utxos where spent_by is null and account = 'deposit'`)
    expect(left).toEqual([])
    expect(await reconcile()).toContain('the ledger is consistent, and the chains agree with it')
  })
})
