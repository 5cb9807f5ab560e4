/** Server settings for a ledger. fsync and synchronous_commit stay on, because a committed posting must be durable. */
const ledgerSettings: Readonly<Record<string, string>> = {
  listen_addresses: '',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // A posting writes 2 to 2.4 kB of WAL: 20 thousand a second would force a checkpoint every 20 s at the default 1 GB.
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  shared_buffers: '256MB',
  max_connections: '200',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
}

export function settingArguments(overrides: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries({ ...ledgerSettings, ...overrides }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
