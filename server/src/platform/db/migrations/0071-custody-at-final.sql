-- Moves of the newest blocks are kept for every network of accounts now, so that a record can be had as it was at the final block. Those of
-- blocks read before this migration are not there: nothing is compared at a final block below the one read last.
alter table watch_cursors add column moves_since bigint not null default 0;
update watch_cursors set moves_since = height where network <> 'TRON';

-- The final block at which the address of an inner transfer held all that the books say with it. It is credited only then.
alter table deposits add column balance_height bigint;
