/** What nodes say of fees and calls, each as its own source or documents have it. */
import { expect, test } from 'vitest'
import { evmSettingsOf } from '../settings.ts'
import { adapterBefore, refusal, type Answer } from './test-node.ts'

const GWEI = 10n ** 9n
const ADDRESS = `0x${'a1'.repeat(20)}`
const hex = (value: bigint | number): string => `0x${value.toString(16)}`

/** With the bounds that settings have by themselves. */
const boundsOf = (network: 'ETHEREUM' | 'BINANCE_SMART_CHAIN', legacyGas: boolean) => {
  const { gasPriceFloor, gasPriceCap } = evmSettingsOf(network, { url: 'http://a', chainId: 1, legacyGas })
  return { network, legacyGas, gasPriceFloor, gasPriceCap }
}
const history = (base: bigint, tips: readonly bigint[] | null | undefined, blocks = tips?.length ?? 1): Answer => ({
  result: {
    oldestBlock: '0x1', gasUsedRatio: Array.from({ length: blocks }, () => 0.5), baseFeePerGas: Array.from({ length: blocks + 1 }, () => hex(base)),
    ...(tips === undefined ? {} : { reward: tips?.map((tip) => [hex(tip)]) ?? null }),
  },
})

test.for([
  ['Ethereum on a quiet day: base 0.2 gwei, tips of 0.02', 'ETHEREUM', GWEI / 5n, [GWEI / 50n, GWEI / 50n, GWEI / 50n], GWEI / 50n, (GWEI * 42n) / 100n],
  ['Ethereum, where blocks are mined for nothing', 'ETHEREUM', GWEI / 5n, [0n, 0n], GWEI / 100n, (GWEI * 41n) / 100n],
  ['BSC: base 0, tips of 0.05 gwei', 'BINANCE_SMART_CHAIN', 0n, [GWEI / 20n, GWEI / 20n], GWEI / 20n, GWEI / 20n],
  ['BSC: base 0, validators that take some for nothing', 'BINANCE_SMART_CHAIN', 0n, [0n, 0n, GWEI], GWEI / 20n, GWEI / 20n],
  ['Erigon and gateways: fewer blocks than were asked for', 'ETHEREUM', GWEI, [GWEI], GWEI, 3n * GWEI],
  ['gateways: `reward` is null where blocks are empty', 'ETHEREUM', GWEI, null, GWEI / 100n, (GWEI * 201n) / 100n],
  ['gateways: no `reward` at all', 'ETHEREUM', GWEI, undefined, GWEI / 100n, (GWEI * 201n) / 100n],
] as const)('audit D-E8: row Fees, %s', async ([, network, base, tips, maxPriorityFeePerGas, maxFeePerGas]) => {
  const { adapter } = await adapterBefore({ eth_feeHistory: history(base, tips) }, boundsOf(network, false))
  expect(await adapter.feeRate()).toEqual({ kind: 'gas', legacy: false, maxPriorityFeePerGas, maxFeePerGas })
})

test('audit D-E8: row Fees, BSC with one gas price: no more than its node suggests, no less than it takes', async () => {
  const rateAt = async (price: bigint) => (await adapterBefore({ eth_gasPrice: { result: hex(price) } }, boundsOf('BINANCE_SMART_CHAIN', true))).adapter.feeRate()
  expect(await rateAt(GWEI / 20n)).toMatchObject({ maxFeePerGas: GWEI / 20n })
  expect(await rateAt(0n)).toMatchObject({ maxFeePerGas: GWEI / 20n })
  expect(await rateAt(3n * GWEI)).toMatchObject({ maxFeePerGas: 3n * GWEI })
})

/** geth and reth give code 3 (EIP-1474), Besu -32000 (RpcErrorType.java), Nethermind until 2025 -32015, EDR -32603 and -32000 (run). */
test.for([
  [3, 'execution reverted: paused'],
  [-32_000, 'Execution reverted'],
  [-32_015, 'VM execution error. revert'],
  [-32_603, "VM Exception while processing transaction: reverted with reason string 'paused'"],
] as const)('audit D-E12: row Calls, a call that is refused with %i "%s" would revert', async ([code, message]) => {
  const call = { from: ADDRESS, to: ADDRESS, value: 0n, data: '0x01' }
  expect(await (await adapterBefore({ eth_estimateGas: refusal(code, message) })).adapter.estimateGas(call)).toMatchObject({ ok: false, reason: 'reverted' })
})

/** geth: internal/ethapi/api.go; reth: "block not found"; Besu: RpcErrorType.java; EDR: run. A node that does not have the block says nothing of the call. */
test.for([
  [-32_000, 'header not found'],
  [-32_001, 'block not found: 0x7'],
  [-32_000, 'World state unavailable'],
  [-32_602, 'Received invalid block tag 7. Latest block number is 5'],
] as const)('audit D-E13: row State, an estimate at a block that is refused with %i "%s" says nothing of the call', async ([code, message]) => {
  const head = { number: '0x7', hash: `0x${'07'.repeat(32)}` }
  const { adapter, asked } = await adapterBefore({ eth_getBlockByNumber: { result: head }, eth_estimateGas: refusal(code, message) })
  const state = await adapter.stateFrom(7)
  await expect(state.estimateGas({ from: ADDRESS, to: ADDRESS, value: 1n, data: '0x' })).rejects.toMatchObject({ name: 'ChainUnavailable' })
  // Besu takes a number here, and no hash (AbstractEstimateGas.java).
  expect(asked.at(-1)!.params[1]).toBe('0x7')
})

/** Old Besu and gateways refuse the third parameter of eth_call, or leave it out. */
test.for([
  ['refuse it', refusal(-32_602, 'too many arguments, want at most 2'), null],
  ['leave it out, so that the address answers nothing', { result: '0x' }, '0x'],
] as const)('audit D-E12: row Calls, nodes that do not know state overrides %s: no address delegates', async ([, answer, seen]) => {
  const block = { number: '0x1', hash: `0x${'01'.repeat(32)}`, requestsHash: `0x${'02'.repeat(32)}` }
  const { adapter } = await adapterBefore({ eth_getBlockByNumber: { result: block }, eth_call: answer })
  expect(await adapter.callDelegated({ address: ADDRESS, delegate: ADDRESS, code: '0x00', data: '0x' })).toBe(seen)
})
