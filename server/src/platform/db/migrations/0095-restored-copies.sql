-- Which database this is. A copy that was restored from a base backup of another server, from a dump, or as a clone has another
-- identity; one that was promoted, or recovered to a point in time, has another timeline.
create table installation (
  singleton boolean primary key default true check (singleton),
  -- of the database that the roles serve; a role refuses any other until `bursar restored` has run
  identity text not null,
  timeline text not null,
  -- how often `bursar restored` has run, and when it ran last
  restores integer not null default 0,
  restored_at timestamptz
);

create function database_identity() returns text language sql stable as $$
  select (select system_identifier from pg_control_system()) || '/' || (select oid from pg_database where datname = current_database())
    || '/' || to_regclass('installation')::oid
$$;

-- Differs from what it was wherever the database may have forgotten something since.
create function database_era() returns text language sql stable as $$
  select database_identity() || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
$$;

-- An address is given out, and an index is derived from, only in the era that made them.
alter table address_stock add column era text not null default database_era();
alter table derivation_counters add column era text not null default database_era();

-- Came in blocks that a restored copy had not read, or to an address it had forgotten: nobody knows yet whose it is.
alter table fundings add column suspense boolean not null default false;
create index fundings_suspense on fundings (network, asset) where suspense;
