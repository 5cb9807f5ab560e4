/** The assets and networks this installation serves, and what it asks for moving them. Promises: configuration only. */
export { createCatalogue } from './catalogue.ts'
export type { AssetOnNetwork, AssetSettings, Catalogue, CryptoAsset, FiatAsset } from './catalogue.ts'
export { readAssetSettings } from './shape.ts'
export { assetRoutes } from './routes.ts'
export { chargeOf } from './tariff.ts'
