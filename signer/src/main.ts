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

const USAGE = `usage: bursar-signer COMMAND OPTIONS

The signer is the only process with private keys. F is a file. PASSPHRASE is --passphrase-file F or --passphrase-stdin.

  init          make the encrypted seed file. --show-mnemonic shows its words, once; --mnemonic-file reads given words
                --seed F PASSPHRASE [--mnemonic-file F] [--show-mnemonic]
  xpubs         print the extended public keys, for BURSAR_XPUBS_FILE of the server
                --seed F PASSPHRASE --chain mainnet|testnet|regtest
  serve         sign within the policy, until SIGTERM. SIGHUP reloads the policy and the certificates
                --seed F PASSPHRASE --policy F --log F
                (--socket F | --listen HOST:PORT --tls-cert F --tls-key F --tls-ca F --tls-clients F [--tls-crl F])
                [--approvals-listen HOST:PORT --approvals-origin URL --approvals-cert F --approvals-key F]
                [--exit-on-stdin-end]
  rotate        add a second seed to the seed file (Bitcoin alone); --activate makes it the seed in use
                --seed F PASSPHRASE --chain mainnet|testnet|regtest
                ([--mnemonic-file F] [--show-mnemonic] | --activate --policy F)
  verify-log    check the hashes of a log; --contains checks that the log has this head, which you noted earlier
                --log F [--contains HASH]
  sign-cold     sign one transfer to cold storage, on a machine without a network
                --seed F PASSPHRASE --policy F --in F --out F
  approver-key  make the key of a person who approves payments, and print its entry of the policy
                --id ID --key F PASSPHRASE
  approve       show a payment that waits, and approve it with that key
                --id ID --key F --passphrase-file F (--socket F [--intent ID] [--hours N] | --text F)
  enrol         let a person make a passkey on the page for approvals, and print its entry of the policy
                --id ID --log F --approvals-origin URL

"bursar-signer --version" prints the version. Exit codes: 0 the command succeeded, 1 it failed, 2 there is no such command.
signer/README.md describes the commands, and docs/operating/approvals.md and rotation.md their steps.
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
