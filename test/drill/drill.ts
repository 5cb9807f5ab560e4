/**
 * One cut: an installation with load on a real PostgreSQL server with a base backup and a received write-ahead log
 * loses its database at a random moment, and is restored by the steps of docs/operating/recovery.md to a moment before.
 * Its merchants repeat their requests. Then an independent count of the chain is compared with the books.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { placesOf } from '../../server/src/app/backup/folder.ts'
import { auditCopy, markCopy } from '../../server/src/app/backup/inspecting.ts'
import type { Programs } from '../../server/src/app/backup/programs.ts'
import { backupBefore, restoreBackup } from '../../server/src/app/backup/restoring.ts'
import { makeFolder, takeBackup } from '../../server/src/app/backup/taking.ts'
import { verifyBackup } from '../../server/src/app/backup/verifying.ts'
import { startReceiving } from '../../server/src/app/backup/wal.ts'
import { acceptRestored, obstaclesOf } from '../../server/src/app/cli/acceptance.ts'
import { replaySignerLog } from '../../server/src/app/cli/replay.ts'
import { makeSafe } from '../../server/src/app/cli/restored.ts'
import { createStockJob } from '../../server/src/chain/addresses/index.ts'
import type { ChainSubscriber, Follower } from '../../server/src/chain/watcher/index.ts'
import { createDeposits, DEFAULT_DEPOSIT_POLICY } from '../../server/src/pay-in/deposits/index.ts'
import {
  attachSigned,
  decideRepeat,
  findById,
  intentIdOf,
  listRepeats,
} from '../../server/src/pay-out/withdrawals/index.ts'
import { migrate } from '../../server/src/platform/db/migrate.ts'
import { runUntilIdle } from '../../server/src/platform/jobs/index.ts'
import { requireSameDatabase } from '../../server/src/platform/runtime/installation.ts'
import { openRestore } from '../../server/src/platform/runtime/restores.ts'
import { momentOf } from '../../server/src/platform/runtime/runtime.ts'
import { createFunding } from '../../server/src/treasury/reconciliation/index.ts'
import { createSweepSubscriber } from '../../server/src/treasury/sweeps/index.ts'
import { giveAddress } from '../world/address.ts'
import { act } from '../world/ledger.ts'
import { TEST_KEYS } from '../world/keys.ts'
import { catalogue, createPayoutWorld, HOT, WALLET, type PayoutWorld } from '../world/payouts.ts'
import { openSigner, USDT, type SignerOptions, type TestSigner } from '../world/signer.ts'
import { follow, readAll } from '../world/watcher.ts'
import { createDrillChain, type DrillChain } from './chain.ts'
import { count, emptyResult, paid, type Asked, type CutResult } from './counting.ts'
import { endProgram, initCluster, startCluster } from './cluster.ts'

const STEPS = 30
const FIRST_HEIGHT = 100
const PRICES = new Map([['USDT', 10n ** 18n]])
/** Each payment has an amount of its own, by which the count finds it. */
const PAYMENT = 1_000_000n
const DEPOSIT = 7_000_000_000n
/** A sequence of numbers from 0 to 1 that a seed determines (mulberry32). */
const randomOf = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

interface Running {
  world: PayoutWorld
  follower: Follower
}

/** Opens an installation on a database, for the signer and the chain, which outlive it. */
const open = async (
  url: string,
  signerOf: (options: SignerOptions) => Promise<TestSigner>,
  chain: DrillChain,
  resumeAs?: string,
): Promise<Running> => {
  const world = await createPayoutWorld(url, {
    signerOf,
    ...(resumeAs !== undefined && { resumeAs }),
  })
  world.node.broadcast = chain.broadcast
  world.node.statusOf = chain.statusOf
  const deposits = createDeposits({
    catalogue,
    policy: DEFAULT_DEPOSIT_POLICY,
    prices: async () => PRICES,
    onCredited: [],
    depositSubscribers: [],
  })
  const subscribers = [
    world.following,
    createSweepSubscriber(catalogue),
    createFunding(catalogue),
    deposits,
  ] as unknown as ChainSubscriber[]
  if (resumeAs === undefined) await sql`delete from watch_cursors`.execute(world.db)
  return { world, follower: await follow(world.runtime, chain.adapter, subscribers, { startHeight: FIRST_HEIGHT + 1 }) }
}

/** A second of work: jobs, a block, and the watcher. */
const workOnce = async ({ world, follower }: Running, chain: DrillChain, clock: { now: number }): Promise<void> => {
  clock.now = world.time.now + 1_000
  world.node.mined = chain.nonce()
  world.node.head = { height: chain.head().height, hash: chain.head().hash }
  await world.work()
  chain.now.ms = world.time.now
  chain.mine()
  world.node.mined = chain.nonce()
  await readAll(follower)
}

