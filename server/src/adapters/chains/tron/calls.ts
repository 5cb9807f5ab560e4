import { DECIMALS_CALL, decodeUint } from '@bursar/chainkit/evm'
import { evmFormOf, hexOfAddress, type Contract } from '@bursar/chainkit/tron'
import { freezeCalls } from '../freezes.ts'
import { NoDecimals } from '../port.ts'
import { listOf, Malformed, objectOf, textOf } from '../shape.ts'
import { amountOf, addressOf, messageOf, type Fields } from './fields.ts'
import { readOrNothing } from './heads.ts'
import type { Method, TronNode } from './node.ts'

type Call = Pick<Extract<Contract, { kind: 'TriggerSmartContract' }>, 'owner' | 'contract' | 'callValue' | 'data'>

export type EnergyEstimate =
  | {
      ok: true
      /** energy used by the run, including a contract's dynamic factor */
      energy: bigint
      /** energy that the fee limit must cover: at least `energy`, or the node's estimate if that is higher */
      limit: bigint
    }
  | { ok: false; reason: 'reverted' | 'insufficient-funds'; message: string }

const CONSTANT = 'wallet/triggerconstantcontract'
const ESTIMATE = 'wallet/estimateenergy'
const NO_FUNDS = /balance is not sufficient|insufficient balance|no OwnerAccount/i

/**
 * Functions that are called by name, because some nodes accept no raw data, and `estimateenergy` of java-tron 4.7
 * silently drops it and estimates an empty call.
 */
const NAMES: Readonly<Record<string, string>> = {
  a9059cbb: 'transfer(address,uint256)',
  '70a08231': 'balanceOf(address)',
  '313ce567': 'decimals()',
  e47d6060: 'isBlackListed(address)',
  fe575a87: 'isBlacklisted(address)',
}

/** Builds the request. A number that is not safe in JSON fails here, so that the node never sees a different amount. */
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
 * Estimates the energy of this call now, by running it, which also shows whether it would fail. Nodes with
 * `vm.estimateEnergy` also report the energy that must be at hand while it runs, which may be higher. Its resolution is
 * one TRX of fee (`Wallet.java` of java-tron), so it is not used as the cost.
 */
export const estimateEnergy = async (node: TronNode, call: Call): Promise<EnergyEstimate> => {
  const run = await runCall(node, CONSTANT, call)
  if (!run.ok) return run
  const required = await readRequired(node, call)
  return { ok: true, energy: run.energy, limit: required > run.energy ? required : run.energy }
}

/** Energy of a token call with another receiver; 0 when it can't be determined. */
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
 * java-tron's message for code that failed other than by REVERT, with the name of the exception
 * (`Wallet.callConstantContract`, `TriggerConstantContractServlet`). Running out of time is a problem of the node, like
 * any other name.
 */
const CODE_FAILED = /^class org\.tron\.core\.vm\.program\.Program\$(?!OutOfTimeException)\w+Exception\b/

/**
 * Refusal of a call whose code ran and failed, or whose sender lacks TRX. A node that executes no calls
 * (`vm.supportConstant` is off by default), or has not seen the contract's creation yet, rejects the call as invalid
 * (`Wallet.java`). That proves nothing, so it throws `Malformed`.
 */
const refusalOf = (contract: string, code: string, message: string): Refused => {
  // First, because messages of the receiver's code must not be read as a lack of funds, which would stop all other
  // payments too.
  if (code === 'OTHER_ERROR' && CODE_FAILED.test(message)) return { ok: false, reason: 'reverted', message }
  if (NO_FUNDS.test(message)) return { ok: false, reason: 'insufficient-funds', message }
  throw new Malformed(`a call of ${contract} is refused: ${message} (${code})`)
}

/** 0 when the node does not estimate (`vm.estimateEnergy` is off by default). */
const readRequired = async (node: TronNode, call: Call): Promise<bigint> => {
  const answer = await node.ask(ESTIMATE, bodyOf(call))
  return node.believe(ESTIMATE, () => {
    const { result, energy_required: required } = objectOf(answer, 'the answer')
    const isGiven = result !== undefined && objectOf(result, 'the result')['result'] === true
    return isGiven ? amountOf(required, 'energy_required') : 0n
  })
}

/** Calls a read-only function; any address may be the caller. */
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

/** `decimals` is a uint8 in TRC-20. */
const MOST_DECIMALS = 255n

export const readTokenDecimals = async (node: TronNode, contract: string): Promise<number> => {
  const decimals = await readNumber(node, CONSTANT, contract, DECIMALS_CALL)
  if (decimals === undefined || decimals > MOST_DECIMALS)
    throw new NoDecimals(node.unavailable(CONSTANT, `${contract} is no token with decimals()`).message)
  return Number(decimals)
}

/**
 * Whether an account is frozen. When the contract itself rejects both queries, it has no list of frozen accounts, and
 * the answer is false.
 */
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
