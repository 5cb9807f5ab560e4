import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startChild } from './child.ts'
import { endProcess } from './end.ts'
import { inspectProcess, isRunning, processesWorkingIn } from './identity.ts'
import type { ProcessInfo } from './identity.ts'
import { withFileLock } from './lock.ts'
import { forgetProcess, recordedProcess, recordProcess } from './record.ts'

let dir: string
let children: ChildProcess[] = []

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bursar-process-'))
})

afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  children = []
  rmSync(dir, { recursive: true, force: true })
})

function sleeper(script = 'sleep 60'): ProcessInfo {
  const child = spawn('/bin/sh', ['-c', `${script} & wait`], { cwd: dir, detached: true })
  children.push(child)
  return inspectProcess(child.pid as number) as ProcessInfo
}

test('a command without a supervisor ends its components when it is ended', async () => {
  const log = join(dir, 'log')
  const code = `import { endComponentsOnSignal, startChild } from ${JSON.stringify(new URL('./child.ts', import.meta.url).pathname)}
    endComponentsOnSignal()
    const { pid } = await startChild({ file: '/bin/sleep', args: ['60'], logFile: ${JSON.stringify(log)} })
    console.log(pid)
    setInterval(() => {}, 1_000)`
  const command = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(command)
  const [written] = (await once(command.stdout!, 'data')) as [Buffer]
  const component = Number(written.toString())
  expect(inspectProcess(component)).toBeDefined()
  command.kill('SIGTERM')
  expect(await once(command, 'exit')).toEqual([130, null])
  await expect.poll(() => inspectProcess(component)).toBeUndefined()
})

describe('identity', () => {
  test('a process is itself, and one with its pid that started at another time is not', () => {
    const one = sleeper()
    expect(isRunning(one)).toBe(true)
    expect(isRunning({ ...one, startedAt: 'another time' })).toBe(false)
    expect(inspectProcess(0)).toBeUndefined()
    expect(inspectProcess(2 ** 22 + 1)).toBeUndefined()
  })

  test.runIf(process.platform === 'linux')('is found by the directory it works in', () => {
    const one = sleeper()
    expect(processesWorkingIn(dir).map((info) => info.pid)).toContain(one.pid)
    expect(processesWorkingIn(join(dir, 'absent'))).toEqual([])
  })

  test('a process that has ended and was not reaped counts as gone', async () => {
    // The shell replaced by `sleep` never reaps its child, which stays a zombie.
    const log = join(dir, 'log')
    const parent = await startChild({
      file: '/bin/sh',
      args: ['-c', 'sleep 0.05 & echo $!; exec sleep 60'],
      logFile: log,
    })
    await sleep(300)
    expect(inspectProcess(Number(parent.tail()))).toBeUndefined()
    expect(isRunning(parent)).toBe(true)
    await endProcess(parent, [{ signal: 'SIGKILL', waitMs: 2_000 }])
  })
})

describe('records', () => {
  test('name a process only while that very one runs', async () => {
    const file = join(dir, 'record.json')
    const one = sleeper()
    expect(recordedProcess(file)).toBeUndefined()
    recordProcess(file, one)
    expect(recordedProcess(file)).toMatchObject({ pid: one.pid })
    recordProcess(file, { ...one, startedAt: 'another time' })
    expect(recordedProcess(file)).toBeUndefined()
    writeFileSync(file, '{"pid":')
    expect(recordedProcess(file)).toBeUndefined()
    forgetProcess(file)
    expect(readdirSync(dir)).toEqual([])
  })
})

describe('ending', () => {
  test('goes from the gentle signal to the strong one', async () => {
    const log = join(dir, 'log')
    const deaf = await startChild({ file: '/bin/sh', args: ['-c', 'trap "" TERM; echo deaf; sleep 60'], logFile: log })
    await expect.poll(() => deaf.tail()).toBe('deaf')
    await endProcess(deaf, [
      { signal: 'SIGTERM', waitMs: 100 },
      { signal: 'SIGKILL', waitMs: 2_000 },
    ])
    expect(await deaf.exited).toEqual({ code: null, signal: 'SIGKILL' })
  })

  test('never touches another process with the same pid', async () => {
    const one = sleeper()
    await endProcess({ pid: one.pid, startedAt: 'another time' }, [{ signal: 'SIGKILL', waitMs: 100 }])
    await sleep(100)
    expect(isRunning(one)).toBe(true)
  })
})

test('a program that cannot be started is said', async () => {
  await expect(startChild({ file: join(dir, 'nothing'), args: [], logFile: join(dir, 'log') })).rejects.toThrow(
    'ENOENT',
  )
})

describe('the file lock', () => {
  test('lets one in at a time and leaves nothing behind', async () => {
    let inside = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++inside)
      await sleep(10)
      inside--
    }
    await Promise.all(Array.from({ length: 5 }, () => withFileLock(join(dir, 'lock'), 5_000, work)))
    expect(most).toBe(1)
    expect(readdirSync(dir)).toEqual([])
  })

  test('is taken from a holder that was killed, and released after a failure', async () => {
    const lock = join(dir, 'lock')
    writeFileSync(lock, JSON.stringify({ pid: process.pid, startedAt: 'an earlier life' }))
    await expect(withFileLock(lock, 1_000, () => Promise.reject(new Error('no luck')))).rejects.toThrow('no luck')
    expect(await withFileLock(lock, 1_000, async () => 'in')).toBe('in')
  })

  test('names its holder when the wait is over', async () => {
    const lock = join(dir, 'lock')
    const holder = sleeper()
    writeFileSync(lock, JSON.stringify({ pid: holder.pid, startedAt: holder.startedAt }))
    await expect(withFileLock(lock, 50, async () => 'in')).rejects.toThrow(`process ${holder.pid} holds ${lock}`)
  })
})
