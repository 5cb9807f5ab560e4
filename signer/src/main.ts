#!/usr/bin/env node
import { approve } from './cli/approve.ts'
import { approverKey } from './cli/approver-key.ts'
import { enrol } from './cli/enrol.ts'
import { init } from './cli/init.ts'
import { rotate } from './cli/rotate.ts'
import { serve } from './cli/serve.ts'
import { signCold } from './cli/sign-cold.ts'
import { verifyLog } from './cli/verify-log.ts'
import { VERSION } from './cli/version.ts'
import { xpubs } from './cli/xpubs.ts'

const COMMANDS = new Map([
  ['init', init],
  ['xpubs', xpubs],
  ['serve', serve],
  ['rotate', rotate],
  ['verify-log', verifyLog],
  ['sign-cold', signCold],
  ['approver-key', approverKey],
  ['approve', approve],
  ['enrol', enrol],
])

const USAGE = `bursar-signer: the only process with private keys

  init        --seed FILE (--passphrase-file F | --passphrase-stdin) [--mnemonic-file F] [--show-mnemonic]
  xpubs       --seed FILE (--passphrase-file F | --passphrase-stdin) --chain mainnet|testnet|regtest
  serve       --seed FILE (--passphrase-file F | --passphrase-stdin) --policy FILE --log FILE
              (--socket PATH | --listen HOST:PORT --tls-cert F --tls-key F --tls-ca F
               --tls-clients F [--tls-crl F]) [--exit-on-stdin-end]
              [--approvals-listen HOST:PORT --approvals-origin URL --approvals-cert F --approvals-key F]
  rotate      --seed FILE (--passphrase-file F | --passphrase-stdin) --chain mainnet|testnet|regtest
              ([--mnemonic-file F] [--show-mnemonic] | --activate --policy FILE)
  verify-log  --log FILE [--contains HASH]
  sign-cold   --seed FILE (--passphrase-file F | --passphrase-stdin) --policy FILE --in FILE --out FILE
  approver-key --id ID --key FILE (--passphrase-file F | --passphrase-stdin)
  approve     --id ID --key FILE --passphrase-file F (--socket PATH [--intent ID] [--hours N] | --text FILE)
  enrol       --id ID --log FILE --approvals-origin URL
`

const words = process.argv.slice(2)
const [name = '', ...args] = words
const command = COMMANDS.get(name)
const asksForHelp = words.length === 0 || name === 'help' || words.some((word) => word === '--help' || word === '-h')
if (name === '--version') {
  process.stdout.write(`bursar-signer ${VERSION}\n`)
} else if (asksForHelp) {
  process.stdout.write(USAGE)
} else if (!command) {
  process.stderr.write(USAGE)
  process.exitCode = 2
} else {
  try {
    await command(args)
  } catch (error) {
    process.stderr.write(`bursar-signer ${name}: ${(error as Error).message}\n`)
    process.exit(1)
  }
}
