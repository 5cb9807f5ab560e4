/** A simulation as far as the model asks it, for tests of the model: the books of acquirers and chains are given. */
import { createCatalogue, type AssetSettings } from '../../../server/src/market/assets/index.ts'
import type { Payment, Payout } from '../acquirers/index.ts'
import { assetsFile } from '../installation/files.ts'
import type { Simulation } from '../simulation.ts'
import { createTrace } from '../trace.ts'
import { createBooks } from './books.ts'

const CHAINS = [
  { network: 'BITCOIN', assets: [{ ticker: 'BTC', decimals: 8 }], settings: () => ({}) },
  {
    network: 'TRON',
    assets: [
      { ticker: 'TRX', decimals: 6 },
      { ticker: 'USDT', decimals: 6, contract: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' },
    ],
    settings: () => ({}),
  },
] as const

export interface Given {
  payments?: readonly Partial<Payment>[]
  payouts?: readonly Partial<Payout>[]
  /** base units by address, of any asset */
  received?: Readonly<Record<string, bigint>>
  /** ms */
  now?: number
}

export const stubSimulation = ({ payments = [], payouts = [], received = {}, now = 0 }: Given): Simulation => {
  const catalogue = createCatalogue(assetsFile(CHAINS) as AssetSettings)
  return {
    acquirers: { payments: () => payments, payouts: () => payouts },
    chains: CHAINS.map((chain) => ({ ...chain, balance: async (address: string) => received[address] ?? 0n })),
    catalogue,
    clock: { now: () => now },
    books: createBooks(catalogue),
    merchants: [{ name: 'M1', holds: false }],
    provider: { answersAbout: () => [false] },
    sanctions: { has: () => false },
    trace: createTrace(),
  } as unknown as Simulation
}

/** Collects the amounts that the model adds to balances. */
export const ledger = () => {
  const sums: Record<string, bigint> = {}
  return {
    sums,
    add: (merchant: string, ticker: string, units: bigint): void => {
      sums[`${merchant} ${ticker}`] = (sums[`${merchant} ${ticker}`] ?? 0n) + units
    },
  }
}
