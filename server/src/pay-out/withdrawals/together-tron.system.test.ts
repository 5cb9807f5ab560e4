/** Jobs of TRON's hot address that plan at the same time: the money of one plan is not planned again. */
import { randomBytes } from 'node:crypto'
import { addressOfEvmForm } from '@bursar/chainkit/tron'
import { expect, onTestFinished, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { SOLID } from '../../../../test/world/tron.ts'
import { openTronSweeps, type TronSweeps } from '../../../../test/world/tron-sweeps.ts'

const database = useDatabase({ template: migrated })
const TRX = 1_000_000n
const { signal } = new AbortController()
let world: TronSweeps

const open = async (given: Parameters<typeof openTronSweeps>[1] = {}): Promise<TronSweeps> => {
  world = await openTronSweeps(database.url, given)
  onTestFinished(() => world.close())
  return world
}
const someone = (): string => addressOfEvmForm(randomBytes(20).toString('hex'))
const planned = async (): Promise<string[]> => (await world.sent()).map(({ purpose }) => purpose)
/** Runs of another process. */
const payOut = () => world.payoutJob().run(signal)
const sweep = () => world.job().run(signal)

/** A withdrawal of TRX and a deposit that needs a top-up: the hot address has enough for one of them. */
const openShort = async (): Promise<void> => {
  const { address, pay, mine, request, prices } = await open({ trx: '40' })
  await pay('USDT', (await address()).address, '100')
  await mine(SOLID)
  await prices()
  await request('TRX', someone(), 35n * TRX)
}

test('TRX of a top-up that is planned while a payout is chosen is not paid out', async () => {
  await openShort()
  world.meanwhile('payout-chosen', sweep)
  await payOut()
  expect(await planned()).toEqual(['gas'])
  await payOut()
  expect(await planned()).toEqual(['gas'])
  expect(await world.alerts()).toEqual(['hot-wallet-short'])
})

test('TRX of a payout that is planned while a top-up is chosen is not sent to a deposit address', async () => {
  await openShort()
  world.meanwhile('sweep-step-chosen', payOut)
  await sweep()
  expect(await planned()).toEqual(['payout'])
  await sweep()
  expect(await planned()).toEqual(['payout'])
})

test('TRX of a payout that is planned while an order to stake is read is not staked', async () => {
  const { meanwhile, order, request } = await open({ trx: '40' })
  await request('TRX', someone(), 35n * TRX)
  meanwhile('stake-read', payOut)
  expect(await order({ kind: 'stake', resource: 'ENERGY', sun: 10n * TRX })).toMatchObject({
    refused: expect.stringContaining('the hot wallet can spare'),
  })
  expect(await planned()).toEqual(['payout'])
})

test('stake is unstaked or lent once, by whichever plans first', async () => {
  const { address, pay, mine, prices, stake, order, meanwhile, outgoing } = await open({ trx: '30000' })
  const most = 20_000n * TRX
  await stake({ kind: 'stake', resource: 'ENERGY', sun: most })
  const { address: one } = await address()
  await pay('TRX', one, '0.000001')
  await pay('USDT', one, '250')
  await mine(SOLID)
  await prices()
  const unstake = { kind: 'unstake', resource: 'ENERGY', sun: most } as const
  const before = (await outgoing('resources')).length
  meanwhile('stake-read', sweep)
  expect(await order(unstake)).toMatchObject({ refused: expect.stringContaining('about to be lent') })
  expect(await outgoing('resources')).toHaveLength(before + 1)
})

test('an unstaking that is on its way is not lent, and the sweep takes another way', async () => {
  const { address, pay, mine, prices, stake, order, openLoans } = await open({ trx: '30000' })
  await stake({ kind: 'stake', resource: 'ENERGY', sun: 20_000n * TRX })
  const { address: one } = await address()
  await pay('TRX', one, '0.000001')
  await pay('USDT', one, '250')
  await mine(SOLID)
  await prices()
  const unstake = { kind: 'unstake', resource: 'ENERGY', sun: 20_000n * TRX } as const
  world.meanwhile('sweep-step-chosen', () => order(unstake))
  await sweep()
  expect(await openLoans()).toBe(0)
  await sweep()
  expect(await openLoans()).toBe(0)
  expect((await planned()).at(-1)).toBe('gas')
})
