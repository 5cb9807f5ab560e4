/** The signer's own page, in a process of its own: the payments that a person sees, and the forms that it accepts. */
import { createHash, randomBytes } from 'node:crypto'
import { request as tlsRequest } from 'node:https'
import { writeFileSync } from 'node:fs'
import type { TLSSocket } from 'node:tls'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { filled, formsOf, pageArguments, reserveOrigin, servePage, signIn } from '../../../test/world/approvals-page.ts'
import type { PageClient, PageForm } from '../../../test/world/approvals-page.ts'
import { createAuthenticator } from '../../../test/world/authenticator.ts'
import { certify } from '../../../test/world/certificate.ts'
import { bytesOf, makePasskey } from '../../../test/world/passkeys.ts'
import type { TestPasskey } from '../../../test/world/passkeys.ts'
import { makeFiles, run, serveArguments, written } from '../../../test/world/signer-process.ts'
import { evmRequest, intentOf, policyFile, temporaryDirectory } from '../../../test/world/signer.ts'

const place = await reserveOrigin()
const { origin } = place
const [alice, bob, mallory] = ['alice', 'bob', 'mallory'].map((id) => makePasskey(id, origin)) as [
  TestPasskey,
  TestPasskey,
  TestPasskey,
]
const policy = { ...policyFile, approvers: [alice.entry, bob.entry] }
const large = intentOf(1, { units: '900000000' })
const payment = evmRequest(large)

async function start(): Promise<Awaited<ReturnType<typeof servePage>>> {
  return servePage(await makeFiles(policy), place)
}

const approvalForm = async (page: PageClient, headers: Record<string, string>): Promise<PageForm> => {
  const forms = formsOf(await page.ask('GET', '/', { headers }))
  return forms.find(({ action }) => action === '/approve')!
}

