/** The assets and networks of this installation, with limits and fees, all from the configuration. */
export {
  createCatalogue,
  type AssetOnNetwork,
  type Catalogue,
  type CryptoAsset,
  type FiatAsset,
  chargeOf,
} from './catalogue.ts'
export { ASSETS_SHAPE, readAssetSettings } from './settings.ts'
export type { AssetSettings } from './settings.ts'
export { assetRoutes } from './routes.ts'
