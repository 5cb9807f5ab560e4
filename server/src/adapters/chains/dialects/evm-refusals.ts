/**
 * Invalid transactions to broadcast to a node of a test network, to compare its refusals. No chain accepts any of them.
 */
import { serializeSigned, toHex, type LegacyTransaction } from '@bursar/chainkit/evm'
import { R } from '../evm/authorizations.ts'
import { readHead } from '../evm/heads.ts'
import { hashOf, quantity, quantityOf } from '../evm/quantity.ts'
import { verdictOf, type Verdict } from '../evm/verdicts.ts'
import type { Rpc } from '../rpc.ts'
import { listOf, objectOf, textOf } from '../shape.ts'
import { agrees, described, isNew, unknown, type Comparison, type Question } from './comparison.ts'

/** Sepolia, Hoodi, Holesky; BSC's test network; development chains. */
const TEST_CHAINS = new Set([11_155_111, 560_048, 17_000, 97, 1_337, 31_337, 31_356])

export const isTestChain = (chainId: number): boolean => TEST_CHAINS.has(chainId)

const METHOD = 'eth_sendRawTransaction'
const PLAIN_GAS = 21_000n
const RECEIVER = `0x${'0'.repeat(36)}dead` as const
/** Number of blocks, from the head down, to search for a transaction. */
const LOOK_BACK = 20

/**
 * Transactions from accounts without coin whose keys are unknown: their signatures use the generator of the curve, so
 * that the signer follows from the message. Then one that is mined already. The node chooses which of several faults it
 * reports.
 */
export const evmRefusals = (rpc: Rpc, chainId: number): Question[] => {
  const price = (): Promise<bigint> => rpc.read('eth_gasPrice', [], (result) => quantityOf(result, 'the price'))
  return [
    question(rpc, 'sending: without funds', ['insufficient-funds'], async () =>
      rawOf({ chainId: BigInt(chainId), gasPrice: 2n * (await price()) + 1n }),
    ),
    question(rpc, 'sending: for 1 wei of gas', ['fee-too-low', 'insufficient-funds'], async () =>
      rawOf({ chainId: BigInt(chainId), gasPrice: 1n }),
    ),
    question(rpc, 'sending: of another chain', ['invalid', 'insufficient-funds'], async () =>
      rawOf({ chainId: BigInt(chainId) + 1n, gasPrice: 2n * (await price()) + 1n }),
    ),
    question(rpc, 'sending: no transaction', ['invalid'], async () => '0x01'),
    question(rpc, 'sending: mined already', ['nonce-used', 'known'], () => minedRaw(rpc)),
  ]
}

const rawOf = ({ chainId, gasPrice }: Pick<LegacyTransaction, 'chainId' | 'gasPrice'>): string =>
  toHex(
    serializeSigned(
      { type: 'legacy', chainId, nonce: 0n, gasPrice, gas: PLAIN_GAS, to: RECEIVER, value: 0n, data: '0x' },
      { r: BigInt(R), s: 1n, yParity: 0 },
    ),
  )

/** Bytes of a mined transaction. Undefined when the newest blocks have none, or the node does not return its bytes. */
const minedRaw = async (rpc: Rpc): Promise<string | undefined> => {
  const { height } = await readHead(rpc)
  for (let at = height; at > Math.max(0, height - LOOK_BACK); at -= 1) {
    const hash = await rpc.read('eth_getBlockByNumber', [quantity(at), false], (result) => {
      const [first] = listOf(objectOf(result, 'the block')['transactions'], 'transactions')
      return first === undefined ? undefined : hashOf(first, 'a transaction')
    })
    if (hash === undefined) continue
    const answer = await rpc.ask({ method: 'eth_getRawTransactionByHash', params: [hash] })
    return answer.ok && answer.result !== null ? textOf(answer.result, 'its bytes') : undefined
  }
  return undefined
}

const question = (
  rpc: Rpc,
  row: string,
  expected: readonly Verdict[],
  make: () => Promise<string | undefined>,
): Question => ({
  row,
  compare: async (): Promise<Omit<Comparison, 'row'>> => {
    const raw = await make()
    if (raw === undefined) return unknown('the node shows no bytes of a mined transaction')
    const answer = await rpc.ask({ method: METHOD, params: [raw] }, { attempts: 1 })
    if (answer.ok) return isNew(described(answer))
    const verdict = verdictOf(answer.code, answer.message)
    const text = `${described(answer)}, which is taken for ${verdict}`
    return expected.includes(verdict) ? agrees(text) : isNew(text)
  },
})
