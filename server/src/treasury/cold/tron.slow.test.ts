/**
 * TRX and USDT to cold storage on the sandbox's TRON: nothing but expiry ends what was signed, so that nothing is
 * offered beside it.
 */
import { isRefused } from '@bursar/chainkit'
import { addressOfEvmForm, parseUnsigned, serializeUnsigned } from '@bursar/chainkit/tron'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { startTronChain, type TronChain } from '../../../../sandbox/tron/index.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createTronAdapter } from '../../adapters/chains/tron/index.ts'
import { tronCatalogue, TRON_USDT as USDT } from '../../../../test/world/tron.ts'
import { broadcastOnTron, signOnTron, stakeOnTron } from '../../../../test/world/tron-hot-key.ts'
import { openCold, type ColdWorld } from '../../../../test/world/cold.ts'
import { TRON_HOT } from '../../../../test/world/wallet.ts'

const database = useDatabase({ template: migrated })
const COLD = addressOfEvmForm('c0'.repeat(20))
const HOUR = 3_600_000
const SOLID = 4
const TRX = 1_000_000n
let chain: TronChain
let cold: ColdWorld

const LOW = 100n * TRX

beforeEach(async () => {
  chain = await startTronChain({ port: 0, solidLag: 3 })
  const adapter = createTronAdapter({ url: chain.url, tokens: [USDT], internalTransactions: true, random: () => 0 })
  const hot = {
    TRX: { cap: `${2_000n * TRX}`, target: `${1_000n * TRX}`, low: `${LOW}`, cold: COLD },
    USDT: { cap: '500000000', target: '200000000', cold: COLD },
  }
  const world = { adapter, mine: async (blocks: number) => void (await chain.mine(blocks)) }
  cold = await openCold({
    url: database.url,
    network: 'TRON',
    chain: world,
    catalogue: tronCatalogue,
    treasury: { hot, signWithinMs: 24 * HOUR },
    contracts: { USDT },
  })
  return async () => {
    await cold.close()
    await adapter.close()
    await chain.stop()
  }
})

const fund = async (trx: string, usdt?: string): Promise<void> => {
  await chain.fund({ ticker: 'TRX', to: TRON_HOT, amount: trx })
  if (usdt !== undefined) await chain.fund({ ticker: 'USDT', to: TRON_HOT, amount: usdt })
  await cold.mine(1 + SOLID)
}
const stake = async (sun: bigint): Promise<void> => {
  await stakeOnTron(chain.url, sun)
  await cold.mine(1 + SOLID)
  await equal()
}
const impossible = async (): Promise<string[]> => {
  const { rows } = await sql<{
    text: string
  }>`select text from alerts where kind = 'cold-impossible' and resolved_at is null`.execute(cold.db)
  return rows.map(({ text }) => text)
}
/** Both clocks go on together. */
const later = async (ms: number): Promise<void> => {
  cold.later(ms)
  await chain.advance(ms)
  await cold.mine(1 + SOLID)
}
const equal = async (): Promise<void> => {
  for (const line of (await cold.reconcile()).lines) {
    expect(line.onChain, line.ticker).toBe(line.booked)
    expect(line).toMatchObject({ short: 0n, surplus: 0n })
  }
}

test('the excess is signed elsewhere within a day, mined and reconciled to the last sun', async () => {
  await fund('1000', '900')
  await cold.offer()
  const { transfer, attempt } = await cold.open()
  expect(transfer).toMatchObject({ asset: 'USDT', units: 700_000_000n, to: COLD })
  expect(attempt.expiresAt!.getTime()).toBeGreaterThan(Date.now() + 23 * HOUR)
  expect(await cold.file(transfer.id)).toMatchObject({
    amount: '700',
    fields: { contract: { kind: 'TriggerSmartContract', contract: USDT, owner: TRON_HOT } },
  })
  const stranger = new Uint8Array(32).fill(7)
  const parsed = parseUnsigned(Buffer.from(attempt.unsigned, 'hex'))
  if (isRefused(parsed)) throw new Error(parsed.message)
  for (const bytes of [
    await signOnTron(attempt.unsigned, { by: stranger }),
    await signOnTron(attempt.unsigned, { timestamp: parsed.timestamp + 1 }),
    serializeUnsigned(parsed),
  ]) {
    expect(await cold.take(transfer.id, bytes)).toMatchObject({ refused: 'not-it' })
  }
  await later(5 * HOUR)
  expect(await cold.take(transfer.id, await signOnTron(attempt.unsigned))).toHaveProperty('hash')
  await cold.send()
  await cold.mine(1)
  expect(await cold.state(transfer.id)).toBe('mined')
  await cold.mine(SOLID)
  expect(await cold.state(transfer.id)).toBe('final')
  expect(await cold.custody(COLD, 'USDT')).toBe(700_000_000n)
  expect(await cold.custody(TRON_HOT, 'USDT')).toBe(200_000_000n)
  expect(await cold.platform('TRX', 'network-costs')).toBeLessThan(0n)
  await equal()
})

