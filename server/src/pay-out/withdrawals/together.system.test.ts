/**
 * Many payouts of one hot address are planned, signed and sent together on anvil: each once, and no one keeps the
 * others waiting.
 */
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import type { EvmWorld } from '../../../../test/world/evm-node.ts'
import { useColdOnAnvil, type ColdWorld } from '../../../../test/world/cold.ts'
import { EVM_HOT } from '../../../../test/world/wallet.ts'

const E18 = 10n ** 18n
const MANY = 12
const AMOUNT = E18 / 10n
const opened = useColdOnAnvil({ mostInFlight: 16 })
let node: EvmWorld
let here: ColdWorld

beforeEach(async () => {
  ;({ node, cold: here } = opened())
  await node.pay(EVM_HOT, 5n * E18)
  await here.mine(4)
})

const request = async (): Promise<{ id: string; to: string }[]> => {
  const receivers = await Promise.all(Array.from({ length: MANY }, () => node.newAddress()))
  return Promise.all(receivers.map(async (to) => ({ id: await here.request('ETH', to, AMOUNT), to })))
}
const coinAt = async (address: string): Promise<bigint> =>
  BigInt(await node.node.rpc<string>('eth_getBalance', address, 'latest'))
const statesOf = async (all: readonly { id: string }[]): Promise<string[]> =>
  Promise.all(all.map(({ id }) => here.withdrawal(id)))
const finish = async (rounds = 3): Promise<void> => {
  for (let i = 0; i < rounds; i += 1) {
    await here.pay()
    await here.send()
    await here.mine(1)
  }
  await here.mine(4)
}
const paidOnce = async (all: readonly { id: string; to: string }[]): Promise<void> => {
  expect(await statesOf(all)).toEqual(all.map(() => 'settled'))
  for (const { to } of all) expect(await coinAt(to), to).toBe(AMOUNT)
  const { rows } = await sql<{
    nonce: number
  }>`select nonce from outgoing where mined_height is not null order by nonce`.execute(here.db)
  expect(rows.map(({ nonce }) => nonce)).toEqual(rows.map((_, i) => i))
  // One intent, one signature: nothing was signed for it that does not use the same nonce.
  const bytes = Map.groupBy(
    here.asked.filter(({ purpose }) => purpose === 'payout'),
    ({ intents }) => intents[0]!.id,
  )
  for (const asked of bytes.values()) expect(new Set(asked.map(({ unsigned }) => unsigned)).size).toBe(1)
  for (const line of (await here.reconcile()).lines) expect(line).toMatchObject({ short: 0n, surplus: 0n })
}

test('they are planned in one database transaction, and go out in the order of their nonces', async () => {
  const all = await request()
  await here.pay()
  const { rows } = await sql<{
    n: number
    at: number
  }>`select count(*) as n, count(distinct xmin::text) as at from outgoing where state = 'planned'`.execute(here.db)
  expect(rows).toEqual([{ n: MANY, at: 1 }])
  await here.send()
  const sent = await sql<{
    n: number
    at: number
  }>`select count(*) as n, count(distinct xmin::text) as at from outgoing where state = 'broadcast' and nonce is not null`.execute(
    here.db,
  )
  expect(sent.rows[0]!.n).toBe(MANY)
  await here.mine(1)
  await here.mine(4)
  await paidOnce(all)
})

test.each(['payout-chosen', 'before-sign', 'signed-not-stored', 'stored-not-broadcast', 'broadcast-not-recorded'])(
  'killed at %s each is paid once',
  async (point) => {
    const all = await request()
    here.before.pause = async (name) => {
      if (name === point) throw new Error(`killed at ${point}`)
    }
    await here.pay().catch(() => {})
    await here.send().catch(() => {})
    here.before.pause = async () => {}
    here.later(60_000)
    await finish()
    await paidOnce(all)
  },
)

test('one that the signer refuses keeps no other waiting: another payment takes its nonce, or a filler does, and it is paid later', async () => {
  const all = await request()
  const poor = all[4]!
  here.before.answer = async (asked) => {
    if (asked.intents[0]?.id === poor.id) Object.assign(asked, { purpose: 'filler', intents: [] })
  }
  await here.pay()
  await here.send()
  const states = await statesOf(all)
  expect(states.filter((state) => state === 'sent')).toHaveLength(MANY - 1)
  expect(states[4]).toBe('requested')
  here.before.answer = async () => {}
  here.later(6 * 60_000)
  here.asked.length = 0
  await finish()
  await paidOnce(all)
})

test('a lost answer for one keeps no other waiting, and a busy signer is no refusal', async () => {
  const all = await request()
  let lost = 0
  const answers: Record<string, () => never> = {
    [all[3]!.id]: () => {
      lost += 1
      throw new Error('no answer')
    },
  }
  here.before.answer = async ({ intents }) => answers[intents[0]?.id ?? '']?.()
  here.before.refuse = ({ intents }) =>
    intents[0]?.id === all[7]!.id ? { refused: 'busy', message: 'too many requests wait' } : undefined
  await here.pay()
  await here.send()
  const states = await statesOf(all)
  expect(lost).toBeGreaterThan(0)
  expect(states.map((state, at) => [at, state]).filter(([, state]) => state !== 'sent')).toEqual([
    [3, 'planned'],
    [7, 'planned'],
  ])
  expect(await here.alerts()).toEqual([])
  here.before.answer = async () => {}
  here.before.refuse = () => undefined
  here.later(60_000)
  await finish()
  await paidOnce(all)
})

test('two workers at once plan and send each once', async () => {
  const all = await request()
  await Promise.all([here.pay(), here.pay()])
  await Promise.all([here.send(), here.send()])
  await finish()
  await paidOnce(all)
})
