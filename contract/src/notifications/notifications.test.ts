import { Ajv } from 'ajv'
import type { TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { failReasons, Notification, notifications } from './index.ts'

/**
 * The presence tables of `contract.md` section 6, once more by hand: a field and its marks, one for each status in
 * order. A always, O optional, - absent. A field that is absent only from an internal transfer is optional.
 */
const tables: Record<string, { statuses: string; fields: string }> = {
  replenish: {
    statuses: 'Pending Done Verified Failed',
    fields: `
      id AAAA  ticker AAAA  blockchain AAAA  merchantId AAAA  hash OOOO  block -OOO  from AAAA  to AAAA  amount AAAA
      fee AAAA  time AAAA  status AAAA  kind AAAA  meta OOOO  internal AAAA  withdrawId OOOO  failReason ---A
      compliance --A-`,
  },
  cryptoWithdraw: {
    statuses: 'Pending Done Failed',
    fields: `
      id AAA  ticker AAA  blockchain AAA  merchantId AAA  to AAA  amount AAA  fee AAA  status AAA  kind AAA
      hash OOO  from AAA  time AAA  internal AAA  block -O-  meta OOO  localId OOO  failReason --A`,
  },
  cryptoInvoice: {
    statuses: 'PENDING DONE EXPIRED',
    fields: `
      id AAA  ticker AAA  blockchain AAA  amount AAA  merchantId AAA  status AAA  kind AAA  time AAA  paidAmount AAA
      fee -A-  description OOO  meta OOO  linkId OOO  name AAA  address AAO  expiredAt AAA  baseTicker OOO
      baseAmount OOO  price OOO  paidPrice OOO  email OOO`,
  },
  fiatInvoice: {
    statuses: 'Pending Done Failed',
    fields: `
      id AAA  kind AAA  ticker AAA  status AAA  time AAA  amount OOO  paidAmount -A-  cardNumber -A-  to -A-
      fee -A-  meta OOO  linkId OOO  description OOO  merchantId AAA  name AAA  email OOO  error --O`,
  },
  fiatWithdraw: {
    statuses: 'Done Failed',
    fields: `
      id AA  kind AA  ticker AA  cardNumber AA  to AA  amount AA  status AA  time AA  fee AA  meta OO  localId OO
      merchantId AA  internal AA  failReason -A`,
  },
  withdrawBatch: {
    statuses: 'Done',
    fields: `
      kind A  id A  ticker A  amount A  paidAmount A  failedAmount A  to A  status A  time A  fee A  meta O
      localId O  paidFee A  failedFee A  merchantId A  internal A`,
  },
  exchange: {
    statuses: 'Done Failed',
    fields: `
      kind AA  id AA  status AA  time AA  fee AA  targetTicker AA  targetAmount AA  spendTicker AA  spendAmount AA
      price AA  pricePair AA  merchantId AA  meta OO  localId OO  failedReason -A`,
  },
  cryptoExchangeWithdraw: {
    statuses: 'Exchanged Done Failed',
    fields: `
      kind AAA  id AAA  ticker AAA  amount AAA  fee AAA  status AAA  time AAA  exchangeFee AAA  spendTicker AAA
      spendAmount AAA  price AAA  pricePair AAA  exchanged AAA  paidAmount OOO  failedAmount OOO  to AAA
      address AAA  blockchain AAA  hash OOO  internal OOO  meta OOO  localId OOO  causedBy OOO  merchantId AAA
      failedReason --A`,
  },
  fiatExchangeWithdraw: {
    statuses: 'Exchanged Done Failed',
    fields: `
      kind AAA  id AAA  ticker AAA  amount AAA  fee AAA  status AAA  time AAA  exchangeFee AAA  spendTicker AAA
      spendAmount AAA  price AAA  pricePair AAA  exchanged AAA  paidAmount -AO  failedAmount -AO  paidFee -AO
      failedFee -AO  to AAA  meta OOO  localId OOO  causedBy OOO  merchantId AAA  failedReason --A`,
  },
}

const ajv = new Ajv({ strict: true })

/** The errors of the value by the schema. */
const faults = (schema: TSchema, value: unknown) => (ajv.validate(schema, value) ? [] : ajv.errors)

describe.each(notifications)('$name', ({ name, kind, statuses }) => {
  const table = tables[name]!

  test('has the statuses of the table', () => {
    expect(Object.keys(statuses)).toEqual(table.statuses.split(' '))
  })

  const columns = table.statuses.split(' ').map((status, column) => ({ status, column }))

  test.each(columns)('$status', ({ status, column }) => {
    const cells = [...table.fields.matchAll(/(\w+) ([AO-]+)/g)]
    const rows = cells.map(([, field, marks]) => ({ field, mark: marks![column]! }))
    const marked = (wanted: string) =>
      rows
        .filter(({ mark }) => wanted.includes(mark))
        .map(({ field }) => field)
        .toSorted()
    const { properties, required, ...rest } = statuses[status]!
    expect(Object.keys(properties).toSorted()).toEqual(marked('AO'))
    expect([...(required as string[])].toSorted()).toEqual(marked('A'))
    expect(rest).toMatchObject({ additionalProperties: false })
  })

  test('states its kind and status as constants, and no other status fits', () => {
    for (const [status, schema] of Object.entries(statuses)) {
      const [example] = (schema as unknown as { examples: [Record<string, unknown>] }).examples
      expect(faults(schema, example)).toEqual([])
      expect(example).toMatchObject({ kind, status })
      expect(ajv.validate(schema, { ...example, status: 'Other' })).toBe(false)
      expect(ajv.validate(schema, { ...example, kind: 'Other' })).toBe(false)
      expect(ajv.validate(Notification, example)).toBe(true)
    }
  })
})

test('a screening report has 47 signals and 19 danger signals, all of them', () => {
  const verified = notifications.find(({ name }) => name === 'replenish')!.statuses['Verified']!
  const [example] = (verified as unknown as { examples: [{ compliance: Record<string, Record<string, number>> }] })
    .examples
  const { signals, dangerSignals } = example.compliance
  expect(Object.keys(signals!)).toHaveLength(47)
  expect(Object.keys(dangerSignals!)).toHaveLength(19)
  expect(Object.keys(signals!)).toEqual(expect.arrayContaining(Object.keys(dangerSignals!)))
  for (const group of ['signals', 'dangerSignals']) {
    const { mixer: _, ...rest } = example.compliance[group]!
    expect(ajv.validate(verified, { ...example, compliance: { ...example.compliance, [group]: rest } })).toBe(false)
  }
})

test('fail reasons keep their spelling', () => {
  expect(Object.keys(failReasons)).toEqual([
    'LESS_THEN_MIN_AMOUNT',
    'ERRROR_CODE_GENERIC',
    'TRANSACTION_REPLACED',
    'REORGANIZED',
    'AML_REJECTED',
  ])
})
