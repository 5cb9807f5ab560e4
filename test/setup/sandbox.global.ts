/** The sandbox that test files share: its process is started when a file first asks for it, and ends with the run. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import './provided.ts'

const program = new URL('../system/sandbox-host.ts', import.meta.url)

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let host: ChildProcess | undefined
  const startHost = (): ChildProcess => {
    const started = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    started.once('exit', () => (host = undefined))
    return started
  }
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    host ??= startHost()
    host.send('take', socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  project.provide('sandboxPort', (server.address() as AddressInfo).port)
  return async () => {
    server.close()
    if (host === undefined) return
    const ended = once(host, 'exit')
    host.disconnect()
    const [code] = await ended
    if (code !== 0) throw new Error(`the process of the shared sandbox ended with ${code}`)
  }
}
