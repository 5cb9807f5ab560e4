/** Blocks whose body contradicts their head. */
import { afterEach, expect, test } from 'vitest'
import { NO_ENTRIES, PRUNED_BODY } from '../../../../../test/world/dialects/evm-answers.ts'
import { blockOf, startDialect } from '../../../../../test/world/dialects/evm-traces.ts'

type Node = Awaited<ReturnType<typeof startDialect>>
let node: Node | undefined
afterEach(async () => {
  await node?.close()
  node = undefined
})
const blockWith = async (fields: Record<string, unknown>) => {
  node = await startDialect({ eth_getBlockByNumber: () => ({ result: { ...blockOf(7), ...fields } }) })
  return node.adapter.blockAt(7)
}

test('row E-61: a block without transactions whose head names some is not taken for an empty one', async () => {
  await expect(blockWith(PRUNED_BODY)).rejects.toMatchObject({
    name: 'ChainUnavailable',
    message: expect.stringContaining('transactions of block 7') as string,
  })
})

test('a block whose head names no transactions is empty', async () => {
  expect(await blockWith({ transactions: [], transactionsRoot: NO_ENTRIES })).toMatchObject({ transactions: [] })
})
