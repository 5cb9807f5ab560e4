import { DECIMALS_CALL, decodeUint } from '@bursar/chainkit/evm'
import { evmFormOf, hexOfAddress, type Contract } from '@bursar/chainkit/tron'
import { freezeCalls } from '../freezes.ts'
import { listOf, Malformed, objectOf, textOf } from '../shape.ts'
import { amountOf, addressOf, messageOf, type Fields } from './fields.ts'
import { readOrNothing } from './heads.ts'
import type { Method, TronNode } from './node.ts'

type Call = Pick<Extract<Contract, { kind: 'TriggerSmartContract' }>, 'owner' | 'contract' | 'callValue' | 'data'>

export type EnergyEstimate =
  | {
      ok: true
      /** what the run took, a contract's dynamic factor included */
      energy: bigint
      /** what has to be allowed to it: at least that, and what the node says must be at hand */
      limit: bigint
    }
  | { ok: false; reason: 'reverted' | 'insufficient-funds'; message: string }

const CONSTANT = 'wallet/triggerconstantcontract'
const ESTIMATE = 'wallet/estimateenergy'
const NO_FUNDS = /balance is not sufficient|insufficient balance|no OwnerAccount/i

/**
 * What nodes are asked by its name: some take no bare data, and `estimateenergy` of java-tron 4.7 drops it without a
 * word and estimates an empty call.
 */
const NAMES: Readonly<Record<string, string>> = {
  a9059cbb: 'transfer(address,uint256)',
  '70a08231': 'balanceOf(address)',
  '313ce567': 'decimals()',
  e47d6060: 'isBlackListed(address)',
  fe575a87: 'isBlacklisted(address)',
}

