/** Thrown when PostgreSQL can't be started here. The message gives the reason and an alternative. */
export class PostgresUnavailable extends Error {
  constructor(reason: string) {
    super(
      `PostgreSQL cannot be started here: ${reason}.\n` +
        'To use a server of your own, set DATABASE_URL to a PostgreSQL 15 or newer, as postgres://user@host/bursar',
    )
    this.name = 'PostgresUnavailable'
  }
}
