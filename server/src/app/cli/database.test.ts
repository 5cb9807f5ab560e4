/** The commands that prepare a database run before the other settings exist. */
import { expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const { url } = useDb()

test.each([
  ['database roles', 'create role bursar_api login'],
  ['migrate', 'the database is up to date'],
])('bursar %s needs DATABASE_URL alone', async (words, shown) => {
  const { code, out, err } = await captured(() => runCommand(words.split(' '), { DATABASE_URL: url }))
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain(shown)
})

test('a database on another machine needs verified TLS also then', async () => {
  const { code, err } = await captured(() =>
    runCommand(['database', 'roles'], { DATABASE_URL: 'postgres://postgres@db.example/bursar' }),
  )
  expect(code).toBe(1)
  expect(err).toContain('sslmode=verify-full')
})
