import { merchantExists } from '../../merchants/accounts/index.ts'
import { isNetwork } from '@bursar/chainkit'
import { isSameActor } from '../../platform/base/actor.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { explainAddress, writeDownAddress } from '../../ledger/address-balances/index.ts'
import { stopDebtors, lockDebts, pairText, liftDebtorStops } from '../../ledger/debts/index.ts'
import { applyAll, availableOf, feesOf } from '../../ledger/postings/index.ts'
import { accountText, keyOf, merchantOf, requirePair, type NamedAccount } from './accounts.ts'
import { adjustmentText, VALID_MS, type Adjustment } from './adjustment.ts'
import { enrolmentText, hasSigned, type Person } from './person.ts'
import { itemsOf, type Part } from './postings.ts'
import { equityOf, findDeposit, spokenForOf } from './queries.ts'
import {
  databaseIdentity,
  findAdjustment,
  insertAdjustment,
  insertPerson,
  insertSignature,
  listPeople,
  lockAdjustments,
  type PersonLine,
} from './store.ts'

const ID = /^[a-z0-9._-]{1,64}$/
const LOGIN = /^[\w.@\\-]{1,64}\$?$/

/**
 * Enrols a person who may sign adjustments. The first one ever needs no voucher; every other one does.
 * @param voucher an enrolled person, and their signature of `enrolmentText`
 * @throws Error that names the missing part
 */
export const enrol = async (
  tx: Tx,
  person: Person,
  { actor, voucher }: { actor: string; voucher: { id: string; signature: string } | null },
  { at }: Moment,
): Promise<void> => {
  if (!ID.test(person.id)) throw new Error('a person is named by small letters, digits, ".", "_" and "-"')
  if (!LOGIN.test(person.login))
    throw new Error('the login is the name of an account of the machine that commands are typed on, without a space')
  if (!/^[0-9a-f]{64}$/.test(person.publicKey))
    throw new Error('the public key is 32 bytes in hex, as `bursar person key` prints it')
  await lockAdjustments(tx)
  const people = await listPeople(tx)
  const same = people.find(({ id, publicKey }) => id === person.id || publicKey === person.publicKey)
  if (same) throw new Error(`${same.id} was enrolled before with this name or key: take another`)
  if (people.length > 0) {
    if (!voucher)
      throw new Error(
        `a person who is enrolled vouches for ${person.id}: have the text of \`bursar person text\` signed`,
      )
    const text = enrolmentText(person, await databaseIdentity(tx))
    if (!hasSigned(enrolled(people, voucher.id), text, voucher.signature))
      throw new Error(`the signature is not ${voucher.id}'s of this enrolment`)
  }
  await insertPerson(tx, person, {
    actor,
    at,
    vouchedBy: people.length > 0 ? voucher!.id : null,
    signature: people.length > 0 ? voucher!.signature : null,
  })
}

const enrolled = (people: readonly PersonLine[], id: string): PersonLine => {
  const person = people.find((one) => one.id === id)
  if (!person || person.removedAt !== null)
    throw new Error(`${id} is not enrolled: bursar person list shows the people who may sign`)
  return person
}

export type Proposal = Omit<Adjustment, 'id' | 'proposedAt'>

/** Formats units of an asset for an error message. */
export type Show = (asset: string, units: bigint) => string

/**
 * Throws an Error unless an enrolled person with another login than the actor has signed the text. For decisions of
 * other modules that two people take.
 */
export const requireSignature = async (
  tx: Tx,
  { person: id, signature, text }: { person: string; signature: string; text: string },
  actor: string,
): Promise<void> => {
  const person = enrolled(await listPeople(tx), id)
  if (isSameActor(person.login, actor))
    throw new Error(`${id} is enrolled with your login ${person.login}: have a person with another login sign`)
  if (!hasSigned(person, text, signature))
    throw new Error(`this signature is not by the enrolled key of ${id}, or not of this text, in this database, now`)
}

/** Stores an adjustment for a second person to sign. Throws an Error when the ledger does not allow it now. */
export const propose = async (tx: Tx, proposal: Proposal, show: Show, { at, newId }: Moment): Promise<Adjustment> => {
  const adjustment = { ...proposal, id: newId(), proposedAt: at }
  // With a line break, one text could be read as another.
  if (/[\p{Cc}\u2028\u2029]/u.test(adjustment.reason) || adjustment.reason.trim() === '')
    throw new Error('the reason is one line of text')
  await lockAdjustments(tx)
  await judge(tx, adjustment, show)
  await insertAdjustment(tx, adjustment)
  return adjustment
}

