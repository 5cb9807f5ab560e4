import type { AccountState } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { estimateAuthorization } from './authorizations.ts'
import { readBalancesIn } from './balances.ts'
import { estimateGas, readCode, readMinedNonce } from './calls.ts'
import { byHash, readHead } from './heads.ts'

/** The head's state; every query names the head by its hash. */
export const readStateFrom = async (rpc: Rpc, least: number, random: () => number): Promise<AccountState> => {
  const head = await readHead(rpc)
  if (head.height < least)
    throw rpc.unavailable(
      'eth_getBlockByNumber',
      `the node shows block ${head.height} as its newest, and block ${least} has been read before`,
    )
  return {
    head,
    balances: (wanted) => readBalancesIn(rpc, head, wanted),
    minedNonce: (address) => readMinedNonce(rpc, address, byHash(head)),
    codeAt: (address) => readCode(rpc, address, byHash(head)),
    estimateGas: (call) => estimateGas(rpc, call, head.height),
    authorizationGas: (from) => estimateAuthorization(rpc, from, head.height, random),
  }
}
