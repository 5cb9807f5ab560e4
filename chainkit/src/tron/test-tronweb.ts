/** tronweb, without a node, as the oracle of our own codec. Only tests of chainkit use it. */
import * as fc from 'fast-check'
import { TronWeb, utils } from 'tronweb'
import type { UnsignedTransaction } from './transaction.ts'
import { addressOfPublicKey, hexOfAddress } from './address.ts'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { Contract } from './contract.ts'

/** No server listens there: a call that needs a node fails. */
const tronweb = new TronWeb({ fullHost: 'http://127.0.0.1:1' })

export interface BuiltByTronweb {
  txID: string
  raw_data_hex: string
}

/** The same transaction, built by tronweb's transaction builder. */
export const buildByTronweb = async (transaction: UnsignedTransaction): Promise<BuiltByTronweb> => {
  const { refBlockBytes, refBlockHash, expiration, timestamp, feeLimit, contract } = transaction
  const blockHeader = { ref_block_bytes: refBlockBytes, ref_block_hash: refBlockHash, expiration, timestamp }
  return buildKind(contract, { blockHeader }, Number(feeLimit))
}

const buildKind = async (contract: Contract, options: object, feeLimit: number): Promise<BuiltByTronweb> => {
  const { transactionBuilder: builder } = tronweb
  const { owner } = contract
  switch (contract.kind) {
    case 'AccountCreateContract':
      return builder.createAccount(contract.account, owner, options)
    case 'TransferContract':
      return builder.sendTrx(contract.to, Number(contract.amount), owner, options)
    case 'TriggerSmartContract': {
      const call = {
        ...options,
        txLocal: true,
        feeLimit,
        callValue: Number(contract.callValue),
        input: contract.data.slice(2),
      }
      return (await builder.triggerSmartContract(contract.contract, '', call, [], owner)).transaction
    }
    case 'FreezeBalanceV2Contract':
      return builder.freezeBalanceV2(Number(contract.amount), contract.resource, owner, options)
    case 'UnfreezeBalanceV2Contract':
      return builder.unfreezeBalanceV2(Number(contract.amount), contract.resource, owner, options)
    case 'WithdrawExpireUnfreezeContract':
      return builder.withdrawExpireUnfreeze(owner, options)
    case 'DelegateResourceContract': {
      const { amount, receiver, resource, lock, lockPeriod } = contract
      return builder.delegateResource(Number(amount), receiver, resource, owner, lock, Number(lockPeriod), options)
    }
    case 'UnDelegateResourceContract':
      return builder.undelegateResource(Number(contract.amount), contract.receiver, contract.resource, owner, options)
  }
}

/** Tronweb's reading of our bytes: the fields of the one contract, and of the transaction. */
export const readByTronweb = (
  kind: string,
  rawHex: string,
): { value: Record<string, unknown>; raw: Record<string, unknown> } => {
  const { contract, ...raw } = utils.deserializeTx.deserializeTransaction(kind, rawHex)
  return { value: contract[0].parameter.value, raw }
}

/** tronweb's signature of its own transaction, in hex. */
export const signByTronweb = async (built: BuiltByTronweb, privateKeyHex: string): Promise<string> =>
  ((await tronweb.trx.sign(built as never, privateKeyHex)) as { signature: string[] }).signature[0]!

export const arbitraryKey: fc.Arbitrary<Uint8Array> = fc
  .bigInt({ min: 1n, max: secp256k1.Point.Fn.ORDER - 1n })
  .map((scalar) => secp256k1.Point.Fn.toBytes(scalar))

export const addressOfKey = (key: Uint8Array): string => addressOfPublicKey(secp256k1.getPublicKey(key))

const address = arbitraryKey.map(addressOfKey)
/** Numbers that tronweb holds exactly. */
const sun = fc.bigInt({ min: 1n, max: 2n ** 53n - 1n })
const resource = fc.constantFrom('BANDWIDTH' as const, 'ENERGY' as const)
const hexDigits = (bytes: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((some) => Buffer.from(some).toString('hex'))
const callData = fc
  .uint8Array({ minLength: 4, maxLength: 80 })
  .map((some) => `0x${Buffer.from(some).toString('hex')}` as const)

const contractsOf = (owner: string): fc.Arbitrary<Contract> => {
  const mine = { owner: fc.constant(owner) }
  const kind = <K extends string>(name: K) => fc.constant(name)
  const other = address.filter((one) => one !== owner)
  return fc.oneof(
    fc.record({ kind: kind('AccountCreateContract'), ...mine, account: other }),
    fc.record({ kind: kind('TransferContract'), ...mine, to: other, amount: sun }),
    fc.record({
      kind: kind('TriggerSmartContract'),
      ...mine,
      contract: other,
      callValue: fc.oneof(fc.constant(0n), sun),
      data: callData,
    }),
    fc.record({ kind: kind('FreezeBalanceV2Contract'), ...mine, amount: sun, resource }),
    fc.record({ kind: kind('UnfreezeBalanceV2Contract'), ...mine, amount: sun, resource }),
    fc.record({ kind: kind('WithdrawExpireUnfreezeContract'), ...mine }),
    fc.record({
      kind: kind('DelegateResourceContract'),
      ...mine,
      resource,
      amount: sun,
      receiver: other,
      lock: fc.constant(false),
      lockPeriod: fc.constant(0n),
    }),
    fc.record({
      kind: kind('DelegateResourceContract'),
      ...mine,
      resource,
      amount: sun,
      receiver: other,
      lock: fc.constant(true),
      lockPeriod: fc.bigInt({ min: 1n, max: 864_000n }),
    }),
    fc.record({ kind: kind('UnDelegateResourceContract'), ...mine, resource, amount: sun, receiver: other }),
  )
}

/** Any transaction we can make whose owner has this key. A fee limit belongs to calls only. */
export const transactionsOf = (key: Uint8Array): fc.Arbitrary<UnsignedTransaction> =>
  fc
    .record({
      refBlockBytes: hexDigits(2),
      refBlockHash: hexDigits(8),
      expiration: fc.integer({ min: 1, max: 4_102_444_800_000 }),
      timestamp: fc.integer({ min: 1, max: 4_102_444_800_000 }),
      feeLimit: fc.bigInt({ min: 1n, max: 15_000_000_000n }),
      contract: contractsOf(addressOfKey(key)),
    })
    .map((one) => (one.contract.kind === 'TriggerSmartContract' ? one : { ...one, feeLimit: 0n }))

/** Anyone who it is, in the hex that tronweb shows. */
export const shownHex = (text: string): string => hexOfAddress(text).toUpperCase()
