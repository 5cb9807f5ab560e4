/**
 * Withdrawals above the approval limit of the signer, with every real component: the worker asks the signer, people
 * approve on the signer's own page and by command, and the payment is mined.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addAuthenticator } from '../browser/virtual-authenticator.ts'
import { describeWithChromium, useChromium } from '../setup/chromium/index.ts'
import { pageArguments, reserveOrigin } from '../world/approvals-page.ts'
import { run, written, type Run } from '../world/signer-process.ts'
import { startSandbox, type Sandbox } from './sandbox.ts'

interface Policy {
  approvers: object[]
  networks: { ETHEREUM: { assets: { USDT: object } } }
}

const PASSPHRASE = 'a passphrase of the approver'
/** More than the pause after which the worker asks the signer again for a payment that lacks approvals. */
const ASKED_AGAIN_MS = 31_000

describeWithChromium('a withdrawal above the limit of the signer', () => {
  const visit = useChromium()
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await startSandbox({ BURSAR_BLOCK_SECONDS_ETHEREUM: '0.5' })
    await sandbox.credit(sandbox.merchants[0], 'USDT', '5000')
  })
  afterAll(() => sandbox?.stop())

  const bursar = async (...args: string[]): Promise<string> => (await sandbox.bursar(...args)).text
  const withdraw = async (amount: string): Promise<{ id: string; to: string }> => {
    const to = await sandbox.outside('ETHEREUM')
    const { client } = sandbox.merchants[0]
    const { id } = await client.withdrawals.crypto.create({ ticker: 'USDT', blockchain: 'ETHEREUM', to, amount })
    return { id, to }
  }
  const askAgain = (): Promise<void> => sandbox.advance(ASKED_AGAIN_MS)
  const waiting = (id: string): Promise<string> =>
    sandbox.until(`${id} to wait for approvals`, async () => {
      const text = await bursar('withdrawal', 'waiting')
      return text.includes(id) ? text : undefined
    })

  test('is paid after two people have approved exactly this payment', async () => {
    const [shop] = sandbox.merchants
    const place = await reserveOrigin()
    const { origin } = place
    const at = (...path: string[]): string => join(sandbox.dir, ...path)
    const [policyFile, log] = [at('settings', 'signer-policy.json'), at('signer.log.jsonl')]
    const socket = sandbox.environment['BURSAR_SIGNER']!.replace(/^unix:/, '')
    const secrets = ['--seed', at('keys', 'seed.json'), '--passphrase-file', at('keys', 'passphrase')]
    const start = async (): Promise<Run> => {
      const files = ['--policy', policyFile, '--log', log, '--socket', socket]
      const signer = run(['serve', ...secrets, ...files, ...pageArguments(place)])
      await written(signer, /"ready":true/)
      return signer
    }
    await sandbox.kill('signer')
    let signer = await start()

    // Dora has a passkey of the page, Erik a key in a file.
    const context = await visit({ locale: 'en-US' })
    const page: Page = await context.newPage()
    await addAuthenticator(page)
    const enrol = run(['enrol', '--id', 'dora', '--log', log, '--approvals-origin', origin])
    const [address] = await written(enrol, /^http:\S+/m)
    await page.goto(address)
    await page.getByRole('button', { name: 'Make a passkey' }).click()
    expect(await enrol.ended).toBe(0)
    const [key, pass] = [at('erik.key'), at('erik.pass')]
    writeFileSync(pass, PASSPHRASE, { mode: 0o600 })
    const made = run(['approver-key', '--id', 'erik', '--key', key, '--passphrase-file', pass])
    expect(await made.ended).toBe(0)
    const policy = JSON.parse(readFileSync(policyFile, 'utf8')) as Policy
    const entries = [enrol, made].map(({ output }) => JSON.parse(/^\{.*\}$/m.exec(output())![0]) as object)
    Object.assign(policy, { approvers: entries })
    Object.assign(policy.networks.ETHEREUM.assets.USDT, {
      decimals: 6,
      approvalsAbove: '100000000',
      approvalsNeeded: 2,
    })
    writeFileSync(policyFile, JSON.stringify(policy))
    signer.child.kill('SIGHUP')
    await written(signer, /"policy":"/)

    const large = await withdraw('150.25')
    const small = await withdraw('50')
    expect(await waiting(large.id)).toMatch(/150\.25 USDT.*0 of 2/)
    // Others are paid meanwhile.
    await sandbox.notified(shop, { id: small.id, status: 'Done' })
    const alerts = await bursar('alerts')
    expect(alerts).toContain(large.id)
    expect(alerts).toContain(`0 of 2 approvals: approve it at ${origin}`)

    await page.goto(origin)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: '150.25 USDT' }).waitFor()
    expect((await page.locator('.address').innerText()).replaceAll(' ', '')).toBe(large.to)
    await page.getByRole('button', { name: 'Approve this payment' }).click()
    await page.getByText('Your approval is in the log of the signer.').waitFor()
    expect(await waiting(large.id)).toMatch(/1 of 2/)

    // The signer is killed: the first approval is in its log.
    signer.child.kill('SIGKILL')
    await signer.ended
    signer = await start()
    await askAgain()
    await waiting(large.id)
    const approve = (...more: string[]): Run => {
      const running = run(['approve', '--id', 'erik', '--key', key, '--passphrase-file', pass, ...more])
      running.child.stdin!.end('yes\n')
      return running
    }
    const byCommand = approve('--socket', socket)
    expect(await byCommand.ended).toBe(0)
    expect(byCommand.output()).toContain('150.25 USDT')
    await askAgain()
    const done = await sandbox.notified(shop, { id: large.id, status: 'Done' })
    expect(done).toMatchObject({ amount: '150.25', to: large.to })
    expect(await sandbox.balanceOf('ETHEREUM', 'USDT', large.to)).toBe('150.25')
    expect(await bursar('alerts')).not.toContain(large.id)

    // The second one: a signature that the server carries, and the page again.
    const next = await withdraw('120')
    await waiting(next.id)
    const text = at('text')
    writeFileSync(text, await bursar('withdrawal', 'approval-text', shop.id, next.id))
    const offline = approve('--text', text)
    expect(await offline.ended).toBe(0)
    const [, expires = '', signature = ''] = /erik (\S+) ([0-9a-f]{128})/.exec(offline.output()) ?? []
    await bursar('withdrawal', 'approve', shop.id, next.id, 'erik', expires, signature, '--yes')
    await page.goto(origin)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('button', { name: 'Approve this payment' }).click()
    await page.getByText('Your approval is in the log of the signer.').waitFor()
    await askAgain()
    await sandbox.notified(shop, { id: next.id, status: 'Done' })
    expect(await sandbox.balanceOf('ETHEREUM', 'USDT', next.to)).toBe('120')
    expect(await run(['verify-log', '--log', log]).ended).toBe(0)
    expect(await bursar('withdrawal', 'waiting')).toContain('no withdrawal waits for approvals')
    await context.close()
  })
})
