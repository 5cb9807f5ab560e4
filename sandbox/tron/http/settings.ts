/**
 * How this node is configured, and how it fares: what differs between nodes of one network. It can be changed while the
 * node runs. The defaults are those of a full node that an exchange runs, where they differ from java-tron's own.
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
   * `node.rpc.trxCacheEnable`: ids are noted before anything is checked, so what was refused once is "there already"
   * (row T-26: Wallet.broadcastTransaction).
   */
  readonly trxCache: boolean
  /** A lite node without `openHistoryQueryWhenLiteFN` (row T-12: LiteFnQueryHttpFilter). */
  readonly lite: boolean
  /**
   * What keeps the node from taking any transaction now; '' for nothing (rows T-23 and T-25:
   * Wallet.broadcastTransaction).
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

/** The notes of internal transactions that the node lists. */
export const lists =
  ({ saveInternalTx, saveFeaturedInternalTx }: NodeSettings) =>
  (note: string): boolean =>
    saveInternalTx && (saveFeaturedInternalTx || note === 'call' || note === 'create' || note === 'suicide')

/** With what java-tron says beside the code. */
export const REFUSING = {
  SERVER_BUSY: 'Server busy.',
  NO_CONNECTION: 'No connection.',
  NOT_ENOUGH_EFFECTIVE_CONNECTION: 'Effective connection:0 lt minEffectiveConnection:1',
  BLOCK_UNSOLIDIFIED: 'Block unsolidified.',
} as const

/** The settings in force, and the ids that broadcasts have brought. */
export interface NodeState {
  readonly settings: () => NodeSettings
  readonly change: (changes: Partial<NodeSettings>) => void
  /** True when the id came before. */
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

/** What a lite node does not answer. Source: java-tron LiteFnQueryHttpFilter. */
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
 * What the node answers to everything that it keeps to itself; undefined when it answers. With status 200, as java-tron
 * has it.
 */
export const withheld = ({ limited, lite }: NodeSettings, name: string): string | undefined => {
  if (limited) return '{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}'
  return lite && HISTORY.has(name) ? 'this API is closed because this node is a lite fullnode' : undefined
}
