/** Withdrawals on TRON that contracts decide: receivers with code, and tokens whose issuer stops them. */
import { randomBytes } from 'node:crypto'
import { addressOfEvmForm, addressOfHex, evmFormOf, hexOfAddress } from '@bursar/chainkit/tron'
import { expect, onTestFinished, test } from 'vitest'
import { signBytes } from '../../../../sandbox/tron/blocks/signature.ts'
import { deployer } from '../../../../sandbox/tron/index.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { SOLID, TRON_USDT as USDT } from '../../../../test/world/tron.ts'
import { TRON_HOT as HOT } from '../../../../test/world/wallet.ts'
import { openTronPayouts, type TronPayouts } from './test-tron.ts'

const database = useDatabase({ template: migrated })
const MINUTE = 60_000
let world: TronPayouts
const open = async (wrap?: Parameters<typeof openTronPayouts>[1]): Promise<TronPayouts> => {
  world = await openTronPayouts(database.url, wrap)
  onTestFinished(() => world.close())
  return world
}
const someone = (): string => addressOfEvmForm(randomBytes(20).toString('hex'))

const ask = async (path: string, body: object): Promise<Record<string, unknown>> =>
  (await (await fetch(`${world.chain.url}/${path}`, { method: 'POST', body: JSON.stringify(body) })).json()) as Record<
    string,
    unknown
  >

/** Signs as the one who made the tokens, and mines. */
const signed = async (built: Record<string, unknown>): Promise<void> => {
  const signature = await signBytes(Buffer.from(built['raw_data_hex'] as string, 'hex'), deployer.key)
  expect(
    await ask('wallet/broadcasttransaction', { ...built, signature: [Buffer.from(signature).toString('hex')] }),
  ).toMatchObject({ result: true })
  await world.mine(1)
}

/** A contract with this runtime code. */
const deploy = async (runtime: string): Promise<string> => {
  const size = (runtime.length / 2).toString(16).padStart(2, '0')
  const built = await ask('wallet/deploycontract', {
    owner_address: deployer.address,
    bytecode: `60${size}600c60003960${size}6000f3${runtime}`,
    name: 'Receiver',
    fee_limit: 1_000_000_000,
    origin_energy_limit: 10_000_000,
    consume_user_resource_percent: 100,
  })
  await signed(built)
  return addressOfHex(built['contract_address'] as string)
}

/** `revert(0, 0)` */
const REFUSES = '60006000fd'
/** Writes one of four slots for each call; takes 20,000 energy for a new one. */
const BURNS = '60016001556001600255600160035560016004555b00'

test('audit D-T4: row T-30: TRX to a contract is paid by a call of it, as java-tron takes no plain transfer there', async () => {
  const { request, work, mine, state, onChain, alerts, balance } = await open()
  const to = await deploy('00')
  const id = await request('TRX', to, 5_000_000n)
  await work()
  expect([await state(id), await alerts()]).toEqual(['sent', []])
  await mine(1 + SOLID)
  expect(await state(id)).toBe('settled')
  expect(await onChain(to, null)).toBe(5_000_000n)
  expect(await onChain(HOT, null)).toBe(1_000_000_000n - 5_000_000n + (await balance('TRX', 'network-costs')))
})

test('audit D-T4: a TRX withdrawal to a contract that reverts or takes too much energy fails after ten minutes and does not block other withdrawals', async () => {
  const { request, work, state, passTime, mine, statuses } = await open()
  const refusing = await deploy(REFUSES)
  const never = [
    await request('TRX', await deploy(BURNS), 1_000_000n),
    ...(await Promise.all(Array.from({ length: 16 }, () => request('TRX', refusing, 1_000_000n)))),
  ]
  const other = await request('USDT', someone(), 7_000_000n)
  await work()
  expect(await state(other)).toBe('sent')
  for (let minute = 0; minute < 12; minute += 1) {
    await passTime(MINUTE)
    await work()
  }
  await mine(SOLID)
  expect(new Set(await Promise.all(never.map(state)))).toEqual(new Set(['failed']))
  expect((await statuses()).filter((one) => one === 'Failed')).toHaveLength(never.length)
})

test('TRX to a contract that failed on chain twice is not paid again, and one payment at a time is tried before', async () => {
  const { chain, request, work, mine, state, passTime, attempts, alerts } = await open()
  // Writes a slot: the fee limit is too low for it once energy has become dearer, which no estimate shows.
  const [failing, other] = [await deploy('600160015500'), await deploy('600160025500')]
  for (const round of [1, 2]) {
    const ids = [
      await request('TRX', failing, 1_000_000n),
      ...(round === 2 ? [await request('TRX', failing, 2_000_000n)] : []),
    ]
    await work()
    expect([await state(ids[0]!), ids[1] && (await state(ids[1]))]).toEqual([
      'sent',
      round === 2 ? 'requested' : undefined,
    ])
    await chain.setParameters({ getEnergyFee: 4_000n })
    await mine(1 + SOLID)
    await chain.setParameters({ getEnergyFee: 100n })
    await mine(1)
    expect(await state(ids[0]!)).toBe('failed')
    if (round === 1) continue
    await passTime(2 * MINUTE)
    await work()
    expect([await state(ids[1]!), await attempts(), await alerts()]).toEqual([
      'failed',
      2,
      ['withdrawal-impossible', 'withdrawal-reverted', 'withdrawal-reverted'],
    ])
  }
  const id = await request('TRX', other, 1_000_000n)
  await work()
  expect(await state(id)).toBe('sent')
})