/** Numbers must be safe in JSON: what is not fails here, and not as another amount at the node. */
const bodyOf = ({ owner, contract, callValue, data }: Call): Fields => {
  if (callValue > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('this much TRX is not sent with a call')
  const [selector, parameter] = [data.slice(2, 10), data.slice(10)]
  const name = NAMES[selector]
  return {
    owner_address: hexOfAddress(owner),
    contract_address: hexOfAddress(contract),
    ...(name === undefined ? { data: data.slice(2) } : { function_selector: name, parameter }),
    call_value: Number(callValue),
  }
}

/**
 * Energy that this very call takes now. The run tells whether it would fail. Nodes with `vm.estimateEnergy` also say
 * what has to be at hand while it runs, which may be more; they know that to one TRX of fee only (`Wallet.java` of
 * java-tron), so it is no measure of the cost.
 */
export const estimateEnergy = async (node: TronNode, call: Call): Promise<EnergyEstimate> => {
  const run = await runCall(node, CONSTANT, call)
  if (!run.ok) return run
  const required = await readRequired(node, call)
  return { ok: true, energy: run.energy, limit: required > run.energy ? required : run.energy }
}

/** Energy that a call of a token would take with another receiver; 0 where that says nothing. */
export const readEnergyOf = async (node: TronNode, call: Call): Promise<bigint> => {
  const run = await runCall(node, CONSTANT, call)
  return run.ok ? run.energy : 0n
}

type Refused = Extract<EnergyEstimate, { ok: false }>
type Run = { ok: true; energy: bigint; answer: string } | Refused

/** Runs a call without a transaction. Throws `ChainUnavailable` when the node does not run it. */
const runCall = async (node: TronNode, method: Method, call: Call): Promise<Run> => {
  const answer = await node.read(method, bodyOf(call), (fields) => fields)
  return node.believe(method, () => {
    const { code, message } = objectOf(answer['result'], 'the result')
    const text = messageOf(message)
    if (code !== undefined && code !== 'SUCCESS') return refusalOf(call.contract, messageOf(code), text)
    const [ret] = listOf(objectOf(answer['transaction'] ?? {}, 'the transaction')['ret'] ?? [], 'ret')
    const failed = ret !== undefined && objectOf(ret, 'ret')['ret'] === 'FAILED'
    if (failed) return { ok: false, reason: NO_FUNDS.test(text) ? 'insufficient-funds' : 'reverted', message: text }
    const [result] = listOf(answer['constant_result'], 'constant_result')
    return {
      ok: true,
      energy: amountOf(answer['energy_used'], 'energy_used'),
      answer: textOf(result ?? '', 'the result'),
    }
  })
}

/**
 * How java-tron answers for code that failed otherwise than by REVERT, with the name of the exception
 * (`Wallet.callConstantContract`, `TriggerConstantContractServlet`). Running out of time is the node's trouble, as is
 * what has another name.
 */
const CODE_FAILED = /^class org\.tron\.core\.vm\.program\.Program\$(?!OutOfTimeException)\w+Exception\b/

/**
 * Only code that ran and failed says something of the call. A node that runs no calls (`vm.supportConstant` is off by
 * default) or is behind the contract's creation refuses it as invalid (`Wallet.java`): nothing is concluded.
 */
const refusalOf = (contract: string, code: string, message: string): Refused => {
  // First: words of the receiver's own code must not say that we are short, since then no other payment is made either.
  if (code === 'OTHER_ERROR' && CODE_FAILED.test(message)) return { ok: false, reason: 'reverted', message }
  if (NO_FUNDS.test(message)) return { ok: false, reason: 'insufficient-funds', message }
  throw new Malformed(`a call of ${contract} is refused: ${message} (${code})`)
}

/** 0 where the node does not estimate (`vm.estimateEnergy` is off by default). */
const readRequired = async (node: TronNode, call: Call): Promise<bigint> => {
  const answer = await node.ask(ESTIMATE, bodyOf(call))
  return node.believe(ESTIMATE, () => {
    const { result, energy_required: required } = objectOf(answer, 'the answer')
    const isGiven = result !== undefined && objectOf(result, 'the result')['result'] === true
    return isGiven ? amountOf(required, 'energy_required') : 0n
  })
}

/** Anybody can be the caller of what only reads. */
const readNumber = async (
  node: TronNode,
  method: Method,
  contract: string,
  data: `0x${string}`,
): Promise<bigint | undefined> => {
  const run = await runCall(node, method, { owner: contract, contract, callValue: 0n, data })
  return run.ok ? decodeUint(`0x${run.answer}`) : undefined
}

export const readTokenUnits = async (node: TronNode, contract: string, data: `0x${string}`): Promise<bigint> => {
  const method = 'walletsolidity/triggerconstantcontract'
  const units = await readNumber(node, method, contract, data)
  if (units === undefined) throw node.unavailable(method, `${contract} answers no balance: is it a token?`)
  return units
}

/** TRC-20 has it as uint8. */
const MOST_DECIMALS = 255n

export const readTokenDecimals = async (node: TronNode, contract: string): Promise<number> => {
  const decimals = await readNumber(node, CONSTANT, contract, DECIMALS_CALL)
  if (decimals === undefined || decimals > MOST_DECIMALS)
    throw node.unavailable(CONSTANT, `${contract} is no token with decimals()`)
  return Number(decimals)
}

/** False only when the contract itself refuses both questions: it has no such list. */
export const readIsFrozen = async (node: TronNode, contract: string, address: string): Promise<boolean> => {
  for (const data of freezeCalls(evmFormOf(address))) {
    const frozen = await readNumber(node, CONSTANT, contract, data)
    if (frozen !== undefined) return frozen !== 0n
  }
  return false
}

export const readIsContract = async (node: TronNode, address: string): Promise<boolean> => {
  const found = await readOrNothing(node, 'wallet/getcontract', { value: hexOfAddress(address) }, (contract) => {
    if (addressOf(contract['contract_address'], 'contract_address') !== address) throw new Malformed('another contract')
    return true
  })
  return found !== null
}
