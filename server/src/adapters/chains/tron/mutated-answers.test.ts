/** Answers of a real node with pieces dropped, doubled, of another type, out of range or cut. */
import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { cases } from '../../../../../test/setup/cases.ts'
import { attempt, mutatedIn, NO_PAUSES, readRecording, replacedIn, startRecorded } from '../test-conversations.ts'
import { adapterOf } from '../../../../../test/world/tron-node.ts'
import { TRON_OPERATIONS, type TronRecorded } from './test-operations.ts'

const { world, conversations } = readRecording<TronRecorded>(import.meta.dirname)
const adapterAt = (url: string) => adapterOf(url, { tokens: [world.token], timer: NO_PAUSES })

/** Answers that were believed, or threw another error than `ChainUnavailable`. */
const FOUND: readonly [what: string, asked: keyof typeof TRON_OPERATIONS, method: string, piece: RegExp, by: string][] =
  [
    [
      'an id that is no text',
      'blockAt',
      'wallet/gettransactioninfobyblocknum',
      /"id":"\w+"/,
      '"id":{"toString":1,"valueOf":1}',
    ],
    [
      'a time that is no number',
      'blockAt',
      'wallet/gettransactioninfobyblocknum',
      /"blockTimeStamp":\d+/,
      '"blockTimeStamp":{"toString":1,"valueOf":1}',
    ],
    [
      'a type that is no text',
      'blockAt',
      'wallet/getblockbynum',
      /"type":"TransferContract"/,
      '"type":{"toString":1,"valueOf":1}',
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
    expect(await attempt(TRON_OPERATIONS[name], adapter, world)).toBeUndefined()
    await adapter.close()
  })

  test.each(Object.entries(TRON_OPERATIONS))('%s', async (name, asked) => {
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
