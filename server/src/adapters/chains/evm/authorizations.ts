import type { RpcAnswer } from '../rpc-answer.ts'
import type { Rpc } from '../rpc.ts'
import { quantity, quantityOf } from './quantity.ts'

const METHOD = 'eth_estimateGas'
/**
 * The generator's x coordinate on secp256k1. With it every small `s` makes a valid signature of an account whose key
 * is unknown.
 */
export const R = '0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
const MOST_S = 2 ** 48
/** Non-empty data, because nodes treat a transaction without data as a plain payment and count nothing else. */
const DATA = '0x00'
/**
 * Codes of JSON-RPC 2.0, and of EIP-1474 for a failing call: the node or the chain's rules do not support
 * authorisations.
 */
const NOT_COUNTED = new Set([-32_602, -32_000, -32_003, 3])

/**
 * Estimates the gas of one more authorisation as the difference of two estimates. Its signer differs each time, so that
 * it is an account without history, the most expensive case.
 * @param height of the block whose rules and state apply
 */
export const estimateAuthorization = async (
  rpc: Rpc,
  from: string,
  height: number,
  random: () => number,
): Promise<bigint | undefined> => {
  const call = { from, to: from, value: '0x0', data: DATA }
  const s = quantity(Math.floor(random() * MOST_S) + 1)
  const authorizationList = [{ chainId: '0x0', address: from, nonce: '0x0', yParity: '0x0', r: R, s }]
  const [plain, more] = await rpc.askAll(
    [call, { ...call, authorizationList }].map((one) => ({ method: METHOD, params: [one, quantity(height)] })),
  )
  const gasOf = (answer: RpcAnswer): bigint => {
    if (!answer.ok) throw rpc.unavailable(METHOD, `refused: ${answer.message} (${answer.code})`)
    return rpc.believe(METHOD, () => quantityOf(answer.result, 'the estimate'))
  }
  const less = gasOf(plain!)
  if (!more!.ok && NOT_COUNTED.has(more!.code)) return undefined
  const all = gasOf(more!)
  return all > less ? all - less : undefined
}
