-- The strangers' addresses in the spelling that lists are compared in: whoever is listed later is found by them.
alter table screenings add column others text[] not null default '{}';
update screenings set others = coalesce(
  (select array_agg(case when a ~* '^(0x|bc1|tb1|bcrt1)' then lower(a) else a end) from jsonb_array_elements_text(subject -> 'others') a), '{}')
where jsonb_typeof(subject -> 'others') = 'array';
create index screenings_others on screenings using gin (others);

-- Addresses that came onto a list after money from or to them had been judged. The judgement stays what it was.
create table screening_findings (
  merchant_id uuid not null,
  screening_id uuid not null,
  address text not null,
  list text not null,
  published date not null,
  found_at timestamptz not null,
  -- what somebody did about it, and who; null: nobody has said yet
  noted_at timestamptz,
  actor text,
  note text,
  primary key (merchant_id, screening_id, address, list),
  check ((noted_at is null) = (note is null))
);
create index screening_findings_of on screening_findings (screening_id);
create index screening_findings_open on screening_findings (screening_id) where noted_at is null;

-- Its destination came onto a list while it waited: nothing is planned or signed for it until it is judged again.
alter table withdrawals add column halted boolean not null default false;
create index withdrawals_halted on withdrawals (merchant_id, id) where halted and state = 'requested';
