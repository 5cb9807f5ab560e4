import { readSecretFile } from '../keys/secret-file.ts'

const LINE_BREAK = 0x0a
const CARRIAGE_RETURN = 0x0d
const MAX_BYTES = 4096
const MIN_BYTES = 12

export interface PassphraseSource {
  file?: string | undefined
  stdin?: boolean | undefined
}

/**
 * Reads the passphrase, without its line break, from the first line of a file or of standard input. It can't be given
 * in an environment variable or an argument, where other processes and child processes could see it.
 */
export async function readPassphrase({ file, stdin = false }: PassphraseSource): Promise<Buffer> {
  if ((file === undefined) === !stdin) throw new Error('Give either --passphrase-file FILE or --passphrase-stdin')
  const bytes = file === undefined ? await readFirstLine() : await readSecretFile(file)
  const line = firstLine(bytes)
  if (line.length < MIN_BYTES) throw new Error(`The passphrase needs at least ${MIN_BYTES} bytes`)
  return line
}

function firstLine(bytes: Buffer): Buffer {
  const end = bytes.indexOf(LINE_BREAK)
  const line = end < 0 ? bytes : bytes.subarray(0, end)
  return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line
}

/**
 * Reads until a line break or the end. Standard input stays open, because `--exit-on-stdin-end` watches for its end.
 */
function readFirstLine(): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let read: Buffer = Buffer.alloc(0)
    const settle = (): void => {
      process.stdin.off('data', onData).off('end', settle).pause()
      resolve(read)
    }
    const onData = (chunk: Buffer): void => {
      read = Buffer.concat([read, chunk])
      if (read.length > MAX_BYTES) reject(new Error('The passphrase is too long'))
      if (read.includes(LINE_BREAK)) settle()
    }
    process.stdin.on('data', onData).once('end', settle).once('error', reject)
  })
}
