/** Builds unsigned transactions after checking them against the state. */
import { contractKinds } from '../codec/contracts.ts'
import type { Contract, ContractType } from '../codec/contracts.ts'
import { messageFromJson } from '../codec/json.ts'
import type { Json } from '../codec/json.ts'
import type { Schema } from '../codec/schema.ts'
import { memoFromJson, transactionJson } from '../codec/transaction-json.ts'
import { signedTransaction } from '../codec/transaction.ts'
import { validateContract } from '../contracts/index.ts'
import { InvalidContract } from '../blocks/refusal.ts'
import { JavaError } from './request.ts'
import type { Fields } from './request.ts'
import type { Routes } from './routes.ts'
import { buildRaw } from './view.ts'
import type { View } from './view.ts'

/** The fields of these requests are those of the contract. */
const simple =
  (type: ContractType) =>
  (view: View, fields: Fields): Json =>
    build(view, fields, contractFrom(type, fields))

export const buildRoutes: Routes = {
  createtransaction: simple('TransferContract'),
  createaccount: simple('AccountCreateContract'),
  freezebalancev2: simple('FreezeBalanceV2Contract'),
  unfreezebalancev2: simple('UnfreezeBalanceV2Contract'),
  withdrawexpireunfreeze: simple('WithdrawExpireUnfreezeContract'),
  delegateresource: simple('DelegateResourceContract'),
  undelegateresource: simple('UnDelegateResourceContract'),
  deploycontract: (view, fields) =>
    build(view, fields, deployment(fields), { feeLimit: fields.integer('fee_limit', 0n) }),
}

/** Answers `{"Error": ...}` if the state does not allow the transaction. */
const build = (view: View, fields: Fields, contract: Contract, more: { readonly feeLimit?: bigint } = {}): Json => {
  try {
    validateContract(view.context, contract)
  } catch (error) {
    if (!(error instanceof InvalidContract)) throw error
    throw new JavaError('org.tron.core.exception.ContractValidateException', error.reason)
  }
  return unsignedJson(view, fields, contract, more)
}

export const unsignedJson = (
  view: View,
  fields: Fields,
  contract: Contract,
  more: { readonly feeLimit?: bigint },
): Json => {
  const data = memoFromJson(fields.all['extra_data'], fields.visible)
  const raw = buildRaw(view, contract, view.chain.now(), {
    data,
    permissionId: fields.integer('Permission_id', 0n),
    ...more,
  })
  return { visible: fields.visible, ...transactionJson(signedTransaction(raw, []), fields.visible) }
}

/** Throws JsonError. A base58 address is accepted whether the request is `visible` or not. */
const contractFrom = (type: ContractType, fields: Fields): Contract => {
  const { schema } = contractKinds[type]
  const value = messageFromJson(schema as Schema, withIntegers(schema, fields), true)
  return { type, value } as unknown as Contract
}

/** In a GET, numbers and addresses are text. */
const withIntegers = (schema: Schema, fields: Fields): Json => {
  const all: Json = { ...fields.all }
  for (const [name, [, kind]] of Object.entries(schema)) {
    if (kind === 'int64' && fields.has(name)) all[name] = fields.integer(name)
    if (kind === 'address' && fields.has(name)) all[name] = fields.text(name)
  }
  return all
}

const deployment = (fields: Fields): Contract => {
  const owner = fields.address('owner_address')
  const abi = fields.has('abi') ? parseAbi(fields.all['abi']) : undefined
  const value = messageFromJson(
    contractKinds.CreateSmartContract.schema,
    {
      owner_address: owner,
      new_contract: {
        origin_address: owner,
        abi: abi === undefined ? undefined : { entrys: abi },
        bytecode: fields.text('bytecode') + fields.optionalText('parameter'),
        call_value: fields.integer('call_value', 0n),
        consume_user_resource_percent: fields.integer('consume_user_resource_percent', 0n),
        name: fields.optionalText('name'),
        origin_energy_limit: fields.integer('origin_energy_limit', 0n),
      },
    },
    false,
  )
  return { type: 'CreateSmartContract', value }
}

const parseAbi = (given: unknown): unknown[] => {
  const entries = typeof given === 'string' ? (JSON.parse(given) as unknown) : given
  return Array.isArray(entries) ? entries : []
}
