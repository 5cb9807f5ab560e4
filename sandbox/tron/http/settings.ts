/**
 * Settings and condition of this node, which differ between nodes of one network. They can be changed while the node
 * runs. Where the defaults differ from java-tron's, they are those of a full node of an exchange.
 */
export interface NodeSettings {
  /**
   * `vm.supportConstant`, off in java-tron: whether calls are run without a transaction (row T-14:
   * Wallet.callConstantContract).
   */
  readonly supportConstant: boolean
  /** `vm.estimateEnergy`, off in java-tron (row T-15: Wallet.estimateEnergy). */
  readonly estimateEnergy: boolean
  /** `vm.saveInternalTx`, off in java-tron (row T-1: TransactionUtil.buildTransactionInfoInstance). */
  readonly saveInternalTx: boolean
  /**
   * `vm.saveFeaturedInternalTx`, off in java-tron: whether acts of stake are listed too (rows T-2 and T-3:
   * TransactionUtil).
   */
  readonly saveFeaturedInternalTx: boolean
  /**
   * `node.rpc.trxCacheEnable`: ids are stored before any check, so a transaction that was refused once is then a
   * duplicate (row T-26: Wallet.broadcastTransaction).
   */
  readonly trxCache: boolean
  /** A lite node without `openHistoryQueryWhenLiteFN` (row T-12: LiteFnQueryHttpFilter). */
  readonly lite: boolean
  /**
   * The reason why the node accepts no transactions now; '' for none (rows T-23 and T-25: Wallet.broadcastTransaction).
   */
  readonly refuses: '' | keyof typeof REFUSING
  /** Every request is over the rate limit (row T-32: RateLimiterServlet). */
  readonly limited: boolean
}

export const defaultSettings: NodeSettings = {
  supportConstant: true,
  estimateEnergy: true,
  saveInternalTx: true,
  saveFeaturedInternalTx: false,
  trxCache: false,
  lite: false,
  refuses: '',
  limited: false,
}

/** Returns the notes of internal transactions that the node lists. */
export const lists =
  ({ saveInternalTx, saveFeaturedInternalTx }: NodeSettings) =>
  (note: string): boolean =>
    saveInternalTx && (saveFeaturedInternalTx || note === 'call' || note === 'create' || note === 'suicide')

/** The codes, with java-tron's messages. */
export const REFUSING = {
  SERVER_BUSY: 'Server busy.',
  NO_CONNECTION: 'No connection.',
  NOT_ENOUGH_EFFECTIVE_CONNECTION: 'Effective connection:0 lt minEffectiveConnection:1',
  BLOCK_UNSOLIDIFIED: 'Block unsolidified.',
} as const

/** The current settings, and the ids of broadcast transactions. */
export interface NodeState {
  readonly settings: () => NodeSettings
  readonly change: (changes: Partial<NodeSettings>) => void
  /** Returns true if the id was broadcast before. */
  readonly cameBefore: (id: string) => boolean
}

export const openNodeState = (given: Partial<NodeSettings>): NodeState => {
  let settings = { ...defaultSettings, ...given }
  const ids = new Set<string>()
  return {
    settings: () => settings,
    change: (changes) => {
      settings = { ...settings, ...changes }
    },
    cameBefore: (id) => {
      const before = ids.has(id)
      ids.add(id)
      return before
    },
  }
}

/** Requests that a lite node does not answer. Source: java-tron LiteFnQueryHttpFilter. */
const HISTORY: ReadonlySet<string> = new Set([
  'getblockbyid',
  'getblockbylatestnum',
  'getblockbylimitnext',
  'getblockbynum',
  'gettransactionbyid',
  'gettransactioncountbyblocknum',
  'gettransactioninfobyid',
  'gettransactioninfobyblocknum',
])

/**
 * Returns the response to a request that the node does not serve, with status 200 as in java-tron; undefined for a
 * request that it serves.
 */
export const withheld = ({ limited, lite }: NodeSettings, name: string): string | undefined => {
  if (limited) return '{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}'
  return lite && HISTORY.has(name) ? 'this API is closed because this node is a lite fullnode' : undefined
}
