import { existsSync, readFileSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import type { SignedEntry } from './entry.ts'
import { History } from './history.ts'
import { IndexFile } from './index-file.ts'
import { EMPTY_CHAIN, LogBroken } from './log-chain.ts'
import { LogFailed } from './log.ts'
import { oldestOf, scanLog } from './segments.ts'
import { codeOf, evmRequest, intentOf, makeSigner, temporaryDirectory, uuid } from '../../../test/world/signer.ts'
import { DAY_MS, HOUR_MS, VelocityBook } from './velocity.ts'

const FINGERPRINT = '0a0b0c0d'

function openIndex(): IndexFile {
  const index = IndexFile.open(join(temporaryDirectory(), 'index'), FINGERPRINT)
  onTestFinished(() => index.close())
  return index
}

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0')
const payout = (number: number): SignedEntry => ({
  kind: 'signed',
  at: 1_700_000_000_000 + number * 1_000,
  network: 'ETHEREUM',
  transactionId: uuid(number),
  purpose: 'payout',
  intents: [{ id: uuid(number), asset: 'USDT', to: `0x${hex(number, 40)}`, units: '1000000' }],
  keys: [],
  unsignedId: `0x${hex(number, 64)}`,
  requestHash: hex(number, 64),
  conflictKeys: [`1:0x${hex(1, 40)}:${number}`],
  fee: '1000',
  feeSlot: `1:0x${hex(1, 40)}:${number}`,
  answer: { signed: '', hash: `0x${hex(number, 64)}` },
})

function heapInUse(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}

/** Pays intents `from` to `from + count - 1`, each with its own nonce. */
async function pay({ signer }: Awaited<ReturnType<typeof makeSigner>>, from: number, count: number): Promise<string[]> {
  const answers = Array.from({ length: count }, (_, at) => signer.sign(paymentOf(from + at)))
  return (await Promise.all(answers)).map(({ hash }) => hash)
}

const paymentOf = (number: number) =>
  evmRequest(intentOf(number), { nonce: BigInt(number), gas: 50_000n, maxFeePerGas: 10n ** 9n })
const restart = async (
  made: Awaited<ReturnType<typeof makeSigner>>,
  options: Parameters<typeof makeSigner>[0] = {},
) => {
  await made.log.close()
  return makeSigner({ ...options, logFile: made.logFile })
}
/** Closes a segment after every two lines or so. */
const SMALL = { segmentBytes: 1_500 }
const segments = (logFile: string): string[] =>
  readdirSync(dirname(logFile))
    .filter((name) => /^log\.[0-9]{12}$/.test(name))
    .toSorted()

describe("the signer's memory", () => {
  test('audit M-C4: a payout costs no memory, and a signed intent stays known', async () => {
    const history = new History(openIndex())
    const take = async (from: number, until: number): Promise<void> =>
      history.catchUp(async () => {
        for (let seq = from; seq < until; seq++) {
          history.apply(
            { ...payout(seq), seq, previous: hex(seq, 64) },
            { segment: 0, offset: seq, length: 10 },
            hex(seq + 1, 64),
          )
        }
      })
    await take(0, 1_000)
    const before = heapInUse()
    await take(1_000, 9_000)
    // Maps took 2,049 bytes for each payout. The rest here is noise of the garbage collector.
    expect((heapInUse() - before) / 8_000).toBeLessThan(100)
    expect(history.isKnown(uuid(3))).toBe(true)
    expect(history.positionsOf(uuid(3))).toEqual([{ segment: 0, offset: 3, length: 10 }])
    expect(history.end).toEqual({ lines: 9_000, head: hex(9_000, 64) })
  })

  test('audit M-C4: a line that is on the disk but not in the index is indexed before anything is signed', async () => {
    const isKilled = { now: false }
    const afterSynced = (): void => {
      if (isKilled.now) throw new Error('killed between disk and index')
    }
    const first = await makeSigner({ log: { afterSynced } })
    await pay(first, 1, 2)
    isKilled.now = true
    await expect(first.signer.sign(paymentOf(3))).rejects.toThrow(LogFailed)
    await expect(first.signer.sign(paymentOf(4))).rejects.toThrow(LogFailed)
    const again = await restart(first)
    expect(again.log.length).toBe(4)
    expect(await codeOf(again.signer, evmRequest(intentOf(3), { nonce: 9n }))).toBe('intent-already-signed')
    expect(await again.signer.transactionsOf(uuid(3))).toHaveLength(1)
    expect(await codeOf(again.signer, paymentOf(4))).toBe('signed')
  })

  test('audit M-C4: without its index the log is read again, through all segments', async () => {
    const first = await makeSigner({ log: SMALL })
    const hashes = await pay(first, 1, 6)
    const before = first.signer.status()
    rmSync(`${first.logFile}.index`)
    const again = await restart(first)
    expect(segments(again.logFile).length).toBeGreaterThan(1)
    expect(again.signer.status()).toEqual(before)
    expect(await pay(again, 1, 6)).toEqual(hashes)
    expect(await codeOf(again.signer, evmRequest(intentOf(1), { nonce: 9n }))).toBe('intent-already-signed')
    expect(again.log.length).toBe(before.log.length)
  })

  test('audit M-C4: a log that was cut back, or another log, does not start beside the index that knows better', async () => {
    const first = await makeSigner()
    await pay(first, 1, 2)
    const shorter = readFileSync(first.logFile)
    await pay(first, 3, 1)
    await first.log.close()
    writeFileSync(first.logFile, shorter)
    await expect(makeSigner({ logFile: first.logFile })).rejects.toThrow(
      /does not hold line 4 .*cut back, altered or exchanged/,
    )

    const other = await makeSigner()
    await pay(other, 5, 4)
    await other.log.close()
    writeFileSync(first.logFile, readFileSync(other.logFile))
    await expect(makeSigner({ logFile: first.logFile })).rejects.toThrow(LogBroken)
    rmSync(`${first.logFile}.index`)
    const accepted = await makeSigner({ logFile: first.logFile })
    expect(await codeOf(accepted.signer, paymentOf(5))).toBe('signed')
  })
})

describe('segments of the log', () => {
  test('audit M-C4: are one chain, each begins where the one before ends, and earlier answers are read from them', async () => {
    const first = await makeSigner({ log: SMALL })
    const hashes = await pay(first, 1, 6)
    const [oldest, second] = segments(first.logFile)
    const lines = readFileSync(join(dirname(first.logFile), second!), 'utf8').split('\n')
    expect(oldest).toBe('log.000000000000')
    expect(JSON.parse(lines[0]!)).toMatchObject({ kind: 'log', seq: Number(second!.slice(4)) })
    const again = await restart(first, { log: SMALL })
    expect(await pay(again, 1, 6)).toEqual(hashes)
    expect((await again.signer.transactionsOf(uuid(1)))[0]).toMatchObject({ hash: hashes[0] })
    const { end } = await scanLog(again.logFile, EMPTY_CHAIN, () => undefined)
    expect(end).toEqual({ lines: again.log.length, head: again.log.head })
  })

  test('a crash between closing a segment and beginning the next one loses nothing', async () => {
    const first = await makeSigner()
    const hashes = await pay(first, 1, 2)
    await first.log.close()
    renameSync(first.logFile, `${first.logFile}.000000000000`)
    const again = await makeSigner({ logFile: first.logFile })
    expect(again.log.length).toBe(4)
    expect(await pay(again, 1, 2)).toEqual(hashes)
    await restart(again)
  })

  test('an old one that was put away is missed only where it is needed', async () => {
    const first = await makeSigner({ log: SMALL })
    await pay(first, 1, 6)
    const [oldest] = segments(first.logFile)
    rmSync(join(dirname(first.logFile), oldest!))
    const again = await restart(first)
    expect(await codeOf(again.signer, evmRequest(intentOf(1), { nonce: 9n }))).toBe('intent-already-signed')
    await expect(again.signer.sign(paymentOf(1))).rejects.toThrow(/log\.000000000000, which can't be read: put it back/)
    expect((await oldestOf(again.logFile)).lines).toBeGreaterThan(0)
    rmSync(`${again.logFile}.index`)
    await expect(restart(again)).rejects.toThrow(/Lines 1 to \d+ of the log are missing/)
  })

  test('a closed one that was changed or cut is found when it is read', async () => {
    const first = await makeSigner({ log: SMALL })
    await pay(first, 1, 6)
    await first.log.close()
    const oldest = join(dirname(first.logFile), segments(first.logFile)[0]!)
    const text = readFileSync(oldest)
    const scan = () => scanLog(first.logFile, EMPTY_CHAIN, () => undefined)
    truncateSync(oldest, text.length - 5)
    await expect(scan()).rejects.toThrow(LogBroken)
    writeFileSync(oldest, text.toString('utf8').replace('"units":"1000000"', '"units":"1000001"'))
    await expect(scan()).rejects.toThrow(LogBroken)
    expect(existsSync(`${first.logFile}.index`)).toBe(true)
  })
})

test('the sums of hour and day equal the sum of all spendings, also when the clock is set back', () => {
  const step = fc.record({
    move: fc.integer({ min: -30 * HOUR_MS, max: 30 * HOUR_MS }),
    units: fc.bigInt({ min: 0n, max: 10n ** 24n }),
    look: fc.boolean(),
  })
  const index = openIndex()
  let runs = 0
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const book = new VelocityBook(index)
      const asset = `T${runs++}`
      let spent: { at: number; units: bigint }[] = []
      let now = 1_700_000_000_000
      for (const { move, units, look } of steps) {
        now += move
        const windows = [HOUR_MS, DAY_MS]
        const expected = windows.map((ms) =>
          spent.reduce((sum, { at, units: more }) => (at > now - ms ? sum + more : sum), 0n),
        )
        if (look) expect(windows.map((ms) => book.within('TRON', asset, now, ms))).toEqual(expected)
        for (const ms of windows) book.within('TRON', asset, now, ms)
        book.add('TRON', asset, now, units)
        if (units > 0n) spent = [...spent.filter(({ at }) => at > now - DAY_MS), { at: now, units }]
      }
    }),
    { numRuns: cases(40) },
  )
})
