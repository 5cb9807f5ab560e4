/** Files that another user of the machine has placed, or that an earlier setup has left, before setup reads them. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../../test/setup/temporary.ts'
import { createTextOutput } from '../output.ts'
import { fingerprintOf, makeClientCertificates } from './certificates.ts'
import { readForSigner, showHanded } from './handover.ts'
import { requireWhole } from './making.ts'
import { exists, filesOf, signerFilesOf, writeTogether, type Owners } from './places.ts'
import { makeOwnCertificate } from './signer-making.ts'
import { createSteps } from './steps.ts'

const self = { user: process.geteuid!(), group: process.getegid!() }
const owners: Owners = { root: self, roles: self, worker: self, operators: self, backup: self, signer: self }
const folder = temporaryFolder('hostile-files')
const placeOf = (name: string): string => {
  mkdirSync(join(folder, name))
  return join(folder, name)
}

test.each([
  ['link', 'a link to a file that only root may read', (secret: string, path: string) => symlinkSync(secret, path)],
  [
    'text',
    'a text that is no certificate',
    (secret: string, path: string) => writeFileSync(path, readFileSync(secret)),
  ],
])('%s: the file for the server does not get %s', async (name, _what, place) => {
  const files = signerFilesOf(placeOf(name), self)
  const secret = join(folder, 'secret')
  writeFileSync(secret, 'a secret of root')
  for (const file of [files.cert, files.key]) writeFileSync(file.path, 'x')
  place(secret, files.ownCa.path)
  const steps = createSteps(
    createTextOutput(() => {}),
    false,
  )
  const making = { part: { address: '10.0.0.2:7700' } as never, command: 'none', owner: self, files, steps }
  await expect(makeOwnCertificate(making, () => ({}) as never)).rejects.toThrow()
  expect(exists(files.forServer)).toBe(false)
})

test('the shown SHA-256 is that of the bytes that were read, although the file is replaced', () => {
  const path = join(folder, 'for-signer.json')
  const write = () => {
    const { ca, pairs } = makeClientCertificates()
    const clients = Object.fromEntries(Object.entries(pairs).map(([name, { cert }]) => [name, fingerprintOf(cert)]))
    writeFileSync(path, JSON.stringify({ ca, clients }))
  }
  const shown: string[] = []
  const out = createTextOutput((text) => void shown.push(text))
  write()
  const first = readForSigner(path)
  write()
  for (const one of [first, readForSigner(path), first]) showHanded(one, out)
  expect(shown[0]).toBe(shown[2])
  expect(shown[0]).not.toBe(shown[1])
})

test('no card key is made while the settings name one that is lost and the database is in use', () => {
  const files = filesOf({ server: placeOf('server'), signer: placeOf('signer'), signerCommand: 'x' }, owners)
  for (const file of [files.wallet, files.signer.seed, files.signer.passphrase, files.dataKey])
    writeFileSync(file.path, 'x')
  writeFileSync(files.shared.path, `BURSAR_CARD_KEY_FILE='${files.cardKey.path}'\n`)
  const database = { exists: true, isMigrated: true, withPassword: new Set<never>() }
  expect(() => requireWhole({ files, forServer: undefined } as never, database as never)).toThrow('card')
})

test('files of an interrupted setup with other answers are not completed', () => {
  const place = placeOf('four')
  const fileOf = (name: string) => ({ path: join(place, name), owner: self, mode: 0o600 as const })
  writeFileSync(fileOf('journal').path, JSON.stringify(['a']))
  const [first, second] = [fileOf('first'), fileOf('second')]
  expect(() => writeTogether(fileOf('journal'), [first, second], () => [])).toThrow('of a setup with other answers')
  expect([exists(first), exists(second)]).toEqual([false, false])
})
