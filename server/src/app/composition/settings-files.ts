import { ACQUIRERS_SHAPE, readAcquirersConfig } from '../../adapters/acquirers/index.ts'
import { NETWORKS_SHAPE, readChainSettings } from '../../adapters/chains/index.ts'
import { WALLET_SHAPE, type WalletKeys } from '../../chain/transactions/index.ts'
import { ASSETS_SHAPE, createCatalogue, readAssetSettings, type Catalogue } from '../../market/assets/index.ts'
import { readShape } from '../../platform/config/shape.ts'
import { ALERTS_SHAPE, readAlertsFile } from './alerts-file.ts'
import { EXCHANGE_FILE_SHAPE, readExchangeFile } from './exchange-file.ts'
import { POLICY_SHAPE, readPolicies } from './policy.ts'
import { readScreeningFile, SCREENING_SHAPE } from './screening-file.ts'

/** The shape of each settings file, by the lower-case part of `BURSAR_…_FILE`. */
export const FILE_SHAPES = {
  networks: NETWORKS_SHAPE,
  assets: ASSETS_SHAPE,
  xpubs: WALLET_SHAPE,
  policy: POLICY_SHAPE,
  acquirers: ACQUIRERS_SHAPE,
  exchange: EXCHANGE_FILE_SHAPE,
  screening: SCREENING_SHAPE,
  alerts: ALERTS_SHAPE,
}

/** The reader of each settings file. Each throws a ShapeError that lists everything wrong. */
export const FILE_READERS = {
  networks: readChainSettings,
  assets: (json: unknown): Catalogue => createCatalogue(readAssetSettings(json)),
  xpubs: (json: unknown): WalletKeys => readShape(WALLET_SHAPE, json),
  policy: readPolicies,
  acquirers: readAcquirersConfig,
  exchange: readExchangeFile,
  screening: readScreeningFile,
  alerts: readAlertsFile,
}
