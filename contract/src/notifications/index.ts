/** Every notification of the API (`contract.md` section 6). */
import { Type } from 'typebox'
import type { Static } from 'typebox'
import { FiatWithdraw, fiatWithdrawNotice, WithdrawBatchDone, withdrawBatchNotice } from './card-payout.ts'
import { CryptoExchangeWithdraw, cryptoExchangeWithdrawNotice } from './crypto-exchange-withdraw.ts'
import { CryptoInvoiceNotification, cryptoInvoiceNotice } from './crypto-invoice.ts'
import { Exchange, exchangeNotice } from './exchange.ts'
import { FiatExchangeWithdraw, fiatExchangeWithdrawNotice } from './fiat-exchange-withdraw.ts'
import { FiatInvoiceNotification, fiatInvoiceNotice } from './fiat-invoice.ts'
import type { NotificationType } from './notification.ts'
import { Replenish, replenishNotice } from './replenish.ts'
import { CryptoWithdraw, cryptoWithdrawNotice } from './withdraw.ts'

export const notifications: readonly NotificationType[] = [
  replenishNotice,
  cryptoWithdrawNotice,
  fiatWithdrawNotice,
  withdrawBatchNotice,
  cryptoInvoiceNotice,
  fiatInvoiceNotice,
  exchangeNotice,
  cryptoExchangeWithdrawNotice,
  fiatExchangeWithdrawNotice,
]

/** The body of any notification. */
export const Notification = Type.Union(
  [
    Replenish,
    CryptoWithdraw,
    FiatWithdraw,
    WithdrawBatchDone,
    CryptoInvoiceNotification,
    FiatInvoiceNotification,
    Exchange,
    CryptoExchangeWithdraw,
    FiatExchangeWithdraw,
  ],
  { title: 'Notification', description: 'The body of any notification' },
)

export type Notification = Static<typeof Notification>

export * from './card-payout.ts'
export * from './compliance.ts'
export * from './crypto-exchange-withdraw.ts'
export * from './crypto-invoice.ts'
export * from './exchange.ts'
export * from './fail-reasons.ts'
export * from './fiat-exchange-withdraw.ts'
export * from './fiat-invoice.ts'
export type { NotificationType } from './notification.ts'
export * from './replenish.ts'
export * from './withdraw.ts'
