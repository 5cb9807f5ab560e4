import type { Head } from '@bursar/chainkit'
import { decodeUint, encodeBalanceOf } from '@bursar/chainkit/evm'
import type { Rpc, RpcCall } from '../rpc.ts'
import { Malformed, textOf } from '../shape.ts'
import { byHash, readHeadAt, type BlockName } from './heads.ts'
import { quantityOf } from './quantity.ts'

interface Wanted {
  address: string
  contract: string | null
}

/** Balances at one block of the best chain. */
export const readBalances = async (rpc: Rpc, height: number, wanted: readonly Wanted[]): Promise<bigint[]> => {
  if (wanted.length === 0) return []
  const block = await readHeadAt(rpc, height)
  if (!block) throw rpc.unavailable('eth_getBalance', `the chain has no block ${height} yet`)
  return readBalancesIn(rpc, block, wanted)
}

/** Balances at a block identified by its hash, so that all are of one fork, whichever machine answers. */
export const readBalancesIn = async (rpc: Rpc, block: Head, wanted: readonly Wanted[]): Promise<bigint[]> => {
  if (wanted.length === 0) return []
  const answers = await rpc.askAll(wanted.map((one) => balanceCall(one, byHash(block))))
  return answers.map((answer, i) => {
    const { address, contract } = wanted[i]!
    const method = contract === null ? 'eth_getBalance' : 'eth_call'
    if (!answer.ok)
      throw rpc.unavailable(method, `no balance of ${address} at ${block.height}: ${answer.message} (${answer.code})`)
    return rpc.believe(method, () =>
      contract === null ? quantityOf(answer.result, 'the balance') : unitsOf(answer.result, contract),
    )
  })
}

const balanceCall = ({ address, contract }: Wanted, at: BlockName): RpcCall =>
  contract === null
    ? { method: 'eth_getBalance', params: [address, at] }
    : { method: 'eth_call', params: [{ to: contract, data: encodeBalanceOf(address) }, at] }

const unitsOf = (result: unknown, contract: string): bigint => {
  const units = decodeUint(textOf(result, 'the balance'))
  if (units === undefined) throw new Malformed(`${contract} answers no balance: is it a token?`)
  return units
}
