import { once } from 'node:events'
import { request } from 'node:https'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { certify } from '../../../test/world/certificate.ts'
import { openSigner } from '../../../test/world/signer.ts'
import { createPageServer } from './page-server.ts'
import { Sessions } from './sessions.ts'

test('connections without a handshake do not keep people from the page', { timeout: 60_000 }, async () => {
  const { signer, log, logFile } = await openSigner()
  const { cert, key } = certify('page')
  const origin = 'https://localhost:8443'
  const { server } = createPageServer(
    {
      origin,
      approvals: signer.approvals,
      sessions: new Sessions(origin, Date.now),
      logFile,
      now: Date.now,
      events: { refused: () => undefined, failed: (error) => expect(error).toBeUndefined() },
    },
    { cert, key },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const idle = Array.from({ length: 64 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  onTestFinished(async () => {
    for (const socket of idle) socket.destroy()
    server.closeAllConnections()
    server.close()
    await log.close()
  })
  await Promise.all(idle.map((socket) => once(socket, 'close')))
  const ask = (): Promise<number> =>
    new Promise((resolve) => {
      const headers = { host: 'localhost:8443' }
      const asked = request({ port, host: '127.0.0.1', rejectUnauthorized: false, agent: false, headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode!)
      })
      asked.on('error', () => resolve(0))
      asked.end()
    })
  expect(await ask()).toBe(200)
})
