import { spawnSync } from 'node:child_process'
import { appendFileSync, copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { SignedEntry } from './entry.ts'
import { LockHeld } from './lock.ts'
import { EMPTY_CHAIN, LogBroken, lineHash } from './log-chain.ts'
import type { Position } from './log-chain.ts'
import { SignatureLog } from './log.ts'
import type { LogSubscriber, LogOptions } from './log.ts'
import { scanLog } from './segments.ts'
import { temporaryDirectory, uuid } from '../../../test/world/signer.ts'

const header = { kind: 'log', version: 1, at: 5, masterFingerprint: '0a0b0c0d' } as const

const entryOf = (number: number): SignedEntry => ({
  kind: 'signed',
  at: number,
  network: 'ETHEREUM',
  transactionId: uuid(number),
  purpose: 'payout',
  intents: [{ id: uuid(number), asset: 'ETH', to: '0x', units: '1' }],
  keys: [{ account: 'hot', branch: 0, index: 0 }],
  unsignedId: `0x${number}`,
  requestHash: `${number}`,
  conflictKeys: [`1:0x:${number}`],
  fee: '1',
  feeSlot: `1:0x:${number}`,
  answer: { signed: '0xéé', hash: `0x${number}` },
})

/** Follows a log without an index: every line is handed over at each start. */
const subscriber =
  (onSigned: (entry: SignedEntry, position: Position) => void = () => undefined) =>
  (): LogSubscriber => ({
    end: EMPTY_CHAIN,
    apply: (entry, position) => {
      if (entry.kind === 'signed') onSigned(entry, position)
    },
    commit: () => undefined,
    catchUp: (run) => run(),
    close: () => undefined,
  })

const openLog = (
  path: string,
  onSigned?: (entry: SignedEntry, position: Position) => void,
  options?: LogOptions,
): Promise<SignatureLog> => SignatureLog.open(path, header, subscriber(onSigned), options)

async function write(entries: number): Promise<string> {
  const path = join(temporaryDirectory(), 'log')
  const log = await openLog(path)
  for (let number = 0; number < entries; number++) await log.append(entryOf(number))
  await log.close()
  return path
}

async function reopen(path: string): Promise<{ entries: SignedEntry[]; head: string; length: number }> {
  const entries: SignedEntry[] = []
  const log = await openLog(path, (entry) => entries.push(entry))
  const { head, length } = log
  await log.close()
  return { entries, head, length }
}

describe('SignatureLog', () => {
  test('keeps the appended entries in order, in a file that only its owner can access', async () => {
    const path = await write(3)
    const { entries, head, length } = await reopen(path)
    expect(entries).toMatchObject([entryOf(0), entryOf(1), entryOf(2)])
    expect(length).toBe(4)
    const lines = readFileSync(path, 'utf8').split('\n')
    expect(head).toBe(lineHash(Buffer.from(lines[3]!)))
    expect(JSON.parse(lines[0]!)).toMatchObject({ seq: 0, previous: EMPTY_CHAIN.head, ...header })
    for (const file of [path, `${path}.lock`]) expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('says that a line is written only once it is on the disk', async () => {
    const path = await write(0)
    const log = await openLog(path)
    onTestFinished(() => log.close())
    const file = await open(path)
    const datasync = vi.spyOn(Object.getPrototypeOf(file) as FileHandle, 'datasync')
    onTestFinished(() => datasync.mockRestore())
    await file.close()
    let isWritten = false
    let finish = (): void => undefined
    const disk = new Promise<void>((resolve) => (finish = resolve))
    datasync.mockImplementationOnce(() => disk)
    const appended = log.append(entryOf(1)).then(() => (isWritten = true))
    await vi.waitFor(() => expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3), { timeout: 60_000 })
    await vi.waitFor(() => expect(datasync).toHaveBeenCalled(), { timeout: 60_000 })
    expect(isWritten).toBe(false)
    finish()
    await appended
  })

  test('reads an entry back by the position it gave', async () => {
    const path = join(temporaryDirectory(), 'log')
    const positions: Position[] = []
    const log = await openLog(path, (_entry, position) => positions.push(position))
    for (let number = 0; number < 3; number++) await log.append(entryOf(number))
    expect(await log.read(positions[1]!)).toMatchObject(entryOf(1))
    await log.close()
    const again = await openLog(path, (entry, position) => {
      expect(position).toEqual(positions[entry.at])
    })
    expect(await again.read(positions[2]!)).toMatchObject(entryOf(2))
    await again.close()
  })

  test('wherever a write was cut off, opens with every whole line, and goes on from there', async () => {
    const path = await write(2)
    const whole = readFileSync(path)
    const lastLine = whole.lastIndexOf(0x0a, whole.length - 2) + 1
    for (let length = lastLine; length < whole.length; length += 7) {
      const cut = `${path}-${length}`
      copyFileSync(path, cut)
      truncateSync(cut, length)
      expect((await reopen(cut)).entries).toMatchObject([entryOf(0)])
      expect(statSync(cut).size).toBe(lastLine)
      const log = await openLog(cut)
      await log.append(entryOf(7))
      await log.close()
      expect((await reopen(cut)).entries).toMatchObject([entryOf(0), entryOf(7)])
    }
  })

  test.each([
    ['zeros without an end', Buffer.alloc(300)],
    ['zeros with an end', Buffer.from(`${'\0'.repeat(300)}\n`)],
    ['half of a character', Buffer.from([0xc3])],
  ])('drops %s that a power cut left at the end', async (_name, rubbish) => {
    const path = await write(1)
    appendFileSync(path, rubbish)
    expect((await reopen(path)).entries).toMatchObject([entryOf(0)])
    expect((await scanLog(path, EMPTY_CHAIN, () => undefined)).tornBytes).toBe(0)
  })

  test.each([
    ['an amount was changed', (text: string) => text.replace('"units":"1"', '"units":"2"')],
    ['a line was taken out', (text: string) => text.split('\n').toSpliced(1, 1).join('\n')],
    [
      'two lines changed places',
      (text: string) => {
        const lines = text.split('\n')
        return [lines[0], lines[2], lines[1], ...lines.slice(3)].join('\n')
      },
    ],
    ['a line in the middle is rubbish', (text: string) => text.replace('{"seq":1', '\0\0\0')],
    ['an empty line was put in', (text: string) => text.replace('\n', '\n\n')],
    ['rubbish is followed by more', (text: string) => `${text}\0\0\n{"a`],
  ])('refuses to open when %s', async (_name, alter) => {
    const path = await write(3)
    writeFileSync(path, alter(readFileSync(path, 'utf8')))
    await expect(reopen(path)).rejects.toThrow(LogBroken)
  })

  test("refuses another seed's log, and a file that is not a log", async () => {
    const path = await write(1)
    const other = { ...header, masterFingerprint: 'ffffffff' }
    await expect(SignatureLog.open(path, other, subscriber())).rejects.toThrow(/belongs to the seed 0a0b0c0d/)
    const text = join(temporaryDirectory(), 'log')
    writeFileSync(text, '{"seq":0,"previous":"x"}\n')
    await expect(reopen(text)).rejects.toThrow(LogBroken)
  })

  test('lets no second signer in, neither of this process nor of another, and lets one in afterwards', async () => {
    const path = await write(1)
    const log = await openLog(path)
    await expect(reopen(path)).rejects.toThrow(LockHeld)
    const lock = new URL('lock.ts', import.meta.url).pathname
    const attempt = `import { holdLock } from ${JSON.stringify(lock)}; holdLock(process.argv[1])`
    const hold = (): ReturnType<typeof spawnSync> =>
      spawnSync(process.execPath, ['--input-type=module', '-e', attempt, `${path}.lock`], { encoding: 'utf8' })
    expect(hold().stderr).toMatch(/LockHeld/)
    await log.close()
    expect(hold().status).toBe(0)
    expect((await reopen(path)).length).toBe(2)
  })

  test('writes nothing more after a write failed', async () => {
    const path = await write(1)
    const log = await openLog(path)
    await log.close()
    await expect(log.append(entryOf(1))).rejects.toThrow(/could not be written/)
    await expect(log.append(entryOf(1))).rejects.toThrow(/start the signer again/)
    expect((await reopen(path)).length).toBe(2)
  })
})
