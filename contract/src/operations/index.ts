/** Every operation of the API (`contract.md` section 5) and this project's additions. */
import type { Operation } from '../operation.ts'
import { createAddress, createRotatingAddress } from './addresses.ts'
import { listCryptoAssets, listFiatAssets } from './assets.ts'
import { listBalances } from './balances.ts'
import {
  createFiatBatchWithdrawal,
  createFiatWithdrawal,
  getFiatBatchWithdrawal,
  getFiatWithdrawalFee,
  listCardPayouts,
} from './card-payouts.ts'
import {
  closeCryptoInvoice,
  createCryptoInvoice,
  createCryptoInvoiceByForm,
  getCryptoInvoice,
  listCryptoInvoices,
} from './crypto-invoices.ts'
import {
  createCryptoWithdrawal,
  getCryptoWithdrawal,
  getCryptoWithdrawalCompliance,
  getCryptoWithdrawalFee,
  listCryptoWithdrawals,
} from './crypto-withdrawals.ts'
import { getDeposit, getDepositCompliance, listDeposits } from './deposits.ts'
import { listEntries } from './entries.ts'
import { listEvents } from './events.ts'
import {
  createCryptoExchangeWithdrawal,
  createFiatExchangeWithdrawal,
  estimateCryptoExchangeWithdrawal,
  estimateFiatExchangeWithdrawal,
} from './exchange-withdrawals.ts'
import { createExchange, estimateExchange, listExchangeDirections, listExchanges } from './exchange.ts'
import { createFiatInvoice, createFiatInvoiceByForm, getFiatInvoice, listFiatInvoices } from './fiat-invoices.ts'
import { createPaymentLink, disablePaymentLink, getPaymentLink, listPaymentLinks } from './payment-links.ts'
import { findWithdrawals } from './withdrawals.ts'

/** The operations by id, each with its own types. */
export const operationsById = {
  listBalances,
  listEntries,
  createAddress,
  createRotatingAddress,
  getDeposit,
  getDepositCompliance,
  listDeposits,
  createCryptoWithdrawal,
  getCryptoWithdrawalFee,
  getCryptoWithdrawal,
  getCryptoWithdrawalCompliance,
  listCryptoWithdrawals,
  findWithdrawals,
  listCryptoAssets,
  listFiatAssets,
  getFiatWithdrawalFee,
  createFiatWithdrawal,
  createFiatBatchWithdrawal,
  getFiatBatchWithdrawal,
  listCardPayouts,
  createCryptoInvoice,
  createCryptoInvoiceByForm,
  getCryptoInvoice,
  closeCryptoInvoice,
  listCryptoInvoices,
  createFiatInvoice,
  createFiatInvoiceByForm,
  getFiatInvoice,
  listFiatInvoices,
  createPaymentLink,
  getPaymentLink,
  disablePaymentLink,
  listPaymentLinks,
  listExchangeDirections,
  estimateExchange,
  createExchange,
  estimateCryptoExchangeWithdrawal,
  createCryptoExchangeWithdrawal,
  estimateFiatExchangeWithdrawal,
  createFiatExchangeWithdrawal,
  listExchanges,
  listEvents,
} as const

export type OperationId = keyof typeof operationsById

export const operations: readonly Operation[] = Object.values(operationsById)

export * from './addresses.ts'
export * from './assets.ts'
export * from './balances.ts'
export * from './card-payouts.ts'
export * from './crypto-invoices.ts'
export * from './crypto-withdrawals.ts'
export * from './deposits.ts'
export * from './entries.ts'
export * from './events.ts'
export * from './exchange-withdrawals.ts'
export * from './exchange.ts'
export * from './fiat-invoices.ts'
export { CreatedInvoice } from './invoices.ts'
export * from './payment-links.ts'
export * from './withdrawals.ts'