describe('the page for approvals', () => {
  test('has two people approve, each once, and the payment is signed', async () => {
    const { client, page } = await start()
    expect(await client.sign(payment)).toMatchObject({
      refused: 'needs-approval',
      message: `Intent ${large.id} has 0 of 2 approvals: approve it at ${origin}`,
    })
    const asAlice = await signIn(page, alice)
    const form = await approvalForm(page, asAlice)
    const answer = filled(form, alice)
    for (let time = 0; time < 2; time++)
      expect(await page.ask('POST', '/approve', { form: answer, headers: asAlice })).toMatchObject({ status: 303 })
    expect(await client.sign(payment)).toMatchObject({ refused: 'needs-approval' })
    expect((await page.ask('GET', '/?done', { headers: asAlice })).body).toContain('You have approved this payment.')
    // The session of one person takes no answer of another one.
    const ofBob = await page.ask('POST', '/approve', { form: filled(form, bob), headers: asAlice })
    expect([ofBob.status, ofBob.body.includes('not enrolled')]).toEqual([403, true])
    const asBob = await signIn(page, bob)
    const foreign = await page.ask('POST', '/approve', { form: filled(form, bob), headers: asBob })
    expect([foreign.status, foreign.body.includes('Nothing was approved')]).toEqual([403, true])
    await page.ask('POST', '/approve', { form: filled(await approvalForm(page, asBob), bob), headers: asBob })
    expect(await client.sign(payment)).toHaveProperty('signed')
    expect((await page.ask('GET', '/', { headers: asBob })).body).toContain('No payment waits')
  })

  test('shows nothing, and takes nothing, without a session of an enrolled passkey', async () => {
    const { client, page, output } = await start()
    await client.sign(payment)
    const shown = await page.ask('GET', '/')
    expect(shown.body).not.toContain(large.id)
    const [form] = formsOf(shown) as [PageForm]
    expect(await page.ask('POST', '/sign-in', { form: filled(form, mallory) })).toMatchObject({ status: 403 })
    const stranger = { ...filled(form, mallory), credentialId: alice.credentialId }
    expect(await page.ask('POST', '/sign-in', { form: stranger })).toMatchObject({ status: 403 })
    for (const how of [{ unverified: true }, { absent: true }, { origin: 'https://evil.example' }])
      expect(await page.ask('POST', '/sign-in', { form: filled(form, alice, how) })).toMatchObject({ status: 403 })
    const invented = { cookie: `approver=${randomBytes(32).toString('base64url')}` }
    expect((await page.ask('GET', '/', { headers: invented })).body).not.toContain(large.id)
    const asAlice = await signIn(page, alice)
    const answer = filled(await approvalForm(page, asAlice), alice)
    expect(await page.ask('POST', '/approve', { form: answer })).toMatchObject({ status: 403 })
    expect(await page.ask('POST', '/sign-out', { form: {}, headers: asAlice })).toMatchObject({ status: 303 })
    expect(await page.ask('POST', '/approve', { form: answer, headers: asAlice })).toMatchObject({ status: 403 })
    expect(await client.waiting()).toMatchObject([{ approvedBy: [] }])
    expect(output()).toMatch(/approval-not-enrolled/)
  })

  test('takes an answer to a sign-in once, and never as an approval', async () => {
    const { client, page } = await start()
    await client.sign(payment)
    const [form] = formsOf(await page.ask('GET', '/')) as [PageForm]
    const answer = filled(form, alice)
    expect(await page.ask('POST', '/sign-in', { form: answer })).toMatchObject({ status: 303 })
    expect(await page.ask('POST', '/sign-in', { form: answer })).toMatchObject({ status: 403 })
    const forged = { ...answer, token: `${Date.now()}.${'0'.repeat(32)}.${'0'.repeat(64)}` }
    expect(await page.ask('POST', '/sign-in', { form: forged })).toMatchObject({ status: 403 })
    const asAlice = await signIn(page, alice)
    const [again] = formsOf(await page.ask('GET', '/')) as [PageForm]
    const { token: _token, ...signInAnswer } = filled(again, alice)
    const mixed = { ...(await approvalForm(page, asAlice)).fields, ...signInAnswer }
    expect(await page.ask('POST', '/approve', { form: mixed, headers: asAlice })).toMatchObject({ status: 403 })
    expect(await client.waiting()).toMatchObject([{ approvedBy: [] }])
  })

  test('takes forms of its own origin only, under its own name, and of a bounded length', async () => {
    const { client, page } = await start()
    await client.sign(payment)
    const headers = await signIn(page, alice)
    const form = filled(await approvalForm(page, headers), alice)
    for (const foreign of ['https://evil.example', 'null', origin.replace('localhost', '127.0.0.1')])
      expect(await page.ask('POST', '/approve', { form, headers: { ...headers, origin: foreign } })).toMatchObject({
        status: 400,
      })
    expect(await page.ask('GET', '/', { headers: { ...headers, host: 'evil.example' } })).toMatchObject({ status: 404 })
    expect(await page.ask('GET', '/elsewhere', { headers })).toMatchObject({ status: 404 })
    expect(await page.ask('POST', '/approve', { form: { x: 'x'.repeat(70_000) }, headers })).toMatchObject({
      status: 400,
    })
    expect(await client.waiting()).toMatchObject([{ approvedBy: [] }])
    expect(await page.ask('POST', '/approve', { form, headers })).toMatchObject({ status: 303 })
  })

  test('runs its own script and style only, and can not be framed or stored', async () => {
    const { page } = await start()
    const { headers, body } = await page.ask('GET', '/', { headers: { 'accept-language': 'de, kk;q=0.8, en;q=0.5' } })
    expect(body).toContain('<html lang="kk">')
    const [, script = ''] = /<script>(.*)<\/script>/s.exec(body) ?? []
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(body) ?? []
    const source = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; script-src ${source(script)}; style-src ${source(style)}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    )
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    expect(body.length).toBeLessThan(8_000)
  })

  test('is off by default, and is not served without a certificate except on this machine', async () => {
    const files = await makeFiles(policy)
    for (const [more, message] of [
      [['--approvals-listen', `127.0.0.1:${place.port}`], /together/],
      [['--approvals-listen', '127.0.0.1:1', '--approvals-origin', 'https://approve.example.com'], /--approvals-cert/],
      [['--approvals-listen', `0.0.0.0:${place.port}`, '--approvals-origin', origin], /--approvals-cert/],
      [['--approvals-listen', '127.0.0.1:1', '--approvals-origin', 'http://approve.example.com'], /origin/],
    ] as const) {
      const running = run([...serveArguments(files), ...more])
      expect(await running.ended).toBe(1)
      expect(running.output()).toMatch(message)
    }
  })

  test('has a cookie for its own host over TLS, whose certificate SIGHUP exchanges', async () => {
    const directory = temporaryDirectory()
    const [cert, key] = [join(directory, 'cert'), join(directory, 'key')]
    const write = (name: string): void => {
      const made = certify(name)
      writeFileSync(cert, made.cert, { mode: 0o600 })
      writeFileSync(key, made.key, { mode: 0o600 })
    }
    write('first')
    const over = `https://localhost:${place.port}`
    const [carol] = [makePasskey('carol', over)]
    const files = await makeFiles({ ...policyFile, approvers: [carol.entry, alice.entry] })
    const tls = ['--approvals-cert', cert, '--approvals-key', key]
    const running = run([...serveArguments(files), ...pageArguments({ ...place, origin: over }), ...tls])
    onTestFinished(async () => {
      running.child.kill('SIGKILL')
      await running.ended
    })
    await written(running, /"ready":true/)
    const ask = (method: string, path: string, form?: Record<string, string>) =>
      new Promise<{ status: number; cookie: string; body: string; subject: string }>((resolve, reject) => {
        const headers = { origin: over, 'content-type': 'application/x-www-form-urlencoded' }
        const request = tlsRequest(
          `${over}${path}`,
          { method, headers, rejectUnauthorized: false, agent: false },
          (response) => {
            const { subject } = (response.socket as TLSSocket).getPeerCertificate()
            let body = ''
            response.on('data', (chunk: Buffer) => (body += chunk.toString()))
            response.on('end', () =>
              resolve({
                status: response.statusCode!,
                cookie: String(response.headers['set-cookie']),
                body,
                subject: String(subject.CN),
              }),
            )
          },
        )
        request.on('error', reject)
        request.end(form && new URLSearchParams(form).toString())
      })
    const first = await ask('GET', '/')
    expect(first.subject).toBe('first')
    const [form] = formsOf({ ...first, headers: {} }) as [PageForm]
    const { status, cookie } = await ask('POST', '/sign-in', filled(form, carol))
    expect(status).toBe(303)
    expect(cookie).toMatch(/^__Host-approver=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/)
    write('second')
    running.child.kill('SIGHUP')
    await written(running, /"policy":"/)
    expect((await ask('GET', '/')).subject).toBe('second')
  })
})

