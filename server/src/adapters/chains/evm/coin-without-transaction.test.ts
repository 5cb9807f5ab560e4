/** Answers of real nodes about calls of contracts, and the resulting transfers. */
// Titles name rows of docs/dialects.md; a table's title stands for all that it lists.
import { checksumAddress, type Hex } from '@bursar/chainkit/evm'

import { afterEach, describe, expect, test } from 'vitest'
import type { EvmAdapterSettings } from './index.ts'
import { blockOf, ETHER, MINER, OURS, startDialect } from '../../../../../test/world/dialects/evm-traces.ts'

type Node = Awaited<ReturnType<typeof startDialect>>

let node: Node | undefined

afterEach(async () => {
  await node?.close()
  node = undefined
})

const start = async (
  given: Parameters<typeof startDialect>[0] = {},
  settings: Partial<EvmAdapterSettings> = {},
  head?: number,
): Promise<Node> => (node = await startDialect(given, settings, head))

const eip55 = (address: string): string => checksumAddress(address as Hex)

describe('coin that comes without a transaction', () => {
  const withdrawals = [
    { index: '0x11', validatorIndex: '0x1', address: OURS, amount: '0x773594000' },
    { index: '0x12', validatorIndex: '0x1', address: OURS, amount: '0x0' },
  ]

  test('audit D-E10: a withdrawal of a validator (EIP-4895) is a transfer, also of an empty block', async () => {
    const { adapter } = await start({
      eth_getBlockByNumber: ([at]) => ({
        result: { ...blockOf(at === 'latest' ? 8 : Number(at)), transactions: [], withdrawals },
      }),
    })
    expect((await adapter.blockAt(7))!.transactions).toEqual([
      {
        hash: blockOf(7).hash,
        keys: [],
        succeeded: true,
        fee: 0n,
        transfers: [{ index: 'w:17', contract: null, from: [], to: eip55(OURS), units: 32n * ETHER }],
      },
    ])
  })

  test("audit D-E10: tips are the fee recipient's, on a node that does not trace too", async () => {
    const { adapter } = await start({}, { traces: 'off' })
    expect((await adapter.blockAt(7))!.transactions.at(-1)!.transfers).toEqual([
      { index: 'f', contract: null, from: [], to: eip55(MINER), units: 80_000n },
    ])
  })

  test('audit D-E10: BSC has neither: its fees go to an account of the system (bsc core/state_transition.go)', async () => {
    const { adapter } = await start({}, { network: 'BINANCE_SMART_CHAIN', traces: 'off' })
    expect((await adapter.blockAt(7))!.transactions).toHaveLength(1)
  })
})
