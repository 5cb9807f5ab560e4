import { createHash } from 'node:crypto'
import { afterAll } from 'vitest'
import { startFreedomPay } from '../../../../../sandbox/acquirers/freedompay/index.ts'
import { sign } from '../../../../../sandbox/acquirers/freedompay/signature.ts'
import { describeAcquirer } from '../conformance.ts'
import type { RawCallback } from '../port.ts'
import { worldOf } from '../../../../../test/world/emulated-acquirer.ts'
import { createFreedomPay } from './index.ts'
import { FREEDOMPAY_LIMITS } from './settings.ts'

const account = { merchantId: '500042', secretKey: 'receiving-key-0001', payoutSecretKey: 'paying-out-key-0002' }
const stops: (() => Promise<void>)[] = []
afterAll(() => Promise.all(stops.map((stop) => stop())))

const forge = (callback: RawCallback): { what: string; callback: RawCallback }[] => {
  const fields = Object.fromEntries(new URLSearchParams(callback.body.toString()))
  const made = (what: string, changes: Record<string, string>) => ({
    what,
    callback: { ...callback, body: Buffer.from(new URLSearchParams({ ...fields, ...changes }).toString()) },
  })
  const { pg_sig: _, ...unsigned } = fields
  const foreign = createHash('md5')
    .update(
      [
        'callback',
        ...Object.keys(unsigned)
          .sort()
          .map((name) => unsigned[name]),
        'other',
      ].join(';'),
    )
    .digest('hex')
  return [
    ...Object.keys(unsigned).map((name) => made(name, { [name]: 'changed' })),
    made('one more field', { pg_extra: '1' }),
    made('another key', { pg_sig: foreign }),
    made('no signature', { pg_sig: '' }),
    { what: 'another script of ours', callback: { ...callback, url: callback.url.replace('callback', 'else') } },
  ]
}

const without = (callback: RawCallback): { field: string; callback: RawCallback }[] => {
  const { pg_sig: _, ...fields } = Object.fromEntries(new URLSearchParams(callback.body.toString()))
  return Object.keys(fields).map((field) => {
    const { [field]: _left, ...rest } = fields
    const key = 'pg_balance' in fields ? account.payoutSecretKey : account.secretKey
    return {
      field,
      callback: {
        ...callback,
        body: Buffer.from(
          new URLSearchParams({ ...rest, pg_sig: sign('callback', rest as Record<string, string>, key) }).toString(),
        ),
      },
    }
  })
}

const traits = {
  payIn: ['KZT'],
  payout: ['KZT'],
  refund: true,
  statement: false,
  paymentIsOrdered: true,
  refusesUnproven: true,
  refundFaults: ['late', 'failed'],
  ambiguousCodes: [
    '100',
    '120',
    '350',
    '420',
    '490',
    '9991',
    '9992',
    '9993',
    '9994',
    '9995',
    '9999',
    '10005',
    '10006',
    '10007',
  ],
} as const

/**
 * In this suite the emulator does what rows of
 * docs/dialects.md say.
 */
describeAcquirer('Freedom Pay', traits, async () => {
  const emulator = await startFreedomPay(account, { port: 0 })
  const { world, stop } = await worldOf({
    emulator,
    secrets: [account.secretKey, account.payoutSecretKey],
    forge,
    without,
    cards: {
      good: '4111111111111111',
      secure: '5483180000000294',
      refused: '4000000000009995',
      payout: '4242424242424242',
      payoutRefused: '4563960122001999',
    },
    makeAcquirer: (url, http) =>
      createFreedomPay({
        name: 'freedom',
        ...account,
        url,
        testing: true,
        spacingMs: 5,
        capabilities: FREEDOMPAY_LIMITS,
        http,
      }),
  })
  stops.push(stop)
  return world
})
