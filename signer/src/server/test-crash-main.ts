import { startSigner } from './serve.ts'

/**
 * The signer as `main.ts` composes it, but killed at the worst moment: the signature is on the disk, the answer has
 * not left. Only the signer's crash tests run it. Arguments: passphrase, seed, policy, log, socket.
 */
const [passphrase = '', seedFile = '', policyFile = '', logFile = '', socketPath = ''] = process.argv.slice(2)

await startSigner({
  seedFile,
  passphrase: Buffer.from(passphrase),
  policyFile,
  logFile,
  endpoint: { socketPath },
  events: { refused: () => undefined, failed: () => undefined },
  now: Date.now,
  log: { afterSynced: () => process.kill(process.pid, 'SIGKILL') },
})
process.stdout.write('{"ready":true}\n')
