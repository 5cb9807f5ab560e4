/** The sandbox's client of its TRON chain: java-tron's HTTP API, and the chain's own controls under `/sandbox`. */
import { Refusal } from '../http/refusal.ts'

export interface TronApi {
  /** `wallet/...` and `walletsolidity/...`, addresses in base58. Throws an Error with the node's message. */
  ask<T>(path: string, fields?: object): Promise<T>
  /** `sandbox/...`. Throws the chain's Refusal. */
  control<T>(name: string, fields?: object): Promise<T>
}

export interface TronStatus {
  readonly height: number
  readonly id: string
  readonly solidHeight: number
  /** Ids of the transactions that wait for a block. */
  readonly pending: readonly string[]
  readonly faucet: { readonly address: string; readonly key: string }
  readonly tokens: readonly { readonly ticker: string; readonly decimals: number; readonly token: string }[]
}

export interface TronBlock {
  readonly blockID: string
  readonly block_header: { readonly raw_data: { readonly timestamp: number } }
  readonly transactions?: readonly TronTransaction[]
}

export interface TronTransaction {
  readonly txID: string
  readonly raw_data: {
    readonly contract: readonly [{ readonly parameter: { readonly value: { readonly owner_address: string } } }]
  }
}

const timeoutMs = 30_000

export function openTronApi(url: string): TronApi {
  const post = async (path: string, fields: object): Promise<unknown> => {
    const response = await fetch(`${url}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return response.json()
  }
  return {
    ask: async <T>(path: string, fields: object = {}) => {
      const answer = (await post(path, { ...fields, visible: true })) as { Error?: string }
      if (answer.Error !== undefined) throw new Error(`${path}: ${answer.Error}`)
      return answer as T
    },
    control: async <T>(name: string, fields: object = {}) => {
      const answer = (await post(`sandbox/${name}`, fields)) as { code?: number; description?: string; Error?: string }
      if (answer.description !== undefined) throw new Refusal(answer.description, { code: answer.code ?? 100 })
      if (answer.Error !== undefined) throw new Error(`sandbox/${name}: ${answer.Error}`)
      return answer as T
    },
  }
}
