import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startChild, tailOf } from './process/child.ts'
import { isHealthy } from './process/health.ts'
import { inspectProcess, isRunning } from './process/identity.ts'
import { startProgram } from './process/program.ts'
import type { Program, ProgramOptions } from './process/program.ts'
import { recordedProcess, recordProcess } from './process/record.ts'
import { RESTART_TIMES } from './restarts.ts'
import type { RestartTimes } from './restarts.ts'
import { openSupervisor, Stopping } from './supervise.ts'
import type { Supervisor } from './supervise.ts'

let dir: string
let lines: string[]
let supervisor: Supervisor

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bursar-supervise-'))
  lines = []
  supervisor = openSupervisor(dir, (line) => lines.push(line))
})

afterEach(async () => {
  await supervisor.stop()
  rmSync(dir, { recursive: true, force: true })
})

const shell = (name: string, script: string, ready: ProgramOptions['ready'] = async () => true) =>
  startProgram({
    name,
    file: '/bin/sh',
    args: ['-c', script],
    env: {},
    ready,
    logFile: join(dir, `${name}.log`),
    recordFile: join(dir, `${name}.json`),
    readyWaitMs: 500,
  })

describe('starting and stopping', () => {
  test('tells each start with its time, and stops in reverse order', async () => {
    const stopped: string[] = []
    for (const name of ['one', 'two', 'three']) {
      await supervisor.start(name, async () => ({ adopted: name === 'two', stop: async () => void stopped.push(name) }))
    }
    expect(lines).toEqual([
      expect.stringMatching(/^one {22}\s+0\.\d\d s$/),
      expect.stringMatching(/^two {22}\s+0\.\d\d s {2}was still running$/),
      expect.stringMatching(/^three {20}\s+0\.\d\d s$/),
    ])
    await supervisor.stop()
    expect(stopped).toEqual(['three', 'two', 'one'])
  })

  test('one that does not stop keeps no other running', async () => {
    let stopped = false
    await supervisor.start('first', async () => ({ stop: async () => void (stopped = true) }))
    await supervisor.start('stubborn', async () => ({ stop: () => Promise.reject(new Error('no')) }))
    await supervisor.stop()
    expect(stopped).toBe(true)
    expect(lines.at(-1)).toBe('stubborn did not stop: Error: no')
  })

  test('a failed start is reported with its name', async () => {
    await expect(supervisor.start('api', () => Promise.reject(new Error('no port')))).rejects.toThrow('api: no port')
  })

  test('a component that ends by itself is named with the end of its log', async () => {
    await supervisor.start('worker', () => shell('worker', 'echo working; sleep 0.2; echo oh no; exit 3'))
    const { reason, exitCode } = await supervisor.ending
    expect(exitCode).toBe(1)
    expect(reason).toBe(`worker ended by itself; the last lines of ${join(dir, 'worker.log')}:\nworking\noh no`)
  })

  test('a signal ends it, and no further component starts', async () => {
    process.emit('SIGINT', 'SIGINT')
    expect(await supervisor.ending).toEqual({ reason: 'SIGINT', exitCode: 0 })
    await expect(supervisor.start('late', () => shell('late', 'sleep 60'))).rejects.toThrow(Stopping)
    expect(readdirSync(dir)).not.toContain('late.log')
  })

  test('a second one in the same folder is refused by the process that has it', () => {
    expect(() => openSupervisor(dir, () => {})).toThrow(`process ${process.pid} already runs the sandbox in ${dir}`)
  })
})

