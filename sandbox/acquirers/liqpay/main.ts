/**
 * The emulator of LiqPay as a program:
 *
 *  node sandbox/acquirers/liqpay/main.ts [--port 8101] [--data FOLDER] [--clock-rate 60] [--public-key KEY]
 * [--private-key KEY] [--version 3]
 */
import { runEmulator } from '../emulator/program.ts'
import { startLiqPay } from './index.ts'

runEmulator(
  'LiqPay',
  8101,
  { 'public-key': 'sandbox_i00000000001', 'private-key': 'emulator-private-key', version: '3' },
  (keys, options) =>
    startLiqPay(
      { publicKey: keys['public-key'], privateKey: keys['private-key'], version: keys.version === '7' ? 7 : 3 },
      options,
    ),
)
