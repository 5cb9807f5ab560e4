/** Contract calls: built as transactions, or executed without one. */
import { bytesOf, concat, hexOf, hexOfText, keccak, textBytes } from '../bytes.ts'
import { sunOfATrx } from '../resources/stake.ts'
import { accountAt } from '../state/account.ts'
import { contractAt } from '../state/records.ts'
import { exceptionOf } from '../vm/exception.ts'
import type { Contract } from '../codec/contracts.ts'
import type { Json } from '../codec/json.ts'
import { InvalidContract } from '../blocks/refusal.ts'
import type { Run } from '../blocks/receipt.ts'
import { validateContract } from '../contracts/index.ts'
import { unsignedJson } from './build.ts'
import { internalJson, logJson } from '../views/info.ts'
import { JavaError } from './request.ts'
import type { Fields } from './request.ts'
import type { Routes } from './routes.ts'
import type { View } from './view.ts'

/** Maximum energy of a call without a transaction: java-tron's vm.maxEnergyLimitForConstant. */
const mostEnergy = 100_000_000n
const noTransaction = '0'.repeat(64)

export const callRoutes: Routes = {
  triggersmartcontract: (view, fields) => answering(fields, () => trigger(view, fields)),
  triggerconstantcontract: (view, fields) => answering(fields, () => constant(view, fields)),
  estimateenergy: (view, fields) => answering(fields, () => estimate(view, fields)),
}

const trigger = (view: View, fields: Fields): Json => {
  const contract = contractOf(fields)
  validateContract(view.context, contract)
  return {
    result: { result: true },
    transaction: unsignedJson(view, fields, contract, { feeLimit: fields.integer('fee_limit', 0n) }),
  }
}

/**
 * Source: java-tron Wallet.callConstantContract (rows T-17 and T-18): a failure other than REVERT is thrown, and the
 * servlet returns only its name.
 */
const constant = async (view: View, fields: Fields): Promise<Json> => {
  const run = await attempt(view, fields)
  const exception = exceptionOf(run)
  if (exception)
    return { result: { code: 'OTHER_ERROR', message: message(`class ${exception.name} : ${exception.words}`, fields) } }
  const failed = run.result !== 'SUCCESS'
  const transaction = fields.has('contract_address')
    ? unsignedJson(view, fields, contractOf(fields), { feeLimit: fields.integer('fee_limit', 0n) })
    : {}
  return {
    result: { result: true, ...(run.message === undefined ? {} : { message: message(run.message, fields) }) },
    ...(run.energy === 0n ? {} : { energy_used: run.energy }),
    ...(run.penalty === 0n ? {} : { energy_penalty: run.penalty }),
    constant_result: [hexOf(run.returned)],
    ...(run.logs.length === 0 ? {} : { logs: run.logs.map((log) => logJson(log, fields.visible)) }),
    ...(run.internal.length === 0
      ? {}
      : { internal_transactions: run.internal.map((one) => internalJson(one, failed, fields.visible)) }),
    transaction: { ret: [failed ? { ret: 'FAILED' } : {}], ...transaction },
  }
}

/**
 * Source: java-tron Wallet.estimateEnergy (row T-20). It narrows the fee limit to one TRX, so its result may exceed the
 * call's energy by that much. Here energy does not depend on the limit: every limit of at least the call's energy
 * suffices.
 */
const estimate = async (view: View, fields: Fields): Promise<Json> => {
  if (!view.node.settings().estimateEnergy) throw new InvalidContract('this node does not support estimate energy')
  if (!view.node.settings().supportConstant)
    throw new InvalidContract('this node does not support constant, so estimate energy cannot work')
  const run = await attempt(view, fields)
  if (run.result !== 'SUCCESS')
    return {
      result: {
        code: 'CONTRACT_EXE_ERROR',
        message: message(run.result === 'REVERT' ? 'REVERT opcode executed' : (exceptionOf(run)?.words ?? ''), fields),
      },
    }
  const { getEnergyFee: price, getMaxFeeLimit: most } = view.context.values
  const low = run.energy * price
  let high = low * 2n < most ? low * 2n : most
  while (low + sunOfATrx < high) high = (low + high) / 2n
  return { result: { result: true }, energy_required: price === 0n ? run.energy : (high + price - 1n) / price }
}

/** Executes on a separate state, which is discarded. Without a contract address the data creates a contract. */
const attempt = (view: View, fields: Fields): Promise<Run> => {
  const caller = fields.address('owner_address')
  const to = fields.has('contract_address') ? fields.address('contract_address') : undefined
  // Source: java-tron Wallet.triggerConstantContract and callConstantContract, in this order (rows T-14 and T-16).
  if (to !== undefined && contractAt(view.state, to) === undefined)
    throw new InvalidContract('Smart contract is not exist.')
  if (!view.node.settings().supportConstant) throw new InvalidContract('this node does not support constant')
  const value = fields.integer('call_value', 0n)
  // Source: java-tron VMActuator.call and MUtil.transfer.
  if (value > 0n && (accountAt(view.state, caller)?.balance ?? 0n) < value)
    throw new InvalidContract('Validate InternalTransfer error, balance is not sufficient.')
  return view.machine.run(view.state, view.place.block, {
    transactionId: noTransaction,
    caller,
    ...(to === undefined ? {} : { to }),
    data: callData(fields),
    value,
    energyLimit: mostEnergy,
  })
}

const contractOf = (fields: Fields): Contract => ({
  type: 'TriggerSmartContract',
  value: {
    owner_address: fields.address('owner_address'),
    contract_address: fields.address('contract_address'),
    call_value: fields.integer('call_value', 0n),
    data: callData(fields),
    call_token_value: fields.integer('call_token_value', 0n),
    token_id: fields.integer('token_id', 0n),
  },
})

/** Returns the call data, from the function's signature and arguments or from the data itself. */
const callData = (fields: Fields): Uint8Array => {
  try {
    const selector = fields.optionalText('function_selector')
    if (selector === '') return bytesOf(fields.optionalText('data'))
    return concat(keccak(textBytes(selector)).subarray(0, 4), bytesOf(fields.optionalText('parameter')))
  } catch {
    throw new JavaError('org.bouncycastle.util.encoders.DecoderException', 'exception decoding Hex string')
  }
}

/** Wraps requests that return a code in `result`, not an Error. */
const answering = async (fields: Fields, work: () => Json | Promise<Json>): Promise<Json> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof InvalidContract)
      return { result: { code: 'CONTRACT_VALIDATE_ERROR', message: message(error.reason, fields) } }
    if (error instanceof JavaError)
      return {
        result: { code: 'OTHER_ERROR', message: message(`class ${error.exception} : ${error.message}`, fields) },
      }
    throw error
  }
}

const message = (text: string, { visible }: Fields): string => (visible ? text : hexOfText(text))