/** Posts an adjustment that a second person has signed. Throws an Error with the reason when it can't. */
export const applyAdjustment = async (
  tx: Tx,
  { id, person: personId, signature }: { id: string; person: string; signature: string },
  { actor, show }: { actor: string; show: Show },
  moment: Moment,
): Promise<Adjustment> => {
  await lockAdjustments(tx)
  const adjustment = await findAdjustment(tx, id)
  if (!adjustment) throw new Error(`there is no adjustment ${id}: bursar adjust list shows all of them`)
  if (adjustment.signed)
    throw new Error(
      `adjustment ${id} was applied at ${adjustment.signed.appliedAt.toISOString()}, and is applied only once: nothing is left to do`,
    )
  if (moment.at.getTime() > adjustment.proposedAt.getTime() + VALID_MS)
    throw new Error(`adjustment ${id} was proposed more than seven days ago: propose it again`)
  const person = enrolled(await listPeople(tx), personId)
  if (isSameActor(person.login, adjustment.proposedBy))
    throw new Error(
      `adjustment ${id} was proposed by ${adjustment.proposedBy}, and ${personId} is enrolled with the login ${person.login}: ` +
        'the author of a proposal can not sign it. Have a person with another login sign it (bursar person list)',
    )
  if (!hasSigned(person, adjustmentText(adjustment, await databaseIdentity(tx)), signature))
    throw new Error(
      `this signature is not by the enrolled key of ${personId}, or not of the text of adjustment ${id} in this database: ` +
        `have ${personId} sign what \`bursar adjust text ${id}\` prints here now, and give the whole signature`,
    )
  const parts = await judgeAgain(tx, adjustment, show)
  await insertSignature(tx, id, { person: personId, signature, appliedBy: actor, appliedAt: moment.at })
  await applyAll(tx, itemsOf(id, parts, keyOf(adjustment.to, adjustment.asset), moment))
  await followDebts(tx, adjustment, moment)
  return adjustment
}

/** Thrown if the ledger does not allow an adjustment. */
export class NotAllowed extends Error {
  override name = 'NotAllowed'
}

/** Judges a signed adjustment by the books of this moment, and changes the records of addresses. */
const judgeAgain = async (tx: Tx, adjustment: Adjustment, show: Show): Promise<Part[]> => {
  try {
    const parts = await judge(tx, adjustment, show)
    await moveRecords(tx, adjustment, show)
    return parts
  } catch (error) {
    if (!(error instanceof NotAllowed)) throw error
    throw new Error(
      `the books do not allow adjustment ${adjustment.id} now: ${error.message}. ` +
        'Propose another one, or apply it once they do, within seven days of its proposal',
      { cause: error },
    )
  }
}

/** Returns the accounts that give the units, and how many each. Throws an Error when the ledger does not allow it. */
const judge = async (tx: Tx, adjustment: Adjustment, show: Show): Promise<Part[]> => {
  const { asset, units, from, to } = adjustment
  requirePair(from, to)
  for (const account of [from, to]) {
    const merchantId = merchantOf(account)
    if (merchantId !== null && !(await merchantExists(tx, merchantId)))
      throw new NotAllowed(`there is no merchant ${merchantId}`)
  }
  judgePlace(adjustment)
  await judgeDeposit(tx, adjustment, show)
  if ((from.kind === 'capital' || from.kind === 'fees') && to.kind === 'merchant')
    await judgeEquity(tx, asset, units, show)
  await judgeTarget(tx, adjustment, show)
  return from.kind === 'fees' ? feeParts(tx, adjustment, show) : [await partOf(tx, adjustment, show)]
}

/** Throws if the adjustment would use merchants' money for something that the platform has spent or lost. */
const judgeEquity = async (tx: Tx, asset: string, units: bigint, show: Show): Promise<void> => {
  const equity = await equityOf(tx, asset)
  if (equity < units)
    throw new NotAllowed(
      `capital and fees of ${asset}, less costs and losses, are ${show(asset, equity)}: less than ${show(asset, units)}`,
    )
}

/** Debit-normal accounts that "from" makes larger: they have no limit. */
const ENDLESS: readonly NamedAccount['kind'][] = ['losses', 'receivable', 'acquirer']

const partOf = async (tx: Tx, { asset, units, from, address }: Adjustment, show: Show): Promise<Part> => {
  const account = keyOf(from, asset)
  if (ENDLESS.includes(from.kind)) return { account, units }
  const available = await availableOf(tx, account)
  const spoken = from.kind === 'suspense' && address === null ? await spokenForOf(tx, asset, from.of) : 0n
  if (available - spoken < units) {
    const why =
      spoken > 0n
        ? `, of which ${show(asset, spoken)} belong to ${from.of === null ? 'addresses (say which: --address)' : 'suspended card payments'}`
        : ''
    throw new NotAllowed(
      `${accountText(from)} has ${show(asset, available)} ${asset}${why}: less than ${show(asset, units)}`,
    )
  }
  return { account, units }
}

