-- What is read every second is what is open, and there is never much of that.
create index withdrawals_open on withdrawals (blockchain, state) where state in ('requested', 'planned', 'sent', 'mined');

create index ledger_accounts_kind on ledger_accounts (kind, asset);

-- What our addresses hold together, kept in the transactions that move it, by the triggers below.
create table custody_totals (
  network text not null,
  asset text not null,
  -- `hot`, `cold`, or `deposit`, which is every address that belongs to neither
  account text not null,
  booked numeric(78, 0) not null,
  primary key (network, asset, account)
) with (fillfactor = 50);

create function family_of(network text) returns text language sql immutable as $$
  select case when network in ('BITCOIN', 'TRON') then network else 'EVM' end
$$;
create function custody_account(account text) returns text language sql immutable as $$
  select case when account in ('hot', 'cold') then account else 'deposit' end
$$;

create function add_to_custody_totals() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' then
    insert into custody_totals as c (network, asset, account, booked)
    select n.network, n.asset, custody_account(h.account), sum(case tg_op when 'INSERT' then n.booked else -n.booked end) from new_rows n
    left join house_addresses h on h.family = family_of(n.network) and h.address = n.address
    where n.booked <> 0 group by 1, 2, 3 order by 1, 2, 3
    on conflict (network, asset, account) do update set booked = c.booked + excluded.booked;
  else
    insert into custody_totals as c (network, asset, account, booked)
    select m.network, m.asset, custody_account(h.account), sum(m.booked)
    from (
      select n.network, n.asset, n.address, n.booked - o.booked as booked from new_rows n
      join old_rows o on o.network = n.network and o.asset = n.asset and o.address = n.address where n.booked <> o.booked) m
    left join house_addresses h on h.family = family_of(m.network) and h.address = m.address
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (network, asset, account) do update set booked = c.booked + excluded.booked;
  end if;
  return null;
end $$;
create trigger custody_addresses_added after insert on custody_addresses referencing new table as new_rows
  for each statement execute function add_to_custody_totals();
create trigger custody_addresses_moved after update on custody_addresses referencing old table as old_rows new table as new_rows
  for each statement execute function add_to_custody_totals();

create trigger custody_addresses_removed after delete on custody_addresses referencing old table as new_rows
  for each statement execute function add_to_custody_totals();

-- An address that becomes the house's, or a merchant's again, takes what it holds along.
create function move_custody_totals() returns trigger language plpgsql as $$
begin
  insert into custody_totals as c (network, asset, account, booked)
  select t.network, t.asset, x.account, sum(x.sign * a.booked)
  from changed_rows h
  join (select distinct network, asset from custody_totals) t on family_of(t.network) = h.family
  join custody_addresses a on a.network = t.network and a.asset = t.asset and a.address = h.address
  cross join lateral (values (custody_account(h.account), case tg_op when 'INSERT' then 1 else -1 end), ('deposit', case tg_op when 'INSERT' then -1 else 1 end)) x(account, sign)
  where a.booked <> 0 and custody_account(h.account) <> 'deposit'
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (network, asset, account) do update set booked = c.booked + excluded.booked;
  return null;
end $$;
create trigger house_addresses_added after insert on house_addresses referencing new table as changed_rows
  for each statement execute function move_custody_totals();
create trigger house_addresses_removed after delete on house_addresses referencing old table as changed_rows
  for each statement execute function move_custody_totals();

insert into custody_totals(network, asset, account, booked)
  select c.network, c.asset, custody_account(h.account), sum(c.booked) from custody_addresses c
  left join house_addresses h on h.family = family_of(c.network) and h.address = c.address
  where c.booked <> 0 group by 1, 2, 3;

-- How many deposits and withdrawals are in each state: the count, and what has changed since a worker last added it up. A change is a
-- row of its own, so that no statement waits for another's count.
create table state_counts (
  subject text not null,
  network text not null,
  state text not null,
  count bigint not null,
  primary key (subject, network, state)
);
create table state_changes (
  id bigint generated always as identity primary key,
  subject text not null,
  network text not null,
  state text not null,
  change bigint not null
);
create function count_added_deposits() returns trigger language plpgsql as $$
begin
  insert into state_changes(subject, network, state, change) select 'deposits', network, state, count(*) from new_rows group by 2, 3;
  return null;
