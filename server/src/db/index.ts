/** The database: connections, transactions, the schema and its migrations. Knows nothing of what is stored. */
export { createPool, connectPipelined } from './pool.ts'
export type { PoolSettings } from './pool.ts'
export { createDb, inTransaction, mayRetry, sqlState } from './database.ts'
export type { Db, Tx } from './database.ts'
export { listen } from './listen.ts'
export type { Listener } from './listen.ts'
export { migrate, requireMigrated } from './migrate.ts'
export type { Schema } from './schema.ts'
