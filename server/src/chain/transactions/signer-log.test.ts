import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { lockWaiters } from '../../../../test/world/locks.ts'
import { useDb } from '../../../../test/world/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { temporaryFolder } from '../../../../test/setup/temporary.ts'
import { listen } from '../../../../signer/src/server/endpoint.ts'
import { createHttpServer } from '../../../../signer/src/server/http-server.ts'
import { evmRequest, intentOf, makeSigner } from '../../../../test/world/signer.ts'
import { connectSigner, type LogEnd } from '../../adapters/signer/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { acceptDatabase, markAsCopy } from '../../platform/runtime/installation.ts'
import { acceptLog, createLogMemory, readLogEnd } from './signer-log.ts'

const { db } = useDb()

beforeEach(() => emptyTables(db))

const end = (length: number, digit = 'a'): LogEnd => ({ length, head: digit.repeat(64) })
const memory = () => createLogMemory(db, () => 0)

/** A signer with a log of its own, asked as a worker asks it. */
const workerOf = async () => {
  const { signer } = await makeSigner()
  const { server } = createHttpServer(signer, { refused: () => undefined, failed: () => undefined })
  const client = connectSigner(
    { socketPath: await listen(server, { socketPath: join(temporaryFolder('signer-log'), 'socket') }) },
    memory(),
  )
  onTestFinished(() => {
    client.close()
    server.close()
  })
  return { client, signer }
}

describe("the end of the signer's log in the database", () => {
  test('audit M-C4: is the furthest end that any process saw', async () => {
    expect(await memory().known()).toBeUndefined()
    await memory().keep(end(5))
    await Promise.all([memory().keep(end(7, 'c')), memory().keep(end(6, 'b'))])
    expect(await memory().known()).toEqual(end(7, 'c'))
  })

  test('does not move in a copy that was restored until an operator accepts it', async () => {
    await inTransaction(db, (tx) => acceptDatabase(tx, { forgot: false }, new Date(0)))
    await memory().keep(end(5))
    await markAsCopy(db)
    await memory().keep(end(9))
    expect(await memory().known()).toEqual(end(5))
    await inTransaction(db, (tx) => acceptDatabase(tx, { forgot: true }, new Date(0)))
    await memory().keep(end(9))
    expect(await memory().known()).toEqual(end(9))
  })

  test('audit M-C4: is stored when each call returns, and calls that wait for the row hold one connection', async () => {
    const own = memory()
    await own.keep(end(1))
    const stored: boolean[] = []
    await db.transaction().execute(async (other) => {
      await sql`select from signer_log for update`.execute(other)
      const calls = Array.from({ length: 20 }, async (_, at) => {
        await own.keep(end(at + 2))
        stored.push((await readLogEnd(db))!.length >= at + 2)
      })
      await expect.poll(() => lockWaiters(db)).toBeGreaterThan(0)
      // The pool has eight connections: if each call held one, this would not be answered.
      expect(await own.known()).toEqual(end(1))
      expect(await lockWaiters(db)).toBe(1)
      void Promise.allSettled(calls)
    })
    await expect.poll(() => stored.length).toBe(20)
    expect(new Set(stored)).toEqual(new Set([true]))
    expect(await own.known()).toEqual(end(21))
  })

  test('audit M-C4: a call that fails has stored nothing, and the next one does', async () => {
    const own = memory()
    await expect(own.keep(end(-1))).rejects.toThrow()
    await own.keep(end(3))
    expect(await own.known()).toEqual(end(3))
  })

  test('audit M-C4: keeps another log from being asked, until an operator accepts it', async () => {
    const first = await workerOf()
    expect(await first.client.sign(evmRequest(intentOf(1)))).toHaveProperty('hash')
    expect(await readLogEnd(db)).toEqual(first.signer.logEnd)
    const other = await workerOf()
    expect(await other.client.sign(evmRequest(intentOf(1)))).toMatchObject({ refused: 'log-cut-back' })
    expect(await readLogEnd(db)).toEqual(first.signer.logEnd)
    await acceptLog(
      db,
      other.signer.logEnd,
      { actor: 'cli:ann', reason: 'the disk of the signer is lost' },
      new Date(0),
    )
    expect(await other.client.sign(evmRequest(intentOf(1)))).toHaveProperty('hash')
    expect(await readLogEnd(db)).toEqual(other.signer.logEnd)
  })
})
