/**
 * The sandbox's TRON chain with tokens and contracts, behind the adapter. Others pay by tronweb.
 */
import { randomBytes } from 'node:crypto'
import { isRefused } from '@bursar/chainkit'
import {
  addressOfEvmForm,
  addressOfHex,
  evmFormOf,
  parseUnsigned,
  serializeSigned,
  transactionId,
} from '@bursar/chainkit/tron'
import { TronWeb } from 'tronweb'
import { encodeDeployData, encodeFunctionData } from 'viem'
import { readArtifact, type ContractName } from '../../sandbox/tokens/artifact.ts'
import { faucet, type TronChain } from '../../sandbox/tron/index.ts'
import type { ChainWorld, ContractWorld, Signed } from '../../server/src/adapters/chains/conformance.ts'
import type { TronChainAdapter } from '../../server/src/adapters/chains/port.ts'
import { createTronAdapter, type TronAdapterSettings } from '../../server/src/adapters/chains/tron/index.ts'

type Built = Awaited<ReturnType<TronWeb['transactionBuilder']['sendTrx']>>

export interface TronWorld extends ChainWorld {
  chain: TronChain
  tronweb: TronWeb
  adapter: TronChainAdapter & { close(): Promise<void> }
  contracts: ContractWorld & { payer: string }
  /** Signs with the faucet's key, or another, and hands over; the transaction waits for a block. Answers its id. */
  send(build: (options: Options) => Promise<object>, key?: string): Promise<string>
  /** Calls a contract from the faucet's account. */
  call(contract: ContractName, to: string, name: string, args: readonly unknown[], sun?: bigint): Promise<string>
}

/** The block for tronweb to refer to, instead of its node's head: a fork would undo that. */
interface Options {
  blockHeader: { ref_block_bytes: string; ref_block_hash: string; expiration: number; timestamp: number }
}

const FEE_LIMIT = 5_000_000_000
const LIFETIME_MS = 120_000
/** Older than anything a test asks about. */
const FIRST_BLOCKS = 12
/** Every account has 600 bytes a day for nothing, a little over two transfers. */
const FREE_TRANSFERS = 3

export const SOLID_LAG = 4
export const FAUCET = addressOfHex(faucet.address)
export const FAUCET_KEY = faucet.key

export const adapterOf = (url: string, given: Partial<TronAdapterSettings> = {}): TronWorld['adapter'] =>
  createTronAdapter({ url, tokens: [], internalTransactions: true, random: () => 0, ...given })