test('a cancelled transfer stays reserved until it is proven dead, and is followed if it is mined after all', async () => {
  await fund('3000')
  await cold.offer()
  const first = await cold.open()
  expect(await cold.cancel(first.transfer.id)).toEqual({ mayBeMinedUntil: first.attempt.expiresAt })
  expect(await cold.take(first.transfer.id, await signOnTron(first.attempt.unsigned))).toMatchObject({
    refused: 'not-open',
  })
  await cold.offer()
  await later(23 * HOUR)
  await cold.offer()
  expect((await cold.transfers()).length).toBe(1)
  expect(await cold.state(first.transfer.id)).toBe('offered')
  await later(2 * HOUR)
  await cold.offer()
  expect(await cold.transfers()).toEqual(['cancelled', 'offered'])
  expect(await cold.state(first.transfer.id)).toBe('abandoned')
  const second = await cold.open()
  await cold.cancel(second.transfer.id)
  await broadcastOnTron(chain.url, await signOnTron(second.attempt.unsigned))
  await cold.mine(1 + SOLID)
  expect(await cold.state(second.transfer.id)).toBe('final')
  expect(await cold.custody(COLD, 'TRX')).toBe(2_000n * TRX)
  await equal()
})

test('nothing comes back in time: it is proven dead, and another is offered', async () => {
  await fund('3000')
  await cold.offer()
  const first = await cold.open()
  await later(25 * HOUR)
  expect(await cold.take(first.transfer.id, await signOnTron(first.attempt.unsigned))).toMatchObject({
    refused: 'expired',
  })
  await cold.offer()
  expect(await cold.transfers()).toEqual(['expired', 'offered'])
  const { rows } = await sql<{
    kind: string
    subject: string
  }>`select kind, subject from alerts where resolved_at is null`.execute(cold.db)
  expect(rows).toEqual([{ kind: 'cold-offered', subject: (await cold.open()).transfer.id }])
  const payout = await cold.request('TRX', addressOfEvmForm('d1'.repeat(20)), 500n * TRX)
  await cold.pay()
  await cold.send()
  await cold.mine(1 + SOLID)
  expect(await cold.withdrawal(payout)).toBe('settled')
})

test('of TRX that is partly staked, the rest is offered, without its fee, waiting payments and `low`', async () => {
  await fund('3000')
  await stake(2_500n * TRX)
  const waiting = await cold.request('TRX', addressOfEvmForm('d1'.repeat(20)), 150n * TRX)
  await cold.offer()
  const { transfer, attempt } = await cold.open()
  const { rows } = await sql<{
    balance: bigint
  }>`select booked - ${2_500n * TRX}::numeric as balance from custody_addresses where address = ${TRON_HOT} and asset = 'TRX'`.execute(
    cold.db,
  )
  expect(transfer.units).toBe(rows[0]!.balance - 150n * TRX - LOW - attempt.networkFee)
  expect(await impossible()).toEqual([])
  expect(await cold.take(transfer.id, await signOnTron(attempt.unsigned))).toHaveProperty('hash')
  await cold.send()
  await cold.mine(1 + SOLID)
  expect(await cold.state(transfer.id)).toBe('final')
  expect(await cold.custody(COLD, 'TRX')).toBe(transfer.units)
  await cold.pay()
  await cold.send()
  await cold.mine(1 + SOLID)
  expect(await cold.withdrawal(waiting)).toBe('settled')
  await equal()
})

test('if only `low` is not staked, no TRX is offered; the alert says why, and ends', async () => {
  await fund('3000')
  await stake(2_900n * TRX)
  await cold.offer()
  expect(await cold.transfers()).toEqual([])
  expect(await impossible()).toEqual([expect.stringMatching(/ sun, 0 can be moved, .* Unstake, or raise the cap/)])
  await fund('10')
  await cold.offer()
  expect(await impossible()).toEqual([])
  expect((await cold.open()).transfer.units).toBeLessThan(10n * TRX)
})

test('a signed transfer is not taken whose TRX was staked since it was offered', async () => {
  await fund('3000')
  await stake(2_000n * TRX)
  await cold.offer()
  const { transfer, attempt } = await cold.open()
  const bytes = await signOnTron(attempt.unsigned)
  await stake(500n * TRX)
  expect(await cold.take(transfer.id, bytes)).toMatchObject({ refused: 'spent' })
})

test('a signed transfer is not taken whose TRX a waiting withdrawal needs, because the rest is staked', async () => {
  await fund('3000')
  await stake(2_500n * TRX)
  await cold.offer()
  const { transfer, attempt } = await cold.open()
  await cold.request('TRX', addressOfEvmForm('d1'.repeat(20)), LOW + 1n)
  expect(await cold.take(transfer.id, await signOnTron(attempt.unsigned))).toMatchObject({ refused: 'spent' })
})
