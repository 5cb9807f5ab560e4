import { parseArgs } from 'node:util'
import { makeApproverKey } from '../approvals/approver-key.ts'
import { createSecretFile } from '../keys/secret-file.ts'
import { APPROVER_ID } from '../protocol/request.ts'
import { readPassphrase } from './passphrase.ts'

/** Creates an approver's encrypted key file. Prints the entry that the signer's administrator adds to the policy. */
export async function approverKey(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      id: { type: 'string' },
      key: { type: 'string' },
      'passphrase-file': { type: 'string' },
      'passphrase-stdin': { type: 'boolean' },
    },
  })
  const { id, key: path } = values
  if (id === undefined || !APPROVER_ID.test(id)) throw new Error('Give the id of the approver: --id alice')
  if (!path) throw new Error('Give the path of the key file: --key FILE')
  const passphrase = await readPassphrase({ file: values['passphrase-file'], stdin: values['passphrase-stdin'] })
  const { file, publicKey } = await makeApproverKey(passphrase)
  passphrase.fill(0)
  await createSecretFile(path, file)
  process.stdout.write(`${JSON.stringify({ id, publicKey })}\n`)
}
