import { readFileSync, writeFileSync } from 'node:fs'
import {
  accountText,
  adjustmentText,
  applyAdjustment,
  databaseIdentity,
  enrol,
  enrolmentText,
  findAdjustment,
  listAdjustments,
  listPeople,
  makePersonKey,
  PAIRS,
  propose,
  readAccount,
  removePerson,
  signText,
  type AdjustmentLine,
  type Show,
} from '../../treasury/adjustments/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { readKeyFile } from '../../platform/config/key-file.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { actor } from './recording.ts'
import { uuid } from './argument-kinds.ts'
import { command, flag, neededText, text, UsageError, type Command } from './command.ts'
import type { Fields } from './output.ts'
import { required, withInstallation, type Opened } from '../installation/open.ts'
import { assetOf, signedUnitsOf } from './typed-amount.ts'

const showOf =
  ({ config }: Opened): Show =>
  (ticker, units) => {
    const asset = required(config.assets, 'BURSAR_ASSETS_FILE').find(ticker)
    return asset ? formatUnits(units, asset.scale) : `${units} units`
  }

const PAIR_LINES = PAIRS.map(([from, to, why]) => `  ${from} to ${to}: ${why}`).join('\n')

/** A line of `adjust list` and `reconcile`. */
export const adjustmentLine = ({
  id,
  asset,
  amount,
  from,
  to,
  address,
  depositId,
  reason,
  proposedBy,
  signed,
}: AdjustmentLine): string => {
  const about = [address, depositId === null ? null : `deposit ${depositId}`]
    .filter((one) => one !== null)
    .map((one) => ` (${one})`)
    .join('')
  const state = signed
    ? `applied ${signed.appliedAt.toISOString()} by ${signed.appliedBy}, signed by ${signed.person}`
    : 'not signed'
  return `${id}: ${amount} ${asset} from ${accountText(from)} to ${accountText(to)}${about}, proposed by ${proposedBy}, ${state}: ${reason}`
}

/** The same as fields, for `--json`. */
export const adjustmentFields = ({ units: _, from, to, ...rest }: AdjustmentLine): Fields => ({
  ...rest,
  from: accountText(from),
  to: accountText(to),
  signed: rest.signed && { ...rest.signed },
})

const textToSign = async ({ runtime: { db } }: Opened, id: string): Promise<string> => {
  const adjustment = await findAdjustment(db, id)
  if (!adjustment) throw new Error(`there is no adjustment ${id}: bursar adjust list shows all of them`)
  return adjustmentText(adjustment, await databaseIdentity(db))
}

const adjustCommands: readonly Command[] = [
  command({
    name: 'adjust',
    summary: 'propose an adjustment of the books; a second person has to sign it',
    args: ['AMOUNT', 'REASON...'],
    options: {
      asset: neededText('TICKER', 'of this asset'),
      from: neededText('ACCOUNT', 'the account that AMOUNT is taken from'),
      to: neededText('ACCOUNT', 'the account that AMOUNT is added to'),
      address: text(
        'NETWORK/ADDRESS',
        'the address: for custody, and for money of an address in the suspense of the platform',
      ),
      deposit: uuid('the rejected deposit whose money leaves quarantine'),
    },
    more: `An account is KIND, KIND:MERCHANT_ID, custody:NETWORK or acquirer:NAME. Allowed pairs:\n${PAIR_LINES}\nSee docs/operating/adjustments.md.`,
    run: async ({ args: { AMOUNT: typed, REASON: reason }, options }, env, out) => {
      const [from, to] = [accountOf(options.from), accountOf(options.to)]
      await withInstallation(env, async (opened) => {
        const asset = assetOf(opened, options.asset)
        const units = signedUnitsOf(typed, asset)
        if (units < 0n) throw new UsageError('AMOUNT is above zero: exchange --from and --to')
        const proposal = {
          asset: options.asset,
          units,
          amount: formatUnits(units, asset.scale),
          from,
          to,
          address: options.address ?? null,
          depositId: options.deposit ?? null,
          reason,
          proposedBy: actor(),
        }
        const { id } = await inTransaction(opened.runtime.db, (tx) =>
          propose(tx, proposal, showOf(opened), momentOf(opened.runtime)),
        )
        out.show({ id }, [])
        out.text('text', await textToSign(opened, id))
        process.stderr.write(
          `\nAnother person signs these lines (bursar adjust text ${id} | bursar adjust sign --key FILE), then: bursar adjust apply ${id} PERSON SIGNATURE\n`,
        )
      })
    },
  }),
  command({
    name: 'adjust text',
    summary: 'print the text of an adjustment that a second person signs',
    args: ['ADJUSTMENT_ID'],
    run: async ({ args: { ADJUSTMENT_ID: id } }, env, out) =>
      withInstallation(env, async (opened) => out.text('text', await textToSign(opened, id))),
  }),
  command({
    name: 'adjust sign',
    summary:
      "sign the text of an adjustment, an enrolment or a decision about deposits with a person's own key; needs no installation",
    options: {
      key: neededText('FILE', 'the private key, as `person key` made it'),
      text: text('FILE', 'the text; from standard input when left out'),
    },
    more: 'Read the text before you sign it: it is printed to standard error. The signature is printed to standard output.',
    run: async ({ options }, _env, out) => {
      const read = `${readFileSync(options.text ?? 0, 'utf8').trimEnd()}\n`
      if (!/^bursar (adjustment|person|first-seed) v1\n/.test(read))
        throw new Error(
          'this is neither the text of an adjustment nor that of an enrolment or of a decision about deposits',
        )
      process.stderr.write(read)
      out.text('signature', signText(readKeyFile(options.key), read))
    },
  }),
  command({
    name: 'adjust apply',
    summary: 'post an adjustment that a second person has signed',
    args: ['ADJUSTMENT_ID', 'PERSON', 'SIGNATURE'],
    irreversible: 'The adjustment is posted.',
    run: async ({ args: { ADJUSTMENT_ID: id, PERSON: person, SIGNATURE: signature } }, env, out) =>
      withInstallation(env, async (opened) => {
        const { runtime } = opened
        await inTransaction(runtime.db, (tx) =>
          applyAdjustment(tx, { id, person, signature }, { actor: actor(), show: showOf(opened) }, momentOf(runtime)),
        )
        const applied = (await findAdjustment(runtime.db, id))!
        out.show(adjustmentFields(applied), [adjustmentLine(applied)])
      }),
  }),
  command({
    name: 'adjust list',
    summary: 'list adjustments, the newest first',
    options: { open: flag('only those that are not signed yet') },
    run: async ({ options: { open } }, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        const lines = (await listAdjustments(runtime.db)).filter(({ signed }) => !open || signed === null)
        for (const line of lines) out.add('adjustments', adjustmentFields(line), adjustmentLine(line))
        if (lines.length === 0) out.list('adjustments', [])
      }),
  }),
]

