/** Transfers of the hot wallet's excess to cold storage, which an operator signs with a copy of the hot key. */
import { parseTransaction } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { inTransaction } from '../../server/src/platform/db/index.ts'
import { momentOf, type Runtime } from '../../server/src/platform/runtime/runtime.ts'
import {
  cancelTransfer,
  createColdJob,
  ensureColdAddresses,
  importTransfer,
  listTransfers,
  readTransfer,
} from '../../server/src/treasury/cold/index.ts'
import { treasuryPolicyOf } from '../../server/src/treasury/reconciliation/index.ts'
import { bookAt } from '../world/custody.ts'
import { E18 } from '../world/deposits.ts'
import { HOT, WALLET, type PayoutWorld } from '../world/payouts.ts'
import { JUNK_WORDS } from '../world/signer.ts'
import { catalogue, NETWORK, ONE_USDT } from './assets.ts'

const { signal } = new AbortController()
const COLD = '0x3333333333333333333333333333333333333333'
/** Balances of the hot wallet by the books. */
const HELD = { ETH: 100n * E18, USDT: 100_000n * ONE_USDT }

const limits = (cap: bigint) => ({ cap: String(cap), target: String(cap), cold: COLD })
const hot = { ETH: limits(50n * E18), USDT: limits(50n * ONE_USDT) }
const everything = treasuryPolicyOf({ hot })

export interface SignedTransfer {
  id: string
  bytes: Buffer
}

const offer = async ({ runtime }: { runtime: Runtime }, world: PayoutWorld, treasury = everything): Promise<void> => {
  const { evm } = world
  const deps = { ...evm, runtime, catalogue, wallet: WALLET, sending: evm.policy, treasury }
  await createColdJob({ ...deps, signersCold: async () => COLD }, 1).run(signal)
}

/** Offers a transfer of each asset of which there is too much. */
export const offerTransfers = (process: { runtime: Runtime }, world: PayoutWorld): Promise<void> =>
  offer(process, world)

/** A transfer of USDT that is offered, and its signed bytes. Another withdrawal needs a part of it. */
export const makeTransfer = async (world: PayoutWorld): Promise<SignedTransfer> => {
  const { runtime, db } = world
  for (const [asset, units] of Object.entries(HELD)) await bookAt(db, { network: NETWORK, asset, address: HOT }, units)
  const none = treasuryPolicyOf({})
  const policies = { BITCOIN: none, ETHEREUM: everything, BINANCE_SMART_CHAIN: none, TRON: none }
  await ensureColdAddresses(db, policies, 'regtest', momentOf(runtime))
  await offer({ runtime }, world, treasuryPolicyOf({ hot: { USDT: hot.USDT } }))
  const [offered] = await listTransfers(db, 10)
  if (offered === undefined) throw new Error('no transfer was offered')
  const { attempt } = (await readTransfer(db, offered.id))!
  const operator = mnemonicToAccount(JUNK_WORDS, { path: "m/44'/60'/1'/0/0" })
  const signed = await operator.signTransaction(parseTransaction(attempt.unsigned as `0x${string}`) as never)
  return { id: offered.id, bytes: Buffer.from(signed.slice(2), 'hex') }
}

/** @returns the refusals, or that there were none */
export const takeTransfer = async ({ runtime }: { runtime: Runtime }, transfer: SignedTransfer): Promise<string> => {
  const answer = await inTransaction(runtime.db, (tx) => importTransfer(tx, transfer, catalogue, momentOf(runtime)))
  return 'refused' in answer ? answer.refused : 'imported'
}

/** @returns whether it was open */
export const cancel = async ({ runtime }: { runtime: Runtime }, { id }: SignedTransfer): Promise<boolean> =>
  (await inTransaction(runtime.db, (tx) => cancelTransfer(tx, id, momentOf(runtime)))) !== undefined
