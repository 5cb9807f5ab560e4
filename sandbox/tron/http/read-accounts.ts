/** Read requests: accounts, resources, loans and contracts. */
import { addressOf } from '../address.ts'
import { hexOf } from '../bytes.ts'
import { addressJson, messageJson } from '../codec/json.ts'
import { smartContract } from '../codec/contracts.ts'
import { freeAt, mostUnfreezings, waiting } from '../contracts/unfreeze.ts'
import { lendable } from '../resources/stake.ts'
import { accountAt } from '../state/account.ts'
import { contractAt } from '../state/records.ts'
import { codeAt } from '../vm/storage.ts'
import { accountJson, loanIndexJson, loansJson, netJson, resourceJson } from '../views/account.ts'
import type { Fields } from './request.ts'
import type { Routes } from './routes.ts'

/** Bytes of a later lending transaction: java-tron subtracts them when it reports how much can be lent. */
const bytesOfALending = 283n

export const accountRoutes: Routes = {
  getaccount: ({ state, slot }, fields) => accountJson(state, fields.address('address'), slot, fields.visible),
  getaccountresource: ({ state, slot }, fields) => resourceJson(state, fields.address('address'), slot),
  getaccountnet: ({ state, slot }, fields) => netJson(state, fields.address('address'), slot),
  validateaddress: (_view, fields) => validateAddress(fields),
  getdelegatedresourcev2: ({ state }, fields) =>
    loansJson(state, fields.address('fromAddress'), fields.address('toAddress'), fields.visible),
  getdelegatedresourceaccountindexv2: ({ state }, fields) =>
    loanIndexJson(state, fields.address('value'), fields.visible),
  getcandelegatedmaxsize: ({ state, slot }, fields) => {
    const account = accountAt(state, fields.address('owner_address'))
    if (account === undefined) return {}
    const size =
      fields.integer('type', 0n) === 1n
        ? lendable(state, account, 'ENERGY', slot)
        : lendable(state, account, 'BANDWIDTH', slot, bytesOfALending)
    return size === 0n ? {} : { max_size: size }
  },
  getavailableunfreezecount: ({ state, context }, fields) => {
    const account = accountAt(state, fields.address('owner_address'))
    const count = mostUnfreezings - (account === undefined ? mostUnfreezings : waiting(account, context.now).length)
    return count === 0 ? {} : { count: BigInt(count) }
  },
  getcanwithdrawunfreezeamount: ({ state, context }, fields) => {
    const account = accountAt(state, fields.address('owner_address'))
    const amount = account === undefined ? 0n : freeAt(account, fields.integer('timestamp', context.now))
    return amount === 0n ? {} : { amount }
  },
  getcontract: ({ state }, fields) => {
    const contract = contractAt(state, fields.address('value'))
    return contract === undefined ? {} : messageJson(smartContract, contract, fields.visible)
  },
  getcontractinfo: ({ state }, fields) => {
    const address = fields.address('value')
    const contract = contractAt(state, address)
    if (contract === undefined) return {}
    return {
      smart_contract: messageJson(smartContract, contract, fields.visible),
      runtimecode: hexOf(codeAt(state, address)),
      contract_state: { update_cycle: 0n },
    }
  },
}

const validateAddress = (fields: Fields): object => {
  const given = fields.optionalText('address')
  try {
    const address = addressOf(given)
    return {
      result: true,
      message: given.startsWith('T') ? 'Base58check format' : 'Hex string format',
      address: addressJson(address, fields.visible),
    }
  } catch {
    return { result: false, message: 'Length error' }
  }
}
