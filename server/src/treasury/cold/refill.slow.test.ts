/** ETH that leaves cold storage on anvil: to the hot wallet, or to an unknown address. */
import { sql } from 'kysely'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeEach, expect, test } from 'vitest'
import type { EvmWorld } from '../../../../test/world/evm-node.ts'
import { useColdOnAnvil, type ColdWorld } from '../../../../test/world/cold.ts'
import { EVM_HOT } from '../../../../test/world/wallet.ts'

const E18 = 10n ** 18n
/** The operator's cold key. */
const vault = privateKeyToAccount(`0x${'c0'.repeat(32)}`)
const COLD = vault.address as string
const opened = useColdOnAnvil({
  treasury: {
    hot: { ETH: { cap: `${20n * E18}`, target: `${12n * E18}`, low: `${2n * E18}`, slack: `${E18}`, cold: COLD } },
  },
})
let node: EvmWorld
let cold: ColdWorld

beforeEach(() => {
  ;({ node, cold } = opened())
})

const fund = async (eth: bigint): Promise<void> => {
  await node.pay(EVM_HOT, eth)
  await cold.mine(4)
}
const equal = async (): Promise<void> => {
  for (const line of (await cold.reconcile()).lines) {
    expect(line.onChain, line.ticker).toBe(line.booked)
    expect(line).toMatchObject({ short: 0n, surplus: 0n })
  }
}
const send = async (to: string, value: bigint, nonce: number): Promise<void> => {
  const raw = await vault.signTransaction({
    chainId: 31_337,
    nonce,
    gas: 21_000n,
    to: to as `0x${string}`,
    value,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 10n ** 9n,
    type: 'eip1559',
  })
  await node.node.rpc('eth_sendRawTransaction', raw)
}

test('a refill from cold storage is no money from outside, and its fee a cost of the platform', async () => {
  await node.pay(COLD, 10n * E18)
  await fund(E18)
  expect(await cold.platform('ETH', 'capital')).toBe(11n * E18)
  await cold.watchHot()
  expect(await cold.alerts()).toEqual(['hot-low'])
  const { rows } = await sql<{ text: string }>`select text from alerts`.execute(cold.db)
  expect(rows[0]!.text).toContain(`send 11 ETH to ${EVM_HOT}`)
  await send(EVM_HOT, 4n * E18, 0)
  await cold.mine(1)
  const fee = -(await cold.platform('ETH', 'network-costs'))
  expect(fee).toBeGreaterThan(0n)
  expect(await cold.custody(EVM_HOT, 'ETH')).toBe(5n * E18)
  expect(await cold.custody(COLD, 'ETH')).toBe(6n * E18 - fee)
  await equal()
  await node.reorg(1, [])
  await cold.catchUp()
  await cold.mine(5)
  await equal()
  expect(await cold.platform('ETH', 'capital')).toBe(11n * E18)
  await cold.watchHot()
  expect(await cold.alerts()).toEqual([])
})

test('a payment from cold storage to any other address is a shortage that names the address', async () => {
  await node.pay(COLD, 10n * E18)
  await fund(15n * E18)
  await send(await node.newAddress(), 4n * E18, 0)
  await cold.mine(4)
  const eth = (await cold.reconcile()).lines.find(({ ticker }) => ticker === 'ETH')!
  expect(eth.short).toBe(4n * E18)
  const { rows } = await sql<{
    address: string
    difference: bigint
  }>`select address, difference from custody_addresses where difference <> 0`.execute(cold.db)
  expect(rows).toEqual([{ address: COLD, difference: -4n * E18 }])
})
