import { startSigner } from './serve.ts'

/**
 * The signer as `main.ts` composes it, but killed at the worst moment: the signature is on the disk, the answer has
 * not left. Only crash tests run it. Arguments: passphrase, seed, policy, log, socket, and the network whose first
 * signature kills it; any if absent.
 */
const [passphrase = '', seedFile = '', policyFile = '', logFile = '', socketPath = '', only] = process.argv.slice(2)

await startSigner({
  seedFile,
  passphrase: Buffer.from(passphrase),
  policyFile,
  logFile,
  endpoint: { socketPath },
  events: { refused: () => undefined, failed: () => undefined },
  now: Date.now,
  log: {
    afterSynced: ({ network }) => {
      if (only === undefined || network === only) process.kill(process.pid, 'SIGKILL')
    },
  },
})
process.stdout.write('{"ready":true}\n')