const accountOf = (typed: string) => {
  try {
    return readAccount(typed)
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

const personCommands: readonly Command[] = [
  command({
    name: 'person key',
    summary: "create a key that signs adjustments; run it on the person's own machine, without an installation",
    options: {
      out: neededText(
        'FILE',
        'the file to create for the private key; only you can read it, and an existing file is not overwritten',
      ),
    },
    run: async ({ options: { out: file } }, _env, out) => {
      const { pem, publicKey } = makePersonKey()
      writeFileSync(file, pem, { mode: 0o600, flag: 'wx' })
      out.text('publicKey', publicKey)
    },
  }),
  command({
    name: 'person text',
    summary: 'print the text that an enrolled person signs to vouch for another person',
    args: ['PERSON', 'PUBLIC_KEY', 'LOGIN'],
    run: async ({ args: { PERSON: id, PUBLIC_KEY: publicKey, LOGIN: login } }, env, out) => {
      if (!/^[0-9a-f]{64}$/.test(publicKey))
        throw new UsageError('PUBLIC_KEY is 64 hexadecimal digits, as `person key` printed it')
      await withInstallation(env, async ({ runtime: { db } }) =>
        out.text('text', enrolmentText({ id, publicKey, login }, await databaseIdentity(db))),
      )
    },
  }),
  command({
    name: 'person enrol',
    summary: 'enrol a person who may sign adjustments',
    args: ['PERSON', 'PUBLIC_KEY', 'LOGIN'],
    options: {
      voucher: text('PERSON', 'the enrolled person who vouches; required for all but the first'),
      signature: text('HEX', "the voucher's signature of `person text`"),
    },
    more: "LOGIN is the login with which the person runs commands. A person can't sign an adjustment that the same login proposed.",
    run: async (
      { args: { PERSON: id, PUBLIC_KEY: publicKey, LOGIN: login }, options: { voucher, signature } },
      env,
      out,
    ) => {
      if ((voucher === undefined) !== (signature === undefined))
        throw new UsageError('--voucher and --signature go together')
      const by = { actor: actor(), voucher: voucher === undefined ? null : { id: voucher, signature: signature! } }
      await withInstallation(env, ({ runtime }) =>
        inTransaction(runtime.db, (tx) => enrol(tx, { id, publicKey, login }, by, momentOf(runtime))),
      )
      out.say(`${id} is enrolled`)
    },
  }),
  command({
    name: 'person remove',
    summary: 'revoke the right of a person to sign, permanently',
    args: ['PERSON'],
    irreversible: 'The person and the key can not be enrolled again.',
    run: async ({ args: { PERSON: id } }, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        if (!(await inTransaction(runtime.db, (tx) => removePerson(tx, id, actor(), momentOf(runtime).at))))
          throw new Error(`${id} is not enrolled`)
        out.say(`${id} can no longer sign`)
      }),
  }),
  command({
    name: 'person list',
    summary: 'list the people who may sign adjustments, and those who were removed',
    run: async (_given, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        const people = (await listPeople(runtime.db)).map((person) => ({ ...person }))
        out.list('people', people, { none: 'no person is enrolled' })
      }),
  }),
]

export const adjustmentCommands: readonly Command[] = [...adjustCommands, ...personCommands]
