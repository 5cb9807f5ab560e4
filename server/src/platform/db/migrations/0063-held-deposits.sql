-- A merchant may have deposits credited only once screening lets them through. `held`: deep enough, and in quarantine until then.
-- `rejected`: an operator decided against it; the money stays in quarantine.
alter table deposits drop constraint deposits_state_check;
alter table deposits add constraint deposits_state_check check (state in ('pending', 'held', 'credited', 'rejected', 'suspended', 'orphaned', 'failed'));
-- it was held once: it is credited by screening alone, whatever its merchant has set since
alter table deposits add column hold_until_verified boolean not null default false;
alter table deposits add constraint deposits_held check (state not in ('held', 'rejected') or hold_until_verified);

-- What operators said about something risky: never changed, so that it says who decided and why.
create table screening_decisions (
  merchant_id uuid not null,
  screening_id uuid not null,
  -- in the order they were said
  n bigint generated always as identity,
  event text not null check (event in ('released', 'rejected')),
  actor text not null,
  reason text not null,
  created_at timestamptz not null,
  primary key (merchant_id, n)
);
create index screening_decisions_of on screening_decisions (screening_id);
