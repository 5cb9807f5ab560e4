-- What was archived: partitions of `events` that were written to a file, verified and dropped.
create table event_archives (
  name text primary key,
  since timestamptz not null,
  until timestamptz not null,
  events bigint not null,
  file text not null,
  sha256 text not null,
  archived_at timestamptz not null
);
create trigger event_archives_append_only before update or delete or truncate on event_archives
  for each statement execute function refuse_change();
