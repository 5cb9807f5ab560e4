/**
 * The simulated chain as the conformance suite moves it, with transactions signed outside as those of any sender. Only
 * tests of these adapters use it.
 */
import { scriptTo } from '../../../../../test/world/bitcoin-node.ts'
import { serialize } from '../../../../../test/world/bitcoin-transaction.ts'
import { isRefused } from '@bursar/chainkit'
import { parseTransaction } from '@bursar/chainkit/bitcoin'
import { checksumAddress, fromHex, transactionHash } from '@bursar/chainkit/evm'
import { privateKeyToAccount } from 'viem/accounts'
import type { ChainWorld, ContractWorld, ConflictingTransactions } from '../conformance.ts'
import { createSimulatedChain, type SimulatedChain } from './index.ts'

const TOKENS = ['11', '22', '33'].map((byte) => checksumAddress(`0x${byte.repeat(20)}`))
const [TOKEN, FEE_TOKEN, LOOK_ALIKE] = TOKENS as [string, string, string]
const CHAIN_ID = 31_337n
const FINAL_DEPTH = 4
const GWEI = 10n ** 9n

export const openCoinWorld = async (): Promise<ChainWorld> => {
  const simulated = createSimulatedChain({ network: 'BITCOIN', seed: 'conformance', finalDepth: FINAL_DEPTH })
  return { ...worldOf(simulated), ...signedBy((to, units) => conflictingSpends(simulated, to, units)) }
}

export const openAccountWorld = async (): Promise<ChainWorld> => {
  const tokens = [TOKEN, FEE_TOKEN].map((contract) => ({ contract, decimals: 6 }))
  const simulated = createSimulatedChain({
    network: 'ETHEREUM',
    seed: 'conformance',
    chainId: CHAIN_ID,
    finalDepth: FINAL_DEPTH,
    tokens,
  })
  return {
    ...worldOf(simulated),
    ...signedBy((to, units) => conflictingCalls(simulated, to, units)),
    contracts: contractsOf(simulated),
  }
}

const signedBy = (
  conflicting: (to: string, units: bigint) => Promise<ConflictingTransactions>,
): Pick<ChainWorld, 'conflicting' | 'payment'> => ({
  conflicting,
  payment: async (to, units) => (await conflicting(to, units)).first,
})

const worldOf = ({ adapter, chain, identity }: SimulatedChain): Omit<ChainWorld, 'conflicting' | 'payment'> => {
  chain.mine(12)
  return {
    adapter,
    identity,
    finalBelow: FINAL_DEPTH - 1,
    newAddress: async () => chain.newAddress(),
    pay: async (to, units) => chain.pay([{ to, units }]),
    payAll: async (payments) => chain.pay(payments),
    mine: async (blocks) => chain.mine(blocks),
    reorg: async (depth, without) => {
      // Like a real chain's: what was handed over signed returns to the pool, the rest is spent otherwise.
      const returned = without.filter((hash) =>
        chain.blockOf(hash)!.transactions.some((one) => one.hash === hash && one.debits.length > 0),
      )
      chain.reorganise(depth, { returned, lost: without.filter((hash) => !returned.includes(hash)) })
    },
  }
}

const conflictingSpends = async (
  { chain }: SimulatedChain,
  to: string,
  units: bigint,
): Promise<ConflictingTransactions> => {
  const coin = { txid: chain.pay([{ to: chain.newAddress(), units: 1_000_000n }]), vout: 0, units: 1_000_000n }
  chain.mine()
  const change = scriptTo(chain.newAddress())
  const pay = (fee: bigint) => {
    const outputs = [
      { script: scriptTo(to), units },
      { script: change, units: coin.units - units - fee },
    ]
    const raw = serialize(coin, outputs)
    const parsed = parseTransaction(Buffer.from(raw, 'hex'))
    if (isRefused(parsed)) throw new Error(parsed.message)
    return { raw, hash: parsed.txid }
  }
  return { first: pay(2_000n), cheaper: pay(1_500n), dearer: pay(20_000n) }
}

const conflictingCalls = async (
  { chain }: SimulatedChain,
  to: string,
  value: bigint,
): Promise<ConflictingTransactions> => {
  const account = privateKeyToAccount(`0x${chain.head.hash.slice(2)}`)
  chain.pay([{ to: account.address, units: 10n ** 18n }])
  chain.mine()
  const sign = async (gasPrice: bigint, units: bigint) => {
    const raw = await account.signTransaction({
      type: 'legacy',
      chainId: Number(CHAIN_ID),
      nonce: 0,
      gas: 21_000n,
      gasPrice,
      to: to as `0x${string}`,
      value: units,
    })
    return { raw, hash: transactionHash(fromHex(raw)) }
  }
  return {
    first: await sign(5n * GWEI, value),
    cheaper: await sign(5n * GWEI, value + 1n),
    dearer: await sign(9n * GWEI, value),
  }
}

const contractsOf = ({ adapter, chain }: SimulatedChain): ContractWorld => ({
  adapter,
  token: TOKEN,
  feeToken: FEE_TOKEN,
  lookAlike: LOOK_ALIKE,
  decimals: 6,
  payToken: async (contract, to, units) => {
    const arrives = contract === FEE_TOKEN ? units - units / 100n : units
    return chain.pay([{ to, units: arrives, contract: contract.toLowerCase() }])
  },
  payInside: async (payments) => chain.pay(payments.map((payment) => ({ ...payment, inner: true }))),
  payInRevertedCall: async () => chain.pay([]),
  payThenRevert: async (to, units) => chain.pay([{ to, units }], { fails: true }),
  payByDestruction: async (to, units) => chain.pay([{ to, units, inner: true }]),
  calls: { adapter, impossible: { from: chain.newAddress(), to: LOOK_ALIKE, value: 1n, data: '0x12345678' } },
})
