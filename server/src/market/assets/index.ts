/** The assets and networks of this installation, with limits and fees, all from the configuration. */
export { createCatalogue } from './catalogue.ts'
export type { AssetOnNetwork, Catalogue, CryptoAsset, FiatAsset } from './catalogue.ts'
export { ASSETS_SHAPE, readAssetSettings } from './settings.ts'
export type { AssetSettings } from './settings.ts'
export { assetRoutes } from './routes.ts'
export { chargeOf } from './tariff.ts'