const feeParts = async (tx: Tx, { asset, units, from }: Adjustment, show: Show): Promise<Part[]> => {
  const parts: Part[] = []
  let left = units
  for (const { merchantId, units: has } of await feesOf(tx, asset, from.of)) {
    const taken = has < left ? has : left
    if (taken > 0n) parts.push({ account: { merchantId, asset, kind: 'fees' }, units: taken })
    left -= taken
  }
  if (left > 0n)
    throw new NotAllowed(
      `${accountText(from)} has ${show(asset, units - left)} ${asset}: less than ${show(asset, units)}`,
    )
  return parts
}

/** Throws if a debt or a loss would be paid back by more than its amount. */
const judgeTarget = async (tx: Tx, { asset, units, to }: Adjustment, show: Show): Promise<void> => {
  if (to.kind !== 'receivable' && to.kind !== 'losses') return
  const owed = -(await availableOf(tx, keyOf(to, asset)))
  if (owed < units)
    throw new NotAllowed(`${accountText(to)} is ${show(asset, owed)} ${asset}: less than ${show(asset, units)}`)
}

const judgePlace = ({ from, to, address }: Adjustment): void => {
  const needsAddress = to.kind === 'custody'
  const mayHave = needsAddress || (from.kind === 'suspense' && from.of === null)
  if (needsAddress && address === null) throw new NotAllowed('say which address holds less: --address NETWORK/ADDRESS')
  if (address !== null && !mayHave) throw new NotAllowed('--address is for custody, and for suspense of the platform')
  if (address === null) return
  const { network } = placeOf(address)
  if (needsAddress && network !== to.of) throw new NotAllowed(`the address is on ${network}, the account on ${to.of}`)
}

const placeOf = (text: string): { network: string; address: string } => {
  const [network = '', ...rest] = text.split('/')
  const address = rest.join('/')
  if (!isNetwork(network) || !/^[a-zA-Z0-9]+$/.test(address))
    throw new NotAllowed('an address is written as NETWORK/ADDRESS')
  return { network, address }
}

/** Throws unless money leaves quarantine for a finally rejected deposit, as its whole amount and only once. */
const judgeDeposit = async (tx: Tx, { from, depositId, asset, units }: Adjustment, show: Show): Promise<void> => {
  if ((from.kind === 'quarantine') !== (depositId !== null)) {
    throw new NotAllowed(
      depositId === null ? 'say which rejected deposit it is: --deposit ID' : '--deposit is for quarantine',
    )
  }
  if (depositId === null) return
  const deposit = await findDeposit(tx, from.of!, depositId)
  if (!deposit) throw new NotAllowed(`merchant ${from.of} has no deposit ${depositId}`)
  if (deposit.state !== 'rejected')
    throw new NotAllowed(
      `deposit ${depositId} is ${deposit.state}: only a rejected one gives up its money (\`bursar screening reject\`)`,
    )
  if (!deposit.isFinal) throw new NotAllowed(`the block of deposit ${depositId} is not final yet: try again later`)
  if (deposit.adjustmentId !== null)
    throw new NotAllowed(`deposit ${depositId} left quarantine by adjustment ${deposit.adjustmentId}`)
  if (deposit.asset !== asset || deposit.units !== units)
    throw new NotAllowed(
      `deposit ${depositId} is ${show(deposit.asset, deposit.units)} ${deposit.asset}: it leaves whole`,
    )
}

/** Changes the records of addresses along with the ledger. */
const moveRecords = async (tx: Tx, { to, asset, units, address }: Adjustment, show: Show): Promise<void> => {
  if (address === null) return
  const place = placeOf(address)
  if (to.kind === 'custody') {
    if (await writeDownAddress(tx, place, asset, units)) return
    throw new NotAllowed(
      `the last comparison did not find ${address} short by ${show(asset, units)} ${asset}: run \`bursar reconcile\``,
    )
  }
  if (!(await explainAddress(tx, place, asset, units)))
    throw new NotAllowed(`${address} does not hold ${show(asset, units)} ${asset} that nothing explains`)
}

/** Stops withdrawals of a merchant that owes, and lifts the stop of one that owes nothing any more. */
const followDebts = async (tx: Tx, { from, to, asset }: Adjustment, moment: Moment): Promise<void> => {
  if (from.kind === 'receivable') await stopDebtors(tx, [{ merchantId: from.of!, asset }], moment)
  if (to.kind !== 'receivable') return
  const pair = { merchantId: to.of!, asset }
  const debts = await lockDebts(tx, [pair])
  if (!debts.has(pairText(pair))) await liftDebtorStops(tx, [pair], moment)
}