describe('bursar-signer enrol', () => {
  const authenticator = createAuthenticator(origin)
  const register = (form: PageForm): Record<string, string> => {
    const options = { challenge: form.challenge.toString('base64url'), rp: { id: 'localhost' }, user: { id: 'eA' } }
    const made = bytesOf(authenticator.make(options), ['attestationObject', 'clientDataJSON'])
    const texts = Object.entries(made).map(([name, bytes]) => [name, bytes.toString('base64url')])
    return { ...form.fields, ...(Object.fromEntries(texts) as Record<string, string>) }
  }

  test('prints the entry of the passkey that a person makes with the code, once', async () => {
    const files = await makeFiles(policy)
    const { page } = await servePage(files, place)
    expect(await page.ask('GET', '/enrol?code=x')).toMatchObject({ status: 404 })
    const command = run(['enrol', '--id', 'carol', '--log', files.log, '--approvals-origin', origin])
    const [, path = ''] = await written(command, /localhost:[0-9]+(\/enrol\?code=[\w-]{32})\n/)
    expect(await page.ask('GET', `${path}x`)).toMatchObject({ status: 404 })
    const [form] = formsOf(await page.ask('GET', path)) as [PageForm]
    expect(form).toMatchObject({ action: '/enrol' })
    const broken = { ...register(form), clientDataJSON: Buffer.from('{}').toString('base64url') }
    expect(await page.ask('POST', '/enrol', { form: broken })).toMatchObject({ status: 403 })
    const answer = register(form)
    const answers = await Promise.all([answer, answer].map((one) => page.ask('POST', '/enrol', { form: one })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404])
    expect(await command.ended).toBe(0)
    const entry = JSON.parse(/^\{.*\}$/m.exec(command.output())![0]) as object
    expect(entry).toMatchObject({ id: 'carol', kind: 'passkey', credentialId: authenticator.credentialId, origin })
    expect(command.output()).toContain('The passkey is not synced')
    // The person and the administrator see the same fingerprint.
    const [, print = ''] = /If it is ([0-9a-f ]+), add/.exec(command.output()) ?? []
    const shown = answers.find(({ status }) => status === 200)!.body
    expect(shown).toContain(
      print
        .split(' ')
        .map((group) => `<span>${group}</span> `)
        .join(''),
    )
    expect(await page.ask('GET', path)).toMatchObject({ status: 404 })
    // The policy has not changed: the passkey can not sign in.
    const [signInForm] = formsOf(await page.ask('GET', '/')) as [PageForm]
    const used = bytesOf(
      authenticator.use({ challenge: signInForm.challenge.toString('base64url'), rpId: 'localhost' }),
      ['authenticatorData', 'clientDataJSON', 'signature'],
    )
    const texts = Object.entries(used).map(([name, bytes]) => [name, bytes.toString('base64url')])
    const attempt = {
      ...signInForm.fields,
      credentialId: authenticator.credentialId,
      ...Object.fromEntries(texts),
    } as Record<string, string>
    expect(await page.ask('POST', '/sign-in', { form: attempt })).toMatchObject({ status: 403 })
  })
})