interface Shared {
  random: () => number
  chain: DrillChain
  asked: Asked
  result: CutResult
}

const upTo = (random: () => number, most: number): number => Math.floor(random() * (most + 1))

/** The actions of merchants and payers in one step. */
const load = async ({ world }: Running, { random, chain, asked }: Shared): Promise<void> => {
  for (let count = upTo(random, 2); count > 0; count -= 1) await withdraw(world, asked, asked.withdrawals.length)
  for (let count = upTo(random, 2); count > 0; count -= 1) await giveOut(world, asked)
  for (let count = upTo(random, 2); count > 0 && asked.addresses.length > 0; count -= 1) {
    const { address } = asked.addresses[upTo(random, asked.addresses.length - 1)]!
    const units = DEPOSIT + BigInt(asked.deposits.length)
    asked.deposits.push({ hash: chain.pay(address, units), address, units })
  }
}

/** A withdrawal by its `localId`, the first time or again. */
const withdraw = async (world: PayoutWorld, asked: Asked, number: number): Promise<void> => {
  const intentId = intentIdOf(world.merchantId, `id:${number}`)
  const units = PAYMENT + BigInt(number)
  asked.withdrawals[number] = { units, intentId, id: await world.request(units, { intentId }) }
}

/** A lost withdrawal again. Most merchants repeat it without its `localId`: every fourth names it. */
const withdrawAgain = async (world: PayoutWorld, asked: Asked, number: number): Promise<void> => {
  if (number % 4 === 0) return withdraw(world, asked, number)
  const { units } = asked.withdrawals[number]!
  const id = await world.request(units)
  asked.withdrawals[number] = { units, intentId: id, id }
}

const giveOut = async ({ runtime, merchantId }: PayoutWorld, asked: Asked): Promise<void> => {
  const id = runtime.newId()
  const address = await giveAddress(runtime, TEST_KEYS, { merchantId, id, blockchain: 'ETHEREUM' })
  asked.addresses.push({ address, id })
}

const stockOf = ({ runtime }: PayoutWorld) =>
  runUntilIdle([createStockJob({ runtime, keys: TEST_KEYS, families: ['EVM'], target: 16 })])

/**
 * Runs one cut.
 * @param folder an empty folder of short path that the user of PostgreSQL may enter and write
 */
