import type { Catalogue, CryptoAsset, FiatAsset } from '../../market/assets/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { listRounds } from '../reconciliation/index.ts'
import type { Signed } from './files.ts'
import { commitmentOf, hashStatement } from './hashing.ts'
import { FORMAT, type Statement, type StatementAsset } from './statement.ts'
import { insertReport, readAccounts, readBalances, readOwedAssets, readSums, type Report } from './store.ts'
import { buildTree, type Balances } from './tree.ts'

export interface Taken {
  report: Report
  statement: Statement
}

/**
 * Reads every merchant's balances and the reserves of the last comparisons in one snapshot, and stores the report from
 * which proofs are made. Throws when a merchant has an asset that the catalogue lacks, because the report would omit
 * it.
 * @param secret 32 random bytes
 * @param sign makes the report's signature; null to leave it unsigned
 */
export const takeReport = async (
  db: Db,
  catalogue: Catalogue,
  given: { id: string; at: Date; secret: Buffer; sign: ((commitment: string) => Signed) | null },
): Promise<Taken> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const assets = await assetsToProve(tx, catalogue)
      const balances = await readBalances(
        tx,
        assets.map(({ ticker }) => ticker),
      )
      const statement: Statement = {
        format: FORMAT,
        id: given.id,
        takenAt: given.at.toISOString(),
        merchants: balances.length,
        assets: await reservesOf(tx, assets, balances),
      }
      const text = JSON.stringify(statement)
      const { root } = buildTree(text, given.secret, balances, assets.length)
      const commitment = commitmentOf(hashStatement(text), root).toString('hex')
      const signed = given.sign?.(commitment) ?? null
      const report = {
        id: given.id,
        statement: text,
        secret: given.secret,
        commitment,
        publicKey: signed?.publicKey ?? null,
        signature: signed?.signature ?? null,
      }
      await insertReport(tx, report, given.at, balances)
      return { report, statement }
    })

const assetsToProve = async (tx: Tx, catalogue: Catalogue): Promise<(CryptoAsset | FiatAsset)[]> => {
  const owed = await readOwedAssets(tx)
  const unknown = owed.filter((ticker) => !catalogue.find(ticker))
  if (unknown.length > 0) throw new Error(`merchants have ${unknown.join(', ')}, which the asset list lacks`)
  return [...catalogue.crypto, ...catalogue.fiat.filter(({ ticker }) => owed.includes(ticker))]
}

const reservesOf = async (
  tx: Tx,
  assets: readonly (CryptoAsset | FiatAsset)[],
  balances: readonly Balances[],
): Promise<StatementAsset[]> => {
  const sums = await readSums(tx)
  const rounds = await listRounds(tx)
  const accounts = await readAccounts(tx)
  const of = (ticker: string, kind: string): bigint => sums.get(`${ticker}/${kind}`) ?? 0n
  return assets.map(({ ticker, scale }, i) => ({
    ticker,
    scale,
    liabilities: String(balances.reduce((sum, { units }) => sum + units[i]!, 0n)),
    suspense: String(of(ticker, 'suspense')),
    quarantine: String(of(ticker, 'quarantine')),
    inTransit: String(-of(ticker, 'transit')),
    reserves: rounds
      .filter((round) => round.ticker === ticker)
      .map(({ network, height, hash, onChain }) => ({ network, height, hash, units: String(onChain) })),
    ...(accounts.has(ticker) ? { accounts: accounts.get(ticker)! } : {}),
  }))
}
