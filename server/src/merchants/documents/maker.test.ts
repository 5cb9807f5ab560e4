import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { fiatReceipt } from '../../../../test/world/letters.ts'
import { createDocumentMaker, DocumentsBusy, type DocumentMaker } from './index.ts'
import type { MakerSettings } from './maker.ts'
import { receiptPdf } from './receipt-pdf.ts'

const program = new URL('./test-thread.ts', import.meta.url)
let maker: DocumentMaker | undefined
afterEach(() => maker?.close())
const make = (settings: MakerSettings): ((id: string) => Promise<string>) => {
  const made = createDocumentMaker(settings)
  maker = made
  return async (id) =>
    (await made.make({ kind: 'receipt', receipt: { ...fiatReceipt, id }, language: 'en' })).toString()
}

describe('documents', () => {
  test('are made in a thread, the same bytes as here, and the process goes on with its work', async () => {
    maker = createDocumentMaker()
    await maker.make({ kind: 'receipt', receipt: fiatReceipt, language: 'kk' })
    const before = process.threadCpuUsage()
    const made = await Promise.all(
      Array.from({ length: 5 }, () => maker!.make({ kind: 'receipt', receipt: fiatReceipt, language: 'kk' })),
    )
    const spent = process.threadCpuUsage(before).user
    const beforeHere = process.threadCpuUsage()
    let here: Uint8Array = Buffer.alloc(0)
    for (let i = 0; i < made.length; i += 1) here = await receiptPdf(fiatReceipt, 'kk')
    // This thread's processor time, and what it is when the same documents are made in it.
    expect(spent).toBeLessThan(process.threadCpuUsage(beforeHere).user / 2)
    for (const bytes of made) expect(bytes.equals(here)).toBe(true)
  })

  test('a document that fails does not affect the others, even if the thread ends', async () => {
    const ask = make({ program, timeoutMs: 120_000 })
    const asked = ['a', 'fails', 'b', 'dies', 'c', 'throws', 'd'].map((id) => ask(id))
    const outcomes = (await Promise.allSettled(asked)).map((one) =>
      one.status === 'fulfilled' ? one.value : (one.reason as Error).message,
    )
    expect(outcomes).toEqual([
      'a',
      'no such font',
      'b',
      'the thread that makes documents ended',
      'c',
      'out of its wits',
      'd',
    ])
  })

  test('that take too long fail alone', async () => {
    const ask = make({ program, timeoutMs: 120_000 })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const outcomes = Promise.allSettled([ask('hangs'), ask('e')])
      vi.advanceTimersByTime(120_000)
      expect(await outcomes).toEqual([
        { status: 'rejected', reason: new Error('a document took more than 120000 ms') },
        { status: 'fulfilled', value: 'e' },
      ])
    } finally {
      vi.useRealTimers()
    }
  })

  test('that take all memory take the thread alone with them', async () => {
    const ask = make({ program, timeoutMs: 50_000 })
    await expect(ask('grows')).rejects.toThrow(/memory/)
    expect(await ask('a')).toBe('a')
  })

  test('are not heaped up without end', async () => {
    const ask = make({ program, mostWaiting: 2 })
    const [first, second, third, fourth] = await Promise.allSettled(['a', 'b', 'c', 'd'].map((id) => ask(id)))
    expect([first!.status, second!.status, third!.status]).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    expect((fourth as PromiseRejectedResult).reason).toBeInstanceOf(DocumentsBusy)
  })

  test('are made again after a rest, and no more after the end', async () => {
    const ask = make({ program, idleMs: 50 })
    expect(await ask('a')).toBe('a')
    await sleep(200)
    expect(await ask('b')).toBe('b')
    const waits = ask('hangs')
    const closed = expect(waits).rejects.toThrow('no more')
    await maker!.close()
    await closed
    await expect(ask('c')).rejects.toThrow('no more')
  })
})
