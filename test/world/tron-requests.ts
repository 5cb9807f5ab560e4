import { addressOfEvmForm, encodeTokenTransfer, serializeUnsigned } from '@bursar/chainkit/tron'
import type { Contract, UnsignedTransaction } from '@bursar/chainkit/tron'
import type { Intent, KeyReference, SignRequest } from '../../signer/src/protocol/protocol.ts'
import { STRANGER, TRON_USDT, hotKey, keyring, uuid } from './signer.ts'

/** Requests on TRON that obey the test world's policy. */

export const TRON_STRANGER = addressOfEvmForm(STRANGER)
/** ms since the epoch: where the test signer's clock stands */
export const NOW = 1_700_000_000_000
export const MINUTE = 60_000

export const tronIntent = (number: number, more: Partial<Intent> = {}): Intent => ({
  id: uuid(number),
  asset: 'USDT',
  to: TRON_STRANGER,
  units: '1000000',
  ...more,
})

export const ownerOf = (key: KeyReference): string => keyring.tronAddress(key)

/** The request to pay an intent from the hot wallet. */
export const paymentOf = ({ asset, to, units }: Intent, owner: string = ownerOf(hotKey)): Contract =>
  asset === 'TRX'
    ? { kind: 'TransferContract', owner, to, amount: BigInt(units) }
    : {
        kind: 'TriggerSmartContract',
        owner,
        contract: TRON_USDT,
        callValue: 0n,
        data: encodeTokenTransfer(to, BigInt(units)),
      }

const tronTransaction = (contract: Contract, more: Partial<UnsignedTransaction> = {}): UnsignedTransaction => ({
  refBlockBytes: 'ab12',
  refBlockHash: '0011223344556677',
  expiration: NOW + MINUTE,
  timestamp: NOW,
  feeLimit: contract.kind === 'TriggerSmartContract' ? 20_000_000n : 0n,
  contract,
  ...more,
})

const rawHex = (transaction: UnsignedTransaction): string => Buffer.from(serializeUnsigned(transaction)).toString('hex')

export const tronRequest = (
  intent: Intent,
  more: Partial<UnsignedTransaction> = {},
  request: Partial<SignRequest> = {},
): SignRequest => ({
  network: 'TRON',
  transactionId: uuid(0xffc),
  purpose: 'payout',
  intents: [intent],
  unsigned: rawHex(tronTransaction(paymentOf(intent), more)),
  keys: [hotKey],
  ...request,
})

export const treasuryRequest = (
  contract: Contract,
  request: Partial<SignRequest> = {},
  more: Partial<UnsignedTransaction> = {},
): SignRequest => ({
  network: 'TRON',
  transactionId: uuid(0xffb),
  purpose: 'treasury',
  intents: [],
  unsigned: rawHex(tronTransaction(contract, more)),
  keys: [hotKey],
  ...request,
})