export const openTronWorld = async (chain: TronChain): Promise<TronWorld> => {
  const tronweb = new TronWeb({ fullHost: chain.url, privateKey: FAUCET_KEY })
  const builder = tronweb.transactionBuilder
  const plain = adapterOf(chain.url)
  let sent = 0

  const options = async (): Promise<Options> => {
    const { refBlockBytes, refBlockHash, time } = await plain.reference()
    sent += 1
    return {
      blockHeader: {
        ref_block_bytes: refBlockBytes,
        ref_block_hash: refBlockHash,
        expiration: time + LIFETIME_MS,
        timestamp: time + sent,
      },
    }
  }
  const send: TronWorld['send'] = async (build, key = FAUCET_KEY) => {
    const signed = await tronweb.trx.sign((await build(await options())) as Built, key)
    const answer = await tronweb.trx.sendRawTransaction(signed)
    if (!answer.result) throw new Error(`not taken: ${String(answer.code)} ${String(answer.message)}`)
    return signed.txID
  }
  const call: TronWorld['call'] = (contract, to, functionName, args, sun = 0n) =>
    send(async ({ blockHeader }) => {
      const input = encodeFunctionData({ abi: readArtifact(contract).abi, functionName, args }).slice(2)
      const given = { txLocal: true, feeLimit: FEE_LIMIT, callValue: Number(sun), input, blockHeader }
      return (await builder.triggerSmartContract(to, '', given, [], FAUCET)).transaction
    })
  const deploy = async (contract: ContractName, args: readonly unknown[] = []): Promise<string> => {
    const { abi, bytecode } = readArtifact(contract)
    let address = ''
    await send(async ({ blockHeader }) => {
      const code = encodeDeployData({ abi, bytecode, args }).slice(2)
      const built = await builder.createSmartContract(
        { abi: [], bytecode: code, feeLimit: FEE_LIMIT, name: contract, blockHeader } as never,
        FAUCET,
      )
      address = addressOfHex((built as { contract_address: string }).contract_address)
      return built
    })
    await chain.mine()
    return address
  }
  const pay = (to: string, sun: bigint): Promise<string> =>
    send((given) => builder.sendTrx(to, Number(sun), FAUCET, given))

  const [token, feeToken, lookAlike] = [
    await deploy('TestToken', ['Tether USD', 'USDT', 6]),
    await deploy('FeeToken', ['Tether USD', 'USDT', 6]),
    await deploy('TestToken', ['Tether USD', 'USDT', 6]),
  ]
  for (const contract of [token, feeToken, lookAlike])
    await call('TestToken', contract, 'mint', [evmFormOf(FAUCET), 10n ** 12n])
  const payer = await deploy('Payer')
  // A fee is paid only once the free bandwidth of the day is gone.
  const sink = newAddress()
  for (let at = 0; at < FREE_TRANSFERS; at += 1) await pay(sink, 1_000_000n)
  await chain.mine(FIRST_BLOCKS)
  const adapter = adapterOf(chain.url, { tokens: [token, feeToken] })

  const payInside = (payments: readonly { to: string; units: bigint }[], name = 'pay'): Promise<string> => {
    const units = payments.map((one) => one.units)
    const receivers = payments.map(({ to }) => evmFormOf(to))
    return call(
      'Payer',
      payer,
      name,
      [receivers, units],
      units.reduce((sum, one) => sum + one, 0n),
    )
  }
  const contracts: TronWorld['contracts'] = {
    adapter,
    token,
    feeToken,
    lookAlike,
    payer,
    decimals: 6,
    freezing: async (kind, address) => {
      const contract = await deploy(kind, ['A dollar', 'USD', 6])
      await call(kind, contract, kind === 'UsdtLike' ? 'addBlackList' : 'blacklist', [evmFormOf(address)])
      await chain.mine()
      return contract
    },
    payToken: (contract, to, units) => call('TestToken', contract, 'transfer', [evmFormOf(to), units]),
    payInside,
    payInRevertedCall: (to, units) => payInside([{ to, units }], 'payInRevertedCall'),
    payThenRevert: (to, units) => payInside([{ to, units }], 'payThenRevert'),
    payByDestruction: (to, units) => call('Payer', payer, 'payByDestruction', [evmFormOf(to)], units),
  }
  return {
    chain,
    tronweb,
    adapter,
    contracts,
    send,
    call,
    pay,
    identity: (await plain.hashAt(0))!,
    finalBelow: SOLID_LAG,
    balancesKnownAt: 'final',
    newAddress: async () => newAddress(),
    payAll: payInside,
    payment: async (to, units) =>
      signedPayment(tronweb, await builder.sendTrx(to, Number(units), FAUCET, await options())),
    mine: async (blocks) => void (await chain.mine(blocks)),
    reorg: async (depth, without) => void (await chain.reorg({ depth, without, others: 'mined' })),
  }
}

const newAddress = (): string => addressOfEvmForm(randomBytes(20).toString('hex'))

const signedPayment = async (tronweb: TronWeb, built: Built): Promise<Signed> => {
  const { signature } = await tronweb.trx.sign(built, FAUCET_KEY)
  const transaction = parseUnsigned(Buffer.from(built.raw_data_hex, 'hex'))
  if (isRefused(transaction)) throw new Error(transaction.message)
  const raw = Buffer.from(serializeSigned(transaction, Buffer.from(signature[0]!, 'hex'))).toString('hex')
  return { raw, hash: transactionId(transaction) }
}
