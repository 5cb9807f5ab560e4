import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'

/** Passes connections to a port on to a PostgreSQL whose socket only this user reaches. */
export async function passOn(port: number, databaseUrl: string): Promise<Server> {
  const { searchParams } = new URL(databaseUrl)
  const socket = join(searchParams.get('host')!, `.s.PGSQL.${searchParams.get('port') ?? '5432'}`)
  const server = createServer((client) => {
    const upstream = connect(socket)
    for (const one of [client, upstream]) one.on('error', () => [client, upstream].forEach((each) => each.destroy()))
    client.pipe(upstream).pipe(client)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}
