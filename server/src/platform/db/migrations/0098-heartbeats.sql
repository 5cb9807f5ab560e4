-- Each process that serves says every few seconds that it lives; the worker says it for the signer, when it answered.
create table heartbeats (
  process uuid not null,
  -- `api`, `worker`, `watcher` or `signer`; a process of all roles has a row for each
  role text not null,
  host text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  primary key (process, role)
);
