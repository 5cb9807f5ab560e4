/** A mail server for tests: the real protocol on a real socket, with a say in every answer. */
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface TestMailServer {
  port: number
  /** the accepted mails, whole, oldest first */
  taken: { from: string; to: string[]; raw: string }[]
  stop(): Promise<void>
}

/** An answer other than 250, such as `550 no such mailbox`. */
export const answer = (line: string): Error =>
  Object.assign(new Error(line.slice(4)), { responseCode: Number(line.slice(0, 3)) })

/** Plain and without a password unless the options say otherwise. */
export const startTestMailServer = async (options: SMTPServerOptions = {}): Promise<TestMailServer> => {
  const taken: TestMailServer['taken'] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, { envelope: { mailFrom, rcptTo } }, done) => {
      let raw = ''
      stream
        .setEncoding('utf8')
        .on('data', (chunk: string) => (raw += chunk))
        .on('end', () => {
          taken.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address), raw })
          done()
        })
    },
    ...options,
  })
  // A client that leaves in the middle is no failure of the test.
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  return {
    port: (server.server.address() as AddressInfo).port,
    taken,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
