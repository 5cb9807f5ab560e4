import { beforeAll, expect, test } from 'vitest'
import { COIN, FIAT_TOKEN_GAS, TETHER_GAS, chooseSweep, encodeTransfer, relayTransfers } from '@bursar/chainkit/evm'
import type { Hex } from '@bursar/chainkit/evm'
import { FAR, openSweepWorld } from '../../../../test/world/sweep-contracts.ts'
import type { SweepWorld } from '../../../../test/world/sweep-contracts.ts'
import { useAnvil } from '../../../../test/setup/nodes.ts'
import type { SignRequest } from '../../protocol/protocol.ts'
import type { Signer } from '../../server/signer.ts'
import { addressOf, plainSweep, sweepRequest } from './test-sweep.ts'
import type { SweepPlan } from './test-sweep.ts'
import { depositKey, hotKey, keyring, makeSigner, policyFile } from '../../../../test/world/signer.ts'

/**
 * Transactions that the signer signs, on a real chain. The first ten deposit addresses of the test seed are rich on
 * anvil: others are used.
 */

const anvil = useAnvil()
const UNITS = 1_000_000n
let world: SweepWorld
let signer: Signer
let nonce = 0n

const cap = { enabled: true, maxPerIntent: '1', maxPerHour: '1', maxPerDay: '1' }
const policyOf = ({ treasury, usdt, usdc }: SweepWorld): object => {
  const { sweep, ...ethereum } = policyFile.networks.ETHEREUM
  const fee = { maxUnits: '1', maxPerHour: '1000000000000000000', maxPerDay: '1000000000000000000' }
  const domains = { USDC: { name: 'Test USD Coin', version: '2' } }
  const assets = { ETH: cap, USDT: { ...cap, contract: usdt }, USDC: { ...cap, contract: usdc } }
  const ETHEREUM = { ...ethereum, fee, assets, sweep: { ...sweep, treasury, maxTopUp: '10000000000000000', domains } }
  return { ...policyFile, networks: { ETHEREUM } }
}

beforeAll(async () => {
  world = await openSweepWorld(await anvil())
  await world.payAll([{ key: new Uint8Array(), address: keyring.evmAddress(hotKey) }], 10n ** 19n)
})

/** A signer with a log of its own, for the test that asks. */
const open = async (): Promise<void> => {
  signer = (await makeSigner({ policy: policyOf(world) })).signer
}
/** Has it signed, and mined. */
const send = async (request: SignRequest): Promise<string> => {
  const { signed } = await signer.sign(request)
  const hash = await world.rpc<string>('eth_sendRawTransaction', signed)
  await world.rpc('evm_mine')
  return (await world.rpc<{ status: string }>('eth_getTransactionReceipt', hash)).status
}
const batch = (plan: SweepPlan): SignRequest => {
  const { contracts } = world
  return sweepRequest({
    ...plan,
    call: { nonce: nonce++, to: contracts.batch.address, ...plan.call },
    alter: (draft) => ({
      ...draft,
      authorizations: draft.authorizations.map((one) => ({ ...one, delegate: contracts.delegate.address })),
    }),
  })
}
const accounts = (...indexes: number[]) =>
  indexes.map((index) => ({ key: new Uint8Array(), address: addressOf(index) }))
const gained = async (asset: Hex, act: () => Promise<string>): Promise<bigint> => {
  const held = () => (asset === COIN ? world.coinOf(world.treasury) : world.tokenOf(asset, world.treasury))
  const before = await held()
  expect(await act()).toBe('0x1')
  return (await held()) - before
}

test('a first batch, a later one, and coin with tokens', async () => {
  await open()
  const { usdt } = world
  await world.mintAll(usdt, accounts(101, 102), UNITS)
  expect(
    await gained(usdt, () =>
      send(
        batch({
          accounts: [101, 102],
          authorize: [
            [101, 0n],
            [102, 0n],
          ],
          assets: [usdt],
        }),
      ),
    ),
  ).toBe(2n * UNITS)
  await world.mintAll(usdt, accounts(101, 102), 5n)
  await world.payAll(accounts(101), 9n)
  expect(await gained(COIN, () => send(batch({ accounts: [101, 102], assets: [usdt, COIN] })))).toBe(9n)
  expect(await world.tokenOf(usdt, addressOf(102))).toBe(0n)
})

test('addresses that delegated and addresses that do, in one batch', async () => {
  await open()
  await world.mintAll(world.usdc, accounts(101, 103), UNITS)
  expect(
    await gained(world.usdc, () => send(batch({ accounts: [101, 103], authorize: [[103, 0n]], assets: [world.usdc] }))),
  ).toBe(2n * UNITS)
})

test('transfers by signature', async () => {
  await open()
  const { usdc, contracts } = world
  const to = contracts.relay.address
  await world.mintAll(usdc, accounts(104, 105), UNITS)
  const transfers = [104, 105].map((index) => ({ from: addressOf(index), units: UNITS, nonce: 1n }))
  const signedTransfers = plainSweep(
    { nonce: nonce++, to, data: relayTransfers.encode({ token: usdc, validBefore: FAR, transfers }) },
    [hotKey, depositKey(104), depositKey(105)],
  )
  expect(await gained(usdc, () => send(signedTransfers))).toBe(2n * UNITS)
})

test('a top-up, and then the address itself', async () => {
  await open()
  const { usdt, treasury } = world
  await world.mintAll(usdt, accounts(106), UNITS)
  expect(
    await send(
      plainSweep({ nonce: nonce++, to: addressOf(106), value: 10n ** 16n, gas: 21_000n }, [hotKey, depositKey(106)]),
    ),
  ).toBe('0x1')
  expect(
    await gained(usdt, () =>
      send(plainSweep({ to: usdt, data: encodeTransfer(treasury, UNITS), gas: 60_000n }, [depositKey(106)])),
    ),
  ).toBe(UNITS)
  const left = (await world.coinOf(addressOf(106))) - 21_000n * 20n * 10n ** 9n
  expect(
    await gained(COIN, () =>
      send(plainSweep({ nonce: 1n, to: treasury, value: left, gas: 21_000n }, [depositKey(106)])),
    ),
  ).toBe(left)
})

test("the engine's choice is the request to the signer, and the chain accepts it", async () => {
  await open()
  const { usdt, usdc } = world
  await world.mintAll(usdt, accounts(107), UNITS)
  await world.mintAll(usdc, accounts(107), UNITS)
  const worth = 10n ** 17n
  const holdings = [
    { asset: usdt, worth, gas: TETHER_GAS },
    { asset: usdc, worth, gas: FIAT_TOKEN_GAS },
  ]
  const choice = chooseSweep(
    { delegated: false, exists: false, further: 0, holdings },
    { gasPrice: 10n ** 9n, batchSize: 1, setCode: true, kPerMille: 3_000n },
  )
  expect(choice?.moves.map(({ way }) => way)).toEqual(['delegate', 'delegate'])
  const assets = choice!.moves.map(({ asset }) => asset)
  expect(await gained(usdt, () => send(batch({ accounts: [107], authorize: [[107, 0n]], assets })))).toBe(UNITS)
  expect(await world.tokenOf(usdc, addressOf(107))).toBe(0n)
})
