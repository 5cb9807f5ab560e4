/**
 * The worker is killed, -9, at every named point of sweeps and of transfers to cold storage, on every kind of chain;
 * afterwards each deposit has left its address once, one transfer is offered, and the ledger equals the chains to
 * the last unit. The points are read from the source, so that a new one is tested, too.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox, type Network, type Sandbox } from '../system/sandbox.ts'

const pointsOf = (module: string): string[] => {
  const folder = new URL(`../../server/src/${module}/`, import.meta.url)
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/test/.test(file),
  )
  return [
    ...new Set(
      sources.flatMap((file) =>
        [...readFileSync(new URL(file, folder), 'utf8').matchAll(/\.pause\('([a-z-]+)'\)/g)].map((match) => match[1]!),
      ),
    ),
  ]
}

/** The two run the same code: a point that one of them passes is killed there, in turn. */
const EVM: readonly Network[] = ['ETHEREUM', 'BINANCE_SMART_CHAIN']
/**
 * The networks on which a point is killed; energy is given back where the hot wallet has staked:
 * `server/src/treasury/sweeps/tron/crash.slow.test.ts` does.
 */
const NETWORKS: Record<string, readonly Network[]> = {
  'sweep-deployment-chosen': ['ETHEREUM'],
  'sweep-deployment-planned': ['BINANCE_SMART_CHAIN'],
  'sweep-chosen': ['ETHEREUM'],
  'sweep-planned': ['BINANCE_SMART_CHAIN'],
  'sweep-step-chosen': ['TRON'],
  'sweep-step-planned': ['TRON'],
  'return-chosen': [],
  'return-planned': [],
}
const SENDING = ['before-sign', 'signed-not-stored', 'stored-not-broadcast', 'broadcast-not-recorded']
const sweeps = [
  ...pointsOf('treasury/sweeps').toSorted(
    (a, b) => Number(b.includes('deployment')) - Number(a.includes('deployment')),
  ),
  ...SENDING,
]
const sweepCases = sweeps.flatMap((point, at) =>
  (NETWORKS[point] ?? [EVM[at % 2]!, 'TRON' as const]).map((network) => [point, network] as const),
)
/**
 * On TRON a transaction that may have been signed ends only by its expiry, by the chain's own time, which no clock of
 * ours moves: `server/src/treasury/cold/tron.slow.test.ts` proves its end, on a chain whose time is the test's, without
 * a kill.
 */
const coldCases = pointsOf('treasury/cold').flatMap((point, at) =>
  (['BITCOIN', EVM[at % 2]!, 'TRON'] as const)
    .filter((network) => point !== 'cold-ending' || network !== 'TRON')
    .map((network) => [point, network] as const),
)

const COIN: Record<Network, string> = { BITCOIN: 'BTC', ETHEREUM: 'ETH', BINANCE_SMART_CHAIN: 'BNB', TRON: 'TRX' }
const BLOCKS = 12
/** Deposit addresses of an EVM chain, so that they share a batch. */
const MANY = 4

let sandbox: Sandbox
let settings: { policy: string; signer: string }
const files = { policy: 'policy.json', signer: 'signer-policy.json' } as const
beforeAll(async () => {
  const pace = {
    BURSAR_BLOCK_SECONDS_BITCOIN: '0',
    BURSAR_BLOCK_SECONDS_ETHEREUM: '0.5',
    BURSAR_BLOCK_SECONDS_BSC: '0.5',
  }
  sandbox = await startSandbox({ ...pace, BURSAR_HOT_ADDRESSES: '1' })
  await sandbox.kill('worker')
  settings = {
    policy: readFileSync(join(sandbox.dir, 'settings', files.policy), 'utf8'),
    signer: readFileSync(join(sandbox.dir, 'settings', files.signer), 'utf8'),
  }
})
afterAll(() => sandbox?.stop())

const query = <T extends object>(text: string, values: unknown[] = []): Promise<T[]> => sandbox.query<T>(text, values)
const until = async (
  what: string,
  holds: () => Promise<boolean>,
  meanwhile = async (): Promise<void> => {},
): Promise<void> => {
  await sandbox.until(what, async () => (await holds()) || meanwhile().then(() => false))
}
const reconcile = async (network: Network): Promise<string> =>
  (await sandbox.bursar('reconcile', '--network', network, '--full')).text
const agree = async (network: Network): Promise<void> => {
  await sandbox.mine(network, BLOCKS)
  await until('the chains agree', async () =>
    (await reconcile(network)).includes('the ledger is consistent, and the chains agree with it'),
  )
}

