/** Answers of nodes about fees and calls, each from the node's source or documents. */
import { expect, test } from 'vitest'
import type { AccountState } from '../port.ts'
import { evmSettingsOf } from '../settings.ts'
import {
  FEES,
  NO_FEES,
  NO_OVERRIDES,
  NOT_CANONICAL,
  REVERTS,
  STATE_TOO_OLD,
} from '../../../../../test/world/dialects/evm-answers.ts'
import { adapterBefore, refusal } from '../../../../../test/world/scripted-evm-node.ts'

const GWEI = 10n ** 9n
const ADDRESS = `0x${'a1'.repeat(20)}`
const HEAD = { number: '0x7', hash: `0x${'07'.repeat(32)}` }
const hex = (value: bigint): string => `0x${value.toString(16)}`

/** With the bounds that settings have by themselves. */
const boundsOf = (network: 'ETHEREUM' | 'BINANCE_SMART_CHAIN', legacyGas: boolean) => {
  const { gasPriceFloor, gasPriceCap } = evmSettingsOf(network, { url: 'http://a', chainId: 1, legacyGas })
  return { network, legacyGas, gasPriceFloor, gasPriceCap }
}

test.for(FEES)(
  'audit D-E8: rows E-54 and E-55: fees: %s',
  async ([, network, said, maxPriorityFeePerGas, maxFeePerGas]) => {
    const { adapter } = await adapterBefore({ eth_feeHistory: said }, boundsOf(network, false))
    expect(await adapter.feeRate()).toEqual({ kind: 'gas', legacy: false, maxPriorityFeePerGas, maxFeePerGas })
  },
)

test('row E-55: a history of no block names no fee', async () => {
  const { adapter } = await adapterBefore({ eth_feeHistory: NO_FEES }, boundsOf('ETHEREUM', false))
  await expect(adapter.feeRate()).rejects.toMatchObject({ name: 'ChainUnavailable' })
})

test('audit D-E8: row E-54: fees of BSC with one gas price: no more than its node suggests, no less than it takes', async () => {
  const rateAt = async (price: bigint) =>
    (
      await adapterBefore({ eth_gasPrice: { result: hex(price) } }, boundsOf('BINANCE_SMART_CHAIN', true))
    ).adapter.feeRate()
  expect(await rateAt(GWEI / 20n)).toMatchObject({ maxFeePerGas: GWEI / 20n })
  expect(await rateAt(0n)).toMatchObject({ maxFeePerGas: GWEI / 20n })
  expect(await rateAt(3n * GWEI)).toMatchObject({ maxFeePerGas: 3n * GWEI })
})

const CALL = { from: ADDRESS, to: ADDRESS, value: 1n, data: '0x01' }

test.for(REVERTS)(
  'audit D-E12: row E-56: an estimate of a call that reverts is distinguished, $who ($source)',
  async ({ said }) => {
    expect(await (await adapterBefore({ eth_estimateGas: said })).adapter.estimateGas(CALL)).toMatchObject({
      ok: false,
      reason: 'reverted',
    })
  },
)

test.for(REVERTS)(
  'row E-56: a token that reverts the call for frozen addresses has frozen no address, $who',
  async ({ said }) => {
    expect(await (await adapterBefore({ eth_call: said })).adapter.isFrozen(ADDRESS, ADDRESS)).toBe(false)
  },
)

const STATE: readonly [what: string, look: (state: AccountState) => Promise<unknown>][] = [
  ['the balance of coin', (state) => state.balances([{ address: ADDRESS, contract: null }])],
  ['the balance of a token', (state) => state.balances([{ address: ADDRESS, contract: ADDRESS }])],
  ['the nonce', (state) => state.minedNonce(ADDRESS)],
  ['the code', (state) => state.codeAt(ADDRESS)],
]

test.for(NOT_CANONICAL)(
  'row E-41: state of a block that is not on the best chain is no state, $who ($source)',
  async ({ said }) => {
    const methods = ['eth_getBalance', 'eth_call', 'eth_getTransactionCount', 'eth_getCode']
    const { adapter, asked } = await adapterBefore({
      eth_getBlockByNumber: { result: HEAD },
      ...Object.fromEntries(methods.map((method) => [method, said])),
    })
    const state = await adapter.stateFrom(7)
    for (const [what, look] of STATE)
      await expect(look(state), what).rejects.toMatchObject({ name: 'ChainUnavailable' })
    expect(asked.slice(1).map(({ method, params }) => [method, params[1]])).toEqual(
      methods.map((method) => [method, { blockHash: HEAD.hash, requireCanonical: true }]),
    )
  },
)

test.for(STATE_TOO_OLD)(
  'row E-42: a balance at a block whose state is gone is unavailable, $who ($source)',
  async ({ said }) => {
    const { adapter } = await adapterBefore({
      eth_getBlockByNumber: { result: HEAD },
      eth_getBalance: said,
      eth_call: said,
    })
    for (const contract of [null, ADDRESS])
      await expect(adapter.balancesAt(7, [{ address: ADDRESS, contract }])).rejects.toMatchObject({
        name: 'ChainUnavailable',
      })
  },
)

/**
 * geth: internal/ethapi/api.go; reth: "block not found"; Besu: RpcErrorType.java; EDR: run. A node that does not have
 * the block says nothing of the call.
 */
test.for([
  [-32_000, 'header not found'],
  [-32_001, 'block not found: 0x7'],
  [-32_000, 'World state unavailable'],
  [-32_602, 'Received invalid block tag 7. Latest block number is 5'],
] as const)(
  'audit D-E13: row E-41: an estimate at a block that is refused with %i "%s" says nothing of the call',
  async ([code, message]) => {
    const { adapter, asked } = await adapterBefore({
      eth_getBlockByNumber: { result: HEAD },
      eth_estimateGas: refusal(code, message),
    })
    const state = await adapter.stateFrom(7)
    await expect(state.estimateGas({ from: ADDRESS, to: ADDRESS, value: 1n, data: '0x' })).rejects.toMatchObject({
      name: 'ChainUnavailable',
    })
    // Besu takes a number here, and no hash (AbstractEstimateGas.java).
    expect(asked.at(-1)!.params[1]).toBe('0x7')
  },
)

test.for(NO_OVERRIDES)(
  'audit D-E12: row E-58: a node without state overrides shows no address that delegates, $who ($source)',
  async ({ said, seen }) => {
    const block = { ...HEAD, requestsHash: `0x${'02'.repeat(32)}` }
    const { adapter } = await adapterBefore({ eth_getBlockByNumber: { result: block }, eth_call: said })
    expect(await adapter.callDelegated({ address: ADDRESS, delegate: ADDRESS, code: '0x00', data: '0x' })).toBe(seen)
  },
)
