/** Read requests: prices, parameters and the node itself. */
import { hexOfText } from '../bytes.ts'
import type { Price } from '../resources/parameters.ts'
import { parametersOf } from '../state/records.ts'
import type { Routes } from './routes.ts'

export const networkRoutes: Routes = {
  getchainparameters: ({ state }) => ({
    chainParameter: Object.entries(parametersOf(state).values)
      .filter(([key]) => key !== 'getPublicNetLimit')
      .map(([key, value]) => (value === 0n ? { key } : { key, value })),
  }),
  getenergyprices: ({ state }) => ({ prices: pricesText(parametersOf(state).energyPrices) }),
  getbandwidthprices: ({ state }) => ({ prices: pricesText(parametersOf(state).bandwidthPrices) }),
  getmemofee: ({ state }) => ({ prices: `0:${parametersOf(state).values.getMemoFee}` }),
  getnodeinfo: ({ branch, node }) => ({
    beginSyncNum: branch.height(),
    block: `Num:${branch.head().number},ID:${branch.head().id}`,
    solidityBlock: `Num:${branch.solid().number},ID:${branch.solid().id}`,
    currentConnectCount: 0,
    activeConnectCount: 0,
    passiveConnectCount: 0,
    peerList: [],
    configNodeInfo: { codeVersion: 'bursar-sandbox', supportConstant: node.settings().supportConstant },
  }),
  listnodes: () => ({ nodes: [{ address: { host: hexOfText('127.0.0.1'), port: 18_888 } }] }),
  getnextmaintenancetime: ({ newest, state }) => {
    const period = parametersOf(state).values.getMaintenanceTimeInterval
    return { num: (BigInt(newest.timestamp) / period + 1n) * period }
  },
}

/** `since:price`, the times in ms, oldest first. */
const pricesText = (prices: readonly Price[]): string => prices.map(({ since, value }) => `${since}:${value}`).join(',')