const killedAt = async (point: string): Promise<void> => {
  await sandbox.start('worker', { BURSAR_SANDBOX_PAUSE: point })
  await sandbox.paused('worker', point)
  await sandbox.kill('worker')
  await sandbox.start('worker')
  // Rows that the killed worker had claimed are free again when its lease is over.
  await sandbox.advance(60_000)
}

describe('a sweep killed', () => {
  // Those of deployment first: contracts are deployed once.
  test.each(sweepCases)('C4 at %s on %s: a deposit leaves once', async (point, network) => {
    const count = network === 'TRON' ? 1 : MANY
    const created = await Promise.all(
      Array.from({ length: count }, () => sandbox.merchants[0].client.addresses.create({ blockchain: network })),
    )
    const addresses = created.map(({ address }) => address)
    for (const address of addresses) await sandbox.pay(network, 'USDT', address, '1000')
    const held = (): Promise<{ booked: string }[]> =>
      query(
        'select booked from custody_addresses where network = $1 and address = any($2) and asset = $3 and booked <> 0',
        [network, addresses, 'USDT'],
      )
    await sandbox.mine(network, BLOCKS)
    await until(
      'the deposit is final',
      async () =>
        (
          await query(
            `select from deposits d join watch_cursors w using (network) where d.address = any($1) and d.block_height <= w.final_height`,
            [addresses],
          )
        ).length === count,
    )
    await killedAt(point)
    await until(
      'the deposit has left',
      async () => (await held()).length === 0,
      () => sandbox.mine(network, 2),
    )
    await sandbox.mine(network, BLOCKS)
    await until(
      'its sweep is over',
      async () =>
        (await query(`select from sweeps where address = any($1) and asset = 'USDT' and state = 'final'`, [addresses]))
          .length === count,
      () => sandbox.mine(network, 2),
    )
    await until(
      'nothing is under way',
      async () =>
        (
          await query(`select from outgoing where network = $1 and state not in ('final', 'failed', 'abandoned')`, [
            network,
          ])
        ).length === 0,
      () => sandbox.mine(network, 2),
    )
    await sandbox.kill('worker')
    expect(
      await query(`select from house_transfers where from_address = any($1) and asset = 'USDT'`, [addresses]),
    ).toHaveLength(count)
    await agree(network)
  })
})

describe('a transfer to cold storage killed', () => {
  test.each(coldCases)('at %s on %s: one is offered, and an old one ends', async (point, network) => {
    if (network === 'BITCOIN' && !sandbox.hasBitcoin) return
    // On Bitcoin a coin that fills the hot wallet can be spent once it is final.
    await sandbox.mine(network, BLOCKS)
    const ticker = COIN[network]
    const cold = await sandbox.outside(network)
    const policy = JSON.parse(settings.policy) as Record<string, object>
    policy[network] = {
      ...policy[network],
      signWithinMs: 600_000,
      hot: { [ticker]: { cap: '2000000', target: '1000000', cold } },
    }
    const signer = JSON.parse(settings.signer) as { networks: Record<string, { assets: Record<string, object> }> }
    Object.assign(signer.networks[network]!.assets[ticker]!, { cold })
    writeFileSync(join(sandbox.dir, 'settings', files.policy), JSON.stringify(policy))
    writeFileSync(join(sandbox.dir, 'settings', files.signer), JSON.stringify(signer))
    await sandbox.kill('signer')
    await sandbox.start('signer')
    const offered = (): Promise<{ id: string }[]> =>
      query(`select o.id from outgoing o where o.network = $1 and o.purpose = 'cold' and o.state = 'offered'`, [
        network,
      ])
    if (point === 'cold-ending') {
      await sandbox.start('worker')
      await until('one is offered', async () => (await offered()).length === 1)
      await sandbox.kill('worker')
      const [old] = await offered()
      await sandbox.advance(700_000)
      await sandbox.mine(network, BLOCKS)
      await killedAt(point)
      await until(
        'the old one has ended, another is offered',
        async () => {
          const now = await offered()
          return now.length === 1 && now[0]!.id !== old!.id
        },
        () => sandbox.mine(network, 1),
      )
    } else {
      await killedAt(point)
      await until('one is offered', async () => (await offered()).length === 1)
    }
    await sandbox.kill('worker')
    expect(await offered()).toHaveLength(1)
    for (const { id } of await offered()) await sandbox.bursar('cold', 'cancel', '--yes', id)
    await agree(network)
  })
})