export const runCut = async (programs: Programs, folder: string, seed: number): Promise<CutResult> => {
  const random = randomOf(seed)
  const [data, restored, backups] = [join(folder, 'a'), join(folder, 'b'), join(folder, 'k')]
  const chain = createDrillChain(HOT, USDT.toLowerCase(), FIRST_HEIGHT)
  const asked: Asked = { withdrawals: [], addresses: [], deposits: [] }
  const result = emptyResult(seed)
  const shared: Shared = { random, chain, asked, result }
  const clock = { now: Date.UTC(2026, 0, 1) }
  const signers: TestSigner[] = []
  const signerOf = async (options: SignerOptions): Promise<TestSigner> => {
    signers[0] ??= await openSigner({ ...options, now: () => clock.now, logFile: join(folder, 'signer.log') })
    return signers[0]
  }
  const ending: (() => Promise<unknown>)[] = []
  try {
    await initCluster(programs, data)
    const cluster = await startCluster(programs, data, join(folder, 's'))
    ending.push(cluster.stop)
    await migrate(cluster.url)
    await makeFolder(programs, placesOf(backups).wal)
    const receiver = await startReceiving(programs, {
      url: cluster.url,
      folder: placesOf(backups).wal,
      name: 'drill',
      isStandby: true,
    })
    receiver.stderr!.resume()
    ending.push(() => endProgram(receiver))
    const original = await open(cluster.url, signerOf, chain)
    await requireSameDatabase(original.world.db, momentOf(original.world.runtime))
    await stockOf(original.world)

    const backupAt = upTo(random, STEPS / 3)
    const cutAt = backupAt + 1 + upTo(random, STEPS / 2)
    const end = cutAt + upTo(random, STEPS / 3)
    let to: Date | null = null
    for (let step = 0; step <= end; step += 1) {
      if (step === backupAt) await takeIn(programs, backups, cluster.url, original)
      if (step === cutAt && end > cutAt) {
        await sleep(20)
        to = new Date()
        await sleep(20)
      }
      await load(original, shared)
      await stockOf(original.world)
      if (random() < 0.7) await workOnce(original, chain, clock)
    }
    await original.world.close()
    // The commit after `to` has been received, and the end of the log has arrived.
    await sleep(300)
    await cluster.kill()
    await endProgram(receiver)

    const backup = await backupBefore(backups, to)
    result.faults.push(...(await verifyBackup(programs, backups, backup)).problems)
    await restoreBackup(
      { folder: backups, programs, into: restored, to, socket: join(folder, 'r'), superuser: 'postgres' },
      backup,
      markCopy,
    )
    const second = await startCluster(programs, restored, join(folder, 't'))
    ending.push(second.stop)
    clock.now += 60_000
    const copy = await open(second.url, signerOf, chain, original.world.merchantId)
    ending.push(copy.world.close)
    copy.world.time.now = clock.now
    await recover(copy, shared, clock)
    result.faults.push(...(await auditCopy(second.url)))
    return result
  } finally {
    for (const work of ending.toReversed()) await work()
    await signers[0]?.log.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const takeIn = async (programs: Programs, folder: string, url: string, { world }: Running): Promise<void> => {
  await takeBackup({
    folder,
    programs,
    url,
    database: { name: 'postgres', major: 0, systemIdentifier: '', segmentBytes: 16 * 1024 * 1024 },
    signer: world.signer,
    env: {},
    recipient: undefined,
    dataKeys: [],
    version: 'drill',
    now: () => Date.now(),
  })
}

/** The steps of docs/operating/recovery.md, and then the count. */
const recover = async (copy: Running, shared: Shared, clock: { now: number }): Promise<void> => {
  const { world, follower } = copy
  const { chain, asked, result } = shared
  const { runtime, db } = world
  const refused = await requireSameDatabase(db, momentOf(runtime)).then(
    () => false,
    () => true,
  )
  if (!refused) result.faults.push('a role would serve the copy before `bursar restored`')
  await makeSafe(runtime, WALLET, 300)
  await requireSameDatabase(db, momentOf(runtime))
  const before = { ...asked, addresses: [...asked.addresses], withdrawals: [...asked.withdrawals] }
  world.time.now += 1_000
  chain.now.ms = world.time.now
  chain.mine()
  await readAll(follower)
  const attach = (key: { merchantId: string; id: string }) =>
    attachSigned(
      {
        runtime,
        catalogue,
        signer: world.signer,
        wallet: WALLET,
        adapter: { ...world.adapter, statusOf: async (hash) => chain.statusOf(hash) },
        readAgain: async (height) => readAgain(copy, chain, height),
      },
      key,
    )
  const replay = () =>
    replaySignerLog(
      {
        runtime,
        catalogue,
        signer: world.signer,
        attach,
      },
      opened.log,
    )
  const opened = (await openRestore(db))!
  result.lostPayments = (await replay()).lost.length
  for (const [number, { id }] of before.withdrawals.entries()) {
    if (await findById(db, world.merchantId, id)) continue
    result.lostWithdrawals += 1
    await withdrawAgain(world, asked, number)
  }
  const { rows: known } = await sql<{ address: string; id: string }>`select address, id from addresses`.execute(db)
  const owners = new Map(known.map(({ address, id }) => [address, id]))
  await stockOf(world)
  const lost = before.addresses.filter(({ address }) => !owners.has(address))
  result.lostAddresses = lost.length
  const issued = new Set(before.addresses.map(({ address }) => address))
  result.secondOwners += before.addresses.filter(
    ({ address, id }) => owners.has(address) && owners.get(address) !== id,
  ).length
  for (let count = 0; count < lost.length + 5; count += 1) {
    await giveOut(world, asked)
    if (issued.has(asked.addresses.at(-1)!.address)) result.secondOwners += 1
  }
  const again = await replay()
  result.faults.push(...again.failed.map(({ why }) => why))
  result.faults.push(...(await obstaclesOf(runtime, (await openRestore(db))!)))
  for (const { withdrawalId } of await listRepeats(db))
    await decideRepeat({ runtime, catalogue, signer: world.signer, attach }, withdrawalId, 'same', 'drill')
  await acceptRestored(runtime, 'the drill compared the books')
  await sql`update hot_wallets set next_nonce = greatest(next_nonce, ${chain.nonce()})`.execute(db)
  for (let round = 0; round < 60 && asked.withdrawals.some(({ units }) => paid(chain, units) === 0); round += 1)
    await workOnce(copy, chain, clock)
  for (let round = 0; round < 6; round += 1) await workOnce(copy, chain, clock)
  await count(world, shared)
}

/** As `bursar rescan` of one block. */
const readAgain = async ({ world }: Running, chain: DrillChain, height: number): Promise<void> => {
  const block = chain.blocks.find((one) => one.height === height)!
  const [cursor] = (await sql<{ height: number }>`select height from watch_cursors`.execute(world.db)).rows
  if (cursor!.height < height) return
  await act(world.runtime, (tx, moment) => world.following.block(tx, 'ETHEREUM', block, moment))
}