describe('a component with restarts', () => {
  /** Replaces the timer: a wait ends when the test ends it, or at once. */
  const keepingWith = async (wellAfterMs: number, pause?: RestartTimes['pause']): Promise<number[]> => {
    const waits: number[] = []
    await supervisor.stop()
    supervisor = openSupervisor(dir, (line) => lines.push(line), {
      wellAfterMs,
      pause: async (ms, signal) => {
        waits.push(ms)
        await pause?.(ms, signal)
      },
    })
    return waits
  }
  const endings = () => lines.filter((line) => line.startsWith('worker ended'))
  /** Runs until it is killed. */
  const worker = () => {
    const hasSpoken = async () => tailOf(join(dir, 'worker.log'), 1) === 'working'
    return shell('worker', 'echo working; exec sleep 60', hasSpoken)
  }

  test('is started again, and the log says how it ended, its last line and where its log is', async () => {
    const waits = await keepingWith(0)
    const starts: Program[] = []
    await supervisor.keep('worker', async () => {
      starts.push(await worker())
      return starts.at(-1)!
    })
    process.kill(starts[0]!.pid, 'SIGKILL')
    await expect.poll(() => lines.at(-1)).toMatch(/^worker {19}\s+\d+\.\d\d s {2}started again$/)
    expect(endings()).toEqual([
      `worker ended (signal SIGKILL) and is started again at once\n  the last line of ${join(dir, 'worker.log')}:\n  working`,
    ])
    expect([starts.length, isRunning(starts[1]!), waits]).toEqual([2, true, [0]])
    await supervisor.stop()
    expect(isRunning(starts[1]!)).toBe(false)
  })

  test('that logs objects, as the roles do, is shown with the message and its cause', async () => {
    await keepingWith(0)
    const line = JSON.stringify({ level: 60, role: 'worker', msg: 'it ends', err: { message: 'no database' } })
    await supervisor.keep('worker', () => shell('worker', `echo '${line}'; exit 1`))
    await expect.poll(() => endings().length).toBeGreaterThanOrEqual(1)
    expect(endings()[0]).toMatch(/\n {2}it ends: no database$/)
  })

  test('waits longer each time that it ends soon after its start, half a minute at most', async () => {
    const waits = await keepingWith(Number.POSITIVE_INFINITY)
    await supervisor.keep('worker', () => shell('worker', 'exit 3'))
    await expect.poll(() => waits).toHaveLength(8)
    expect(waits).toEqual([0, 1, 2, 4, 8, 16, 30, 30].map((seconds) => seconds * 1_000))
    expect(endings()[2]).toMatch(/^worker ended \(exit code 3\) and is started again in 2 s$/)
  })

  test('that ran well for a time is started again at once', async () => {
    const waits = await keepingWith(0)
    await supervisor.keep('worker', () => shell('worker', 'exit 3'))
    await expect.poll(() => waits.length).toBeGreaterThanOrEqual(3)
    expect(new Set(waits)).toEqual(new Set([0]))
  })

  test('whose next start fails is tried again, and the log has the reason', async () => {
    const waits = await keepingWith(Number.POSITIVE_INFINITY)
    let starts = 0
    await supervisor.keep('worker', async () => {
      starts += 1
      if (starts === 2) throw new Error('no database')
      return shell('worker', starts === 1 ? 'exit 3' : 'exec sleep 60')
    })
    await expect.poll(() => lines.at(-1)).toContain('started again')
    expect(lines).toContain('worker did not start and is started again in 1 s: no database')
    expect(waits).toEqual([0, 1_000])
  })

  test('whose first start fails stops the whole start with its message', async () => {
    const refused = supervisor.keep('api', () => shell('api', 'echo BURSAR_HTTP: bad; exit 1', async () => false))
    await expect(refused).rejects.toThrow('api: api ended while starting:\nBURSAR_HTTP: bad')
  })

  test('is not started again once the whole stops, and a component that is starting is ended', async () => {
    await keepingWith(0)
    const started: Program[] = []
    let starting = ''
    await supervisor.keep('worker', async (signal) => {
      if (started.length > 0) {
        starting = 'yes'
        const options = { name: 'worker', file: '/bin/sleep', args: ['60'], env: {}, logFile: join(dir, 'worker.log') }
        return startProgram({ ...options, recordFile: join(dir, 'worker.json'), ready: async () => false, signal })
      }
      started.push(await worker())
      return started[0]!
    })
    process.kill(started[0]!.pid, 'SIGKILL')
    await expect.poll(() => starting).toBe('yes')
    await supervisor.stop()
    expect(recordedProcess(join(dir, 'worker.json'))).toBeUndefined()
    expect(lines.filter((line) => line.includes('did not start'))).toEqual([])
  })

  test('waits for its next start no longer than the whole runs', async () => {
    const waits = await keepingWith(Number.POSITIVE_INFINITY, (ms, signal) =>
      RESTART_TIMES.pause(ms === 0 ? 0 : 3_600_000, signal),
    )
    await supervisor.keep('worker', () => shell('worker', 'exit 3'))
    await expect.poll(() => waits).toEqual([0, 1_000])
    await supervisor.stop()
    expect(lines.filter((line) => line.endsWith('  started again'))).toHaveLength(1)
    expect(lines.at(-1)).toMatch(/^worker ended /)
  })
})

