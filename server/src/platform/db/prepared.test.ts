import { beforeAll, expect, test } from 'vitest'
import { withClient } from '../../../../sandbox/postgres/connection.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { makeRoles, type TestRoles } from '../../../../test/setup/roles.ts'
import { ConnectionLost, PreparedConnection, type Session } from './index.ts'

const database = useDatabase()
let roles: TestRoles
beforeAll(async () => {
  roles = await makeRoles(database.url, 'prepared')
})

test('audit O-3.2: a connection that the server refuses is asked for again by the next statement', async () => {
  const connection = new PreparedConnection({ url: roles.url('api') })
  const asOwner = (text: string) => withClient(database.url, (client) => client.query(text))
  const one = () =>
    connection.query('one', 'select 1 as one', []).then(
      (rows) => rows,
      (error: { code?: string }) => error.code,
    )
  // After a restart of the server everything connects at once.
  await asOwner(`alter role ${roles.name('api')} connection limit 0`)
  expect(await one()).toBe('53300')
  await asOwner(`alter role ${roles.name('api')} connection limit -1`)
  expect(await one()).toEqual([{ one: 1 }])
  await connection.close()
})

test('a session keeps to its connection: once that is broken it takes no other, and the next session does', async () => {
  const connection = new PreparedConnection({ url: roles.url('owner') })
  const pidOf = async ({ query }: Session): Promise<unknown> => (await query('pid', 'select pg_backend_pid()', []))[0]
  const first = await connection.session()
  await first.query('begin', 'begin', [])
  const { pg_backend_pid: pid } = (await pidOf(first)) as { pg_backend_pid: number }
  expect(await pidOf(await connection.session())).toEqual({ pg_backend_pid: pid })
  await withClient(database.url, (client) => client.query('select pg_terminate_backend($1)', [pid]))
  for (let i = 0; i < 2; i += 1) await expect(pidOf(first)).rejects.toBeInstanceOf(ConnectionLost)
  const second = await pidOf(await connection.session())
  expect(second).not.toEqual({ pg_backend_pid: pid })
  await expect(pidOf(first)).rejects.toBeInstanceOf(ConnectionLost)
  expect(await pidOf(await connection.session())).toEqual(second)
  await connection.close()
})

test('a session that gets no connection says so, with the reason', async () => {
  const connection = new PreparedConnection({ url: 'postgres://nobody@127.0.0.1:1/none' })
  await expect(connection.session()).rejects.toMatchObject({
    name: 'ConnectionLost',
    cause: expect.objectContaining({ code: 'ECONNREFUSED' }) as unknown,
  })
  await connection.close()
})
