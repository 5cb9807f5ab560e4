/** Tests of a chain's adapter on recorded answers with one piece changed. Only tests of these adapters use it. */
import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import {
  attempt,
  mutatedIn,
  replacedIn,
  startRecorded,
  type Exchanged,
  type Operation,
  type Recording,
} from './test-conversations.ts'

/** An answer that must not be believed: a piece of the answer to a method, replaced. */
export type Disbelieved<Name> = readonly [what: string, asked: Name, method: string, piece: RegExp, by: string]

/**
 * Describes what holds for any answer: it is read as a result of the stated type and range, or it is not believed
 * (`ChainUnavailable`), and no value of another type changes an amount.
 * @param adapterAt a new adapter for the node at a URL
 * @param found answers that were believed once, or threw another error
 */
export const describeMutatedAnswers = <Adapter, World, Name extends string>(
  { world, conversations }: Recording<World>,
  operations: Readonly<Record<Name, Operation<Adapter, World>>>,
  adapterAt: (url: string) => Adapter & { close(): Promise<void> },
  found: readonly Disbelieved<Name>[],
) =>
  describe('an answer with anything changed in it is read exactly, or not believed', () => {
    let node: Awaited<ReturnType<typeof startRecorded>>
    beforeAll(async () => {
      node = await startRecorded()
      return () => node.close()
    })

    const conversationOf = (name: Name) => conversations.find(({ operation }) => operation === name)!
    const ask = async (name: Name, instead?: ReadonlyMap<Exchanged, string>) => {
      node.say(conversationOf(name), instead)
      const adapter = adapterAt(node.url)
      try {
        return await attempt(operations[name], adapter, world)
      } finally {
        await adapter.close()
      }
    }

    test.each(found)('not believed: %s', async (_what, name, method, piece, by) => {
      expect(await ask(name, replacedIn(conversationOf(name), method, piece, by))).toBeUndefined()
    })

    test.each(Object.keys(operations) as Name[])('%s', async (name) => {
      const { check, money } = operations[name]
      const right = await ask(name)
      check(right!.result, world)
      const amounts = money?.(right!.result) ?? []
      await fc.assert(
        fc.asyncProperty(mutatedIn(conversationOf(name)), async ({ of, mutation }) => {
          const answer = await ask(name, new Map([[of, mutation.text]]))
          if (!answer) return
          check(answer.result, world)
          if (mutation.isRetyped && money) expect(amounts).toEqual(expect.arrayContaining(money(answer.result)))
        }),
        { numRuns: cases(name.startsWith('blockAt') ? 60 : 15) },
      )
    })
  })
