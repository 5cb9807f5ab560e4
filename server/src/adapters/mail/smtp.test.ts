import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import PostalMime from 'postal-mime'
import { afterEach, describe, expect, test } from 'vitest'
import { certify } from '../../../../test/world/certificate.ts'
import type { MailSender, OutgoingMail } from './port.ts'
import { createSmtpSender, type SmtpSettings } from './smtp.ts'
import { answer, startTestMailServer, type TestMailServer } from '../../../../test/world/mail-server.ts'

const mail: OutgoingMail = {
  id: '0199a000-0000-7000-8000-000000000001',
  from: { name: 'Оплата', address: 'pay@shop.example' },
  to: 'payer@example.com',
  language: 'uk',
  subject: 'Чек № 1',
  text: 'Дякуємо',
  html: '<p>Дякуємо</p>',
  attachments: [{ name: 'receipt.pdf', type: 'application/pdf', bytes: new Uint8Array([1, 2, 3]) }],
  date: Date.UTC(2026, 10, 21, 12, 30),
}
const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close()
})

const serve = async (options?: Parameters<typeof startTestMailServer>[0]): Promise<TestMailServer> => {
  const server = await startTestMailServer(options)
  opened.push({ close: () => server.stop() })
  return server
}
const senderTo = (port: number, more: Partial<SmtpSettings> = {}): MailSender => {
  const sender = createSmtpSender({
    host: '127.0.0.1',
    port,
    tls: 'none',
    user: null,
    password: null,
    ca: null,
    ...more,
  })
  opened.push(sender)
  return sender
}
const refusing = (where: 'onConnect' | 'onMailFrom' | 'onRcptTo', line: string) => ({
  [where]: (...args: unknown[]) => (args.at(-1) as (error: Error) => void)(answer(line)),
})
const refusingData = (line: string) => ({
  onData: (stream: NodeJS.ReadableStream, _session: unknown, done: (error: Error) => void) => {
    stream.resume().on('end', () => done(answer(line)))
  },
})

describe('a mail', () => {
  test('arrives whole, in its language, named by its id', async () => {
    const server = await serve()
    expect(await senderTo(server.port).send(mail)).toEqual({ kind: 'accepted' })
    const [taken] = server.taken
    expect(taken).toMatchObject({ from: 'pay@shop.example', to: ['payer@example.com'] })
    const read = await PostalMime.parse(taken!.raw)
    expect(read).toMatchObject({
      messageId: '<0199a000-0000-7000-8000-000000000001@shop.example>',
      from: { name: 'Оплата', address: 'pay@shop.example' },
      to: [{ address: 'payer@example.com' }],
      subject: 'Чек № 1',
      date: '2026-11-21T12:30:00.000Z',
    })
    expect(read.text!.trim()).toBe('Дякуємо')
    expect(read.html!.trim()).toBe('<p>Дякуємо</p>')
    expect(read.attachments).toMatchObject([{ filename: 'receipt.pdf', mimeType: 'application/pdf' }])
    expect(new Uint8Array(read.attachments[0]!.content as ArrayBuffer)).toEqual(new Uint8Array([1, 2, 3]))
    expect(taken!.raw).toContain('Auto-Submitted: auto-generated')
  })

  test('has one header for a value with any content', async () => {
    const server = await serve()
    const evil = 'x\r\nBcc: victim@example.com\r\n\r\nbody\u2028X: 1\nTo: victim@example.com'
    const attachments = [{ ...mail.attachments[0]!, name: evil }]
    expect(
      await senderTo(server.port).send({ ...mail, subject: evil, from: { ...mail.from, name: evil }, attachments }),
    ).toEqual({ kind: 'accepted' })
    const [taken] = server.taken
    expect(taken!.to).toEqual(['payer@example.com'])
    const read = await PostalMime.parse(taken!.raw)
    expect(read.bcc ?? []).toEqual([])
    expect(read.to).toEqual([{ name: '', address: 'payer@example.com' }])
    expect(read.subject).toBe('x Bcc: victim@example.com body X: 1 To: victim@example.com')
    expect(read.headers.filter(({ key }) => ['bcc', 'x', 'to'].includes(key))).toHaveLength(1)
  })

  test.each(['a@example.com\r\nRCPT TO:<b@example.com>', 'a@example.com, b@example.com', 'B <b@example.com>', ''])(
    'to %j, which is not exactly one address, is refused',
    async (to) => {
      const server = await serve()
      expect(await senderTo(server.port).send({ ...mail, to })).toMatchObject({ kind: 'refused' })
      expect(server.taken).toEqual([])
    },
  )
})

