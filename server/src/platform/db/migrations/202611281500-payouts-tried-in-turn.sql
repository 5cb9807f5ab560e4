-- The files of payouts are placed in turn, a part of each at a time, and one whose payouts are stopped is tried again
-- later. Real clock; null: it was not tried yet.
alter table payout_requests add column not_before timestamptz;

-- A member who was removed and added again can approve again: the approval from before does not count any more. No
-- release has the table, and people approve few requests: it is small.
alter table payout_approvals drop constraint payout_approvals_pkey;
-- squawk-ignore adding-serial-primary-key-field, constraint-missing-not-valid
alter table payout_approvals add primary key (request_id, person_id, at);