test('a payment to a contract that expired unmined is not made anew when the contract takes too much energy by then', async () => {
  let [isLost, energy] = [true, 20_000n]
  const { request, work, mine, state, passTime, attempts } = await open((adapter) => ({
    ...adapter,
    broadcast: async (raw) => (isLost ? { kind: 'accepted' } : adapter.broadcast(raw)),
    estimateCost: async (contract) => {
      const cost = await adapter.estimateCost(contract)
      return cost.ok && contract.kind === 'TriggerSmartContract' && contract.callValue > 0n
        ? { ...cost, usage: { ...cost.usage, energy } }
        : cost
    },
  }))
  const id = await request('TRX', await deploy('00'), 1_000_000n)
  await work()
  expect(await state(id)).toBe('sent')
  ;[isLost, energy] = [false, 60_000n]
  await passTime(11 * MINUTE)
  await mine(SOLID)
  await work()
  await passTime(10 * MINUTE)
  await mine(SOLID)
  for (let round = 0; round < 3; round += 1) await work()
  expect([await state(id), await attempts()]).toEqual(['requested', 1])
})

test('audit D-T4: a payment that nodes refuse as invalid keeps no place, and is paid in another form once proven dead', async () => {
  // A machine that is behind the contract's creation says that there is none; the one that is handed the transfer knows
  // better.
  let behind = true
  const { request, work, mine, state, passTime, onChain, alerts, statuses } = await open((adapter) => ({
    ...adapter,
    isContract: async (address) => !behind && adapter.isContract(address),
  }))
  const to = await deploy('00')
  const ids = await Promise.all(Array.from({ length: 16 }, () => request('TRX', to, 1_000_000n)))
  await work()
  expect([new Set(await Promise.all(ids.map(state))), new Set(await alerts())]).toEqual([
    new Set(['planned']),
    new Set(['broadcast']),
  ])
  behind = false
  const other = await request('USDT', someone(), 7_000_000n)
  await work()
  expect(await state(other)).toBe('sent')
  await passTime(11 * MINUTE)
  await mine(SOLID)
  await work()
  expect(new Set(await Promise.all(ids.map(state)))).toEqual(new Set(['planned']))
  await passTime(10 * MINUTE)
  await mine(SOLID)
  for (let round = 0; round < 3; round += 1) await work()
  expect([new Set(await Promise.all(ids.map(state))), await alerts()]).toEqual([new Set(['sent']), []])
  await mine(1 + SOLID)
  expect(new Set(await Promise.all(ids.map(state)))).toEqual(new Set(['settled']))
  expect(await onChain(to, null)).toBe(16_000_000n)
  expect((await statuses()).filter((one) => one === 'Pending')).toHaveLength(17)
})

/** A call of the token by its owner. */
const byIssuer = async (signature: string, about?: string): Promise<void> => {
  const built = await ask('wallet/triggersmartcontract', {
    owner_address: deployer.address,
    contract_address: hexOfAddress(USDT),
    function_selector: signature,
    fee_limit: 1_000_000_000,
    parameter: about === undefined ? '' : evmFormOf(about).slice(2).padStart(64, '0'),
  })
  await signed(built['transaction'] as Record<string, unknown>)
}

test.each([
  ['is paused', 'pause()', 'unpause()'],
  ['has frozen the hot wallet', 'addBlackList(address)', 'removeBlackList(address)'],
])(
  'audit D-T6: row T-40: while the token %s no withdrawal is given back, however long that lasts',
  async (_name, stop, start) => {
    const { request, work, state, passTime, mine, alerts, statuses } = await open()
    const ids = [await request('USDT', someone(), 3_000_000n), await request('USDT', someone(), 4_000_000n)]
    const about = stop.includes('address') ? HOT : undefined
    await byIssuer(stop, about)
    for (let round = 0; round < 15; round += 1) {
      await work()
      await passTime(MINUTE)
    }
    expect([await Promise.all(ids.map(state)), await alerts()]).toEqual([
      ['requested', 'requested'],
      ['payments-revert'],
    ])
    await byIssuer(start, about)
    await passTime(MINUTE)
    await work()
    await mine(1 + SOLID)
    expect([await Promise.all(ids.map(state)), await alerts()]).toEqual([['settled', 'settled'], []])
    expect(await statuses()).not.toContain('Failed')
  },
)
