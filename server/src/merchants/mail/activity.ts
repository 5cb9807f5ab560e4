import type { ActivityEntry } from '../mail-templates/index.ts'

/** Notifications that are mailed: those about money that finally arrived, left or failed to. */
export const MAILED: readonly { kind: string; status: string; as: ActivityEntry['kind']; good: boolean }[] = [
  { kind: 'Replenish', status: 'Done', as: 'deposit', good: true },
  { kind: 'Replenish', status: 'Failed', as: 'deposit', good: false },
  { kind: 'Withdraw', status: 'Done', as: 'withdrawal', good: true },
  { kind: 'Withdraw', status: 'Failed', as: 'withdrawal', good: false },
  { kind: 'CryptoExchangeWithdraw', status: 'Done', as: 'withdrawal', good: true },
  { kind: 'CryptoExchangeWithdraw', status: 'Failed', as: 'withdrawal', good: false },
  { kind: 'FiatExchangeWithdraw', status: 'Done', as: 'withdrawal', good: true },
  { kind: 'FiatExchangeWithdraw', status: 'Failed', as: 'withdrawal', good: false },
  { kind: 'WithdrawBatch', status: 'Done', as: 'card-payout', good: true },
  { kind: 'CryptoInvoice', status: 'DONE', as: 'invoice', good: true },
  { kind: 'Invoice', status: 'Done', as: 'invoice', good: true },
]

const LONGEST_NAME = 80

/** Converts a stored notification to a line of a letter. */
export const entryOf = ({
  kind,
  status,
  objectId,
  createdAt,
  body,
}: {
  kind: string
  status: string
  objectId: string
  createdAt: Date
  body: string
}): ActivityEntry => {
  const rule = MAILED.find((one) => one.kind === kind && one.status === status)!
  const fields = JSON.parse(body) as Record<string, unknown>
  const text = (name: string): string | null =>
    typeof fields[name] === 'string' && fields[name] !== '' ? fields[name] : null
  const toCard = text('cardNumber') !== null && rule.as === 'withdrawal'
  const amount = text('paidAmount') ?? text('amount') ?? '0'
  const nothingPaid = kind === 'WithdrawBatch' && /^0(\.0*)?$/.test(amount)
  return {
    kind: toCard ? 'card-payout' : rule.as,
    status: rule.good && !nothingPaid ? 'done' : 'failed',
    amount: nothingPaid ? (text('amount') ?? '0') : amount,
    ticker: text('ticker') ?? '',
    blockchain: text('blockchain'),
    name: (text('localId') ?? text('name') ?? text('meta'))?.slice(0, LONGEST_NAME) ?? null,
    id: objectId,
    at: createdAt.getTime(),
  }
}
