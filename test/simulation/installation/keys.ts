/** Fixed keys: the same seed must give the same addresses. Of a simulation, which protects nothing. */
import { Keyring } from '../../../signer/src/keys/keyring.ts'

/** BIP 39: the seed of "abandon" eleven times and "about". */
export const SEED =
  '5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc1' +
  '9a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4'

export const keyring = Keyring.open(Buffer.from(SEED, 'hex'), 'regtest')

/** The wallet file, as `bursar-signer xpubs` prints it. */
export const WALLET = keyring.publicKeys as typeof keyring.publicKeys & { bitcoinChain: 'regtest' }

export const DATA_KEY = '11'.repeat(32)
export const CARD_KEY = '22'.repeat(32)
export const SCREENING_ACCOUNT = { accessId: 'simulation', accessKey: '44'.repeat(16) }
export const BANK_SECRET = '33'.repeat(32)
export const VENUE_ACCOUNT = { apiKey: 'simulation', secret: '55'.repeat(32) }
export const LIQPAY_ACCOUNT = { publicKey: 'i00000000001', privateKey: '99'.repeat(16) }
export const WAYFORPAY_ACCOUNT = { merchantAccount: 'simulation', secretKey: '66'.repeat(16), domain: 'shop.example' }
export const FREEDOMPAY_ACCOUNT = {
  merchantId: '500001',
  secretKey: '77'.repeat(16),
  payoutSecretKey: '88'.repeat(16),
}