end $$;
create function count_moved_deposits() returns trigger language plpgsql as $$
begin
  insert into state_changes(subject, network, state, change)
  select 'deposits', network, state, sum(change) from (select network, state, 1 as change from new_rows union all select network, state, -1 from old_rows) x
  group by 2, 3 having sum(change) <> 0;
  return null;
end $$;
create function count_added_withdrawals() returns trigger language plpgsql as $$
begin
  insert into state_changes(subject, network, state, change) select 'withdrawals', blockchain, state, count(*) from new_rows group by 2, 3;
  return null;
end $$;
create function count_moved_withdrawals() returns trigger language plpgsql as $$
begin
  insert into state_changes(subject, network, state, change)
  select 'withdrawals', blockchain, state, sum(change) from (select blockchain, state, 1 as change from new_rows union all select blockchain, state, -1 from old_rows) x
  group by 2, 3 having sum(change) <> 0;
  return null;
end $$;
create trigger deposits_added after insert on deposits referencing new table as new_rows for each statement execute function count_added_deposits();
create trigger deposits_moved after update on deposits referencing old table as old_rows new table as new_rows for each statement execute function count_moved_deposits();
create trigger withdrawals_added after insert on withdrawals referencing new table as new_rows for each statement execute function count_added_withdrawals();
create trigger withdrawals_moved after update on withdrawals referencing old table as old_rows new table as new_rows for each statement execute function count_moved_withdrawals();
insert into state_counts(subject, network, state, count)
  select 'deposits', network, state, count(*) from deposits group by 2, 3
  union all select 'withdrawals', blockchain, state, count(*) from withdrawals group by 2, 3;

-- Network costs by network, asset and operation, over all days and merchants.
create table network_cost_totals (
  network text not null,
  asset text not null,
  operation text not null,
  units numeric(78, 0) not null,
  primary key (network, asset, operation)
);
create function add_to_cost_totals() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into network_cost_totals as c (network, asset, operation, units)
    select network, asset, operation, sum(units) from new_rows group by 1, 2, 3 order by 1, 2, 3
    on conflict (network, asset, operation) do update set units = c.units + excluded.units;
  else
    insert into network_cost_totals as c (network, asset, operation, units)
    select network, asset, operation, sum(units) from (select network, asset, operation, units from new_rows union all select network, asset, operation, -units from old_rows) x
    group by 1, 2, 3 having sum(units) <> 0 order by 1, 2, 3
    on conflict (network, asset, operation) do update set units = c.units + excluded.units;
  end if;
  return null;
end $$;
create trigger network_costs_added after insert on network_costs referencing new table as new_rows for each statement execute function add_to_cost_totals();
create trigger network_costs_moved after update on network_costs referencing old table as old_rows new table as new_rows for each statement execute function add_to_cost_totals();
insert into network_cost_totals(network, asset, operation, units) select network, asset, operation, sum(units) from network_costs group by 1, 2, 3;

-- Only tests empty a table, and they do it where no other trigger fires.
create function forget_totals() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'custody_addresses' then delete from custody_totals;
  elsif tg_table_name = 'network_costs' then delete from network_cost_totals;
  else
    delete from state_counts where subject = tg_table_name;
    delete from state_changes where subject = tg_table_name;
  end if;
  return null;
end $$;
create trigger custody_addresses_emptied after truncate on custody_addresses for each statement execute function forget_totals();
create trigger network_costs_emptied after truncate on network_costs for each statement execute function forget_totals();
create trigger deposits_emptied after truncate on deposits for each statement execute function forget_totals();
create trigger withdrawals_emptied after truncate on withdrawals for each statement execute function forget_totals();
alter table custody_addresses enable always trigger custody_addresses_emptied;
alter table network_costs enable always trigger network_costs_emptied;
alter table deposits enable always trigger deposits_emptied;
alter table withdrawals enable always trigger withdrawals_emptied;
