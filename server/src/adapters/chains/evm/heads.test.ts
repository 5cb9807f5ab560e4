import { describe, expect, test } from 'vitest'
import {
  BEYOND,
  FINAL,
  hashAt,
  HEAD,
  NO_FINAL,
  nodeAtHead,
  shownAt,
} from '../../../../../test/world/dialects/evm-heads.ts'
import { refusal } from '../../../../../test/world/scripted-evm-node.ts'

describe('audit D-E6: rows E-1, E-2 and E-3: a node that does not know its final block yet', () => {
  test.for(NO_FINAL)('%s: is unavailable for that question alone', async ([, finalized]) => {
    const adapter = await nodeAtHead({ finalized })
    await expect(adapter.finalized()).rejects.toMatchObject({
      name: 'ChainUnavailable',
      message: expect.stringContaining('does not know yet which block is final'),
    })
    expect(await adapter.head()).toEqual({ height: HEAD, hash: hashAt(HEAD) })
  })
})

describe('audit D-E6: rows E-4, E-5 and E-6: a final block is never less deep than the network makes it, and a deeper one is believed', () => {
  test.for(FINAL)('%s', async ([, network, said, believed]) => {
    const adapter = await nodeAtHead({ finalized: shownAt(said) }, { network })
    expect(await adapter.finalized()).toEqual({ height: believed, hash: hashAt(believed) })
  })

  test('a number of confirmations goes without the tag', async () => {
    expect((await (await nodeAtHead({}, { finality: 15 })).finalized()).height).toBe(HEAD - 14)
  })
})

describe('audit D-E6: row E-8: a height above the head', () => {
  test.for(BEYOND)('%s: is no block', async ([, beyond]) => {
    const adapter = await nodeAtHead({ beyond })
    expect([await adapter.blockAt(HEAD + 1), await adapter.hashAt(HEAD + 1)]).toEqual([null, null])
  })

  test('another error says nothing of it', async () => {
    const adapter = await nodeAtHead({ beyond: refusal(4444, 'pruned history unavailable') })
    await expect(adapter.blockAt(HEAD + 1)).rejects.toMatchObject({ name: 'ChainUnavailable' })
  })
})
