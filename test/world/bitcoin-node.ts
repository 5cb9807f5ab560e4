/** A bitcoind with a faucet, behind the adapter. */
import { isRefused } from '@bursar/chainkit'
import { btcText, parseAddress } from '@bursar/chainkit/bitcoin'
import type { Bitcoind } from '../../sandbox/bitcoind/index.ts'
import { openWallet } from '../../sandbox/chains/bitcoin-wallet.ts'
import { openBitcoin } from '../../sandbox/chains/bitcoin.ts'
import type { Rpc } from '../../sandbox/rpc.ts'
import type { ChainWorld, ConflictingTransactions } from '../../server/src/adapters/chains/conformance.ts'
import { createBitcoinAdapter, type BitcoinAdapterSettings } from '../../server/src/adapters/chains/bitcoin/index.ts'
import { spend, takeCoin, type TestOutput } from './bitcoin-transaction.ts'

export const REGTEST_GENESIS = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206'

export interface BitcoinWorld extends ChainWorld {
  node: Bitcoind
  faucet: Rpc
  conflicting(to: string, units: bigint): Promise<ConflictingTransactions>
  /** Hands a transaction of the faucet with these outputs to the node; answers its hash. */
  payScripts(outputs: readonly TestOutput[]): Promise<string>
}

export const SETTINGS: Omit<BitcoinAdapterSettings, 'url'> = {
  chain: 'regtest',
  finalDepth: 6,
  fees: { floor: 1_000n, cap: 300_000n },
  random: () => 0,
}

export const urlOf = ({ url, user, password }: Bitcoind): string => url.replace('//', `//${user}:${password}@`)

export const scriptTo = (address: string): Uint8Array => {
  const parsed = parseAddress(address, 'regtest')
  if (isRefused(parsed)) throw new Error(parsed.message)
  return parsed.script
}

export const openBitcoinWorld = async (node: Bitcoind): Promise<BitcoinWorld> => {
  const chain = await openBitcoin(node)
  const faucet = node.walletRpc('faucet')
  const payScripts = async (outputs: readonly TestOutput[]): Promise<string> => {
    const { raw } = await spend(faucet, await takeCoin(faucet), outputs, 10_000n)
    return node.rpc('sendrawtransaction', raw)
  }
  const conflicting: BitcoinWorld['conflicting'] = (to, units) => makeConflicting(node, faucet, to, units)
  return {
    node,
    faucet,
    payScripts,
    adapter: createBitcoinAdapter({ ...SETTINGS, url: urlOf(node) }),
    identity: REGTEST_GENESIS,
    finalBelow: SETTINGS.finalDepth - 1,
    newAddress: () => chain.newAddress(),
    pay: (to, units) => chain.pay({ ticker: 'BTC', to, amount: btcText(units) }),
    payAll: (payments) => payScripts(payments.map(({ to, units }) => ({ script: scriptTo(to), units }))),
    mine: async (blocks) => void (await chain.mine(blocks)),
    reorg: async (depth, without) => void (await chain.reorg({ depth, without })),
    conflicting,
    payment: async (to, units) => (await conflicting(to, units)).first,
  }
}

/** Of a wallet that is not the faucet's, so that a reorganisation puts them back into the pool. */
const makeConflicting = async (
  node: Bitcoind,
  faucet: Rpc,
  to: string,
  units: bigint,
): Promise<ConflictingTransactions> => {
  const wallet = await openWallet(node, 'conflicting')
  await faucet('send', [{ [await wallet<string>('getnewaddress')]: '1' }], null, 'unset', 5)
  await node.rpc('generatetoaddress', 1, await faucet('getnewaddress'))
  const coin = await takeCoin(wallet)
  const pay = (fee: bigint) => spend(wallet, coin, [{ script: scriptTo(to), units }], fee)
  return { first: await pay(2_000n), cheaper: await pay(1_500n), dearer: await pay(20_000n) }
}