describe('a program', () => {
  test('is ready when it says so, and stops together with its children', async () => {
    let asked = 0
    const program = await shell('api', 'sleep 60', async () => ++asked > 2)
    expect(asked).toBe(3)
    await program.stop()
    expect(isRunning(program)).toBe(false)
  })

  test('that ends or dawdles is reported with its last words', async () => {
    await expect(shell('api', 'echo no database; exit 1', async () => false)).rejects.toThrow(
      'api ended while starting:\nno database',
    )
    await expect(shell('api', 'echo waiting; exec sleep 60', async () => false)).rejects.toThrow(
      'api was not ready within 500 ms:\nwaiting',
    )
  })

  describe.runIf(process.platform === 'linux')('is healthy', () => {
    const listen = async (at: number | string) => {
      const server = createServer((_, response) => response.end('ok')).listen(at)
      onTestFinished(() => void server.close())
      await once(server, 'listening')
      return server.address() as AddressInfo
    }

    test('when it answers itself, not when another process answers at its port or socket', async () => {
      const { port } = await listen(0)
      const socketPath = join(dir, 'signer.sock')
      await listen(socketPath)
      for (const where of [{ port }, { socketPath }]) {
        await expect(shell('api', 'exec sleep 60', (pid) => isHealthy(where, pid))).rejects.toThrow('was not ready')
        expect(await isHealthy(where, process.pid)).toBe(true)
      }
    })

    test('once it listens, and not before', async () => {
      const socketPath = join(dir, 'late.sock')
      const mayListen = join(dir, 'may-listen')
      const script = `const look = setInterval(() => {
        if (!require('node:fs').existsSync('${mayListen}')) return
        clearInterval(look)
        require('node:http').createServer((_, response) => response.end()).listen('${socketPath}')
      }, 10)`
      const healthy: boolean[] = []
      const program = await startProgram({
        name: 'late',
        file: process.execPath,
        args: ['-e', script],
        env: {},
        ready: async (pid) => {
          healthy.push(await isHealthy({ socketPath }, pid))
          writeFileSync(mayListen, '')
          return healthy.at(-1)!
        },
        logFile: join(dir, 'late.log'),
        recordFile: join(dir, 'late.json'),
      })
      expect([healthy[0], healthy.at(-1)]).toEqual([false, true])
      await program.stop()
    })
  })

  test('left by a killed sandbox is ended before the new one starts', async () => {
    const left = await shell('api', 'sleep 60')
    const next = await shell('api', 'sleep 60')
    expect([isRunning(left), isRunning(next)]).toEqual([false, true])
    await next.stop()
  })

  test('a reused pid in its record is left alone', async () => {
    const bystander = spawn('sleep', ['60'])
    const info = inspectProcess(bystander.pid as number)
    recordProcess(join(dir, 'api.json'), { pid: bystander.pid as number, startedAt: 'long ago' })
    await (await shell('api', 'sleep 60')).stop()
    expect(info !== undefined && isRunning(info)).toBe(true)
    bystander.kill('SIGKILL')
  })
})

test("a child outlives the terminal's Ctrl-C: it has a session of its own", async () => {
  const child = await startChild({
    file: '/bin/sh',
    args: ['-c', 'ps -o pgid= -p $$; sleep 60'],
    logFile: join(dir, 'child.log'),
  })
  await expect.poll(() => child.tail().trim()).toBe(String(child.pid))
  process.kill(child.pid, 'SIGKILL')
  await child.exited
})
