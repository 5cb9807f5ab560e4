import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as others } from 'node:timers/promises'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { evmRequest, intentOf, openSigner, uuid } from '../../../test/world/signer.ts'
import type { TestSigner } from '../../../test/world/signer.ts'
import { EMPTY_CHAIN } from '../log/log-chain.ts'
import { scanLog } from '../log/segments.ts'

type Step =
  | { kind: 'sign'; intent: number; nonce: number; price: number; units: number }
  | { kind: 'close' | 'list'; intent: number }
  | { kind: 'lines'; from: number }
  | { kind: 'pause'; turns: number }

const few = fc.integer({ min: 1, max: 4 })
/** Few intents, nonces and prices, so that requests repeat and contradict each other; the hourly limit allows three. */
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('sign' as const),
      intent: few,
      nonce: few,
      price: fc.integer({ min: 20, max: 21 }),
      units: fc.constant(900),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('close' as const, 'list'), intent: few }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lines' as const), from: fc.integer({ min: 0, max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pause' as const), turns: few }) },
)

const coin = (number: number, units: number) => intentOf(number, { asset: 'ETH', units: `${units}` })

const ask = async ({ signer }: TestSigner, step: Exclude<Step, { kind: 'pause' }>): Promise<unknown> => {
  if (step.kind === 'lines') return signer.logLines(step.from)
  if (step.kind !== 'sign') {
    const { kind, intent } = step
    return kind === 'close' ? signer.closeIntent(uuid(intent)) : signer.transactionsOf(uuid(intent))
  }
  const { intent, units } = step
  const [nonce, maxFeePerGas] = [BigInt(step.nonce), BigInt(step.price) * 10n ** 9n]
  return signer.sign(evmRequest(coin(intent, units), { nonce, maxFeePerGas, gas: 21_000n }))
}

/** All files of a log, by name. */
const filesOf = ({ logFile }: TestSigner): string[][] =>
  readdirSync(dirname(logFile))
    .filter((name) => /^log(\.[0-9]{12})?$/.test(name))
    .toSorted()
    .map((name) => [name, readFileSync(join(dirname(logFile), name), 'utf8')])

test('requests at once have the answers and the log of the same requests one by one, each after its line is on the disk', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(steps, { minLength: 1, maxLength: 30 }),
      fc.constantFrom(1_500, 4_000, 1_000_000),
      async (all, segmentBytes) => {
        const onDisk = new Set<string>()
        const afterSynced = ({ answer }: { answer: { hash: string } }): void => void onDisk.add(answer.hash)
        const atOnce = await openSigner({ log: { segmentBytes, afterSynced } })
        const oneByOne = await openSigner({ log: { segmentBytes } })
        try {
          const asked: Promise<PromiseSettledResult<unknown>>[] = []
          for (const step of all) {
            if (step.kind === 'pause') {
              for (let turn = 0; turn < step.turns; turn++) await others()
              continue
            }
            const answer = ask(atOnce, step).then((value) => {
              const hashes = [value].flat().flatMap((one) => (one as { hash?: string } | undefined)?.hash ?? [])
              for (const hash of hashes) expect(onDisk).toContain(hash)
              return value
            })
            asked.push(Promise.allSettled([answer]).then(([outcome]) => outcome))
          }
          const expected: PromiseSettledResult<unknown>[] = []
          for (const step of all)
            if (step.kind !== 'pause') expected.push((await Promise.allSettled([ask(oneByOne, step)]))[0]!)
          expect(await Promise.all(asked)).toEqual(expected)
          expect(filesOf(atOnce)).toEqual(filesOf(oneByOne))
          const { length, head } = atOnce.log
          const { end } = await scanLog(atOnce.logFile, EMPTY_CHAIN, () => undefined)
          expect([end, atOnce.signer.status()]).toEqual([{ lines: length, head }, oneByOne.signer.status()])
        } finally {
          await atOnce.signer.drained()
          await Promise.all([atOnce.log.close(), oneByOne.log.close()])
        }
      },
    ),
    { numRuns: cases(60) },
  )
})
