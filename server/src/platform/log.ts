import { pino, type Logger } from 'pino'

/** Fields that must never reach a log, wherever they stand in what is logged. */
const SECRETS = ['privateKey', 'secret', 'signature', 'signingKey', 'webhookSecrets', 'passphrase', 'mnemonic', 'authorization', 'sealed']

/** JSON lines to standard output, secrets taken out. */
export const createLog = (level: string, role: string): Logger =>
  pino({
    level,
    base: { role },
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[secret]' },
    timestamp: pino.stdTimeFunctions.isoTime,
  })