describe('the outcome', () => {
  test.each([
    ['550 no mailbox payer@example.com here', 'onRcptTo', 'refused'],
    ['450 mailbox busy', 'onRcptTo', 'later'],
    ['553 sender not allowed', 'onMailFrom', 'down'],
    ['554 not you', 'onConnect', 'down'],
    ['421 going away', 'onRcptTo', 'down'],
  ] as const)('of %s at %s is %s, and nothing arrived', async (line, where, kind) => {
    const server = await serve(refusing(where, line))
    const outcome = await senderTo(server.port).send(mail)
    expect(outcome).toMatchObject({ kind, ...(kind === 'refused' ? {} : { mayHaveArrived: false }) })
    expect('reason' in outcome && outcome.reason).toContain(line.slice(0, 3))
    expect(JSON.stringify(outcome)).not.toContain('payer@')
  })

  test.each([
    ['554 looks like spam', 'refused'],
    ['452 no room', 'later'],
  ] as const)('of %s after the text is %s', async (line, kind) => {
    const server = await serve(refusingData(line))
    expect(await senderTo(server.port).send(mail)).toMatchObject({ kind })
  })

  test('of a connection that breaks before the answer is that it may have arrived', async () => {
    const cutting = await serveLines((line, socket) => {
      if (line === '.') socket.destroy()
    })
    expect(await senderTo(cutting).send(mail)).toMatchObject({ kind: 'down', mayHaveArrived: true })
  })

  test('of a server that is not there, or no mail server, is that nothing arrived', async () => {
    const gone = await serve()
    const { port } = gone
    await gone.stop()
    opened.length = 0
    expect(await senderTo(port).send(mail)).toMatchObject({ kind: 'down', mayHaveArrived: false })
  })

  test('is the same over a connection that stayed open', async () => {
    const server = await serve()
    const sender = senderTo(server.port)
    for (let n = 0; n < 5; n += 1) expect(await sender.send({ ...mail, id: `n${n}` })).toEqual({ kind: 'accepted' })
    expect(server.taken).toHaveLength(5)
  })
})

/** SMTP as far as a sender needs it, by hand: to break in places where a whole server would not. */
const serveLines = async (onLine: (line: string, socket: Socket) => void): Promise<number> => {
  const server: Server = createServer((socket) => {
    let inData = false
    socket.on('error', () => {})
    socket.write('220 test\r\n')
    let rest = ''
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString('latin1')).split('\r\n')
      rest = lines.pop()!
      for (const line of lines) {
        onLine(line, socket)
        if (inData) continue
        inData = line === 'DATA'
        if (line === 'STARTTLS') socket.write('502 no\r\n')
        else socket.write(inData ? '354 go on\r\n' : '250 ok\r\n')
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.push({ close: () => server.close() })
  return (server.address() as AddressInfo).port
}

describe('TLS', () => {
  test.each([
    ['start', { secure: true }],
    ['starttls', {}],
  ] as const)('%s: signs in over it with a certificate it can prove, and not with another', async (tls, more) => {
    const authority = certify('authority')
    const { key, cert } = certify('mail', authority)
    const ca = authority.cert
    const signedIn: unknown[] = []
    const server = await serve({
      key,
      cert,
      ...more,
      disabledCommands: [],
      authOptional: false,
      onAuth: ({ username, password }, session, done) => {
        signedIn.push([username, session.secure])
        done(password === 'right' ? null : answer('535 wrong'), { user: username })
      },
    })
    const settings = { tls, host: 'localhost', user: 'pay', password: 'right' }
    expect(await senderTo(server.port, settings).send(mail)).toMatchObject({ kind: 'down', mayHaveArrived: false })
    expect(signedIn).toEqual([])
    await senderTo(server.port, { ...settings, ca }).check()
    expect(await senderTo(server.port, { ...settings, ca }).send(mail)).toEqual({ kind: 'accepted' })
    expect(signedIn).toEqual([
      ['pay', true],
      ['pay', true],
    ])
    expect(await senderTo(server.port, { ...settings, ca, password: 'wrong' }).send(mail)).toMatchObject({
      kind: 'down',
      mayHaveArrived: false,
    })
    await expect(senderTo(server.port, { ...settings, ca, password: 'wrong' }).check()).rejects.toThrow('535')
  })

  test('that was asked for and is not offered ends it: no password in the clear', async () => {
    const seen: string[] = []
    const port = await serveLines((line) => seen.push(line))
    expect(await senderTo(port, { tls: 'starttls', user: 'pay', password: 'secret' }).send(mail)).toMatchObject({
      kind: 'down',
      mayHaveArrived: false,
    })
    expect(seen.join()).not.toMatch(/AUTH|MAIL FROM/)
  })
})
