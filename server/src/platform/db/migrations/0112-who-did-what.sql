-- What people did by the commands of `bursar`, in two rows each: begun and ended. The time is the real one, and each row's hash covers the
-- one before it.
create table operator_actions (
  number bigint primary key,
  id uuid not null,
  at timestamptz not null,
  -- who, as the machine knows them, and as whom the command logged in to the database
  login text not null,
  database_user text not null,
  host text not null,
  command text not null,
  -- as typed, without secrets
  arguments jsonb not null,
  outcome text not null check (outcome in ('begun', 'done', 'found', 'failed')),
  -- what a failure said
  message text,
  hash bytea not null
);
create index operator_actions_id on operator_actions (id);

create trigger operator_actions_append_only before update or delete or truncate on operator_actions
  for each statement execute function refuse_change();
create trigger merchant_audit_append_only before update or delete or truncate on merchant_audit
  for each statement execute function refuse_change();
-- A signature that was wrong is followed by another one, and stays.
alter table withdrawal_approvals drop constraint withdrawal_approvals_pkey, add primary key (merchant_id, withdrawal_id, key_id, signature);
create trigger withdrawal_approvals_append_only before update or delete or truncate on withdrawal_approvals
  for each statement execute function refuse_change();
create trigger screening_decisions_append_only before update or delete or truncate on screening_decisions
  for each statement execute function refuse_change();

-- A stop is lifted once and otherwise stays as it was made; a decision about a claim is made once.
create trigger freezes_kept before delete or truncate on freezes for each statement execute function refuse_change();
create trigger freezes_only_lifted before update on freezes for each row
  when (old.lifted_at is not null or (new.id, new.asset, new.merchant_id, new.network, new.reason, new.created_by, new.created_at)
    is distinct from (old.id, old.asset, old.merchant_id, old.network, old.reason, old.created_by, old.created_at))
  execute function refuse_change();
create trigger hedge_stops_kept before delete or truncate on hedge_stops for each statement execute function refuse_change();
create trigger hedge_stops_only_lifted before update on hedge_stops for each row
  when (old.lifted_at is not null or (new.id, new.reason, new.created_by, new.created_at) is distinct from (old.id, old.reason, old.created_by, old.created_at))
  execute function refuse_change();
create trigger refund_claims_kept before delete or truncate on refund_claims for each statement execute function refuse_change();
create trigger refund_claims_ended before update on refund_claims for each row
  when (old.state in ('refused', 'sent') or (new.merchant_id, new.id, new.invoice_id, new.refund_address, new.requested_at)
    is distinct from (old.merchant_id, old.id, old.invoice_id, old.refund_address, old.requested_at))
  execute function refuse_change();
