/**
 * The emulator of WayForPay as a program:
 *
 *  node sandbox/acquirers/wayforpay/main.ts [--port 8102] [--data FOLDER] [--clock-rate 60] [--merchant-account NAME]
 * [--secret-key KEY] [--domain NAME]
 */
import { runEmulator } from '../emulator/program.ts'
import { startWayForPay } from './index.ts'

runEmulator(
  'WayForPay',
  8102,
  { 'merchant-account': 'emulated_merchant', 'secret-key': 'emulator-secret-key', domain: 'shop.example' },
  (keys, options) =>
    startWayForPay(
      { merchantAccount: keys['merchant-account'], secretKey: keys['secret-key'], domain: keys.domain },
      options,
    ),
)
