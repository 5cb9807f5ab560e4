-- Notifications by month, so that old months can be archived. What is stored becomes the first partition as it is: nothing is
-- copied. It is read twice, once for its newest time and once when it is attached; `events` is locked meanwhile.
alter table events rename to events_before;
alter index events_pkey rename to events_before_pkey;
alter index events_object rename to events_before_object;
drop trigger events_append_only on events_before;

create table events (like events_before) partition by range (created_at);
create index events_object on events (object_id, sequence);

-- Of each merchant the month that its newest notification is of, and its first sequence in it. A month is given as the time at
-- which it begins in UTC. Neither goes back, so that each month has sequences of its own, and with the unique index
-- (merchant_id, sequence) of each partition no sequence stands for two notifications.
alter table event_heads
  add column month timestamptz not null default '-infinity',
  add column month_first bigint not null default 1;

-- Sequences from `first_sequence` to before that of a merchant's next span were made from `since` to before `until`: says which
-- partition a sequence is in.
create table event_spans (
  merchant_id uuid not null,
  first_sequence bigint not null,
  since timestamptz not null,
  until timestamptz not null,
  primary key (merchant_id, first_sequence),
  check (since < until)
);

-- The times of the first and the last event to deliver, for the same reason; of what waits already, all partitions are read.
alter table event_streams
  add column since timestamptz not null default '-infinity',
  add column until timestamptz not null default 'infinity';
alter table event_streams alter column since drop default, alter column until drop default;

do $$
declare
  newest timestamptz := coalesce((select max(created_at) from events_before), now());
  month timestamptz := date_trunc('month', greatest(now(), newest), 'UTC');
  until timestamptz := (month at time zone 'UTC' + interval '1 month') at time zone 'UTC';
begin
  execute format('alter table events attach partition events_before for values from (minvalue) to (%L)', until);
  update event_heads set month = date_trunc('month', until - interval '1 day', 'UTC');
  insert into event_spans(merchant_id, first_sequence, since, until) select merchant_id, 1, '-infinity', until from event_heads;
end $$;
alter table event_heads alter column month drop default, alter column month_first drop default;

-- Takes what no month has a partition for, so that no insert fails.
create table events_default partition of events default;
alter table events_default add primary key (merchant_id, sequence);

create view event_partitions as
  select c.relname::text as name, pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT' as is_default,
    case when pg_get_expr(c.relpartbound, c.oid) like 'FOR VALUES FROM (MINVALUE)%' then '-infinity'::timestamptz
      else substring(pg_get_expr(c.relpartbound, c.oid) from 'FROM \(''([^'']+)''\)')::timestamptz end as since,
    substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \(''([^'']+)''\)')::timestamptz as until
  from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'events'::regclass;

create trigger events_append_only before update or delete or truncate on events
  for each statement execute function refuse_change();
-- Partitions are written to through `events`, which fires no trigger of theirs for each statement.
create trigger events_before_kept before insert or update or delete or truncate on events_before
  for each statement execute function refuse_change();
create trigger events_default_kept before insert or update or delete or truncate on events_default
  for each statement execute function refuse_change();

create trigger event_heads_kept before delete or truncate on event_heads for each statement execute function refuse_change();
create trigger event_heads_forward before update on event_heads for each row
  when (new.merchant_id <> old.merchant_id or new.sequence < old.sequence or new.month < old.month
    or (new.month = old.month and new.month_first <> old.month_first)
    or (new.month > old.month and new.month_first <= old.sequence))
  execute function refuse_change();

create function check_event_sequences() returns trigger language plpgsql as $$
begin
  if exists (select from added a left join event_heads h on h.merchant_id = a.merchant_id
    where (a.sequence between h.month_first and h.sequence and date_trunc('month', a.created_at, 'UTC') = h.month) is not true)
  then
    raise exception 'an event is not of its merchant''s newest month and sequence' using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create trigger events_in_sequence after insert on events referencing new table as added
  for each statement execute function check_event_sequences();
