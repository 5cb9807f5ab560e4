/**
 * Operation costs of TRON's virtual machine where they differ from Ethereum's: those from before EIP-150, without a
 * price for a first access and without refunds. Source: java-tron EnergyCost; measured on a TRC-20 transfer.
 */
import { paramsEVM } from '@ethereumjs/evm'

type Prices = Record<string, Record<string, number | string | null>>

/** By EIP, as @ethereumjs/evm groups them; a later group wins. */
const changes: Prices = {
  '607': { expByteGas: 10 },
  '608': {
    sloadGas: 50,
    callGas: 40,
    callcodeGas: 40,
    delegatecallGas: 40,
    extcodesizeGas: 20,
    extcodecopyGas: 20,
    balanceGas: 20,
    selfdestructGas: 5_000,
  },
  '609': { staticcallGas: 40 },
  '1679': {
    sloadGas: 50,
    balanceGas: 20,
    extcodehashGas: 400,
    sstoreSentryEIP2200Gas: 0,
    sstoreNoopEIP2200Gas: 5_000,
    sstoreDirtyEIP2200Gas: 5_000,
    sstoreInitEIP2200Gas: 20_000,
    sstoreCleanEIP2200Gas: 5_000,
    sstoreInitRefundEIP2200Gas: 0,
    sstoreCleanRefundEIP2200Gas: 0,
    sstoreClearRefundEIP2200Gas: 0,
  },
  // Nothing counts as accessed before (machine.ts): a first access has no extra cost, and these are the prices.
  '2929': {
    coldsloadGas: 0,
    coldaccountaccessGas: 0,
    sstoreNoopEIP2200Gas: 5_000,
    sstoreDirtyEIP2200Gas: 5_000,
    sstoreCleanEIP2200Gas: 5_000,
    sstoreInitRefundEIP2200Gas: 0,
    sstoreCleanRefundEIP2200Gas: 0,
    callGas: 40,
    callcodeGas: 40,
    delegatecallGas: 40,
    staticcallGas: 40,
    balanceGas: 20,
    extcodesizeGas: 20,
    extcodecopyGas: 20,
    extcodehashGas: 400,
    sloadGas: 50,
    sstoreGas: 0,
  },
  '3529': { selfdestructRefundGas: 0, sstoreClearRefundEIP2200Gas: 0 },
  '3860': { initCodeWordGas: 0 },
}

export const energyPrices = (): Prices => {
  const prices = structuredClone(paramsEVM) as unknown as Prices
  for (const [group, values] of Object.entries(changes)) prices[group] = { ...prices[group], ...values }
  return prices
}
