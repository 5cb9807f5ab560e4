/**
 * Mails from the change they tell of to the mailbox of who is notified, by real processes; the worker is killed on the
 * way.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { buildPrograms } from '../../tools/build.ts'
import type { Mail } from './connected.ts'
import { useSharedSandbox } from './shared-sandbox.ts'

const { bursar: program } = await buildPrograms()
const QUARTER = 15 * 60_000
const TO = 'boss@shop.example'

const sandbox = useSharedSandbox()

const bursar = (...args: string[]) =>
  promisify(execFile)(process.execPath, [program, ...args], { env: sandbox.environment })
const mails = () => sandbox.mails(TO)
const arrived = (count: number): Promise<Mail[]> =>
  sandbox.until(`${count} mails`, async () => {
    const all = await mails()
    return all.length >= count && all
  })
const deposit = async (amount: string): Promise<void> => {
  const [shop] = sandbox.merchants
  const { address } = await shop.client.addresses.create({ blockchain: 'ETHEREUM', meta: `order ${amount}` })
  await sandbox.pay('ETHEREUM', 'USDT', address, amount)
  await sandbox.notified(shop, { kind: 'Replenish', status: 'Done', amount })
}
const digestStarted = () =>
  sandbox.until(
    'a digest is begun',
    async () =>
      (await sandbox.query('select from mail_digests where merchant_id = $1', [sandbox.merchants[0].id])).length === 1,
  )
/** A worker looks for digests that are due when it starts, and then every half minute. */
const restartWorker = async (): Promise<void> => {
  await sandbox.kill('worker')
  await sandbox.start('worker')
}

test('a merchant that sets an address is mailed about a deposit, and once more under the same id when the worker dies before it knows', async () => {
  await bursar('merchant', 'set', sandbox.merchants[0].id, 'email', TO)
  await bursar('merchant', 'set', sandbox.merchants[0].id, 'mailLanguage', 'kk')
  await restartWorker()
  await digestStarted()
  await deposit('12.5')
  await sandbox.advance(QUARTER)
  await restartWorker()
  const [mail] = await arrived(1)
  expect(mail!.subject).toMatch(/: депозиттер: 1$/)
  expect(mail!.text).toContain('+12.5 USDT  Депозит')
  expect(mail!.text).toContain('order 12.5')

  // The mailbox has it before the worker has noted so: killed in between, the worker would send it again.
  await sandbox.until(
    'the first mail is noted as sent',
    async () =>
      (await sandbox.query("select from mails where state = 'sent' and merchant_id = $1", [sandbox.merchants[0].id]))
        .length === 1,
  )
  await deposit('7')
  await sandbox.kill('worker')
  await sandbox.advance(QUARTER)
  await sandbox.start('worker', { BURSAR_SANDBOX_PAUSE: 'mail-sent' })
  await sandbox.paused('worker', 'mail-sent')
  await sandbox.kill('worker')
  expect(await mails()).toHaveLength(2)
  await sandbox.start('worker')
  const all = await arrived(3)
  expect(all.map(({ messageId }) => messageId)).toEqual([mail!.messageId, all[1]!.messageId, all[1]!.messageId])
  expect(all[2]!.text).toContain('+7 USDT')
  const { stdout } = await bursar('doctor').catch((error: { stdout: string }) => error)
  expect(stdout).toMatch(/ok {3}mail: 127\.0\.0\.1:\d+ accepts mail from/)
  expect(stdout).toContain('ok   mail: 0 waiting')
  expect(sandbox.logs()).not.toContain(TO)
})
