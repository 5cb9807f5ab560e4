import { isRefused, type ChainTransaction, type IssuerActShown, type Transfer } from '@bursar/chainkit'
import { addressOfEvmForm, decodeIssuerLog, decodeTokenTransferLog } from '@bursar/chainkit/tron'
import { listOf, Malformed, objectOf, textOf } from '../shape.ts'
import { addressOf, amountOf, hashOf, type Fields } from './fields.ts'
import { internalTransfers } from './internal.ts'
import { contractRetOf, feeOf, succeededBy, type Info } from './outcome.ts'

/**
 * @param tokens token contracts whose logs count, in base58; names, symbols and TRC-10 are not considered
 * @param internalTransactions whether TRX sent by contracts is read
 */
export const decodeTransaction = (
  transaction: Fields,
  info: Info,
  tokens: ReadonlySet<string>,
  internalTransactions = true,
): ChainTransaction => {
  const hash = hashOf(transaction['txID'], 'txID')
  const succeeded = succeededBy(contractRetOf(transaction), info)
  const transfers = succeeded
    ? [
        ...nativeTransfer(transaction),
        ...tokenTransfers(info, tokens),
        ...(internalTransactions ? internalTransfers(info) : []),
      ]
    : []
  const owner = ownerOf(transaction)
  return {
    hash,
    keys: [hash],
    succeeded,
    fee: feeOf(info),
    ...(owner !== undefined && owner !== transfers[0]?.from[0] && { payer: owner }),
    transfers,
  }
}

const contractIn = (transaction: Fields): Fields =>
  objectOf(listOf(objectOf(transaction['raw_data'], 'raw_data')['contract'], 'contract')[0], 'the contract')

/** The owner, who also pays the fee. Undefined for shielded transfers. */
const ownerOf = (transaction: Fields): string | undefined => {
  const { value } = objectOf(contractIn(transaction)['parameter'] ?? {}, 'the parameter')
  const owner = objectOf(value ?? {}, 'the value')['owner_address']
  return owner === undefined ? undefined : addressOf(owner, 'owner_address')
}

/** TRX that the transaction itself sends, to an account or with a contract call. */
const nativeTransfer = (transaction: Fields): Transfer[] => {
  const contract = contractIn(transaction)
  const type = textOf(contract['type'] ?? '', 'the type of a contract')
  const sent = Object.hasOwn(SENT_BY, type) ? SENT_BY[type] : undefined
  if (!sent) return []
  const value = objectOf(objectOf(contract['parameter'], 'the parameter')['value'], 'the value')
  const units = amountOf(value[sent.units], sent.units)
  if (units === 0n) return []
  const from = addressOf(value['owner_address'], 'owner_address')
  return [{ index: 'n', contract: null, from: [from], to: addressOf(value[sent.to], sent.to), units }]
}

const SENT_BY: Readonly<Record<string, { to: string; units: string }>> = {
  TransferContract: { to: 'to_address', units: 'amount' },
  TriggerSmartContract: { to: 'contract_address', units: 'call_value' },
}

/** Transfers of listed tokens. A log is identified by its place in its transaction, which no reorganisation changes. */
const tokenTransfers = (info: Info, tokens: ReadonlySet<string>): Transfer[] =>
  listOf(info['log'] ?? [], 'log').flatMap((value, place): Transfer[] => {
    const log = objectOf(value, 'a log')
    const contract = contractOf(log['address'])
    if (!tokens.has(contract)) return []
    const topics = listOf(log['topics'] ?? [], 'topics').map((topic) => textOf(topic, 'a topic'))
    const decoded = decodeTokenTransferLog({ topics, data: textOf(log['data'] ?? '', 'data') })
    if (isRefused(decoded) || decoded.units === 0n) return []
    return [{ index: `l:${place}`, contract, from: [decoded.from], to: decoded.to, units: decoded.units }]
  })

/** Acts of the issuers of listed tokens in a successful transaction. */
export const issuerActsOf = (transaction: Fields, info: Info, tokens: ReadonlySet<string>): IssuerActShown[] => {
  if (!succeededBy(contractRetOf(transaction), info)) return []
  const hash = hashOf(transaction['txID'], 'txID')
  return listOf(info['log'] ?? [], 'log').flatMap((value): IssuerActShown[] => {
    const log = objectOf(value, 'a log')
    const contract = contractOf(log['address'])
    if (!tokens.has(contract)) return []
    const topics = listOf(log['topics'] ?? [], 'topics').map((topic) => textOf(topic, 'a topic'))
    const event = decodeIssuerLog({ topics, data: textOf(log['data'] ?? '', 'data') })
    return event ? [{ ...event, contract, hash }] : []
  })
}

/** Contract of a log, which has the virtual machine's form: 20 bytes, without 41. */
const contractOf = (value: unknown): string => {
  try {
    return addressOfEvmForm(textOf(value, 'the address of a log'))
  } catch {
    throw new Malformed('the address of a log is no address')
  }
}
