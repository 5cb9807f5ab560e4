import { createHmac } from 'node:crypto'
import { afterAll } from 'vitest'
import { signed } from '../../../../../sandbox/acquirers/wayforpay/dialect.ts'
import { startWayForPay } from '../../../../../sandbox/acquirers/wayforpay/index.ts'
import { describeAcquirer } from '../conformance.ts'
import type { RawCallback } from '../port.ts'
import { worldOf } from '../../../../../test/world/emulated-acquirer.ts'
import { createWayForPay } from './index.ts'
import { WAYFORPAY_LIMITS } from './settings.ts'

const account = { merchantAccount: 'test_merch_n1', secretKey: 'flk3409refn54t54t*FNJRET', domain: 'www.market.ua' }
const SIGNED = [
  'merchantAccount',
  'orderReference',
  'amount',
  'currency',
  'authCode',
  'cardPan',
  'transactionStatus',
  'reasonCode',
]
const stops: (() => Promise<void>)[] = []
afterAll(() => Promise.all(stops.map((stop) => stop())))

const forge = (callback: RawCallback): { what: string; callback: RawCallback }[] => {
  const fields = JSON.parse(callback.body.toString()) as Record<string, unknown>
  const made = (what: string, changes: Record<string, unknown>) => ({
    what,
    callback: { ...callback, body: Buffer.from(JSON.stringify({ ...fields, ...changes })) },
  })
  const foreign = createHmac('md5', 'other')
    .update(SIGNED.map((name) => String(fields[name])).join(';'))
    .digest('hex')
  return [
    ...SIGNED.map((name) => made(name, { [name]: name === 'amount' ? 1 : 'changed' })),
    made('another key', { merchantSignature: foreign }),
    made('no signature', { merchantSignature: '' }),
    made('a number', { merchantSignature: 0 }),
  ]
}

const without = (callback: RawCallback): { field: string; callback: RawCallback }[] => {
  const fields = JSON.parse(callback.body.toString()) as Record<string, unknown>
  return Object.keys(fields)
    .filter((field) => field !== 'merchantSignature')
    .map((field) => {
      const { [field]: _, merchantSignature: _signature, ...rest } = fields
      return { field, callback: { ...callback, body: Buffer.from(signed(account, rest)) } }
    })
}

const traits = {
  payIn: ['UAH'],
  payout: ['UAH'],
  refund: true,
  refundsWholeOnly: true,
  statement: false,
  refundFaults: ['late', 'failed'],
  refundRefusals: ['1123', '1126', '1127', '1128', '1141'],
  ambiguousCodes: ['1112', '1131', '1134'],
} as const

/** In this suite the emulator behaves as in rows of docs/dialects.md. */
for (const page of ['form', 'invoice'] as const) {
  describeAcquirer(`WayForPay, page by ${page}`, { ...traits, paymentIsOrdered: page === 'invoice' }, async () => {
    const emulator = await startWayForPay(account, { port: 0 })
    const { world, stop } = await worldOf({
      emulator,
      secrets: [account.secretKey],
      forge,
      without,
      cards: {
        good: '4111111111111111',
        secure: '5555555555554444',
        refused: '4000000000009995',
        payout: '4242424242424242',
        payoutRefused: '4000000000000002',
      },
      makeAcquirer: (url, http) =>
        createWayForPay({
          name: 'w4p',
          ...account,
          apiUrl: url,
          payUrl: url,
          page,
          capabilities: WAYFORPAY_LIMITS,
          http,
        }),
    })
    stops.push(stop)
    return world
  })
}
