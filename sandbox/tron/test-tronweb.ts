/**
 * tronweb, unmodified, on a chain of the test's own; types of what the tests read from its answers. Only tests of the
 * sandbox use it.
 */
import { TronWeb } from 'tronweb'
import type { Types } from 'tronweb'
import { faucet, startTronChain } from './index.ts'
import type { TronChain, TronChainOptions } from './index.ts'

export interface TestChain extends TronChain {
  /** Signs as the faucet. */
  readonly web: TronWeb
}

export interface Wallet {
  readonly address: string
  readonly hex: string
  readonly key: string
}

/** Only what the tests read; all of it may be absent. */
export interface Info {
  readonly id?: string
  readonly fee?: number
  readonly blockNumber?: number
  readonly result?: string
  readonly resMessage?: string
  readonly contract_address?: string
  readonly contractResult?: readonly string[]
  readonly receipt?: {
    readonly result?: string
    readonly energy_usage?: number
    readonly energy_fee?: number
    readonly origin_energy_usage?: number
    readonly energy_usage_total?: number
    readonly net_usage?: number
    readonly net_fee?: number
  }
  readonly log?: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[]
  readonly internal_transactions?: readonly {
    readonly caller_address: string
    readonly transferTo_address: string
    readonly callValueInfo: readonly { readonly callValue?: number }[]
    readonly note: string
    readonly rejected?: boolean
  }[]
  readonly withdraw_expire_amount?: number
}

export const startTest = async (options: Partial<TronChainOptions> = {}): Promise<TestChain> => {
  const chain = await startTronChain({ port: 0, automine: true, log: (line) => console.error(line), ...options })
  return { ...chain, web: webOf(chain.url, faucet.key) }
}

export const webOf = (url: string, privateKey: string): TronWeb => new TronWeb({ fullHost: url, privateKey })

/** A new account with a random key; with TRX when an amount is named. */
export const walletOf = async (chain: TestChain, trx?: string): Promise<Wallet> => {
  const { address, privateKey } = await chain.web.createAccount()
  if (trx !== undefined) await chain.fund({ ticker: 'TRX', to: address.base58, amount: trx })
  return { address: address.base58, hex: address.hex.toLowerCase(), key: privateKey }
}

export const infoOf = async (chain: TestChain, id: string): Promise<Info> =>
  (await chain.web.trx.getUnconfirmedTransactionInfo(id)) as unknown as Info

type Built = Types.Transaction | { readonly transaction: Types.Transaction }

/** Signs and broadcasts. Returns the node's answer. */
export const send = async (chain: TestChain, built: Built, key: string): Promise<Verdict> => {
  const transaction = 'transaction' in built ? built.transaction : built
  return (await chain.web.trx.sendRawTransaction(await chain.web.trx.sign(transaction, key))) as unknown as Verdict
}

export interface Verdict {
  readonly result?: boolean
  readonly code?: string
  readonly message?: string
  readonly txid: string
}

/** The same, which must be taken; returns what it did. */
export const sendAndRead = async (
  chain: TestChain,
  built: Built,
  key: string,
): Promise<Info & { readonly id: string }> => {
  const verdict = await send(chain, built, key)
  if (verdict.result !== true)
    throw new Error(`refused: ${verdict.code} ${textOf(verdict.message)} ${JSON.stringify(verdict).slice(0, 3000)}`)
  return { ...(await infoOf(chain, verdict.txid)), id: verdict.txid }
}

/** Messages come in hexadecimal. */
export const textOf = (hex = ''): string => Buffer.from(hex, 'hex').toString('utf8')

export const post = async (url: string, path: string, body: unknown): Promise<Record<string, unknown>> => {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return (await response.json()) as Record<string, unknown>
}

export const tokenTransfer = (
  chain: TestChain,
  token: string,
  from: Wallet,
  to: string,
  units: number,
  feeLimit = 100_000_000,
): Promise<Built> =>
  chain.web.transactionBuilder.triggerSmartContract(
    token,
    'transfer(address,uint256)',
    { feeLimit },
    [
      { type: 'address', value: to },
      { type: 'uint256', value: units },
    ],
    from.hex,
  )
