/** Answers of a real node with pieces dropped, doubled, of another type, out of range or cut. */
import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { cases } from '../../../../../test/setup/cases.ts'
import { attempt, mutatedIn, NO_PAUSES, readRecording, replacedIn, startRecorded } from '../test-conversations.ts'
import { adapterOf } from '../../../../../test/world/evm-node.ts'
import { EVM_OPERATIONS, type EvmRecorded } from './test-operations.ts'

const { world, conversations } = readRecording<EvmRecorded>(import.meta.dirname)
const adapterAt = (url: string) =>
  adapterOf(url, {
    network: 'ETHEREUM',
    chainId: 31_337,
    legacyGas: false,
    finality: 'finalized',
    tokens: [world.token],
    timer: NO_PAUSES,
  })

/** Answers that were believed, or threw another error than `ChainUnavailable`. */
const FOUND: readonly [what: string, asked: keyof typeof EVM_OPERATIONS, method: string, piece: RegExp, by: string][] =
  [
    [
      'a fee of more than 256 bits',
      'statusOf',
      'eth_getTransactionReceipt',
      /"gasUsed":"0x\w+"/,
      `"gasUsed":"0x${'f'.repeat(64)}"`,
    ],
    [
      'a value of more than 256 bits',
      'blockAt',
      'eth_getBlockByNumber',
      /"withdrawals":\[\]/,
      `"withdrawals":[{"index":"0x1","address":"0x${'11'.repeat(20)}","amount":"0x${'f'.repeat(64)}"}]`,
    ],
  ]

describe('an answer with anything changed in it is read exactly, or not believed', () => {
  let node: Awaited<ReturnType<typeof startRecorded>>
  beforeAll(async () => {
    node = await startRecorded()
    return () => node.close()
  })

  const conversationOf = (name: string) => conversations.find(({ operation }) => operation === name)!

  test.each(FOUND)('not believed: %s', async (_what, name, method, piece, by) => {
    const conversation = conversationOf(name)
    node.say(conversation, replacedIn(conversation, method, piece, by))
    const adapter = adapterAt(node.url)
    expect(await attempt(EVM_OPERATIONS[name], adapter, world)).toBeUndefined()
    await adapter.close()
  })

  test.each(Object.entries(EVM_OPERATIONS))('%s', async (name, asked) => {
    const conversation = conversationOf(name)
    const ask = async (instead?: Parameters<typeof node.say>[1]) => {
      node.say(conversation, instead)
      const adapter = adapterAt(node.url)
      try {
        return await attempt(asked, adapter, world)
      } finally {
        await adapter.close()
      }
    }
    const right = await ask()
    asked.check(right!.result, world)
    const money = asked.money?.(right!.result) ?? []
    await fc.assert(
      fc.asyncProperty(mutatedIn(conversation), async ({ of, mutation }) => {
        const answer = await ask(new Map([[of, mutation.text]]))
        if (!answer) return
        asked.check(answer.result, world)
        if (mutation.isRetyped && asked.money) expect(money).toEqual(expect.arrayContaining(asked.money(answer.result)))
      }),
      { numRuns: cases(name.startsWith('blockAt') ? 60 : 15) },
    )
  })
})
