import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { withClient } from '../../../../sandbox/postgres/connection.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { openSilentProxy } from '../../../../test/setup/silent-proxy.ts'
import { listen } from './listen.ts'

const database = useDatabase()

const follow = (url: string) => {
  const heard: string[] = []
  let connections = 0
  const listener = listen({ url, applicationName: 'listen test' }, ['news', 'Other "channel"'], {
    connected: () => {
      connections += 1
    },
    notified: (channel, payload) => heard.push(`${channel} ${payload}`),
  })
  const until = async (isTrue: () => boolean, ms = 60_000): Promise<void> => {
    for (const startedAt = performance.now(); !isTrue();) {
      if (performance.now() - startedAt > ms)
        throw new Error(`waited too long: ${connections} connections, heard ${heard.join()}`)
      await sleep(5)
    }
  }
  return { heard, connections: () => connections, listener, until }
}
const tell = (channel: string, payload: string) =>
  withClient(database.url, (client) => client.query('select pg_notify($1, $2)', [channel, payload]))

test('receives notifications, and receives them again after its connection was ended', async () => {
  const { heard, connections, listener, until } = follow(database.url)
  await until(() => connections() === 1)
  await tell('news', 'one')
  await tell('Other "channel"', 'two')
  await until(() => heard.length === 2)
  await withClient(database.url, (client) =>
    client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'listen test listener'",
    ),
  )
  await until(() => connections() === 2)
  await tell('news', 'three')
  await until(() => heard.length === 3)
  expect(heard).toEqual(['news one', 'Other "channel" two', 'news three'])
  await listener.close()
  await tell('news', 'four')
  await sleep(50)
  expect(heard).toHaveLength(3)
})

test('notices that a connection has gone silent', async () => {
  const proxy = await openSilentProxy(database.url)
  const { connections, listener, until } = follow(proxy.url)
  await until(() => connections() === 1)
  proxy.setSilent(true)
  await until(() => proxy.givenUp() === 1)
  proxy.setSilent(false)
  await until(() => connections() === 2)
  await listener.close()
  proxy.close()
})
