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
} from './card-payouts.ts'
import {
  closeCryptoInvoice,
  createCryptoInvoice,
  createCryptoInvoiceByForm,
  getCryptoInvoice,
} from './crypto-invoices.ts'
import {
  createCryptoWithdrawal,
  getCryptoWithdrawal,
  getCryptoWithdrawalCompliance,
  getCryptoWithdrawalFee,
} from './crypto-withdrawals.ts'
import { getDeposit, getDepositCompliance } from './deposits.ts'
import { listEvents } from './events.ts'
import {
  createCryptoExchangeWithdrawal,
  createFiatExchangeWithdrawal,
  estimateCryptoExchangeWithdrawal,
  estimateFiatExchangeWithdrawal,
} from './exchange-withdrawals.ts'
import { createExchange, estimateExchange, listExchangeDirections } from './exchange.ts'
import { createFiatInvoice, createFiatInvoiceByForm, getFiatInvoice } from './fiat-invoices.ts'
import { findWithdrawals } from './withdrawals.ts'

/** The operations by id, each with its own types. */
export const operationsById = {
  listBalances,
  createAddress,
  createRotatingAddress,
  getDeposit,
  getDepositCompliance,
  createCryptoWithdrawal,
  getCryptoWithdrawalFee,
  getCryptoWithdrawal,
  getCryptoWithdrawalCompliance,
  findWithdrawals,
  listCryptoAssets,
  listFiatAssets,
  getFiatWithdrawalFee,
  createFiatWithdrawal,
  createFiatBatchWithdrawal,
  getFiatBatchWithdrawal,
  createCryptoInvoice,
  createCryptoInvoiceByForm,
  getCryptoInvoice,
  closeCryptoInvoice,
  createFiatInvoice,
  createFiatInvoiceByForm,
  getFiatInvoice,
  listExchangeDirections,
  estimateExchange,
  createExchange,
  estimateCryptoExchangeWithdrawal,
  createCryptoExchangeWithdrawal,
  estimateFiatExchangeWithdrawal,
  createFiatExchangeWithdrawal,
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
export * from './events.ts'
export * from './exchange-withdrawals.ts'
export * from './exchange.ts'
export * from './fiat-invoices.ts'
export { CreatedInvoice } from './invoices.ts'
export * from './withdrawals.ts'
