import { NATIVE_TICKER, type Network } from '@bursar/chainkit'
import { bitcoinHotAddress, evmHotAddress, tronHotAddress, type WalletKeys } from '../../../chain/transactions/index.ts'
import { createCatalogue, readAssetSettings } from '../../../market/assets/index.ts'
import type { Environment } from '../../installation/open.ts'
import { command, flag, text, UsageError, type Command } from '../command.ts'
import { migrateDatabase } from '../database.ts'
import { doctorCommand } from '../doctor.ts'
import { reportNodes } from '../doctor-networks.ts'
import type { Output } from '../output.ts'
import { recordDone } from '../recording.ts'
import { readAnswers, servedOf, type Settled } from './answers.ts'
import { makeAcquirers } from './acquirers-making.ts'
import { askInTerminal } from './asking.ts'
import { makeBackup, readRecipient } from './backup-making.ts'
import { readDatabase } from './database-roles.ts'
import { readEnvironmentFile } from './environment-file.ts'
import { readForServer, showFile, showHanded, type ForServer } from './handover.ts'
import { makeLogins, makeSettings, makeSigner, readWallet, requireLogins, requireWhole, takeSigner } from './making.ts'
import { filesOf, findOwners, PACKAGED, readJson, type Files } from './places.ts'
import { setupSignerCommand } from './signer-command.ts'
import { createSteps } from './steps.ts'

/** Sets up an installation on one machine. Makes only what is missing, so it can be repeated. */
const setupCommand: Command = command({
  name: 'setup',
  summary: 'set up an installation on this machine: keys, certificates, policy, settings, database; run it as root',
  options: {
    answers: text('FILE', 'read the answers from a JSON file, and ask nothing'),
    'dry-run': flag('show what is missing, and change nothing'),
    'show-words': flag('show the words of a new seed: they are its backup'),
    'skip-nodes': flag('continue if a node has a fault'),
  },
  more: 'It changes nothing that exists. To change a setting that setup has written, edit its file. It always migrates the database. If nothing was missing, it then runs the checks of bursar doctor.',
  run: async ({ options }, env, out) => {
    if (process.geteuid?.() !== 0) throw new Error('run bursar setup as root: it makes files of several users')
    const answers = await answersFrom(options.answers)
    const isDry = options['dry-run']
    const owners = findOwners()
    const files = filesOf(PACKAGED, owners)
    await requireNodes(answers, options['skip-nodes'], out)
    const forServer = signerOf(answers, out)
    if (answers.backup?.recipient !== undefined) readRecipient(answers.backup.recipient)
    const database = await readDatabase(answers)
    requireWhole({ files, forServer }, database)
    const steps = createSteps(out, isDry)
    const making = { answers, places: PACKAGED, owners, files, forServer, steps }
    if (forServer === undefined) await makeSigner(making, { showsWords: options['show-words'] }, out)
    else await takeSigner(making, forServer)
    await makeAcquirers(making, out)
    await makeSettings(making)
    await makeLogins(making, database)
    await makeBackup(making, database, out)
    if (isDry) return
    await requireLogins({ files })
    const owner = { ...envOf(files, 'owner'), ...quiet(env) }
    await migrateDatabase(owner, out)
    if (steps.made > 0) await recordDone('setup', owner)
    showHotAddresses(answers, readWallet(files), out)
    if (steps.made === 0)
      return doctorCommand.run({ args: {}, options: {} }, { ...envOf(files, 'operator'), ...quiet(env) }, out)
    if (forServer !== undefined) showFile(files.forSigner.path, out)
    for (const line of forServer === undefined ? NEXT : NEXT_WITH_SIGNER) out.say(line)
  },
})

export const setupCommands: readonly Command[] = [setupCommand, setupSignerCommand]

/** Reads the file of a signer on another machine, and shows its SHA-256. @throws Error if it is of other networks */
const signerOf = ({ signer, chain }: Settled, out: Output): ForServer | undefined => {
  if (signer === undefined) return undefined
  const handed = readForServer(signer)
  const forServer = handed.content
  if (forServer.keys.bitcoinChain !== chain)
    throw new Error(`${signer} has keys of ${forServer.keys.bitcoinChain}, and the answers say ${chain}`)
  showHanded(handed, out)
  return forServer
}

const NEXT_WITH_SIGNER = [
  'next steps:',
  '  compare both SHA-256 with those that bursar setup signer shows',
  '  copy /etc/bursar/for-signer.json to the machine of the signer',
  '  run bursar setup signer with --clients there, and start the signer',
  '  store a copy of /etc/bursar/data-key in another place',
  '  systemctl enable --now bursar-worker bursar-watcher bursar-api',
  '  systemctl enable --now bursar-backup-wal bursar-backup.timer bursar-drill.timer',
  '  bursar doctor',
]

const NEXT = [
  'next steps:',
  '  store copies of /etc/bursar-signer/seed.json with its passphrase, and of /etc/bursar/data-key, in different places',
  '  systemctl enable --now bursar-signer bursar-worker bursar-watcher bursar-api',
  '  systemctl enable --now bursar-backup-wal bursar-backup.timer bursar-drill.timer',
  '  bursar doctor',
]

const answersFrom = async (file: string | undefined): Promise<Settled> => {
  if (file !== undefined) return readAnswers(readJson(file))
  if (!process.stdin.isTTY) throw new UsageError('there is no terminal to ask in: give --answers FILE')
  return readAnswers(await askInTerminal())
}

/** The environment of a role as its unit has it. */
const envOf = ({ shared, roles }: Files, role: 'owner' | 'operator'): Environment => ({
  ...readEnvironmentFile(shared.path),
  ...readEnvironmentFile(roles[role].path),
})

/** The variable that names the person behind sudo, for the record of commands. */
const quiet = ({ SUDO_USER }: Environment): Environment => (SUDO_USER === undefined ? {} : { SUDO_USER })

/** Checks the node of each network before anything is made. @throws Error if one has a fault */
const requireNodes = async ({ networks, assets }: Settled, mayHaveFaults: boolean, out: Output): Promise<void> => {
  let faults = 0
  const add = (result: 'ok' | 'bad' | 'note', line: string): void =>
    out.add('nodes', { result, text: line }, `${{ ok: 'ok  ', bad: 'BAD ', note: 'note' }[result]} ${line}`)
  await reportNodes(
    { networks, assets: createCatalogue(readAssetSettings(assets)) },
    (isGood, line) => {
      if (!isGood) faults += 1
      add(isGood ? 'ok' : 'bad', line)
    },
    (line) => add('note', line),
  )
  if (faults > 0 && !mayHaveFaults)
    throw new Error('a node has a fault, and nothing was made: mend it (docs/operating/nodes.md), or give --skip-nodes')
}

/** Shows the addresses that payments are made from, which need money. */
const showHotAddresses = ({ networks }: Settled, wallet: WalletKeys, out: Output): void => {
  const addressOn = (network: Network): string => {
    if (network === 'BITCOIN') return bitcoinHotAddress(wallet)
    return network === 'TRON' ? tronHotAddress(wallet) : evmHotAddress(wallet)
  }
  out.say('hot addresses, which need money for payouts and their network fees:')
  out.list(
    'hotAddresses',
    servedOf(networks).map((network) => ({
      network,
      address: addressOn(network),
      coinForFees: NATIVE_TICKER[network],
    })),
  )
}
