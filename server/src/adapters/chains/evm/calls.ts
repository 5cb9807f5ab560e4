import { DECIMALS_CALL, decodeUint, isHex } from '@bursar/chainkit/evm'
import type { AccountChainAdapter } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { Malformed, textOf } from '../shape.ts'
import { countOf, quantity, quantityOf } from './quantity.ts'

type GasEstimate = Awaited<ReturnType<AccountChainAdapter['estimateGas']>>

const REVERTED = 3
/** How nodes say that the call itself would fail. Anything else they refuse says nothing of the call. */
const WOULD_REVERT = /revert|invalid opcode|out of gas|gas required exceeds|stack (under|over)flow|bad jump/i
const NO_FUNDS = /insufficient ?(funds|balance)/i

export const estimateGas = async (
  rpc: Rpc,
  { from, to, value, data }: Parameters<AccountChainAdapter['estimateGas']>[0],
): Promise<GasEstimate> => {
  const answer = await rpc.ask({ method: 'eth_estimateGas', params: [{ from, to, value: quantity(value), data }] })
  if (answer.ok)
    return { ok: true, gas: rpc.believe('eth_estimateGas', () => quantityOf(answer.result, 'the estimate')) }
  const { code, message } = answer
  if (NO_FUNDS.test(message)) return { ok: false, reason: 'insufficient-funds', message }
  if (code === REVERTED || WOULD_REVERT.test(message)) return { ok: false, reason: 'reverted', message }
  throw rpc.unavailable('eth_estimateGas', `refused: ${message} (${code})`)
}

export const readMinedNonce = (rpc: Rpc, address: string): Promise<number> =>
  rpc.read('eth_getTransactionCount', [address, 'latest'], (result) => countOf(result, 'the nonce'))

/** What an account that delegates to code holds in place of code (EIP-7702): whoever has its key still commands it. */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/i

export const readCode = (rpc: Rpc, address: string): Promise<string> =>
  rpc.read('eth_getCode', [address, 'latest'], (result) => {
    const code = textOf(result, 'the code').toLowerCase()
    if (!isHex(code)) throw new Malformed('the code is no hex')
    return code
  })

export const readIsContract = async (rpc: Rpc, address: string): Promise<boolean> => {
  const code = await readCode(rpc, address)
  return code !== '0x' && !DELEGATION.test(code)
}

export const callWithCode = async (
  rpc: Rpc,
  call: { to: string; data: string },
  code: Readonly<Record<string, string>>,
): Promise<string | null> => {
  const overrides = Object.fromEntries(Object.entries(code).map(([address, text]) => [address, { code: text }]))
  const answer = await rpc.ask({ method: 'eth_call', params: [call, 'latest', overrides] })
  return answer.ok ? rpc.believe('eth_call', () => textOf(answer.result, 'the answer').toLowerCase()) : null
}

/** ERC-20 has it as uint8. */
const MOST_DECIMALS = 255n

export const readTokenDecimals = (rpc: Rpc, contract: string): Promise<number> =>
  rpc.read('eth_call', [{ to: contract, data: DECIMALS_CALL }, 'latest'], (result) => {
    const decimals = decodeUint(textOf(result, 'the answer'))
    if (decimals === undefined || decimals > MOST_DECIMALS)
      throw new RangeError(`${contract} is no token with decimals()`)
    return Number(decimals)
  })
