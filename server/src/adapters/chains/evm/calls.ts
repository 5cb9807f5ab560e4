import { DECIMALS_CALL, decodeUint, isHex } from '@bursar/chainkit/evm'
import { freezeCalls } from '../freezes.ts'
import { NoDecimals, type AccountCall, type AccountChainAdapter, type GasEstimate } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { Malformed, objectOf, textOf } from '../shape.ts'
import type { BlockName } from './heads.ts'
import { countOf, hashOf, quantity, quantityOf } from './quantity.ts'
import { isShortOfFunds } from './verdicts.ts'

type DelegatedCall = Parameters<AccountChainAdapter['callDelegated']>[0]

const REVERTED = 3
/** Messages for a call that would fail. Other refusals do not concern the call. */
const WOULD_REVERT =
  /revert|invalid opcode|out of gas|gas required exceeds|stack (under|over)flow|stack limit reached|(bad|invalid) jump|write protection|return data out of bounds|gas uint64 overflow|^EVM error\b(?!.*OutOfFunds)/i
/** JSON-RPC 2.0: the node does not know the third parameter. */
const INVALID_PARAMS = -32_602
/** Messages for code that begins with an undefined opcode. */
const NO_SUCH_CODE = /opcode/i

/**
 * @param height of the block whose state is used (Besu accepts a number here, but no hash). The node's default when
 *   absent
 */
export const estimateGas = async (
  rpc: Rpc,
  { from, to, value, data }: AccountCall,
  height?: number,
): Promise<GasEstimate> => {
  const call = { from, to, value: quantity(value), data }
  const answer = await rpc.ask({
    method: 'eth_estimateGas',
    params: height === undefined ? [call] : [call, quantity(height)],
  })
  if (answer.ok)
    return { ok: true, gas: rpc.believe('eth_estimateGas', () => quantityOf(answer.result, 'the estimate')) }
  const { code, message } = answer
  // First, because a token's own revert reason may mention a balance too.
  if (code === REVERTED || WOULD_REVERT.test(message)) return { ok: false, reason: 'reverted', message }
  if (isShortOfFunds(message)) return { ok: false, reason: 'insufficient-funds', message }
  throw rpc.unavailable('eth_estimateGas', `refused: ${message} (${code})`)
}

export const readMinedNonce = (rpc: Rpc, address: string, at: BlockName = 'latest'): Promise<number> =>
  rpc.read('eth_getTransactionCount', [address, at], (result) => countOf(result, 'the nonce'))

/** Delegation designator, the code of a delegating account (EIP-7702). Its key still controls the account. */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/i

export const readCode = (rpc: Rpc, address: string, at: BlockName = 'latest'): Promise<string> =>
  rpc.read('eth_getCode', [address, at], (result) => hexOf(result, 'the code'))

const hexOf = (value: unknown, what: string): string => {
  const text = textOf(value, what).toLowerCase()
  if (!isHex(text)) throw new Malformed(`${what} is no hex`)
  return text
}

export const readIsContract = async (rpc: Rpc, address: string): Promise<boolean> => {
  const code = await readCode(rpc, address)
  return code !== '0x' && !DELEGATION.test(code)
}

export const callDelegated = async (
  rpc: Rpc,
  { address, delegate, code, data }: DelegatedCall,
): Promise<string | null> => {
  if (!(await knowsDelegation(rpc))) return null
  const overrides = { [address]: { code: `0xef0100${delegate.slice(2).toLowerCase()}` }, [delegate]: { code } }
  const answer = await rpc.ask({ method: 'eth_call', params: [{ to: address, data }, 'latest', overrides] })
  if (answer.ok) return rpc.believe('eth_call', () => hexOf(answer.result, 'the answer'))
  const { code: number, message } = answer
  if (number === REVERTED || number === INVALID_PARAMS || WOULD_REVERT.test(message) || NO_SUCH_CODE.test(message))
    return null
  throw rpc.unavailable('eth_call', `refused: ${message} (${number})`)
}

/**
 * Whether the chain supports delegation. Blocks have `requestsHash` (EIP-7685) since the fork that introduced it, on
 * Ethereum (Prague) and BSC (Pascal).
 */
const knowsDelegation = (rpc: Rpc): Promise<boolean> =>
  rpc.read('eth_getBlockByNumber', ['latest', false], (result) => {
    const { hash, requestsHash } = objectOf(result, 'the block')
    hashOf(hash, 'its hash')
    return requestsHash !== undefined && requestsHash !== null
  })

export const readIsFrozen = async (rpc: Rpc, contract: string, address: string): Promise<boolean> => {
  for (const data of freezeCalls(address)) {
    const answer = await rpc.ask({ method: 'eth_call', params: [{ to: contract, data }, 'latest'] })
    if (answer.ok) {
      const frozen = decodeUint(rpc.believe('eth_call', () => hexOf(answer.result, 'the answer')))
      if (frozen !== undefined) return frozen !== 0n
    } else if (answer.code !== REVERTED && !WOULD_REVERT.test(answer.message))
      throw rpc.unavailable('eth_call', `refused: ${answer.message} (${answer.code})`)
  }
  return false
}

/** `decimals` is a uint8 in ERC-20. */
const MOST_DECIMALS = 255n

export const readTokenDecimals = async (rpc: Rpc, contract: string): Promise<number> => {
  const answer = await rpc.ask({ method: 'eth_call', params: [{ to: contract, data: DECIMALS_CALL }, 'latest'] })
  if (!answer.ok && answer.code !== REVERTED && !WOULD_REVERT.test(answer.message))
    throw rpc.unavailable('eth_call', `refused: ${answer.message} (${answer.code})`)
  const decimals = answer.ok ? decodeUint(rpc.believe('eth_call', () => hexOf(answer.result, 'the answer'))) : undefined
  if (decimals === undefined || decimals > MOST_DECIMALS)
    throw new NoDecimals(rpc.unavailable('eth_call', `${contract} is no token with decimals()`).message)
  return Number(decimals)
}
