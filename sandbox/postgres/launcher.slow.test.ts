import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { endProcess } from '../process/end.ts'
import { inspectProcess, isRunning } from '../process/identity.ts'
import { withClient } from './connection.ts'
import { startPostgres } from './index.ts'
import type { Postgres } from './index.ts'
import { asUser, canEnter } from './run-as.ts'

const isRoot = process.geteuid?.() === 0
/** Tests as another user need a project that others may read. */
const isOpen = isRoot && canEnter(asUser(1, 1), new URL('.', import.meta.url).pathname)
const path = process.env['PATH']
const launcher = new URL('./index.ts', import.meta.url).pathname

let home: string
let dataDir: string
let started: Postgres[] = []

beforeEach(() => {
  home = mkdtempSync('/tmp/bursar-launcher-')
  chmodSync(home, 0o755)
  dataDir = join(home, 'data')
})

afterEach(async () => {
  process.env['PATH'] = path
  for (const server of started) await server.stop()
  started = []
  rmSync(home, { recursive: true, force: true })
})

async function start(options: Partial<Parameters<typeof startPostgres>[0]> = {}): Promise<Postgres> {
  const server = await startPostgres({ dataDir, ...options })
  started.push(server)
  return server
}

/** Starts the server from a process of its own, which prints the url and stays. */
async function startElsewhere(ids: { uid?: number; gid?: number } = {}) {
  const code = `import { startPostgres } from ${JSON.stringify(launcher)}
    const server = await startPostgres({ dataDir: ${JSON.stringify(dataDir)} })
    console.log(JSON.stringify(server)); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { cwd: '/', ...ids })
  let errors = ''
  child.stderr.on('data', (chunk) => (errors += chunk))
  const server = new Promise<{ url: string; pid: number; startedAt: string }>((resolve, reject) => {
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
      if (out.includes('\n')) resolve(JSON.parse(out))
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`the launcher ended: ${errors}`)))
  })
  server.catch(() => {})
  return { child, server }
}

async function killed(child: Awaited<ReturnType<typeof startElsewhere>>['child']): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

const count = (url: string) =>
  withClient(url, async (client) =>
    Number((await client.query<{ n: string }>('select count(*) as n from written')).rows[0]?.n),
  )

const makeTable = (url: string) => withClient(url, (client) => client.query('create table written (n bigint)'))

describe('start and stop', () => {
  test('keeps the data and adopts a server that runs already', async () => {
    const first = await start()
    expect(first.adopted).toBe(false)
    await makeTable(first.url)
    const second = await start()
    expect(second).toMatchObject({ adopted: true, pid: first.pid, url: first.url })
    await second.stop()
    expect(isRunning(first)).toBe(false)
    const third = await start()
    expect(third.adopted).toBe(false)
    expect(await count(third.url)).toBe(0)
  })

  test('is durable and closed to everybody else', async () => {
    const server = await start()
    const shown = await withClient(server.url, async (client) => {
      const settings = await client.query<{ name: string; setting: string }>(
        'select name, setting from pg_settings where name = any($1)',
        [['fsync', 'synchronous_commit', 'full_page_writes', 'listen_addresses']],
      )
      return Object.fromEntries(settings.rows.map((row) => [row.name, row.setting]))
    })
    expect(shown).toEqual({ fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', listen_addresses: '' })
    const socketDir = new URL(server.url, 'postgres://base').searchParams.get('host') as string
    expect(statSync(socketDir).mode & 0o777).toBe(0o700)
  })

  test('finds a shorter socket directory when the path is too long for one', async () => {
    dataDir = join(home, 'x'.repeat(120), 'data')
    const server = await start()
    await makeTable(server.url)
    const socketDir = new URL(server.url, 'postgres://base').searchParams.get('host') as string
    expect(socketDir.length).toBeLessThan(90)
    expect(statSync(socketDir).mode & 0o777).toBe(0o700)
    await server.stop()
    expect(existsSync(socketDir)).toBe(false)
  })

  test('two starts at once get one server', async () => {
    const [one, two] = await Promise.all([startElsewhere(), startElsewhere()])
    const [a, b] = await Promise.all([one.server, two.server])
    expect(a).toMatchObject({ pid: b.pid, url: b.url })
    await Promise.all([killed(one.child), killed(two.child)])
    expect((await start()).adopted).toBe(true)
  })
})

describe('after a crash', () => {
  test('a server whose launcher was killed is adopted', async () => {
    const { child, server } = await startElsewhere()
    const { pid } = await server
    await killed(child)
    expect(await start()).toMatchObject({ adopted: true, pid })
  })

  test('kill -9 of the server under writers loses no acknowledged row', async () => {
    const server = await start()
    await makeTable(server.url)
    let acknowledged = 0
    const writers = Array.from({ length: 4 }, () =>
      withClient(server.url, async (client) => {
        for (;;) {
          await client.query('insert into written values (1)')
          acknowledged++
        }
      }).catch(() => {}),
    )
    while (acknowledged < 200) await new Promise((resolve) => setTimeout(resolve, 5))
    process.kill(server.pid, 'SIGKILL')
    await Promise.all(writers)
    const again = await start()
    expect(again).toMatchObject({ adopted: false })
    const found = await count(again.url)
    expect(found).toBeGreaterThanOrEqual(acknowledged)
    // A row in flight at the kill may be written without having been acknowledged.
    expect(found).toBeLessThanOrEqual(acknowledged + 4)
  })

  test('a lock file whose pid belongs to another process by now is cleared', async () => {
    const server = await start()
    await endProcess(server, [{ signal: 'SIGKILL', waitMs: 5_000 }])
    const file = join(dataDir, 'postmaster.pid')
    const lines = readFileSync(file, 'utf8').split('\n')
    writeFileSync(file, [String(process.pid), ...lines.slice(1)].join('\n'))
    expect((await start()).adopted).toBe(false)
  })

  test('a launcher killed while it creates the cluster leaves nothing in the way', async () => {
    const { child, server } = await startElsewhere()
    server.catch(() => {})
    while (!existsSync(`${dataDir}.init-${child.pid}`)) await new Promise((resolve) => setTimeout(resolve, 5))
    await killed(child)
    expect(existsSync(join(dataDir, 'PG_VERSION'))).toBe(false)
    await makeTable((await start()).url)
  })

  test('a data directory of another major version is refused by name', async () => {
    mkdirSync(dataDir)
    writeFileSync(join(dataDir, 'PG_VERSION'), '11\n')
    await expect(start()).rejects.toThrow(/made by PostgreSQL 11 and this is \d+; move it away/)
  })
})

describe.runIf(isRoot)('as root', () => {
  /** Debian's `daemon`: an account that exists everywhere and is not the one root borrows. */
  const ordinary = { uid: 1, gid: 1 }

  async function startAs(ids: { uid: number; gid: number }) {
    mkdirSync(join(home, 'theirs'))
    dataDir = join(home, 'theirs', 'data')
    chownSync(join(home, 'theirs'), ids.uid, ids.gid)
    const { child, server } = await startElsewhere(ids)
    const { pid, url } = await server
    await makeTable(url)
    await killed(child)
    const left = inspectProcess(pid)
    expect(left).toBeDefined()
    expect(statSync(`/proc/${pid}`).uid).toBe(ids.uid)
    if (left !== undefined) await endProcess(left, [{ signal: 'SIGINT', waitMs: 10_000 }])
  }

  test('the server is not root, in its own eyes at least', async () => {
    const { pid } = await start()
    const owner = statSync(dataDir).uid
    expect(statSync(`/proc/${pid}`).uid).toBe(owner)
    if (owner === 0) expect(readlinkSync(`/proc/${pid}/ns/user`)).not.toBe(readlinkSync('/proc/self/ns/user'))
    else expect(owner).toBe(65_534)
  })

  test('works under a folder that only root may enter', async () => {
    chmodSync(home, 0o700)
    const first = await start()
    await makeTable(first.url)
    await first.stop()
    expect(await count((await start()).url)).toBe(0)
  })

  test('without user namespaces keeps a private copy elsewhere, until the data directory is deleted', async () => {
    const base = mkdtempSync('/tmp/bursar-copies-')
    try {
      chmodSync(base, 0o755)
      chmodSync(home, 0o700)
      process.env['PATH'] = '/nowhere'
      const options = { copyBases: [base] }
      const first = await start(options)
      await makeTable(first.url)
      expect((await start(options)).adopted).toBe(true)
      await first.stop()
      const second = await start(options)
      expect(await count(second.url)).toBe(0)
      await second.stop()
      rmSync(dataDir, { recursive: true })
      await makeTable((await start(options)).url)
      await started.at(-1)?.stop()
    } finally {
      rmSync(base, { recursive: true, force: true })
    }
  })

  test('when everything is refused the message names DATABASE_URL', async () => {
    chmodSync(home, 0o700)
    process.env['PATH'] = '/nowhere'
    await expect(start({ copyBases: [] })).rejects.toThrow(/refuses to run as root[\s\S]*set DATABASE_URL/)
  })

  test.runIf(isOpen)('an ordinary user starts it, and root after that user leaves the files theirs', async () => {
    await startAs(ordinary)
    const asRoot = await start()
    expect(await count(asRoot.url)).toBe(0)
    expect(statSync(dataDir).uid).toBe(ordinary.uid)
    expect(statSync(`/proc/${asRoot.pid}`).uid).toBe(ordinary.uid)
  })

  test.runIf(isOpen)('a user without a name, as in containers, can start it', async () => {
    await startAs({ uid: 54_321, gid: 54_321 })
    expect(statSync(dataDir).uid).toBe(54_321)
  })
})
