/**
 * Traces of the whole sandbox, as a receiver of OTLP gets them: one withdrawal and one deposit each have one trace,
 * with the steps of all processes that carried them out. Takes about 25 seconds.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTraceReceiver, type ReceivedSpan, type TraceReceiver } from '../world/trace-receiver.ts'
import { useSharedSandbox } from './shared-sandbox.ts'

const ROLES = ['api', 'worker', 'watcher'] as const
const sandbox = useSharedSandbox()
let receiver: TraceReceiver

const restartWith = async (env: Record<string, string>): Promise<void> => {
  for (const role of ROLES) {
    await sandbox.kill(role)
    await sandbox.start(role, env)
  }
}
beforeAll(async () => {
  receiver = await startTraceReceiver()
  await sandbox.credit(merchant(), 'ETH', '2')
  await restartWith({ BURSAR_TRACES_URL: receiver.url })
})
afterAll(async () => {
  await restartWith({})
  await receiver.close()
})

const merchant = () => sandbox.merchants[0]
const traceOf = (id: string): ReceivedSpan[] =>
  receiver.spans.filter(({ traceId }) => traceId === id.replaceAll('-', ''))
const programs = (id: string): string[] => [...new Set(traceOf(id).map(({ service }) => service))].toSorted()
const steps = (id: string): string[] => traceOf(id).map(({ service, name }) => `${service}: ${name}`)
/** Spans without a parent, and spans whose parent is not in their trace. */
const loose = (id: string): { first: string[]; orphans: string[] } => {
  const spans = traceOf(id)
  const known = new Set(spans.map(({ spanId }) => spanId))
  return {
    first: spans.filter(({ parentSpanId }) => parentSpanId === '').map(({ name }) => name),
    orphans: spans
      .filter(({ parentSpanId }) => parentSpanId !== '' && !known.has(parentSpanId))
      .map(({ service, name }) => `${service}: ${name}`),
  }
}

test('a withdrawal: from the request to the notification, with the parts of all four programs', async () => {
  const to = await sandbox.outside('ETHEREUM')
  const { id } = await merchant().client.withdrawals.crypto.create({
    ticker: 'ETH',
    blockchain: 'ETHEREUM',
    to,
    amount: '0.5',
  })
  await sandbox.notified(merchant(), { id, status: 'Done' })
  await merchant().client.withdrawals.crypto.get(id)
  await expect.poll(() => programs(id)).toEqual(['bursar-api', 'bursar-signer', 'bursar-watcher', 'bursar-worker'])
  await expect
    .poll(() => steps(id))
    .toEqual(
      expect.arrayContaining([
        'bursar-api: createCryptoWithdrawal',
        'bursar-api: ledger commit',
        'bursar-worker: job send ETHEREUM',
        'bursar-worker: signer call',
        'bursar-signer: sign',
        'bursar-worker: broadcast',
        'bursar-watcher: database commit',
        'bursar-worker: webhook delivery',
      ]),
    )
  expect(loose(id)).toEqual({ first: ['createCryptoWithdrawal'], orphans: [] })
  const [call, sign] = ['signer call', 'sign'].map((step) => traceOf(id).find(({ name }) => name === step)!)
  expect(sign!.parentSpanId).toBe(call!.spanId)
  expect(call!.attributes['bursar.intents']).toMatch(/^[0-9a-f-]{36}$/)
})

test('a deposit: from the first sight to the notification, and the request that reads it', async () => {
  const { address } = await merchant().client.addresses.create({ blockchain: 'ETHEREUM' })
  const hash = await sandbox.pay('ETHEREUM', 'ETH', address, '1.5')
  const { id } = (await sandbox.notified(merchant(), { hash, status: 'Done' })) as { id: string }
  await merchant().client.deposits.get(id)
  await expect.poll(() => programs(id)).toEqual(['bursar-api', 'bursar-watcher', 'bursar-worker'])
  await expect.poll(() => steps(id)).toEqual(expect.arrayContaining(['bursar-worker: webhook delivery']))
  await expect.poll(() => loose(id)).toEqual({ first: ['database commit'], orphans: [] })
})

test('every span has the format of the proto, and none has an address, an amount or a secret', async () => {
  expect(receiver.problems).toEqual([])
  const text = receiver.spans.map(({ name, attributes }) => JSON.stringify([name, attributes])).join('\n')
  const { privateKey, webhookSecret, id } = merchant()
  for (const secret of [privateKey, webhookSecret, id]) expect(text).not.toContain(secret)
  expect(text).not.toMatch(/0x[0-9a-fA-F]{40}|T[1-9A-HJ-NP-Za-km-z]{33}|"0\.5"|"1\.5"/)
})
