/** The operator's copy of the hot key on TRON: it signs transactions elsewhere, and stakes on the sandbox's chain. */
import { isRefused } from '@bursar/chainkit'
import { hexOfAddress, parseUnsigned, serializeSigned, signingHash } from '@bursar/chainkit/tron'
import { HDKey } from '@scure/bip32'
import { toHex } from 'viem'
import { sign } from 'viem/accounts'
import { seed } from './signer.ts'
import { TRON_HOT } from './wallet.ts'

const HOT_KEY = HDKey.fromMasterSeed(seed()).derive("m/44'/195'/1'/0/0").privateKey!

/**
 * Signs an unsigned transaction (hex).
 * @param given another key, or another timestamp (ms) than that of the unsigned transaction
 */
export const signOnTron = async (
  unsigned: string,
  { by = HOT_KEY, timestamp }: { by?: Uint8Array; timestamp?: number } = {},
): Promise<Uint8Array> => {
  const parsed = parseUnsigned(Buffer.from(unsigned, 'hex'))
  if (isRefused(parsed)) throw new Error(parsed.message)
  const transaction = timestamp === undefined ? parsed : { ...parsed, timestamp }
  const signature = await sign({ hash: toHex(signingHash(transaction)), privateKey: toHex(by), to: 'hex' })
  return serializeSigned(transaction, Buffer.from(signature.slice(2), 'hex'))
}

/** Gives a signed transaction to a chain's node. Throws if the node refuses it. */
export const broadcastOnTron = async (url: string, signed: Uint8Array): Promise<void> => {
  const answer = await post(url, 'broadcasthex', { transaction: Buffer.from(signed).toString('hex') })
  if (answer['result'] !== true) throw new Error(`the node refuses the transaction: ${JSON.stringify(answer)}`)
}

/** The hot wallet stakes sun for energy; the next block has the transaction. */
export const stakeOnTron = async (url: string, sun: bigint): Promise<void> => {
  const order = { owner_address: hexOfAddress(TRON_HOT), frozen_balance: Number(sun), resource: 'ENERGY' }
  const { raw_data_hex: unsigned } = await post(url, 'freezebalancev2', order)
  await broadcastOnTron(url, await signOnTron(String(unsigned)))
}

const post = async (url: string, path: string, body: object): Promise<Record<string, unknown>> => {
  const answer = await fetch(`${url}/wallet/${path}`, { method: 'POST', body: JSON.stringify(body) })
  return (await answer.json()) as Record<string, unknown>
}
