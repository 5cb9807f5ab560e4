import { fork, type ChildProcess } from 'node:child_process'
import { VenueUnreachable } from '../port.ts'
import type { Answer, Call, CcxtSettings, Operations } from './wire.ts'

export interface Caller {
  /** @throws VenueUnreachable */
  call<Name extends keyof Operations>(
    name: Name,
    ...args: Parameters<Operations[Name]>
  ): Promise<Awaited<ReturnType<Operations[Name]>>>
  close(): Promise<void>
}

interface Running {
  child: ChildProcess
  waiting: Map<number, { resolve(value: unknown): void; reject(error: Error): void }>
}

/**
 * Calls ccxt in a separate process, which is started by the first call and restarted after its end. The result of calls
 * that were running when it ended, or that exceeded the deadline, is unknown. A process that exceeded a deadline is
 * ended.
 */
export const createCaller = (settings: CcxtSettings, deadlineMs: number): Caller => {
  let running: Running | undefined
  let calls = 0
  const start = (): Running => {
    const child = fork(new URL('./process.ts', import.meta.url), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { PATH: process.env['PATH'] },
      execArgv: [],
    })
    const started: Running = { child, waiting: new Map() }
    const fail = (why: string): void => {
      if (running === started) running = undefined
      for (const { reject } of started.waiting.values()) reject(new VenueUnreachable(why))
      started.waiting.clear()
    }
    child.on('message', (answer: Answer) => {
      const call = started.waiting.get(answer.id)
      started.waiting.delete(answer.id)
      if ('error' in answer) call?.reject(new VenueUnreachable(answer.error, answer.limited))
      else call?.resolve(answer.value)
    })
    child.once('error', (error) => fail(`the process of ccxt: ${error.message}`))
    child.once('exit', () => fail('the process of ccxt has ended'))
    return started
  }
  const send = (to: Running, call: Call): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new VenueUnreachable(`${call.name}: no answer within ${deadlineMs} ms`))
        to.child.kill('SIGKILL')
      }, deadlineMs)
      const ended =
        <T>(then: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(timer)
          then(value)
        }
      to.waiting.set(call.id, { resolve: ended(resolve), reject: ended(reject) })
      to.child.send(call, (error) => {
        if (error) to.waiting.get(call.id)?.reject(new VenueUnreachable(`the process of ccxt: ${error.message}`))
      })
    })
  const opened = async (): Promise<Running> => {
    if (running) return running
    running = start()
    const mine = running
    // The order of answers is not guaranteed, so nothing is called before the exchange is open.
    opening = send(mine, { id: ++calls, name: 'open', args: [settings] }).then(
      () => mine,
      (error: Error) => {
        mine.child.kill('SIGKILL')
        if (running === mine) running = undefined
        throw error
      },
    )
    return opening
  }
  let opening: Promise<Running> | undefined
  return {
    call: async (name, ...args) => {
      const to = running ? await opening! : await opened()
      return (await send(to, { id: ++calls, name, args } as Call)) as never
    },
    close: async () => {
      const child = running?.child
      if (!child || child.exitCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.disconnect()
      await ended
    },
  }
}
