import { command, flag, neededText, text, type Command } from '../command.ts'
import { readForSigner, showFile, showHanded } from './handover.ts'
import { findSigner, PACKAGED, readJson, signerFilesOf } from './places.ts'
import { readSignerAnswers } from './signer-answers.ts'
import {
  letClientsIn,
  makeOwnCertificate,
  makePolicy,
  makeSeed,
  makeSignerEnvironment,
  publicKeysOf,
  requireWholeSigner,
  type SignerMaking,
} from './signer-making.ts'
import { createSteps } from './steps.ts'

/** Where the unit of the package has the signer's log. */
const LOG = '/var/lib/bursar-signer/signer.log'

/** Sets up a signer on its own machine. Makes only what is missing, so it can be repeated. */
export const setupSignerCommand: Command = command({
  name: 'setup signer',
  summary: 'set up the signer on its own machine: seed, policy, certificate; run it as root',
  options: {
    answers: neededText('FILE', 'read the answers from a JSON file'),
    clients: text('FILE', 'let the clients of this file connect: for-signer.json of the server'),
    'dry-run': flag('show what is missing, and change nothing'),
    'show-words': flag('show the words of a new seed: they are its backup'),
  },
  more: 'It needs no database and no settings of the server, and changes nothing that exists. First run it without --clients, and give for-server.json to the setup of the server. Then run it with the for-signer.json that this setup makes. Both files are public.',
  run: async ({ options }, _env, out) => {
    if (process.geteuid?.() !== 0) throw new Error('run bursar setup signer as root: it makes files of the signer')
    const part = readSignerAnswers(readJson(options.answers))
    const given = options.clients === undefined ? undefined : readForSigner(options.clients)
    if (given !== undefined) showHanded(given, out)
    const owner = findSigner()
    const files = signerFilesOf(PACKAGED.signer, owner)
    requireWholeSigner(files, LOG)
    const isDry = options['dry-run']
    const making: SignerMaking = { part, command: PACKAGED.signerCommand, owner, files, steps: createSteps(out, isDry) }
    await makeSeed(making, { showsWords: options['show-words'] }, out)
    const keys = () => publicKeysOf(making)
    await makePolicy(making, keys)
    await makeOwnCertificate(making, keys)
    if (given !== undefined) {
      await letClientsIn(making, given.content)
      await makeSignerEnvironment(making)
    }
    if (isDry) return
    showFile(files.forServer.path, out)
    for (const line of given === undefined ? FIRST : SECOND) out.say(line)
  },
})

const FIRST = [
  'next steps:',
  '  store copies of /etc/bursar-signer/seed.json and of /etc/bursar-signer/passphrase in different places',
  '  copy /etc/bursar-signer/for-server.json to the machine of the server, and name it as `signer` in the answers of bursar setup there',
  '  the setup of the server shows the SHA-256 of this file: compare it',
  '  then run bursar setup signer again, with --clients and the file for-signer.json of the server',
]

const SECOND = [
  'the setup of the server has shown the SHA-256 of its file: start the signer only if it is the same',
  '  systemctl enable --now bursar-signer',
]
