-- An approver signs the time when the approval ends, so that an approval does not count for ever. Approvals from before
-- state no end and do not count any more.
alter table withdrawal_approvals add column expires_at timestamptz;
