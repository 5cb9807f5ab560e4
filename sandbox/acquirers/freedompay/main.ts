/**
 * The emulator of Freedom Pay as a program:
 *
 *  node sandbox/acquirers/freedompay/main.ts [--port 8103] [--data FOLDER] [--clock-rate 60] [--merchant-id ID]
 * [--secret-key KEY] [--payout-secret-key KEY]
 */
import { runEmulator } from '../emulator/program.ts'
import { startFreedomPay } from './index.ts'

const keys = {
  'merchant-id': '500001',
  'secret-key': 'emulator-secret-key',
  'payout-secret-key': 'emulator-payout-key',
}

runEmulator('Freedom Pay', 8103, keys, (given, options) =>
  startFreedomPay(
    { merchantId: given['merchant-id'], secretKey: given['secret-key'], payoutSecretKey: given['payout-secret-key'] },
    options,
  ),
)
