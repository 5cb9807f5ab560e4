import { beforeAll, expect, test } from 'vitest'
import { withClient } from '../../../../sandbox/postgres/connection.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { makeRoles, type TestRoles } from '../../../../test/setup/roles.ts'
import { PreparedConnection } from './index.ts'

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
