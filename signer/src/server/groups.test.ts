import { copyFileSync, readFileSync, truncateSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { LogFailed } from '../log/log.ts'
import { readPolicy } from '../policy/policy.ts'
import {
  codeOf,
  evmRequest,
  intentOf,
  makeSigner,
  policyFile,
  temporaryDirectory,
  uuid,
} from '../../../test/world/signer.ts'

/** Requests that arrive while others are in progress, and share one write of the log with them. */

/** A payment of its own: number, nonce and intent are the same. */
const payment = (number: number, units = '1000000') =>
  evmRequest(intentOf(number, { units }), { nonce: BigInt(number) })
const linesOf = (logFile: string): string[] => readFileSync(logFile, 'utf8').trimEnd().split('\n')

/** Replaces the synchronisation of files of this process. Without a function it is only counted. */
async function diskOf(logFile: string, synchronise?: () => Promise<void>) {
  const file = await open(logFile)
  const spy = vi.spyOn(Object.getPrototypeOf(file) as FileHandle, 'datasync')
  await file.close()
  if (synchronise) spy.mockImplementation(synchronise)
  onTestFinished(() => spy.mockRestore())
  return spy
}

describe('requests that arrive together', () => {
  test('share one synchronisation of the disk, and have a line each, in the order of arrival', async () => {
    const { signer, log, logFile } = await makeSigner()
    const disk = await diskOf(logFile)
    const answers = await Promise.all([1, 2, 3].map((number) => signer.sign(payment(number, '1'))))
    expect(disk).toHaveBeenCalledTimes(1)
    const lines = linesOf(logFile).slice(1)
    expect(lines.map((line) => (JSON.parse(line) as { answer: object }).answer)).toEqual(answers)
    expect(log.length).toBe(4)
  })

  test('are not answered, nor refused, nor shown before their lines are on the disk', async () => {
    const { signer, log, logFile } = await makeSigner()
    const before = signer.logEnd
    let finish = (): void => undefined
    const written = new Promise<void>((resolve) => (finish = resolve))
    const disk = await diskOf(logFile, () => written)
    const answered: string[] = []
    const asked = {
      signed: codeOf(signer, payment(1)),
      refused: codeOf(signer, evmRequest(intentOf(1), { nonce: 9n })),
      listed: signer.transactionsOf(uuid(1)),
      closed: signer.closeIntent(uuid(2)),
      checked: signer.check({ network: 'ETHEREUM', intents: [intentOf(1)] }),
      lines: signer.logLines(0),
    }
    const all = Object.entries(asked).map(([name, answer]) => Promise.resolve(answer).then(() => answered.push(name)))
    await vi.waitFor(() => expect(disk).toHaveBeenCalled(), { timeout: 60_000 })
    // The lines are in the file, and not synchronised.
    expect(linesOf(logFile)).toHaveLength(3)
    expect(answered).toEqual([])
    expect([signer.logEnd, signer.status().log]).toEqual([before, before])
    const head = (JSON.parse(linesOf(logFile)[2]!) as { previous: string }).previous
    expect(() => signer.requireLog({ length: 2, head })).toThrow(/log does not hold line 2/)
    finish()
    await Promise.all(all)
    expect(await asked.signed).toBe('signed')
    expect(await asked.refused).toBe('intent-already-signed')
    expect(await asked.listed).toHaveLength(1)
    expect(await asked.closed).toEqual([])
    expect(await asked.checked).toMatchObject([{ refused: 'intent-already-signed' }])
    expect(await asked.lines).toEqual(linesOf(logFile))
    expect(signer.logEnd).toEqual({ length: 3, head: log.head })
    expect(() => signer.requireLog({ length: 2, head })).not.toThrow()
  })

  test('two of one transaction get the same bytes and one line; a third for the intent is refused', async () => {
    const { signer, log } = await makeSigner()
    const [first, again, other] = await Promise.all([
      signer.sign(payment(1)),
      signer.sign(payment(1)),
      codeOf(signer, evmRequest(intentOf(1), { nonce: 2n })),
    ])
    expect(again).toEqual(first)
    expect(other).toBe('intent-already-signed')
    expect(log.length).toBe(2)
  })

  test('two for one nonce: one is signed', async () => {
    const { signer } = await makeSigner()
    const codes = [1, 2].map((number) =>
      codeOf(signer, evmRequest(intentOf(number, { units: `${number}` }), { nonce: 5n })),
    )
    expect(await Promise.all(codes)).toEqual(['signed', 'nonce-used'])
  })

  test('are limited by the sums of hour and day with each other', async () => {
    const { signer } = await makeSigner()
    const { ETH } = policyFile.networks.ETHEREUM.assets as { ETH: Record<'maxPerIntent' | 'maxPerHour', string> }
    const { maxPerIntent, maxPerHour } = ETH
    const coin = (number: number) =>
      evmRequest(intentOf(number, { asset: 'ETH', units: maxPerIntent }), { nonce: BigInt(number), gas: 21_000n })
    expect(Number(maxPerHour) / Number(maxPerIntent)).toBe(3)
    const codes = await Promise.all([1, 2, 3, 4, 5].map((number) => codeOf(signer, coin(number))))
    expect(codes).toEqual(['signed', 'signed', 'signed', 'velocity', 'velocity'])
  })

  test('a stop takes effect between two of them', async () => {
    const stopped = readPolicy(JSON.stringify({ ...policyFile, enabled: false }))
    let onJudged: (() => void) | undefined
    const now = (): number => {
      onJudged?.()
      return 1_700_000_000_000
    }
    const { signer, logFile } = await makeSigner({ now })
    // The process gets the signal while it judges the first payment, and handles it after that payment.
    onJudged = () => {
      setImmediate(() => signer.replacePolicy(stopped))
      onJudged = undefined
    }
    const disk = await diskOf(logFile)
    const codes = await Promise.all([1, 2, 3].map((number) => codeOf(signer, payment(number))))
    expect(codes).toEqual(['signed', 'disabled', 'disabled'])
    expect(disk).toHaveBeenCalledTimes(1)
  })

  test('when the disk fails, none is answered, the index has none, and a start knows the lines that are in the file', async () => {
    const first = await makeSigner()
    const disk = await diskOf(first.logFile, () => Promise.reject(new Error('no disk')))
    const asked = [
      first.signer.sign(payment(1)),
      first.signer.sign(payment(2)),
      first.signer.closeIntent(uuid(3)),
      first.signer.transactionsOf(uuid(1)),
    ]
    for (const outcome of await Promise.allSettled(asked))
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(LogFailed) as LogFailed })
    // From then on nothing is answered from what may not be on the disk.
    await expect(first.signer.transactionsOf(uuid(1))).rejects.toThrow(LogFailed)
    await expect(first.signer.sign(payment(4))).rejects.toThrow(LogFailed)
    expect(first.log.length).toBe(1)
    disk.mockRestore()
    await first.log.close()
    const again = await makeSigner({ logFile: first.logFile })
    expect(again.log.length).toBe(4)
    expect(await codeOf(again.signer, evmRequest(intentOf(1), { nonce: 7n }))).toBe('intent-already-signed')
    expect(await again.signer.transactionsOf(uuid(2))).toHaveLength(1)
    expect(await codeOf(again.signer, payment(3))).toBe('intent-closed')
  })

  test('a crash before their lines are on the disk leaves an index without them, and a start signs others', async () => {
    const { signer, logFile } = await makeSigner()
    let finish = (): void => undefined
    const written = new Promise<void>((resolve) => (finish = resolve))
    const disk = await diskOf(logFile, () => written)
    const asked = [signer.sign(payment(1)), signer.closeIntent(uuid(2))]
    await vi.waitFor(() => expect(disk).toHaveBeenCalled(), { timeout: 60_000 })
    // The files as a power cut leaves them: the line break of the header is the last byte that was synchronised.
    const copy = `${temporaryDirectory()}/log`
    for (const end of ['', '.index', '.index-wal']) copyFileSync(`${logFile}${end}`, `${copy}${end}`)
    truncateSync(copy, readFileSync(logFile).indexOf('\n') + 1)
    finish()
    await Promise.all(asked)
    const again = await makeSigner({ logFile: copy })
    expect(again.log.length).toBe(1)
    expect(await codeOf(again.signer, evmRequest(intentOf(1), { nonce: 7n }))).toBe('signed')
    expect(await codeOf(again.signer, payment(2))).toBe('signed')
  })

  test('wherever a crash cut their lines off, a start has every whole line, and signs the others once', async () => {
    const first = await makeSigner()
    const answers = await Promise.all([1, 2, 3].map((number) => first.signer.sign(payment(number))))
    await first.log.close()
    const whole = readFileSync(first.logFile)
    const header = whole.indexOf('\n') + 1
    const step = Math.ceil((whole.length - header) / 12)
    for (let length = header; length <= whole.length; length += step) {
      // A crash before the commit of the index leaves an index without the group.
      const logFile = `${temporaryDirectory()}/log`
      copyFileSync(first.logFile, logFile)
      truncateSync(logFile, length)
      const lines = whole.subarray(0, length).toString('utf8').split('\n').length - 1
      const again = await makeSigner({ logFile })
      expect(again.log.length).toBe(lines)
      for (const number of [1, 2, 3]) {
        const code = await codeOf(again.signer, evmRequest(intentOf(number), { nonce: BigInt(number + 10) }))
        expect(code).toBe(number < lines ? 'intent-already-signed' : 'signed')
      }
      for (let number = 1; number < lines; number++)
        expect(await again.signer.sign(payment(number))).toEqual(answers[number - 1])
    }
  })
})
